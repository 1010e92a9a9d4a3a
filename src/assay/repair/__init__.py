"""Acting on a report: a bounded loop that betters an answer, and answers that are verified before they are shown."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.repair.asking import ask as ask
    from assay.repair.chat import chat_with_verification as chat_with_verification
    from assay.repair.chat import corrective_rag_loop as corrective_rag_loop
    from assay.repair.chat import verify_response as verify_response
    from assay.repair.loop import repair as repair
    from assay.repair.options import VerificationOptions as VerificationOptions
    from assay.repair.score import answer_confidence as answer_confidence
    from assay.repair.suggest import suggest_corrections as suggest_corrections
    from assay.repair.values import Asked as Asked
    from assay.repair.values import Attempt as Attempt
    from assay.repair.values import Budget as Budget
    from assay.repair.values import Chat as Chat
    from assay.repair.values import Edit as Edit
    from assay.repair.values import RepairResult as RepairResult
    from assay.repair.values import Verification as Verification

_HOMES = {
    "ask": "asking",
    "repair": "loop",
    "verify_response": "chat",
    "corrective_rag_loop": "chat",
    "chat_with_verification": "chat",
    "VerificationOptions": "options",
    "answer_confidence": "score",
    "suggest_corrections": "suggest",
    "Asked": "values",
    "Attempt": "values",
    "Budget": "values",
    "Chat": "values",
    "Edit": "values",
    "RepairResult": "values",
    "Verification": "values",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"assay.repair.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'assay.repair' has no attribute {name!r}")
