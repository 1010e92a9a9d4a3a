"""The audit of an answer against one context: are these words in the source or not.

Quotes come first: an answer that has any is judged by them. Then sentences, lines and bullets, then names; the first of
these that finds evidence decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.codec import Json, encode_fields
from assay.confusables import as_seen
from assay.errors import AnswerError, PolicyError
from assay.lexical import quotes
from assay.lexical.index import SourceIndex, index_context
from assay.lexical.negation import find_denial, is_negative, negated_around, negation_conflict
from assay.lexical.search import asserts_unknown, best_windows, cluster, unknown_measures, unknown_numbers, weigh
from assay.policy import Policy
from assay.text.comparable import content_of, words_of
from assay.text.names import find_entities
from assay.text.tokens import stem
from assay.types import AuditMode, Document, Evidence, Span, Stance

ENTITY_POLICIES = ("strict", "hybrid", "drop", "proximity")
PROXIMITY_WINDOW = 300  # characters within which names must stand to ground an answer
_OCCURRENCES = 200  # places of one unit that are looked at for one which is not denied


class UnitStatus(StrEnum):
    """What became of one unit of an answer."""

    VERIFIED_QUOTE = "VERIFIED_QUOTE"
    SUPPORTED_PARAPHRASE = "SUPPORTED_PARAPHRASE"
    UNSUPPORTED = "UNSUPPORTED"
    CONTEXT_NEGATED = "CONTEXT_NEGATED"


@dataclass(frozen=True, slots=True)
class AuditUnit:
    """A quote, sentence or name of the answer, whether the context has it, and the receipt where it does."""

    kind: str
    text: str
    span: Span
    status: UnitStatus
    evidence: tuple[Evidence, ...] = ()
    reason: str = ""

    @property
    def verified(self) -> bool:
        return self.status in (UnitStatus.VERIFIED_QUOTE, UnitStatus.SUPPORTED_PARAPHRASE)

    def __str__(self) -> str:
        where = "".join(f" ({item.start}–{item.end})" for item in self.evidence[:1])
        return f"{self.status.value}{where} “{' '.join(self.text.split())}”: {self.reason}"

    def to_dict(self) -> Json:
        return encode_fields(self)


@dataclass(frozen=True, slots=True)
class AuditResult:
    """How much of an answer stands in its context, by which method, unit by unit."""

    audit_mode: AuditMode
    verifier_method: str
    units: tuple[AuditUnit, ...]

    @property
    def n_quotes(self) -> int:
        """The units that were looked for."""
        return len(self.units)

    @property
    def n_verified(self) -> int:
        """The units that were found; none when names alone did not ground the answer."""
        return sum(unit.verified for unit in self.units)

    @property
    def unverified_quotes(self) -> list[str]:
        return [unit.text for unit in self.units if not unit.verified]

    @property
    def claim_statuses(self) -> list[str]:
        return [unit.status.value for unit in self.units]

    def __str__(self) -> str:
        head = f"{self.audit_mode.value} by {self.verifier_method}, {self.n_verified} of {self.n_quotes} found"
        return "\n".join([head, *(f"  {unit}" for unit in self.units)])

    def to_dict(self) -> Json:
        return encode_fields(self, "n_quotes", "n_verified", "unverified_quotes", "claim_statuses")


def audit_quotes(
    answer: str,
    context: str | Document,
    *,
    entity_policy: str = "proximity",
    proximity_n: int = 3,
    proximity_window: int = PROXIMITY_WINDOW,
    policy: Policy | None = None,
) -> AuditResult:
    """STRICT, HYBRID or UNGROUNDED, with the status and the receipt of every unit of the answer.

    An answer that quotes is judged by its quotes alone. `entity_policy` says how names alone may ground an answer:
    `proximity_n` distinct names within `proximity_window` characters, all of them, some, or never.
    """
    if entity_policy not in ENTITY_POLICIES:
        raise PolicyError(f"unknown entity_policy {entity_policy!r}; use one of {', '.join(ENTITY_POLICIES)}")
    if not isinstance(answer, str):
        raise AnswerError(f"an answer is text, not {type(answer).__name__}")
    audit = _Audit(answer, index_context(context), policy or Policy())
    if quoted := audit.quotes():
        return AuditResult(_mode_of(quoted), "quote", quoted)
    spans = audit.spans()
    if any(unit.verified for unit in spans):
        paraphrased = any(unit.status is UnitStatus.SUPPORTED_PARAPHRASE for unit in spans)
        return AuditResult(_mode_of(spans), "paraphrase" if paraphrased else "span", spans)
    # Words that the context denies are no ground, however many names stand around them.
    if entity_policy != "drop" and not any(unit.status is UnitStatus.CONTEXT_NEGATED for unit in spans):
        names = audit.entities()
        mode = audit.mode_of_names(names, entity_policy, proximity_n, proximity_window)
        if mode is not AuditMode.UNGROUNDED:
            return AuditResult(mode, "entity", names)
    return AuditResult(AuditMode.UNGROUNDED, "none", spans)


def _mode_of(units: Sequence[AuditUnit]) -> AuditMode:
    verified = sum(unit.verified for unit in units)
    if not verified:
        return AuditMode.UNGROUNDED
    return AuditMode.STRICT if verified == len(units) else AuditMode.HYBRID


class _Audit:
    """One answer, one context; each method looks for one kind of unit."""

    def __init__(self, answer: str, index: SourceIndex, policy: Policy) -> None:
        self.answer = answer
        self.index = index
        self.policy = policy

    def quotes(self) -> tuple[AuditUnit, ...]:
        """The quoted spans: the exact words or nothing."""
        return tuple(
            self._verbatim("quote", span) or self._unit("quote", span, UnitStatus.UNSUPPORTED, "not in the context")
            for span in quotes.find_quotes(self.answer)
            if words_of(span.of(self.answer))
        )

    def spans(self) -> tuple[AuditUnit, ...]:
        """The sentences, lines and bullets."""
        units: list[AuditUnit] = []
        for span in quotes.find_spans(self.answer):
            if quotes.is_framing(span.of(self.answer)):
                units.extend(self._framed(span))
            elif words_of(span.of(self.answer)):
                units.append(self._sentence(span))
        return tuple(units)

    def _framed(self, span: Span) -> list[AuditUnit]:
        """A framing sentence counts only for what it goes on to state: found, or a name or number the context lacks."""
        rest = quotes.framed_part(self.answer, span)
        if rest is None:
            return []
        unit = self._sentence(rest)
        if unit.status is not UnitStatus.UNSUPPORTED or unknown_numbers(rest.of(self.answer), self.index):
            return [unit]
        names = [words_of(name.of(rest.of(self.answer))) for name in find_entities(rest.of(self.answer))]
        return [] if all(map(self.index.has, names)) else [unit]

    def _sentence(self, span: Span) -> AuditUnit:
        found = self._verbatim("span", span)
        if found and found.verified:
            return found
        return found or self._paraphrase(span)

    def _verbatim(self, kind: str, span: Span) -> AuditUnit | None:
        """The unit with its words found one after the other, at a place that does not deny them if there is one."""
        denied: tuple[Span, str] | None = None
        for number, (first, last) in enumerate(self.index.find_words(words_of(span.of(self.answer)))):
            place = self.index.span(first, last)
            denial = negated_around(self.index.document.text, place)
            if denial is None or negated_around(self.answer, span):
                return self._unit(kind, span, UnitStatus.VERIFIED_QUOTE, "these words stand in the context", place)
            denied = denied or (place, denial)
            if number >= _OCCURRENCES:
                break
        if denied is None:
            return None
        return self._unit(kind, span, UnitStatus.CONTEXT_NEGATED, f"the context denies it: “{denied[1]}”", denied[0])

    def _paraphrase(self, span: Span) -> AuditUnit:
        text = quotes.blank_anchors(span.of(self.answer))
        content = content_of(text)
        if len(content) < quotes.PARAPHRASE_MIN_CONTENT or not quotes.is_prose(text):
            return self._unit(
                "span", span, UnitStatus.UNSUPPORTED, "not in the context, and too short for a paraphrase"
            )
        missing = [word.shown for word in content if not self.index.has(word.words)]
        if 1 - len(missing) / len(content) < self.policy.paraphrase_coverage:
            return self._unit("span", span, UnitStatus.UNSUPPORTED, f"the context lacks: {_listed(missing)}")
        if numbers := unknown_numbers(text, self.index):
            return self._unit("span", span, UnitStatus.UNSUPPORTED, f"the context lacks the number {_listed(numbers)}")
        if measures := unknown_measures(text, self.index):
            return self._unit("span", span, UnitStatus.UNSUPPORTED, f"the context lacks {_listed(measures)}")
        weights = weigh((stem(part) for word in content for part in word.words), [self.index])
        window = next(iter(best_windows(self.index, weights)), None)
        if window is None:
            return self._unit("span", span, UnitStatus.UNSUPPORTED, "not in the context")
        stated = as_seen(window.span.of(self.index.document.text))
        if denial := negation_conflict(text, stated) or (None if is_negative(text) else find_denial(stated)):
            return self._unit(
                "span", span, UnitStatus.CONTEXT_NEGATED, f"the context denies it: “{denial}”", window.span
            )
        reason = f"{len(content) - len(missing)} of {len(content)} content words stand in the context"
        return self._unit("span", span, UnitStatus.SUPPORTED_PARAPHRASE, reason, window.span)

    def entities(self) -> tuple[AuditUnit, ...]:
        """The names of the answer, each looked for as a phrase."""
        units = []
        for span in find_entities(self.answer):
            place = next(self.index.find(span.of(self.answer)), None)
            if place is None:
                units.append(self._unit("entity", span, UnitStatus.UNSUPPORTED, "this name is not in the context"))
            else:
                reason = "this name stands in the context"
                units.append(self._unit("entity", span, UnitStatus.VERIFIED_QUOTE, reason, place))
        return tuple(units)

    def mode_of_names(self, names: tuple[AuditUnit, ...], entity_policy: str, wanted: int, window: int) -> AuditMode:
        """What the names found say about the answer, under one of the policies."""
        verified = [unit for unit in names if unit.verified]
        if not verified:
            return AuditMode.UNGROUNDED
        if entity_policy == "hybrid":
            return AuditMode.HYBRID
        if entity_policy == "strict" or cluster(self.index, [words_of(unit.text) for unit in verified], wanted, window):
            return _mode_of(names)
        lone = len(verified) == 1 and quotes.is_one_sentence(self.answer)
        if lone and asserts_unknown(quotes.blank_anchors(self.answer), self.index):
            return AuditMode.UNGROUNDED
        return AuditMode.HYBRID

    def _unit(self, kind: str, span: Span, status: UnitStatus, reason: str, place: Span | None = None) -> AuditUnit:
        evidence: tuple[Evidence, ...] = ()
        if place is not None:
            stance = Stance.REFUTES if status is UnitStatus.CONTEXT_NEGATED else Stance.SUPPORTS
            evidence = (Evidence.cite(self.index.document, place.start, place.end, stance=stance),)
        return AuditUnit(kind, span.of(self.answer), span, status, evidence, reason)


def _listed(words: list[str], most: int = 8) -> str:
    distinct = list(dict.fromkeys(words))
    return ", ".join(distinct[:most]) + (f" and {len(distinct) - most} more" if len(distinct) > most else "")
