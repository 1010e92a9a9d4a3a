"""The units of an answer that can be looked for in a source: quotations, sentences and bullets, without citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from assay.text.sentences import ANCHOR, split_sentences
from assay.text.tokens import tokenize
from assay.types import Span

_MARK = re.compile('["“”]')
_WORDS = "sources?|src|citing|see|refs?|references?|from"
_CITING = re.compile(rf"\s*\((?:(?:{_WORDS})\b|https?://|www\.)[^()]*\)(?P<stop>[\s.!?,;:]*)\Z", re.IGNORECASE)
_ANCHORS = re.compile(rf"(?:(?<!\s)\s++)?{ANCHOR}")
_NO_NUMBERS = re.compile(rf"{_ANCHORS.pattern}|(?<!\S)\(\d{{1,2}}\)(?=\s)")
_EDGE = " \t\r\n\f\v.,;:!?…"
QUOTE_MIN_CHARS = 8  # shorter quoted spans are scare quotes, not quotations
SPAN_MIN_CHARS = 12  # shorter sentences carry too little to be matched verbatim
PARAPHRASE_MIN_CONTENT = 4  # below this many content words coverage means nothing
PARTIAL_COVERAGE = 0.4  # below this overlap a failed span is called unrelated, not partial
_LONGEST_CITATION = 2_000  # only the end of a unit is looked at


def find_quotes(text: str) -> list[Span]:
    """The quoted stretches without citations, marks paired first with second, third with fourth; short ones left out.

    >>> text = 'He called it "the greatest of all" and “fine”.'
    >>> [span.of(text) for span in find_quotes(text)]
    ['the greatest of all']
    """
    marks = [match.start() for match in _MARK.finditer(text)]
    pairs = zip(marks[0::2], marks[1::2], strict=False)
    spans = (Span(opening + 1, closing) for opening, closing in pairs if closing - opening - 1 >= QUOTE_MIN_CHARS)
    return [span for span in (drop_citation(text, span) for span in spans) if len(span) >= QUOTE_MIN_CHARS]


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


# Sentences and bullets

_GIVEN = r"(?:provided|given|supplied|available|attached|following|above|retrieved)"
_SOURCES = r"(?:sources?|documents?|context|text|passages?|article|information)"
_OPENING = re.compile(
    rf"\s*(?:based (?:up)?on|according to|from|as (?:stated|described|reported) in) (?:the |these |this |your )?"
    rf"(?:{_GIVEN} )?{_SOURCES}(?: {_GIVEN})?\b[\s,:;–—-]*",
    re.IGNORECASE,
)
_FRAMING = re.compile(
    rf"\bbased on (?:the )?(?:{_GIVEN} )?(?:sources?|documents?)\b"
    rf"|\b(?:sources?|documents?) (?:do|does|did)(?: not\b|n['’]t\b)"
    rf"|\baccording to (?:the )?(?:{_GIVEN} )?sources?\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:sources?|documents?) (?:do|does|did)(?: not\b|n['’]t\b)", re.IGNORECASE)
_LINE = re.compile(r"\S[^\n]*")
_NARROWEST = 50  # characters; lines that are shorter were not broken at a margin
# "3.", "(3)", "3 –", "3️⃣" or "Step 3:" at the start of a line counts the lines; it asserts nothing.
_NUMBERING = re.compile(
    r"(?:(?:step|point|item|fact)[ \t]+)?"
    r"(?:[(\[]?\d{1,3}(?:\.\d{1,3}){0,3}(?:[.):\]]{1,2}[ \t]*|[ \t]+[-–—][ \t]+)|\d\ufe0f?\u20e3[ \t]*)(?=[^\d\s])",
    re.IGNORECASE,
)
_READ = 400  # a frame stands at the start of a sentence


def find_spans(answer: str) -> list[Span]:
    """Sentences, lines and bullets long enough to match, without list numbers and citations; no headings, no code."""
    spans = (drop_citation(answer, span) for span in _stated(answer))
    return [span for span in spans if len(span) >= SPAN_MIN_CHARS]


def is_framing(text: str) -> bool:
    """Whether a sentence speaks about its sources ("Based on the provided sources, …", "The document does not …")."""
    return _FRAMING.search(text[:_READ]) is not None


def framed_part(text: str, span: Span) -> Span | None:
    """What a framing sentence goes on to state: "Paris is large" of "According to the source, Paris is large"."""
    head = span.of(text)[:_READ]
    opening = _OPENING.match(head)
    if opening is None or _DENIAL.search(head):
        return None
    rest = Span(span.start + opening.end(), span.end)
    return rest if len(rest) >= SPAN_MIN_CHARS else None


def is_prose(text: str) -> bool:
    """Whether a span has at least two lower-case words of four letters or more, as sentences do and labels do not."""
    return sum(len(token.text) >= 4 and token.text[0].islower() for token in tokenize(text)) >= 2


def is_one_sentence(answer: str) -> bool:
    """Whether the answer is a single sentence."""
    return len(list(islice(_stated(answer), 2))) == 1


def _stated(answer: str) -> Iterator[Span]:
    """The sentences, each line of a list without full stops apart, and without the numbers of a list."""
    for sentence in split_sentences(answer):
        if sentence.kind in ("heading", "code"):
            continue
        for line in _lines(answer, sentence.span, bullet=sentence.kind == "bullet"):
            number = _NUMBERING.match(answer, line.start, line.end)
            yield Span(number.end(), line.end) if number else line


def _lines(answer: str, span: Span, *, bullet: bool) -> Iterator[Span]:
    """The lines of a sentence, unless they are one paragraph broken at a margin or moved in below its bullet."""
    lines = list(_LINE.finditer(answer, span.start, span.end))
    width = max((len(line.group()) for line in lines), default=0)
    start = span.start
    for line, following in pairwise(lines):
        # A margin is where the next word no longer fitted; what goes on behind it is no new sentence.
        word = following.group().split(maxsplit=1)[0]
        filled = width >= _NARROWEST and len(line.group()) + 1 + len(word) > width
        moved_in = bullet and answer[following.start() - 1] != "\n"
        if not (word[0].islower() and (filled or moved_in)):
            yield Span(start, line.end())
            start = following.start()
    yield Span(start, span.end)
