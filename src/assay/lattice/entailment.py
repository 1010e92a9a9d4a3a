"""The optional last step: a verifier model reads each linked claim against the spans it cites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.lattice.kinds import ViolationKind
from assay.lattice.result import CheckedClaim, Violation
from assay.policy import Policy


class Scores(Protocol):
    """What a verifier says of one pair; the three sum to 1."""

    @property
    def supported(self) -> float: ...

    @property
    def refuted(self) -> float: ...

    @property
    def insufficient(self) -> float: ...


class Scorer(Protocol):
    """Anything that scores (evidence, claim) pairs, such as `assay.encoder.Verifier`."""

    def score(self, pairs: list[tuple[str, str]], /) -> Sequence[Scores]: ...


@dataclass(frozen=True, slots=True)
class Entailment:
    """The claims that what they cite entails, and those that a cited span refutes."""

    entailed: frozenset[int]
    violations: tuple[Violation, ...]


def check_entailment(claims: Sequence[CheckedClaim], scorer: Scorer, policy: Policy) -> Entailment:
    """Scores each linked claim against each cited span, and against all of them together where there are several."""
    linked = [claim for claim in claims if claim.evidence]
    pairs: list[tuple[str, str]] = []
    owners: list[tuple[int, str | None]] = []
    for claim in linked:
        for item in claim.evidence:
            pairs.append((item.text, claim.text))
            owners.append((claim.idx, item.pointer_id))
        if len(claim.evidence) > 1:  # half the claim may be in each
            pairs.append(("\n\n".join(item.text for item in claim.evidence), claim.text))
            owners.append((claim.idx, None))
    scores = scorer.score(pairs) if pairs else []
    if len(scores) != len(pairs):
        raise ValueError(f"the scorer was given {len(pairs)} pairs and returned {len(scores)} scores")
    entailed: set[int] = set()
    violations: list[Violation] = []
    for (idx, pointer), score in zip(owners, scores, strict=True):
        if score.supported >= policy.low_confidence:
            entailed.add(idx)
        if pointer is not None and score.refuted >= policy.halt_confidence:
            message = f"{pointer} contradicts the claim ({score.refuted:.2f})"
            violations.append(Violation(ViolationKind.ENTAILMENT_REFUTED, idx, message, pointer, (idx,)))
    return Entailment(frozenset(entailed), tuple(violations))
