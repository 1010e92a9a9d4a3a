"""Why a sentence or a quotation did, or did not, verify against a context."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum

from assay.codec import Json, encode_fields
from assay.errors import AnswerError
from assay.lexical.index import SourceIndex, index_context
from assay.lexical.negation import negated_around
from assay.lexical.quotes import PARTIAL_COVERAGE, blank_anchors, drop_citation
from assay.lexical.search import best_windows, unknown_numbers, weigh
from assay.policy import Policy
from assay.text.comparable import content_of, words_of
from assay.text.normalise import normalise
from assay.text.tokens import stem
from assay.types import Document, Evidence, Span


class OverlapKind(StrEnum):
    """How close a context comes to a sentence."""

    VERBATIM_IN_BASE = "verbatim_in_base"
    VERBATIM_IN_RAW_ONLY = "verbatim_in_raw_only"
    TRAILING_ARTIFACT = "trailing_artifact"
    PARAPHRASE = "paraphrase"
    PARTIAL = "partial"
    NO_OVERLAP = "no_overlap"


ARTIFACT_PREFIX_CHARS = 60  # a verbatim prefix this long means the rest is a trailing artifact
_SAID = {
    OverlapKind.VERBATIM_IN_BASE: "these words stand in the source",
    OverlapKind.VERBATIM_IN_RAW_ONLY: "these words stand only in the raw text, in markup that a reader does not see",
    OverlapKind.TRAILING_ARTIFACT: "it starts word for word like the source, then goes on differently",
    OverlapKind.PARAPHRASE: "nearly all of its words stand in the source, in another order",
    OverlapKind.PARTIAL: "some of its words stand in the source",
    OverlapKind.NO_OVERLAP: "the source does not speak of this",
}


@dataclass(frozen=True, slots=True)
class UnitInspection:
    """What was found of a unit, the closest place in the context, and what is missing there."""

    outcome: OverlapKind
    coverage: float
    evidence: Evidence | None = None
    missing_words: tuple[str, ...] = ()
    missing_numbers: tuple[str, ...] = ()
    matched_prefix: str = ""
    unmatched_tail: str = ""
    negated_by: str | None = None

    def to_dict(self) -> Json:
        return encode_fields(self) | {"coverage": round(self.coverage, 4)}

    def __str__(self) -> str:
        lines = [f"{self.outcome.value}: {_SAID[self.outcome]} ({self.coverage:.0%} of its content words)"]
        if self.negated_by:
            lines.append(f"  but the source denies it: “{self.negated_by}”")
        if self.unmatched_tail:
            lines.append(f"  not in the source: “{self.unmatched_tail}”")
        if self.missing_words:
            lines.append(f"  missing words: {', '.join(self.missing_words)}")
        if self.missing_numbers:
            lines.append(f"  missing numbers: {', '.join(self.missing_numbers)}")
        if self.evidence:
            lines.append(f"  closest place, {self.evidence.start}–{self.evidence.end}: “{self.evidence.quote}”")
        return "\n".join(lines)


def inspect(unit: str, context: str | Document, policy: Policy | None = None) -> UnitInspection:
    """How close the context comes to a unit, where, and what the unit says that the context does not."""
    if not isinstance(unit, str):
        raise AnswerError(f"a sentence to inspect is text, not {type(unit).__name__}")
    rules = policy or Policy()
    index = index_context(context)
    text = blank_anchors(drop_citation(unit, Span(0, len(unit))).of(unit))
    words = words_of(text)
    if found := next(index.find_words(words), None):
        place = index.span(*found)
        denial = negated_around(index.document.text, place)
        return UnitInspection(OverlapKind.VERBATIM_IN_BASE, 1.0, _cite(index, place), negated_by=denial)
    coverage, missing = _coverage(text, index)
    numbers = tuple(dict.fromkeys(unknown_numbers(text, index)))
    if place_in_raw := _find_raw(text, index):
        outcome = OverlapKind.VERBATIM_IN_RAW_ONLY
        return UnitInspection(outcome, coverage, _cite(index, place_in_raw), missing, numbers)
    prefix, tail, place_of_prefix = _longest_prefix(text, words, index)
    if place_of_prefix and len(prefix) >= ARTIFACT_PREFIX_CHARS:
        evidence = _cite(index, place_of_prefix)
        return UnitInspection(OverlapKind.TRAILING_ARTIFACT, coverage, evidence, missing, numbers, prefix, tail)
    content = [part for word in content_of(text) for part in word.words]
    outcome = _outcome(coverage, rules)
    window = None
    if outcome is not OverlapKind.NO_OVERLAP:
        window = next(iter(best_windows(index, weigh(map(stem, content), [index]))), None)
    return UnitInspection(outcome, coverage, _cite(index, window.span) if window else None, missing, numbers)


def _outcome(coverage: float, policy: Policy) -> OverlapKind:
    if coverage >= policy.paraphrase_coverage:
        return OverlapKind.PARAPHRASE
    return OverlapKind.PARTIAL if coverage >= PARTIAL_COVERAGE else OverlapKind.NO_OVERLAP


def _coverage(text: str, index: SourceIndex) -> tuple[float, tuple[str, ...]]:
    """The share of content words that the source has, and those it has not."""
    content = content_of(text)
    missing = [word.shown for word in content if not index.has(word.words)]
    share = 1 - len(missing) / len(content) if content else 0.0
    return share, tuple(dict.fromkeys(missing))


def _find_raw(text: str, index: SourceIndex) -> Span | None:
    """Where the words stand in the text as it came, markup and all."""
    document = index.document
    if document.markup == "plain":
        return None
    wanted = normalise(text).text.strip(" .,;:!?…")
    raw = normalise(document.text)
    at = raw.text.find(wanted) if wanted else -1
    return raw.to_original(at, at + len(wanted)) if at >= 0 else None


def _longest_prefix(text: str, words: list[str], index: SourceIndex) -> tuple[str, str, Span | None]:
    """The longest run of words from the start that the source has, the rest of the text, and where that run stands.

    If a run of n words is found, every shorter one is found too, so the longest is looked for by halving.
    """
    longest = bisect_left(range(1, len(words) + 1), True, key=lambda n: next(index.find_words(words[:n]), None) is None)
    found = next(index.find_words(words[:longest]), None)
    if found is None:
        return "", "", None
    cut = _end_of_word(text, longest)
    return text[:cut].strip(), text[cut:].strip(), index.span(*found)


def _end_of_word(text: str, count: int) -> int:
    """Where the first `count` comparable words of a text end."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if len(words_of(text[:middle])) < count:
            low = middle + 1
        else:
            high = middle
    # The word may go on: "8" of "8,849" is already one word.
    while low < len(text) and (text[low].isalnum() or (text[low] in ",." and text[low + 1 : low + 2].isdigit())):
        low += 1
    return low


def _cite(index: SourceIndex, place: Span) -> Evidence:
    return Evidence.cite(index.document, place.start, place.end)
