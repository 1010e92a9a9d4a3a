"""The spans an author put in double quotes, and the citation that may trail one."""

from __future__ import annotations

import re

from assay.policy import Policy
from assay.types import Span

_MARK = re.compile('["“”]')
_WORDS = "sources?|src|citing|see|refs?|references?|from"
_CITING = re.compile(rf"\s*\((?:(?:{_WORDS})\b|https?://|www\.)[^()]*\)(?P<stop>[\s.!?,;:]*)\Z", re.IGNORECASE)
_ANCHORS = re.compile(
    r"(?:(?<!\s)\s++)?\[(?:\^?\d{1,4}(?:\s?[-–,;]\s?\^?\d{1,4}){0,50}|E\d{1,4}(?:\s?[,;]\s?E\d{1,4}){0,50}|cite:[^\[\]\s]{1,80})\]"
)
_NO_NUMBERS = re.compile(rf"{_ANCHORS.pattern}|(?<!\S)\(\d{{1,2}}\)(?=\s)")
_EDGE = " \t\r\n\f\v.,;:!?…"
DEFAULT = Policy()
_LONGEST_CITATION = 2_000  # only the end of a unit is looked at


def find_quotes(text: str, policy: Policy = DEFAULT) -> list[Span]:
    """The quoted stretches without citations, marks paired first with second, third with fourth; short ones left out.

    >>> text = 'He called it "the greatest of all" and “fine”.'
    >>> [span.of(text) for span in find_quotes(text)]
    ['the greatest of all']
    """
    shortest = policy.quote_min_chars
    marks = [match.start() for match in _MARK.finditer(text)]
    pairs = zip(marks[0::2], marks[1::2], strict=False)
    spans = (Span(opening + 1, closing) for opening, closing in pairs if closing - opening - 1 >= shortest)
    return [span for span in (drop_citation(text, span) for span in spans) if len(span) >= shortest]


def drop_citation(text: str, span: Span) -> Span:
    """The span without anchors such as "[1]" at its end and without one trailing "(source: …)" or "(https://…)".

    >>> text = "Pikachu (a Pokémon species) is yellow (source: Pokédex)."
    >>> drop_citation(text, Span(0, len(text))).of(text)
    'Pikachu (a Pokémon species) is yellow'
    """
    span = drop_anchors(text, span)
    tail = max(span.start, span.end - _LONGEST_CITATION)
    opening = text.rfind("(", tail, span.end)
    while opening > tail and text[opening - 1].isspace():
        opening -= 1
    if opening >= 0 and _CITING.match(text[opening : span.end]):
        span = drop_anchors(text, Span(span.start, opening))
    return span


def drop_anchors(text: str, span: Span) -> Span:
    """The span without white space at its ends and without anchors at its end."""
    start, end = span.start, span.end
    while start < end and text[start].isspace():
        start += 1
    while True:
        end = _trim(text, start, end, " \t\r\n\f\v")
        bare = _trim(text, start, end, _EDGE)
        if bare == start or text[bare - 1] != "]":
            return Span(start, max(start, end))
        opening = text.rfind("[", max(start, bare - 300), bare)
        if opening < 0 or not _ANCHORS.fullmatch(text, opening, bare):
            return Span(start, max(start, end))
        end = opening


def blank_anchors(text: str) -> str:
    """The text with every anchor and "(2)" of a list in a sentence replaced by as many spaces: they are no numbers."""
    return _NO_NUMBERS.sub(lambda match: " " * len(match.group()), text)


def _trim(text: str, start: int, end: int, edge: str) -> int:
    while end > start and (text[end - 1] in edge or text[end - 1].isspace()):
        end -= 1
    return end
