"""The skeptic: attacks a draft by the report, and says what should stand there instead; a model may only add to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from assay.codec import Json, encode_fields
from assay.engine import Engine
from assay.errors import GeneratorError
from assay.llm.delimit import Block, fence, fence_passages
from assay.llm.prompt import load_prompt
from assay.llm.values import Generator
from assay.llm.waiting import run
from assay.policy import Policy
from assay.repair.case import paragraph_at
from assay.repair.corrections import find_corrections
from assay.repair.score import failing
from assay.types import Document, Evidence, Finding, Passage, Report, Support, Verdict

if TYPE_CHECKING:
    from assay.repair.case import Case


_NONE = "NO OBJECTION"
_MOST = 8  # more objections than this are not acted upon in one revision


def object_by_rule(report: Report, policy: Policy, today: date | None = None) -> tuple[str, ...]:
    """One objection for each claim that fails, and one for each stale source that carries a claim."""
    objections = [_objection(f) for f in report.findings if f.verdict not in (Verdict.SUPPORTED, Verdict.NOT_CHECKABLE)]
    objections += [
        f"“{f.text}”: the source is cited wrongly ({', '.join(bad)})."
        for f in report.findings
        if (bad := [v for v in f.violations if v in ("phantom_citation", "wrong_citation")])
    ]
    day = today or date.today()
    dated = {d.id: d.date for d in report.documents if d.date is not None}
    for finding in report.findings:
        for item in finding.evidence:
            written = dated.get(item.document)
            if written is not None and (day - written).days > policy.outdated_days:
                objections.append(f"“{finding.text}”: its source {item.document} is of {written}, and may be outdated.")
    return tuple(dict.fromkeys(objections))


def object_by_model(
    generator: Generator, question: str, draft: str, passages: Sequence[Passage], policy: Policy
) -> tuple[tuple[str, ...], float | None]:
    """What a model objects to, a line each, and what asking it cost."""
    messages = load_prompt("skeptic", home="assay.repair").fill(
        sources=fence_passages(passages),
        question=fence([Block("question", question)]),
        draft=fence([Block("draft", draft)]),
    )
    completion = run(generator.complete(messages, max_tokens=policy.writer_max_tokens))
    if _NONE in completion.text.upper():
        return (), completion.cost_usd
    lines = [" ".join(line.strip("-*• ").split()) for line in completion.text.splitlines()]
    return tuple(line for line in lines if line)[:_MOST], completion.cost_usd


def object_to_draft(case: Case) -> tuple[str, ...]:
    """What stands against a first draft: by rule, and by the model that wrote it if it is one.

    A model that fails objects to nothing.
    """
    objections = object_by_rule(case.report, case.policy)
    if not case.may_rewrite or case.generator is None:
        return objections
    try:
        added, _ = object_by_model(case.generator, case.question or "", case.answer, case.shown, case.policy)
    except GeneratorError:
        return objections
    return tuple(dict.fromkeys((*objections, *added)))


def instruct(finding: Finding) -> str:
    """What a writer is to do about one claim: correct it, match the evidence's strength, or remove or qualify it."""
    text = f"“{finding.text}”"
    quote = next((item.quote for item in finding.evidence), "")
    if finding.verdict is Verdict.REFUTED:
        return f"Correct {text}. The source says: “{quote}”" if quote else f"Correct or remove {text}."
    if "over_extrapolation" in finding.violations:
        return f"Say {text} no more strongly than the source: “{quote}”"
    if finding.support is Support.PARTIAL and quote:
        return f"Keep of {text} only what the source says: “{quote}”"
    if finding.verdict is Verdict.SUPPORTED:
        return f"Put the right source after {text}."
    return f"Remove {text}, or say that the sources do not settle it."


def _objection(finding: Finding) -> str:
    kind = {
        Verdict.REFUTED: "conflicts with a source",
        Verdict.ERROR: "could not be checked",
        Verdict.INSUFFICIENT: "goes beyond its source" if finding.support is Support.PARTIAL else "has no evidence",
    }[finding.verdict]
    return f"“{finding.text}” {kind}. {finding.explanation}".strip()


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
        if (document := documents.get(item.document)) is None:
            continue
        shown = paragraph_at(document, item.start, item.end)  # "It spans 412 m" needs the sentence that says what does
        corrections = find_corrections(finding.text, item.quote, f"{document.title} {shown.text}")[:MOST_TRIED]
        tried = [one.applied(finding.text) for one in corrections]
        judged = engine.judge(tried, [[shown]] * len(tried))
        for text, found in zip(tried, judged, strict=True):
            if found.verdict is Verdict.SUPPORTED:
                return SuggestedCorrection(finding.text, instruct(finding), text, item)
    return SuggestedCorrection(finding.text, instruct(finding), None, first)
