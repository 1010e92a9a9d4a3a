"""The one pipeline: answer → claims → evidence → judgements → findings → report.

The rooms are opened when an answer is first verified: their patterns take longer to compile than everything else that
`from assay import check` needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Union, cast

from assay.anchors import cited_documents
from assay.errors import AnswerError, SourceError
from assay.policy import Policy, decide_action
from assay.types import (
    Action,
    Citation,
    Claim,
    Document,
    Finding,
    Judgement,
    Passage,
    Report,
    RiskFlag,
    Verdict,
)
from assay.views import audit_mode

if TYPE_CHECKING:
    from assay.lattice.evidence_map import AnyEvidence
    from assay.lattice.hearing import Hearing
    from assay.memory import Memory

Source = Union[str, "os.PathLike[str]", Document, "Memory"]


def check(
    answer: str,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    *,
    evidence: AnyEvidence | None = None,
) -> Report:
    """A report on every claim of an answer, judged against texts, files, folders, documents or a memory.

    `evidence` is the evidence map the answer was written from: an answer that cites it by pointer is checked to the
    pointer.
    """
    return verify(answer, sources=sources, question=question, policy=policy, evidence=evidence)


def verify(
    answer: str,
    *,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    evidence: AnyEvidence | None = None,
) -> Report:
    """The pipeline behind every interface."""
    from assay.claims import extract_claims
    from assay.judges.lexical import LexicalJudge

    rules = policy or Policy()
    if not isinstance(answer, str):
        raise AnswerError(f"an answer is text, not {type(answer).__name__}")
    watch = _Stopwatch()
    documents, memories, warnings = _read(sources)
    hearing, shown = _hear(answer, evidence, question, rules)
    documents.extend(shown)
    numbered = bool(documents) or not memories
    watch.lap("sources")
    claims: Sequence[Claim] = hearing.claims if hearing else extract_claims(answer, question, rules)
    watch.lap("claims")
    passages = list(hearing.passages) if hearing else _passages(claims, documents, rules)
    for memory in memories:
        recalled = _recall(claims, memory, rules)
        passages = [(*given, *found) for given, found in zip(passages, recalled, strict=True)]
        documents.extend(dict.fromkeys(p.document for found in recalled for p in found if p.document not in documents))
    watch.lap("evidence")
    judgements = LexicalJudge(rules).judge(claims, passages, question)
    watch.lap("judges")
    findings = tuple(
        _finding(
            claim,
            judgement,
            cited_documents(claim, documents, numbered=numbered),
            rules,
            hearing.violations(number) if hearing else (),
        )
        for number, (claim, judgement) in enumerate(zip(claims, judgements, strict=True))
    )
    return Report(
        answer=answer,
        findings=findings,
        documents=tuple(documents),
        question=question,
        skipped=None if any(claim.checkable for claim in claims) else _nothing_to_check(claims),
        action=_worst_action(findings),
        audit_mode=hearing.result.audit_mode if hearing else audit_mode(findings),
        risk_flags=(*(hearing.flags() if hearing else ()), *_flags(findings, documents, numbered=numbered)),
        warnings=tuple(warnings),
        policy_sha256=rules.sha256,
        model="lexical",
        timings_ms=watch.laps,
    )


class _Stopwatch:
    """Milliseconds per stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.laps[stage] = (now - self._last) * 1000
        self._last = now


def _read(sources: Iterable[Source] | Source) -> tuple[list[Document], list[Memory], list[str]]:
    """The documents, the memories among the sources, and a warning for each source that was left out."""
    from assay.memory.readers import read_sources

    memories: list[Memory] = []
    plain: list[str | os.PathLike[str] | Document] = []
    for source in _listed(sources):
        if isinstance(source, str | os.PathLike | Document):
            plain.append(source)
        elif hasattr(source, "retrieve_all"):
            memories.append(source)
        else:
            raise SourceError(f"a source is text, a path, a Document or a Memory, not {type(source).__name__}")
    if not plain:
        return [], memories, []
    result = read_sources(plain)
    refusals = [f"{refusal.path}: {refusal.reason}" for refusal in result.refused]
    if not result.documents:
        raise SourceError("none of the sources can be read:\n  " + "\n  ".join(refusals or ["nothing was found"]))
    return list(result.documents), memories, [f"left out: {line}" for line in refusals]


def _listed(sources: Iterable[Source] | Source) -> list[Source]:
    if isinstance(sources, str | os.PathLike | Document):
        return [sources]
    return [cast("Memory", sources)] if hasattr(sources, "retrieve_all") else list(sources)


def _recall(claims: Sequence[Claim], memory: Memory, policy: Policy) -> list[list[Passage]]:
    """What a memory holds for each claim, found for all of them at once."""
    asked = [number for number, claim in enumerate(claims) if claim.checkable]
    queries = [f"{claims[number].context} {claims[number].text}".strip() for number in asked]
    found: list[list[Passage]] = [[] for _ in claims]
    for number, passages in zip(asked, memory.retrieve_all(queries, policy.passages_per_claim), strict=True):
        found[number] = [item.passage for item in passages]
    return found


def _hear(
    answer: str, evidence: AnyEvidence | None, question: str | None, policy: Policy
) -> tuple[Hearing | None, list[Document]]:
    """The answer as a lattice, if it cites the evidence map by pointer; and the map's objects as documents."""
    if evidence is None:
        return None, []
    from assay.lattice import EvidenceMap, looks_like_lattice, verify_answer
    from assay.lattice.hearing import Hearing, documents_of

    shown = EvidenceMap.of(evidence)
    documents = documents_of(shown)
    form = looks_like_lattice(answer, shown)
    if form is None:
        return None, list(documents.values())
    result = verify_answer(answer, shown, question, form, policy)
    return Hearing.of(result, documents), list(documents.values())


def _passages(claims: Sequence[Claim], documents: Sequence[Document], policy: Policy) -> list[tuple[Passage, ...]]:
    """For each claim the best windows of the sources, those of the sources it cites first."""
    from assay.lexical.candidates import candidates
    from assay.lexical.index import index_document

    indexes = [index_document(document) for document in documents]
    most = policy.passages_per_claim
    found: list[tuple[Passage, ...]] = []
    for claim in claims:
        cited = cited_documents(claim, documents)[0] if claim.checkable else []
        first = candidates(claim, [i for i in indexes if i.document in cited], most) if cited else []
        rest = candidates(claim, [i for i in indexes if i.document not in cited], most) if claim.checkable else []
        found.append((*first, *rest))
    return found


def _finding(
    claim: Claim,
    judgement: Judgement,
    citing: tuple[list[Document], list[Citation]],
    policy: Policy,
    found: Sequence[str],
) -> Finding:
    marks: list[str] = []
    violations = [*judgement.violations, *found]
    cited, phantoms = citing
    violations.extend("phantom_citation" for _ in phantoms[:1])
    supporting = {item.document for item in judgement.evidence if item.stance.value == "supports"}
    if judgement.verdict is Verdict.SUPPORTED:
        if judgement.confidence < policy.low_confidence:
            marks.append("low_confidence")
        if cited and supporting and not supporting & {document.id for document in cited}:
            violations.append("wrong_citation")
    if violations != list(judgement.violations):
        judgement = replace(judgement, violations=tuple(violations))
    return Finding(
        claim, judgement, decide_action(judgement.verdict, judgement.confidence, policy=policy), tuple(marks)
    )


def _worst_action(findings: Sequence[Finding]) -> Action:
    """The action of the worst claim: REFUTED before INSUFFICIENT before SUPPORTED."""
    for verdict in (Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.SUPPORTED):
        actions = [finding.action for finding in findings if finding.verdict is verdict]
        if actions:
            return max(actions, key=lambda action: action is not Action.CONTINUE)
    return Action.CONTINUE


def _nothing_to_check(claims: Sequence[Claim]) -> str:
    if not claims:
        return "the answer is empty"
    reasons = sorted({claim.reason for claim in claims if claim.reason})
    return f"nothing to check: only {', '.join(reasons)}" if reasons else "nothing to check"


def _flags(findings: Sequence[Finding], documents: Sequence[Document], *, numbered: bool) -> tuple[RiskFlag, ...]:
    flags: list[RiskFlag] = []
    if not documents and any(finding.claim.checkable for finding in findings):
        flags.append(RiskFlag("no_evidence", "high", "there is no source, so nothing can be verified"))
    for finding in findings:
        _, phantoms = cited_documents(finding.claim, documents, numbered=numbered)
        flags.extend(
            RiskFlag("phantom_citation", "high", f"{anchor.text} names no source: “{finding.text}”")
            for anchor in phantoms
        )
    return tuple(flags)
