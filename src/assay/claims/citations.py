"""Anchors the author left in the answer: `[1]`, `[E1, E4]`, `[cite:1a2b3c4d]`, `(Source: …)`, Markdown links."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_CLOSING = tuple(".,;:!?")


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


def kept_words(citation: Citation) -> str:
    """What stays of an anchor in the text of a claim: the words of a link, nothing of the others."""
    if citation.style != "link":
        return ""
    return citation.text[citation.text.index("[") + 1 : citation.text.index("](")]


def without_anchors(text: str, start: int, end: int, citations: list[Citation]) -> str:
    """`text[start:end]` as prose: anchors gone with the gap they leave, links as their words."""
    pieces: list[str] = []
    done = start
    for citation in citations:
        words = kept_words(citation)
        before = text[done : citation.span.start]
        follows = text[citation.span.end : citation.span.end + 1]
        # An anchor at the head of a line leaves no gap before the full stop of its sentence either.
        gap = None if follows in _CLOSING else " \t"
        pieces.append(before if words else before.rstrip(gap))
        pieces.append(words)
        done = citation.span.end
    pieces.append(text[done:end])
    return "".join(pieces).strip()
