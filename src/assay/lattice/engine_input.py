"""A lattice answer made ready for the judges: its claims, what each of them cites, and what the rules found."""

from __future__ import annotations

from dataclasses import dataclass

from assay.claims.extract import importance_of, kind_of
from assay.lattice.evidence_map import EvidenceMap, EvidenceObject
from assay.lattice.result import CheckedClaim, LatticeResult
from assay.types import Claim, Document, Passage, RiskFlag


@dataclass(frozen=True)
class LatticeJudgingInput:
    """Claims and passages for the engine, and the lattice's own findings to be shown beside the verdicts."""

    result: LatticeResult
    claims: tuple[Claim, ...]
    passages: tuple[tuple[Passage, ...], ...]

    @classmethod
    def of(cls, result: LatticeResult, documents: dict[str, Document]) -> LatticeJudgingInput:
        """Each claim is judged only against what it cites and may cite."""
        whole = {name: Passage(found, 0, len(found.text), reason="cited") for name, found in documents.items()}
        return cls(
            result=result,
            claims=tuple(claim_of(checked) for checked in result.claims),
            passages=tuple(tuple(whole[item.pointer_id] for item in checked.evidence) for checked in result.claims),
        )

    def violations(self, index: int) -> tuple[str, ...]:
        """What the rules found about one claim."""
        return tuple(dict.fromkeys(v.kind.value for v in self.result.violations if index in v.claims))

    def flags(self) -> tuple[RiskFlag, ...]:
        """What the rules found about the answer as a whole, and what had to be repaired to read it."""
        found = [
            RiskFlag(violation.kind.value.lower(), "medium", violation.message)
            for violation in self.result.violations
            if violation.claim_idx is None
        ]
        if fixups := self.result.json_fixups:
            found.append(RiskFlag("json_repaired", "low", f"the JSON of the answer was repaired: {', '.join(fixups)}"))
        return tuple(found)


def documents_of(evidence: EvidenceMap) -> dict[str, Document]:
    """The objects of a map as documents, under their pointers."""
    return {item.pointer_id: document_of(item) for item in evidence.objects}


def document_of(item: EvidenceObject) -> Document:
    return Document(item.pointer_id, item.text, title=item.title, role=item.source_role, uri=item.source_id)


def claim_of(checked: CheckedClaim) -> Claim:
    kind = kind_of(checked.text)
    stated = bool(checked.text.strip())
    return Claim(
        checked.text,
        (checked.span,),
        kind=kind,
        importance=importance_of(checked.text, kind, direct=False),
        checkable=stated,
        reason="" if stated else "no text",
        sentence_index=checked.idx,
    )
