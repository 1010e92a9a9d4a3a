"""What an answer that does not hold should say instead, claim by claim."""

from __future__ import annotations

from dataclasses import dataclass

from assay.codec import Json, encode_fields
from assay.engine import Engine
from assay.repair.corrections import find_corrections
from assay.repair.score import failing
from assay.repair.skeptic import instruct
from assay.types import Document, Evidence, Finding, Report, Verdict

MOST_TRIED = 3  # corrections that are put to the engine for one claim


@dataclass(frozen=True, slots=True)
class SuggestedCorrection:
    """What to do about one claim; `corrected` is the claim as the source has it, if the engine supports that."""

    claim: str
    instruction: str
    corrected: str | None = None
    evidence: Evidence | None = None

    def to_dict(self) -> Json:
        return encode_fields(self)


def suggest_corrections(report: Report, engine: Engine) -> tuple[SuggestedCorrection, ...]:
    """One suggestion for each claim that does not hold, the weightiest first."""
    documents = {document.id: document for document in report.documents}
    return tuple(_suggest(finding, documents, engine) for finding in failing(report))


def _suggest(finding: Finding, documents: dict[str, Document], engine: Engine) -> SuggestedCorrection:
    first = finding.evidence[0] if finding.evidence else None
    for item in finding.evidence[:1]:
        document = documents.get(item.document)
        title = document.title if document is not None else ""
        tried = [one.applied(finding.text) for one in find_corrections(finding.text, item.quote, title)][:MOST_TRIED]
        shown = Document(item.document, item.quote, title)
        judged = engine.judge(tried, [[shown]] * len(tried))
        for text, found in zip(tried, judged, strict=True):
            if found.verdict is Verdict.SUPPORTED:
                return SuggestedCorrection(finding.text, instruct(finding), text, item)
    return SuggestedCorrection(finding.text, instruct(finding), None, first)
