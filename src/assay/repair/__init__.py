"""Acting on a report: a bounded loop that betters an answer, and answers that are verified before they are shown."""

from assay.repair.asking import ask
from assay.repair.chat import chat_with_verification, corrective_rag_loop, verify_response
from assay.repair.loop import repair
from assay.repair.options import VerificationOptions
from assay.repair.score import answer_confidence
from assay.repair.skeptic import suggest_corrections
from assay.repair.values import Asked, Attempt, Chat, Edit, RepairBudget, RepairResult, Verification

# fmt: off
__all__ = [
    "Asked", "Attempt", "Chat", "Edit", "RepairBudget", "RepairResult", "Verification", "VerificationOptions",
    "answer_confidence", "ask", "chat_with_verification", "corrective_rag_loop", "repair", "suggest_corrections",
    "verify_response",
]
# fmt: on
