"""What a reader must know about an answer as a whole: flags drawn from its findings and its sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.anchors import cited_documents
from assay.policy import Policy
from assay.types import Document, Finding, Importance, Passage, Report, RiskFlag, Stance, Verdict

UNCITED = "uncited"
_DISAGREE = "SOURCES_DISAGREE"
_BY_NUMBER = ("number", "date")
_SETTLED = (Verdict.SUPPORTED, Verdict.REFUTED)


def find_risks(
    report: Report, passages: Sequence[Sequence[Passage]], policy: Policy, *, numbered: bool = True
) -> tuple[RiskFlag, ...]:
    """Every flag once: no evidence, bad or missing citations, conflicts, old sources, low coverage, the unverified."""
    flags = [
        *_no_evidence(report),
        *_phantoms(report.findings, report.documents, numbered=numbered),
        *_wrong_citations(report.findings),
        *_uncited(report.findings),
        *_conflicts(report.findings, passages, policy),
        *_outdated(report, policy),
        *_low_coverage(report, policy),
        *_unverified(report),
    ]
    return tuple(dict.fromkeys(flags))


def _no_evidence(report: Report) -> Iterator[RiskFlag]:
    if not report.documents and any(finding.claim.checkable for finding in report.findings):
        yield RiskFlag("no_evidence", "high", "there is no source, so nothing can be verified")


def _phantoms(findings: Sequence[Finding], documents: Sequence[Document], *, numbered: bool) -> Iterator[RiskFlag]:
    for finding in findings:
        _, phantoms = cited_documents(finding.claim, documents, numbered=numbered)
        for anchor in phantoms:
            yield RiskFlag("phantom_citation", "high", f"{anchor.text} names no source: “{finding.text}”")


def mark_uncited(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with a mark on claims that cite nothing in an answer that cites; a sentence shares its anchors."""
    cited = {finding.claim.sentence_index for finding in findings if finding.claim.citations}
    if not cited:
        return tuple(findings)
    return tuple(
        replace(finding, marks=(*finding.marks, UNCITED))
        if finding.claim.checkable and finding.claim.sentence_index not in cited
        else finding
        for finding in findings
    )


def _uncited(findings: Sequence[Finding]) -> Iterator[RiskFlag]:
    for finding in findings:
        if UNCITED in finding.marks and finding.claim.importance is Importance.CRITICAL:
            said = f"a critical claim without a citation in an answer that cites: “{finding.text}”"
            yield RiskFlag("uncited_claim", "medium", said)


def _wrong_citations(findings: Sequence[Finding]) -> Iterator[RiskFlag]:
    """Claims that hold by another source than the one they cite."""
    for finding in findings:
        if "wrong_citation" in finding.violations:
            anchors = ", ".join(dict.fromkeys(citation.text for citation in finding.claim.citations))
            backing = next((e for e in finding.evidence if e.stance is Stance.SUPPORTS), None)
            found = f"; {backing.document} does" if backing else ""
            said = f"{anchors or 'the citation'} does not back “{finding.text}”{found}"
            yield RiskFlag("wrong_citation", "medium", said, (backing,) if backing else ())


def _conflicts(
    findings: Sequence[Finding], passages: Sequence[Sequence[Passage]], policy: Policy
) -> Iterator[RiskFlag]:
    """Sources that give different values for a number of a claim, or of which one backs it and another denies it."""
    for finding, given in zip(findings, passages, strict=True):
        disagree = _DISAGREE in finding.violations
        if len({passage.document_id for passage in given}) < 2 or not (finding.verdict in _SETTLED or disagree):
            continue
        if finding.method in _BY_NUMBER or disagree:
            from assay.memory.source_risks import find_conflicts

            found = find_conflicts(finding.text, given, policy)
            yield from (conflict.flag() for conflict in found)
            if found:
                continue
        if disagree:
            stances = {item.stance: item for item in finding.evidence}
            backing, denying = stances.get(Stance.SUPPORTS), stances.get(Stance.REFUTES)
            if backing and denying and backing.document != denying.document:
                said = f"{backing.document} backs “{finding.text}”, {denying.document} speaks against it"
                yield RiskFlag("conflict", "high", said, (backing, denying))


def _outdated(report: Report, policy: Policy) -> Iterator[RiskFlag]:
    """Old sources that a finding leans on; those nobody quotes do no harm."""
    used = {item.document for finding in report.findings for item in finding.evidence}
    dated = [document for document in report.documents if document.id in used and document.date is not None]
    if dated:
        from assay.memory.source_risks import find_outdated

        yield from find_outdated(dated, policy)


def _low_coverage(report: Report, policy: Policy) -> Iterator[RiskFlag]:
    share = report.coverage if report.documents else None
    if share is not None and share < policy.coverage_floor:
        yield RiskFlag(
            "low_coverage",
            "medium",
            f"the sources cover {share:.0%} of the claims that matter, less than {policy.coverage_floor:.0%}",
        )


def _unverified(report: Report) -> Iterator[RiskFlag]:
    count = sum(finding.verdict is Verdict.ERROR for finding in report.findings)
    if count:
        reasons = {finding.explanation for finding in report.findings if finding.verdict is Verdict.ERROR}
        claims = "one claim was" if count == 1 else f"{count} claims were"
        yield RiskFlag("unverified", "high", f"{claims} not verified: {min(reasons)}")
