"""Verification of answers that cite evidence by pointer.

>>> from assay.lattice import EvidenceObject, verify_json_answer
>>> evidence = [EvidenceObject("E1", "The tower was completed in March 1889.", title="Eiffel Tower")]
>>> answer = '{"claims": [{"text": "The Eiffel Tower was completed in 1887.", "evidence_ids": ["E1"]}]}'
>>> result = verify_json_answer(answer, evidence, "When was the Eiffel Tower completed?")
>>> result.audit_mode.value, [violation.kind.value for violation in result.violations]
('HYBRID', ['WARRANT_MISSING'])
"""

from assay.lattice.evidence_map import (
    ALLOWED_ROLES,
    EvidenceMap,
    EvidenceObject,
    Retriever,
    build_evidence_map,
    evidence_id_of,
    map_from,
)
from assay.lattice.features import Preflight, check_question
from assay.lattice.forms import json_schema
from assay.lattice.json_repair import FIXUPS
from assay.lattice.render import write_prompt
from assay.lattice.result import (
    AnswerForm,
    CheckedClaim,
    ClaimStatus,
    LatticeResult,
    Link,
    Pair,
    Violation,
    ViolationKind,
)
from assay.lattice.verify import looks_like_lattice, verify_answer, verify_json_answer, verify_pointer_answer

__all__ = [
    "ALLOWED_ROLES",
    "FIXUPS",
    "AnswerForm",
    "CheckedClaim",
    "ClaimStatus",
    "EvidenceMap",
    "EvidenceObject",
    "LatticeResult",
    "Link",
    "Pair",
    "Preflight",
    "Retriever",
    "Violation",
    "ViolationKind",
    "build_evidence_map",
    "check_question",
    "evidence_id_of",
    "json_schema",
    "looks_like_lattice",
    "map_from",
    "verify_answer",
    "verify_json_answer",
    "verify_pointer_answer",
    "write_prompt",
]
