"""An answer laid out for the rules: its claims with their kept pointers, the map, the question, the limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from assay.lattice.draft import Draft
from assay.lattice.evidence_map import EvidenceMap, EvidenceObject
from assay.lattice.features import Features
from assay.lattice.names import is_bare_name
from assay.lattice.question import Question
from assay.lattice.warrant import Gap, find_missing, find_neighbours
from assay.policy import Policy


@dataclass(frozen=True)
class CitedClaim:
    """One claim as the rules see it."""

    idx: int
    text: str
    problem: str
    pointers: tuple[str, ...]  # kept, in order
    trimmed: tuple[str, ...]
    objects: tuple[EvidenceObject | None, ...]  # what each kept pointer names
    cited: tuple[EvidenceObject, ...]  # those that resolve and may carry a claim

    @cached_property
    def features(self) -> Features:
        return Features(self.text)

    @cached_property
    def span_stems(self) -> frozenset[str]:
        """The content stems of all cited spans together."""
        return frozenset().union(*(item.features.stems for item in self.cited))


@dataclass(frozen=True)
class Case:
    """Everything a rule may look at."""

    draft: Draft
    claims: tuple[CitedClaim, ...]
    evidence: EvidenceMap
    question: Question | None
    policy: Policy
    allowed_roles: frozenset[str]
    chain_roots: frozenset[str] = frozenset()
    resolving: tuple[CitedClaim, ...] = ()  # those with a verified pointer, once the rules about pointers have run

    @cached_property
    def malformed(self) -> frozenset[int]:
        """The claims that state nothing that could be checked."""
        return frozenset(
            claim.idx
            for claim in self.claims
            if claim.problem or len(claim.features.stems) < self.policy.lattice_min_content or is_bare_name(claim.text)
        )

    @cached_property
    def gaps(self) -> dict[int, Gap]:
        """The resolving claims whose anchors are not all in their cited spans."""
        found: dict[int, Gap] = {}
        for claim in self.resolving:
            if missing := find_missing(claim.features, self.question, claim.cited):
                rooted = [item for item in claim.cited if {item.source_id, item.source_sha256} & self.chain_roots]
                near = find_neighbours(claim.features, missing, rooted, self.evidence, self.policy.proximity_window)
                chain = [item for item in near if item.source_role in self.allowed_roles]
                proven = bool(chain) and not find_missing(claim.features, self.question, [*claim.cited, *chain])
                found[claim.idx] = Gap(missing, proven)
        return found


def lay_out(
    draft: Draft,
    evidence: EvidenceMap,
    question: Question | None,
    policy: Policy,
    allowed_roles: frozenset[str],
    chain_roots: frozenset[str] = frozenset(),
) -> Case:
    """The case of a draft: pointers beyond the limit are set aside, the others looked up."""
    keep = policy.lattice_max_pointers
    claims = []
    for idx, claim in enumerate(draft.claims):
        found = {pointer: evidence.resolve(pointer) for pointer in claim.pointers}
        # A pointer and the evidence id of the same object are one citation.
        pointers = tuple(dict.fromkeys(item.pointer_id if item else pointer for pointer, item in found.items()))
        objects = tuple(evidence.resolve(pointer) for pointer in pointers[:keep])
        cited = tuple(item for item in objects if item is not None and item.source_role in allowed_roles)
        claims.append(CitedClaim(idx, claim.text, claim.problem, pointers[:keep], pointers[keep:], objects, cited))
    return Case(draft, tuple(claims), evidence, question, policy, allowed_roles, chain_roots)
