"""The stretches of an answer that can be looked for in a source: sentences and bullets without what frames them."""

from __future__ import annotations

import re

from assay.lexical.quotes import drop_citation
from assay.policy import Policy
from assay.text.sentences import Sentence, split_sentences
from assay.text.tokens import tokenize
from assay.types import Span

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
_READ = 400  # a frame stands at the start of a sentence


def find_spans(answer: str, policy: Policy | None = None) -> list[Span]:
    """Sentences and bullets long enough to be matched, without citations at their ends; no headings, no code."""
    shortest = (policy or Policy()).span_min_chars
    found = []
    for sentence in split_sentences(answer):
        span = drop_citation(answer, sentence.span)
        if sentence.kind not in ("heading", "code") and len(span) >= shortest:
            found.append(span)
    return found


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
    return rest if len(rest) >= Policy().span_min_chars else None


def is_prose(text: str) -> bool:
    """Whether a span has at least two lower-case words of four letters or more, as sentences do and labels do not."""
    return sum(len(token.text) >= 4 and token.text[0].islower() for token in tokenize(text)) >= 2


def is_one_sentence(answer: str) -> bool:
    """Whether the answer is a single sentence."""
    return len(_stated(answer)) == 1


def _stated(answer: str) -> list[Sentence]:
    return [sentence for sentence in split_sentences(answer) if sentence.kind not in ("heading", "code")]
