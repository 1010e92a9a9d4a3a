"""Whether an answer used the evidence it had: support, dependence and gaps in bits, and the traces of reasoning."""

from assay.epistemic.checker import Checker
from assay.epistemic.config import EpistemicConfig
from assay.epistemic.functions import (
    audit_reasoning,
    detect_hallucinations,
    evidence_dependence,
    resolve_response,
    verify_claim,
)
from assay.epistemic.resolve import ResolvedResponse
from assay.epistemic.results import ClaimVerification, EpistemicGap, HallucinationReport

__all__ = [
    "Checker",
    "ClaimVerification",
    "EpistemicConfig",
    "EpistemicGap",
    "HallucinationReport",
    "ResolvedResponse",
    "audit_reasoning",
    "detect_hallucinations",
    "evidence_dependence",
    "resolve_response",
    "verify_claim",
]
