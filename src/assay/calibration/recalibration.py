"""Probabilities and cut-offs fitted to a user's own labels: about a hundred are enough to begin with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.calibration.fits import IsotonicMap, Promise, fit_map_if_better, promise
from assay.encoder.scores import Scores
from assay.errors import PolicyError, UsageError
from assay.policy import Policy
from assay.types import Document, Judgement, Stance, Support, Verdict

VERSION = 1
KIND_LABELS = 30  # labels from which a document kind gets a threshold of its own
LEAST_LABELS = 20  # below this nothing can be learned that would not be noise
_GRID = tuple(round(0.02 * step, 2) for step in range(1, 50))
_TRUTH = {
    "SUPPORTED": (True, False),
    "REFUTED": (False, True),
    "INSUFFICIENT": (False, False),
    "NOT_SUPPORTED": (False, None),
}


@dataclass(frozen=True, slots=True)
class LabelledScores:
    """What a judge said of a claim, and what a person did; `refuted` is None where that is not known."""

    scores: Scores
    supported: bool
    refuted: bool | None
    kind: str = ""

    @classmethod
    def of(cls, scores: Scores, label: str, kind: str = "") -> LabelledScores:
        supported, refuted = _TRUTH[label]
        return cls(scores, bool(supported), refuted, kind)


def verdict_scores(judgement: Judgement) -> Scores:
    """A verdict with its confidence as three probabilities, the rest shared by the other two.

    >>> verdict_scores(Judgement(Verdict.SUPPORTED, 0.8, "lexical"))
    Scores(supported=0.8, refuted=0.1, insufficient=0.1)
    """
    other = round((1.0 - judgement.confidence) / 2, 12)
    order = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)
    return Scores(*(judgement.confidence if verdict is judgement.verdict else other for verdict in order))


@dataclass(frozen=True)
class Recalibration:
    """A rising map for each verdict, the threshold of each document kind, and the promised cut-off."""

    supported: IsotonicMap = field(default_factory=IsotonicMap)
    refuted: IsotonicMap = field(default_factory=IsotonicMap)
    insufficient: IsotonicMap = field(default_factory=IsotonicMap)
    thresholds: Mapping[str, float] = field(default_factory=dict)
    promise: Promise | None = None
    judge: str = ""
    model: str = ""
    labels: int = 0

    def apply(self, scores: Scores) -> Scores:
        """The three probabilities, each mapped; support keeps its value and the other two share what is left."""
        yes = self.supported.at(scores.supported)
        no, open_ = self.refuted.at(scores.refuted), self.insufficient.at(scores.insufficient)
        share = no / (no + open_) if no + open_ > 0 else 0.0
        return Scores(yes, (1.0 - yes) * share, (1.0 - yes) * (1.0 - share))

    def threshold(self, kind: str = "") -> float | None:
        """From which mapped probability a claim about this kind of document is supported; None: when likeliest."""
        return self.thresholds.get(kind, self.thresholds.get(""))

    def rule(self, scores: Scores, kind: str = "") -> tuple[Verdict, float]:
        """The verdict on raw scores and its probability."""
        mapped, cut = self.apply(scores), self.threshold(kind)
        if cut is None:
            return mapped.verdict, mapped.confidence
        if mapped.supported >= cut:
            return Verdict.SUPPORTED, mapped.supported
        if mapped.refuted > mapped.insufficient:
            return Verdict.REFUTED, mapped.refuted
        return Verdict.INSUFFICIENT, mapped.insufficient

    def passes(self, scores: Scores) -> bool:
        """Whether a claim is surely enough supported for the promise to cover it; never without a promise.

        The cut-off is one of raw scores: the maps are fitted to the same labels, and would break the promise.
        """
        cut = self.promise.cut if self.promise else None
        return cut is not None and scores.supported >= cut

    def revise(self, judgement: Judgement, kind: str = "") -> Judgement:
        """A judgement with its confidence mapped; INSUFFICIENT where the mapped probability no longer carries it.

        Support is never made where the judge saw none: the receipts would not show it. Verdicts that are no opinion
        stay as they are, and so do those of a tier the labels were not about: what was fitted to `small` says nothing
        about a lexical proof.
        """
        opinion = judgement.verdict in (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)
        of_others = self.judge in ("small", "base") and self.judge not in judgement.method
        if not opinion or of_others:
            return judgement
        raw = verdict_scores(judgement)
        verdict, sure = self.rule(raw, kind)
        if verdict is judgement.verdict:
            return replace(judgement, confidence=min(1.0, sure))
        mapped = self.apply(raw)
        if judgement.verdict is Verdict.INSUFFICIENT:
            return replace(judgement, confidence=mapped.insufficient)
        return replace(
            judgement,
            verdict=Verdict.INSUFFICIENT,
            confidence=1.0 - (mapped.supported if judgement.verdict is Verdict.SUPPORTED else mapped.refuted),
            support=Support.NONE,
            evidence=tuple(replace(item, stance=Stance.NEUTRAL) for item in judgement.evidence),
            explanation=f"{judgement.explanation} By the calibration on your labels this is not sure enough.".strip(),
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "judge": self.judge,
            "model": self.model,
            "labels": self.labels,
            "supported": [list(knot) for knot in self.supported.knots],
            "refuted": [list(knot) for knot in self.refuted.knots],
            "insufficient": [list(knot) for knot in self.insufficient.knots],
            "thresholds": dict(self.thresholds),
            "promise": self.promise.to_dict() if self.promise else None,
        }

    @classmethod
    def load(cls, path: str | Path) -> Recalibration:
        """The calibration in a file that `assay calibrate` wrote."""
        try:
            raw = json.loads(Path(path).read_text(encoding="utf-8"))
            if raw["version"] != VERSION:
                raise PolicyError(f"{path} is of version {raw['version']}; this Assay reads {VERSION}")
            return cls(
                supported=_map(raw["supported"]),
                refuted=_map(raw["refuted"]),
                insufficient=_map(raw["insufficient"]),
                thresholds={str(kind): float(cut) for kind, cut in raw["thresholds"].items()},
                promise=Promise(**raw["promise"]) if raw["promise"] else None,
                judge=str(raw["judge"]),
                model=str(raw["model"]),
                labels=int(raw["labels"]),
            )
        except OSError as problem:
            raise PolicyError(f"cannot read the calibration {path}: {problem.strerror or problem}") from problem
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise PolicyError(f"{path} is no calibration of `assay calibrate`: {problem}") from problem

    def save(self, path: Path) -> None:
        try:
            path.write_text(json.dumps(self.to_dict(), indent=2) + "\n", encoding="utf-8")
        except OSError as problem:
            raise UsageError(f"cannot write {path}: {problem.strerror or problem}") from problem


def revise_all(
    policy: Policy, judgements: Sequence[Judgement], documents: Iterable[Document] = ()
) -> tuple[Judgement, ...]:
    """Judgements as the policy's calibration makes them; as they are where it names none.

    The kind of a judgement is the role of the document it leans on first.
    """
    if not policy.calibration:
        return tuple(judgements)
    made = _loaded(policy.calibration)
    kinds = {document.id: document.role for document in documents}
    return tuple(
        made.revise(one, kinds.get(one.evidence[0].document, "") if one.evidence else "") for one in judgements
    )


@lru_cache(maxsize=8)
def _loaded(path: str) -> Recalibration:
    return Recalibration.load(path)


def _map(knots: Iterable[Iterable[float]]) -> IsotonicMap:
    return IsotonicMap(tuple((float(x), float(y)) for x, y in knots))


def recalibrate(
    labels: Sequence[LabelledScores], policy: Policy | None = None, *, judge: str = "", model: str = ""
) -> Recalibration:
    """The maps, thresholds and cut-off that the labels ask for."""
    rules = policy or Policy()
    if len(labels) < LEAST_LABELS:
        raise UsageError(f"{len(labels)} labels are too few to learn from: give {LEAST_LABELS} or more, best about 100")
    if len({label.supported for label in labels}) < 2:
        raise UsageError("all labels say the same: claims that are supported and claims that are not are both needed")
    known = [label for label in labels if label.refuted is not None]
    made = Recalibration(
        supported=fit_map_if_better([one.scores.supported for one in labels], [one.supported for one in labels]),
        refuted=fit_map_if_better([one.scores.refuted for one in known], [bool(one.refuted) for one in known]),
        insufficient=fit_map_if_better(
            [one.scores.insufficient for one in known], [not one.refuted and not one.supported for one in known]
        ),
        judge=judge,
        model=model,
        labels=len(labels),
    )
    sure = [made.apply(one.scores).supported for one in labels]
    thresholds = {
        kind: best_cut([cut for cut, one in zip(sure, labels, strict=True) if one.kind == kind], own)
        for kind, own in _by_kind(labels, KIND_LABELS).items()
    }
    kept = promise(
        [one.scores.supported for one in labels],
        [one.supported for one in labels],
        rules.calibration_risk,
        rules.calibration_confidence,
    )
    return replace(made, thresholds=thresholds, promise=kept)


def _by_kind(labels: Sequence[LabelledScores], least: int) -> dict[str, list[bool]]:
    """The truth for each document kind that has labels enough, of both sorts."""
    found: dict[str, list[bool]] = {}
    for label in labels:
        if label.kind:
            found.setdefault(label.kind, []).append(label.supported)
    return {kind: own for kind, own in found.items() if len(own) >= least and len(set(own)) == 2}


def best_cut(scores: Sequence[float], truth: Sequence[bool]) -> float:
    """The threshold with the best balanced accuracy; of equally good ones the middle, which moves least."""
    ups, downs = sum(truth), len(truth) - sum(truth)

    def figure(cut: float) -> float:
        hits = sum(score >= cut and hit for score, hit in zip(scores, truth, strict=True))
        rejected = sum(score < cut and not hit for score, hit in zip(scores, truth, strict=True))
        return hits / max(1, ups) + rejected / max(1, downs)

    reached = [(figure(cut), cut) for cut in _GRID]
    best = max(value for value, _ in reached)
    cuts = [cut for value, cut in reached if value >= best - 1e-9]
    return cuts[len(cuts) // 2]
