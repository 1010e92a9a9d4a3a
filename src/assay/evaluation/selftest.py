"""Claims made from the user's own sources, judged by the engine: how many wrong ones are caught, kind by kind.

A wrong claim is caught when the engine does not call it supported (or, for an anchor, when it objects to the anchor). A
true claim that is not called supported is a false alarm. The headline is the mean over kinds: many easy claims of one
kind cannot hide the few hard ones of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.codec import encode, encode_fields
from assay.evaluation.cases import CONTROLS, KINDS, SelftestCase, make_cases
from assay.evaluation.metrics import MeanRate, Rate
from assay.types import Document, Report, Span, Verdict

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.memory import Memory

_ANCHORED = ("citation", "cited")
_ANCHOR_VIOLATIONS = ("wrong_citation", "phantom_citation")
_WORST = (Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.SUPPORTED)
_TOGETHER = 25  # cases judged as the paragraphs of one answer, so that the sources are searched in one go
_SHOWN = 3  # examples of each kind in the JSON


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What the engine made of a case: objected or not, with which verdict, for which reason; None if not judged."""

    case: SelftestCase
    objected: bool | None
    verdict: Verdict
    explanation: str = ""
    quote: str = ""

    def to_dict(self) -> dict[str, Any]:
        claim = self.case.claim
        return {
            **{name: getattr(claim, name) for name in ("kind", "change", "text", "old", "new")},
            "original": self.case.sentences[0],
            "sources": list(self.case.sentences),
            "verdict": self.verdict.value,
            "explanation": self.explanation,
            "quote": self.quote,
        }


@dataclass(frozen=True)
class KindResult:
    """What became of the claims of one kind: of wrong ones how many were caught, of a control how many objected to."""

    kind: str
    outcomes: tuple[CaseOutcome, ...]

    @property
    def made(self) -> int:
        return len(self.outcomes)

    @property
    def caught(self) -> Rate:
        return _objected(self.outcomes)

    @property
    def refuted(self) -> Rate:
        judged = [outcome for outcome in self.outcomes if outcome.objected is not None]
        return Rate(sum(outcome.verdict is Verdict.REFUTED for outcome in judged), len(judged))

    @property
    def not_judged(self) -> int:
        return sum(outcome.objected is None for outcome in self.outcomes)

    @property
    def changes(self) -> dict[str, Rate]:
        """What was caught of each change within the kind."""
        names = dict.fromkeys(outcome.case.claim.change for outcome in self.outcomes)
        return {name: _objected([o for o in self.outcomes if o.case.claim.change == name]) for name in names}

    def to_dict(self) -> dict[str, Any]:
        return {
            "made": self.made,
            "caught": self.caught.to_dict(),
            "refuted": self.refuted.to_dict(),
            "not_judged": self.not_judged,
            "changes": {name: {"hits": rate.hits, "of": rate.of} for name, rate in self.changes.items()},
        }


@dataclass(frozen=True)
class Selftest:
    """All outcomes, and the figures that follow from them."""

    judge: str
    sentences: int
    outcomes: tuple[CaseOutcome, ...]

    @property
    def kinds(self) -> list[KindResult]:
        """The kinds of wrong claims that could be made, in their order."""
        return [found for kind in KINDS if (found := self._of(kind, true=False)).made]

    @property
    def controls(self) -> list[KindResult]:
        """The kinds of true claims that could be made, in their order."""
        return [found for kind in CONTROLS if (found := self._of(kind, true=True)).made]

    def _of(self, kind: str, *, true: bool) -> KindResult:
        return KindResult(kind, tuple(o for o in self.outcomes if o.case.true is true and o.case.kind == kind))

    @property
    def catch_rate(self) -> MeanRate:
        """The headline: the share of wrong claims caught, averaged over kinds."""
        return MeanRate(tuple(kind.caught for kind in self.kinds))

    @property
    def false_alarm_rate(self) -> MeanRate:
        """The share of true claims objected to, averaged over kinds of control."""
        return MeanRate(tuple(control.caught for control in self.controls))

    @property
    def caught(self) -> Rate:
        return _objected([outcome for outcome in self.outcomes if not outcome.case.true])

    @property
    def false_alarms(self) -> Rate:
        return _objected([outcome for outcome in self.outcomes if outcome.case.true])

    @property
    def rates(self) -> dict[str, Rate]:
        """True claims that pass, true ones called refuted, and wrong ones called supported (anchors apart)."""
        judged = [o for o in self.outcomes if o.objected is not None and o.case.kind not in _ANCHORED]
        true, false = [o for o in judged if o.case.true], [o for o in judged if not o.case.true]
        return {
            "true_called_supported": Rate(sum(not o.objected for o in true), len(true)),
            "true_called_refuted": Rate(sum(o.verdict is Verdict.REFUTED for o in true), len(true)),
            "false_called_supported": Rate(sum(not o.objected for o in false), len(false)),
        }

    def missed(self, most: int = _SHOWN) -> list[CaseOutcome]:
        """Wrong claims that passed, at most so many of each kind."""
        return [o for kind in self.kinds for o in [o for o in kind.outcomes if o.objected is False][:most]]

    def alarms(self, most: int = _SHOWN) -> list[CaseOutcome]:
        """True claims that were objected to, at most so many of each control."""
        return [o for control in self.controls for o in [o for o in control.outcomes if o.objected][:most]]

    def to_dict(self) -> dict[str, Any]:
        means = ("catch_rate", "false_alarm_rate", "caught", "false_alarms", "rates")
        return encode_fields(self, *means, without=("outcomes",)) | {
            "kinds": {kind.kind: kind.to_dict() for kind in self.kinds},
            "controls": {control.kind: control.caught.to_dict() for control in self.controls},
            "missed": encode(self.missed()),
            "alarms": encode(self.alarms()),
        }


def _objected(outcomes: Sequence[CaseOutcome]) -> Rate:
    judged = [outcome.objected for outcome in outcomes if outcome.objected is not None]
    return Rate(sum(judged), len(judged))


def run_selftest(
    engine: Engine,
    documents: Sequence[Document],
    *,
    memory: Memory | None = None,
    sentences: int = 40,
    seed: int = 0,
    step: Callable[[int, int], None] = lambda done, total: None,
) -> Selftest:
    """Every case judged by the engine against the documents, or against the memory they were taken from.

    `sentences` is the most that is taken of each kind of claim, true or wrong.
    """
    cases = make_cases(documents, sentences, seed, anchored=memory is None and len(documents) > 1)
    sources: Any = memory if memory is not None else list(documents)
    outcomes: list[CaseOutcome] = []
    for batch in _batches(cases):
        report = engine.check("\n\n".join(case.text for case in batch), sources=sources)
        start = 0
        for case in batch:
            outcomes.append(_read(case, report, Span(start, start + len(case.text))))
            start += len(case.text) + 2
        step(len(outcomes), len(cases))
    return Selftest(engine.judged_by.name, sum(case.kind == "verbatim" for case in cases), tuple(outcomes))


def _batches(cases: Sequence[SelftestCase]) -> Iterator[list[SelftestCase]]:
    """Cases that can be judged together: no two made from one sentence, whose claims would be taken for the same."""
    rounds: list[list[SelftestCase]] = []
    seen: Counter[Hashable] = Counter()
    for case in cases:
        number = seen[case.place]
        seen[case.place] += 1
        if number == len(rounds):
            rounds.append([])
        rounds[number].append(case)
    for group in rounds:
        for first in range(0, len(group), _TOGETHER):
            yield group[first : first + _TOGETHER]


def _read(case: SelftestCase, report: Report, place: Span) -> CaseOutcome:
    """Whether the engine objected: to the anchor where one was changed, to any claim otherwise."""
    own = [f for f in report.findings if any(span.overlaps(place) for span in f.spans)]
    findings = [f for f in own if f.verdict not in (Verdict.NOT_CHECKABLE, Verdict.ERROR)]
    if not findings:
        found = own[0] if own else None
        return CaseOutcome(
            case, None, found.verdict if found else Verdict.NOT_CHECKABLE, found.explanation if found else ""
        )
    worst = min(findings, key=lambda f: _WORST.index(f.verdict))
    quote = worst.evidence[0].quote if worst.evidence else ""
    if case.kind in _ANCHORED:
        objected = any(name in f.violations for f in findings for name in _ANCHOR_VIOLATIONS)
    else:
        objected = any(f.verdict is not Verdict.SUPPORTED for f in findings)
    return CaseOutcome(case, objected, worst.verdict, worst.explanation, quote)
