"""Anchors the author left in the answer: `[1]`, `[E1, E4]`, `[cite:1a2b3c4d]`, `(Source: …)`, Markdown links."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.claims.grammar import AUXILIARIES, DETERMINERS, PREPOSITIONS
from assay.types import Citation, Span

# No part crosses a bracket of its own kind, so that a text of nothing but "[" is read once.
_ANCHOR = re.compile(
    r"\[cite:\s?(?P<hash>[^\[\]\n]{1,200})\]"
    r"|\[(?P<pointer>E\d{1,4}(?:\s?[,;]\s?E\d{1,4}){0,50})\]"
    r"|\[(?P<number>\^?\d{1,3}(?:\s?[-–,;]\s?\^?\d{1,3}){0,50})\](?!\()"
    r"|[(\[](?:[Ss]ources?|SOURCES?|[Ss]rc|[Rr]ef(?:erence)?s?|[Cc]itations?):\s?(?P<source>[^()\[\]\n]{1,300})[)\]]"
    r"|!?\[(?P<words>[^\[\]\n]{1,300})\]\((?P<link>[^()\s]{1,1000}(?:\([^()\s]{0,200}\)[^()\s]{0,200})?)"
    r"(?:\s\"[^\"\n]{0,200}\")?\)"
)
_LIST = re.compile(r"\s?[,;]\s?")
_RANGE = re.compile(r"(\d+)\s?[-–]\s?(\d+)")
_LONGEST_RANGE = 50


def find_citations(text: str) -> list[Citation]:
    """Every anchor of a text in order, with the things it names."""
    if "[" not in text and "(" not in text:
        return []
    return [
        Citation(match.group(), Span(*match.span()), style, targets)
        for match in _ANCHOR.finditer(text)
        for style, targets in (_read(match),)
    ]


def _read(match: re.Match[str]) -> tuple[str, tuple[str, ...]]:
    style = match.lastgroup or ""
    if style == "number":
        return style, tuple(_numbers(match[style]))
    if style == "hash":
        listed = (part.removeprefix("cite:").strip() for part in _LIST.split(match[style]))
        return style, tuple(part for part in listed if part)
    if style == "pointer":
        return style, tuple(_LIST.split(match[style]))
    if style == "source":
        return style, tuple(part.strip() for part in match[style].split(";") if part.strip())
    return "link", (match["link"],)


def _numbers(listed: str) -> Iterator[str]:
    """The numbers of "1, 3-5"; a range that runs backwards or too far is taken by its ends."""
    for part in _LIST.split(listed.replace("^", "")):
        ends = _RANGE.fullmatch(part)
        if not ends:
            yield part
            continue
        low, high = int(ends[1]), int(ends[2])
        if low <= high <= low + _LONGEST_RANGE:
            yield from map(str, range(low, high + 1))
        else:
            yield from (str(low), str(high))


_OPENED = re.compile(r"\((?:(?:see|sources?|via|refs?|cf\.?|from):?\s)?$", re.IGNORECASE)
_CLOSED = re.compile(r"\s?\)")
_BETWEEN = re.compile(r"[\s,;&]{0,3}(?:and\s)?")
_BEHIND = re.compile(r"[ \t]*(?:[.,;:!?)\]]|\n|$)")
_LAST_ON_LINE = re.compile(r"[ \t]*+(?:\n|$)")
_PUNCTUATION = re.compile(r"\s*[.,;:!?]")
_SOURCE_WORD = re.compile(r"(?:sources?|src|refs?|references?|citations?|\^?\d{1,3})", re.IGNORECASE)
_LAST_WORD = re.compile(r"([^\W_][\w'’-]*)\W*$")
_STOPS = ".!?…。！？"
_NEAR = 12


def silent_stretches(text: str, citations: Sequence[Citation]) -> list[tuple[int, int]]:
    """The stretches that only cite and say nothing, with the gap before and the brackets around them.

    The words of a link in a sentence are part of what it says; a link behind a sentence is not, nor is one that is
    called "source".
    """
    silent: list[tuple[int, int]] = []
    index = 0
    while index < len(citations):
        group = _in_brackets(text, citations, index)
        if group:
            start, end, count = group
            silent.append(_with_gap(text, start, end))
            index += count
            continue
        citation = citations[index]
        image = citation.text.startswith("!")
        if citation.style != "link" or image or _only_cites(text, citation, citations[index + 1 : index + 2], silent):
            silent.append(_with_gap(text, citation.span.start, citation.span.end))
        index += 1
    return silent


def _in_brackets(text: str, citations: Sequence[Citation], index: int) -> tuple[int, int, int] | None:
    """The round brackets around anchors and nothing else ("([1], [2])"), and how many anchors they hold."""
    first = citations[index].span
    opened = _OPENED.search(text, max(0, first.start - _NEAR), first.start)
    if not opened:
        return None
    last = index
    while not (closed := _CLOSED.match(text, citations[last].span.end)):
        between = _BETWEEN.match(text, citations[last].span.end)
        if not between or last + 1 >= len(citations) or citations[last + 1].span.start != between.end():
            return None
        last += 1
    behind = _BEHIND.match(text, closed.end()) or text[first.start - 1] != "("
    if behind or all(citation.style != "link" or _calls_source(citation) for citation in citations[index : last + 1]):
        return opened.start(), closed.end(), last + 1 - index
    return None


def _only_cites(text: str, link: Citation, following: Sequence[Citation], silent: list[tuple[int, int]]) -> bool:
    """Whether a link stands behind a sentence, or is called a source and ends one."""
    start, end = link.span.start, link.span.end
    if silent and silent[-1][1] > start - _NEAR and not text[silent[-1][1] : start].strip():
        start = silent[-1][0]  # another anchor stands right before
    before = text[max(0, start - _NEAR * 4) : start]
    stopped = before.rstrip().rstrip("\"'”’)*_").endswith(tuple(_STOPS))
    next_anchor = bool(following) and not text[end : following[0].span.start].strip()
    if stopped:
        return next_anchor or _calls_source(link) or _LAST_ON_LINE.match(text, end) is not None
    word = _LAST_WORD.search(before)
    if not _calls_source(link) or not (next_anchor or _BEHIND.match(text, end)) or not word:
        return False
    # "The [source](…)" and "is [18](…)" are words of the sentence.
    return word[1].lower() not in DETERMINERS | PREPOSITIONS | AUXILIARIES


def _calls_source(link: Citation) -> bool:
    words = link.text[link.text.index("[") + 1 : link.text.index("](")] if link.style == "link" else ""
    return _SOURCE_WORD.fullmatch(words.strip("[] ")) is not None


def _with_gap(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch with the spaces before it; before a full stop a line break goes too."""
    gap = " \t\n\r" if _PUNCTUATION.match(text, end) else " \t"
    while start and text[start - 1] in gap:
        start -= 1
    return start, end
