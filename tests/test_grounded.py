"""One question, one answer: whatever shows whether an answer is grounded reads `Report.grounded`."""

import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from assay import Engine, Report
from assay.cli.app import app
from assay.engine import Request
from assay.lattice import EvidenceMap, EvidenceObject
from assay.render import RENDERERS, render
from assay.render.plain import outcome_verdict, state_outcome
from assay.repair.score import passes
from assay.types import AuditMode, Claim, Finding, Importance, Judgement, Span, Support, Verdict
from assay.views import is_grounded

SOURCE = "Mount Everest is 8,849 metres high. It stands on the border between Nepal and China."


def report_of(*verdicts: Verdict, mode: AuditMode | None = None) -> Report:
    findings = tuple(
        Finding(
            Claim("x", (Span(0, 1),), importance=Importance.MINOR),
            Judgement(verdict, 0.9, "span", support=Support.FULL if verdict is Verdict.SUPPORTED else Support.NONE),
        )
        for verdict in verdicts
    )
    return Report("x", findings) if mode is None else Report("x", findings, audit_mode=mode)


REPORTS = {
    "nothing found": report_of(),
    "only a greeting": report_of(Verdict.NOT_CHECKABLE),
    "only errors": report_of(Verdict.ERROR),
    "only open claims": report_of(Verdict.INSUFFICIENT, Verdict.INSUFFICIENT),
    "supported": report_of(Verdict.SUPPORTED, Verdict.NOT_CHECKABLE),
    "one open": report_of(Verdict.SUPPORTED, Verdict.INSUFFICIENT),
    "one failed": report_of(Verdict.SUPPORTED, Verdict.ERROR),
    "refuted": report_of(Verdict.SUPPORTED, Verdict.REFUTED),
    "supported, by other sources than it cites": report_of(Verdict.SUPPORTED, mode=AuditMode.UNGROUNDED),
    "half of the citations hold": report_of(Verdict.SUPPORTED, Verdict.SUPPORTED, mode=AuditMode.HYBRID),
    "a strict audit of what the judge refutes": report_of(Verdict.REFUTED, mode=AuditMode.STRICT),
}


@pytest.mark.parametrize("name", REPORTS)
def test_every_view_says_the_same(name: str) -> None:
    report = REPORTS[name]
    assert is_grounded(report) is report.grounded
    assert passes(report) is (report.grounded is True)
    assert (report.audit_mode is AuditMode.STRICT) is (report.grounded is True)
    said = state_outcome(report)
    backed = said.startswith("The sources support") and "but not" not in said
    assert backed is (report.grounded is True)
    assert (outcome_verdict(report) is Verdict.SUPPORTED) is (report.grounded is True)


def test_a_greeting_is_neither_grounded_nor_ungrounded() -> None:
    report = Engine(judge="lexical").check("Hello there!", sources=[SOURCE])
    assert report.grounded is None
    assert not passes(report)
    assert state_outcome(report) == "This answer was not checked"


@pytest.mark.parametrize("answer", ["Lake Baikal holds sturgeon.", "Lake Baikal holds sturgeon. Lake Ladoga freezes."])
def test_an_answer_of_only_open_claims_is_not_grounded(answer: str) -> None:
    report = Engine(judge="lexical").check(answer, sources=[SOURCE])
    assert {finding.verdict for finding in report.findings} == {Verdict.INSUFFICIENT}
    assert (report.grounded, report.audit_mode) == (False, AuditMode.UNGROUNDED)


@pytest.mark.parametrize("form", sorted(set(RENDERERS) - {"json", "sarif", "github", "junit"}))
@pytest.mark.parametrize("mode", [AuditMode.HYBRID, AuditMode.UNGROUNDED])
def test_no_format_calls_an_ungrounded_answer_backed(form: str, mode: AuditMode) -> None:
    shown = render(report_of(Verdict.SUPPORTED, mode=mode), form)
    assert "✓ The sources support" not in shown
    assert 'aria-hidden="true">✓</span> The sources support' not in shown


def test_findings_that_change_take_the_audit_mode_with_them() -> None:
    report = report_of(Verdict.SUPPORTED)
    failed = replace(report.findings[0], judgement=Judgement(Verdict.ERROR, 0.0, "span"))
    assert (report.audit_mode, report.grounded) == (AuditMode.STRICT, True)
    changed = report.with_findings([failed])
    assert (changed.audit_mode, changed.grounded) == (AuditMode.UNGROUNDED, None)


def test_supported_claims_whose_pointers_fail_end_with_exit_code_1(tmp_path) -> None:
    """The title of the cited source has nothing to do with the claim: the lattice lowers the audit mode."""
    objects = [EvidenceObject("E1", SOURCE, title="Cheese of the Alps")]
    answer = "[E1] Mount Everest is 8,849 metres high."
    report = Engine(judge="lexical").run(Request(answer, sources=[], evidence=EvidenceMap.of(objects))).report
    assert report.verdict is Verdict.SUPPORTED
    assert report.audit_mode is not AuditMode.STRICT
    shown = tmp_path / "map.json"
    shown.write_text(json.dumps(EvidenceMap.of(objects).to_dict()))
    arguments = ["check", answer, "--evidence", str(shown), "--judge", "lexical", "--format", "text"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1
    assert "not confirmed" in done.stdout
    assert CliRunner().invoke(app, [*arguments, "--fail-on", "refuted"]).exit_code == 0
