"""A report for build servers: annotations of GitHub Actions, and JUnit XML with a test for each claim."""

from __future__ import annotations

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from assay.codec import Json
from assay.render.escape import one_line, visible
from assay.render.plain import PROBLEMS, explain, locate_evidence, show_share, style_of
from assay.render.rows import CheckedRow
from assay.render.sarif import TextPlaces
from assay.types import Finding, Report, Span, Verdict
from assay.views import quotes

_COMMANDS = {Verdict.REFUTED: "error", Verdict.INSUFFICIENT: "warning", Verdict.ERROR: "warning"}
_FLAG_COMMANDS = {"critical": "error", "high": "warning", "medium": "warning"}


def render_github(report: Report, *, answer_uri: str = "answer.txt") -> str:
    """A workflow command for each claim that is not backed, at its lines in the answer's file.

    >>> print(render_github(Report("", (), warnings=("a.txt: read as cp1252",))), end="")
    ::notice file=answer.txt,line=1,title=Assay::a.txt: read as cp1252
    """
    places = TextPlaces(report.answer)
    found = [finding for finding in report.findings if finding.verdict in PROBLEMS]
    regions = (places.region(finding.spans[0] if finding.spans else Span(0, 0)) for finding in found)
    lines = [_annotate(finding, answer_uri, region) for finding, region in zip(found, regions, strict=True)]
    return "".join([*lines, *_remarks(report, {"file": answer_uri, "line": 1, "title": "Assay"})])


def render_github_rows(rows: Iterable[CheckedRow], *, answer_uri: str) -> str:
    """The same for many answers: each command names its answer and the line of its row in `answer_uri`."""
    lines = []
    for row in rows:
        start = {"file": answer_uri, "line": row.line, "title": f"Assay: {one_line(row.name, 100)}"}
        if row.report is None:
            lines.append(_command("warning", start, f"not checked: {one_line(row.problem, 1000)}"))
            continue
        found = (finding for finding in row.report.findings if finding.verdict in PROBLEMS)
        lines += [_annotate(finding, answer_uri, row.region(Span(0, 0)), row.name) for finding in found]
        lines += _remarks(row.report, start)
    return "".join(lines)


def _annotate(finding: Finding, answer_uri: str, region: Json, name: str = "") -> str:
    at: dict[str, object] = {"file": answer_uri, "line": region["startLine"]}
    if "endLine" in region:
        at["endLine"] = region["endLine"]
        if region["startLine"] == region["endLine"]:  # columns are read on one line only
            at |= {"col": region["startColumn"], "endColumn": region["endColumn"]}
    title = f"{one_line(name, 100)}: {_headline(finding)}" if name else _headline(finding)
    return _command(_COMMANDS[finding.verdict], at | {"title": title}, _message(finding))


def _remarks(report: Report, start: dict[str, object]) -> list[str]:
    """What concerns the answer as a whole: its risks and the warnings about its sources."""
    risks = [(_FLAG_COMMANDS.get(flag.severity, "notice"), flag.message) for flag in report.risk_flags]
    told = [*risks, *(("notice", warning) for warning in report.warnings)]
    return [_command(kind, start, one_line(message, 1000)) for kind, message in told]


def render_junit(report: Report, *, answer_uri: str = "answer.txt") -> str:
    """A test suite with a case for each claim: failed where it is not backed, skipped where nothing can be checked."""
    return _suites([_suite(report, answer_uri)])


def render_junit_rows(rows: Iterable[CheckedRow], *, answer_uri: str) -> str:
    """A test suite for each of many answers; one that could not be checked has a single case, in error."""
    return _suites(_suite(row.report or row.problem, f"{answer_uri}: {row.name}") for row in rows)


def _suites(suites: Iterable[str]) -> str:
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n{"".join(suites)}</testsuites>\n'


def _suite(report: Report | str, answer_uri: str) -> str:
    if isinstance(report, str):
        error = f'<error type="NOT CHECKED" message={_attribute(one_line(report, 1000))}/>'
        case = f'  <testcase classname={_attribute(answer_uri)} name="not checked">{error}</testcase>\n'
        return f'<testsuite name={_attribute(answer_uri)} tests="1" failures="0" errors="1">\n{case}</testsuite>\n'
    counts = report.counts
    failures, seconds = counts["REFUTED"] + counts["INSUFFICIENT"], sum(report.timings_ms.values()) / 1000
    suite = (
        f'<testsuite name={_attribute(answer_uri)} tests="{len(report.findings)}" failures="{failures}" '
        f'errors="{counts["ERROR"]}" skipped="{counts["NOT_CHECKABLE"]}" time="{seconds:.3f}">'
    )
    cases = "".join(_case(number, finding, answer_uri) for number, finding in enumerate(report.findings, 1))
    return f"{suite}\n{cases}</testsuite>\n"


def _case(number: int, finding: Finding, answer_uri: str) -> str:
    name, seconds = f"{number}. {one_line(finding.text, 200)}", finding.judgement.latency_ms / 1000
    head = f'<testcase classname={_attribute(answer_uri)} name={_attribute(name)} time="{seconds:.3f}"'
    if finding.verdict is Verdict.SUPPORTED:
        return f"  {head}/>\n"
    if finding.verdict is Verdict.NOT_CHECKABLE:
        return f"  {head}><skipped message={_attribute(one_line(explain(finding), 500))}/></testcase>\n"
    tag = "error" if finding.verdict is Verdict.ERROR else "failure"
    said = f"type={_attribute(finding.verdict.value)} message={_attribute(_headline(finding))}"
    return f"  {head}><{tag} {said}>{escape(visible(_message(finding)))}</{tag}></testcase>\n"


def _headline(finding: Finding) -> str:
    sure = "" if finding.verdict is Verdict.ERROR else f" {show_share(finding.confidence)}"
    return style_of(finding).word.capitalize() + sure


def _message(finding: Finding) -> str:
    lines = [f"“{one_line(finding.text, 500)}”", one_line(explain(finding), 1000)]
    lines += [f"{locate_evidence(item)}: “{one_line(item.quote, 500)}”" for item in quotes(finding)[:3]]
    return "\n".join(line for line in lines if line)


def _command(kind: str, properties: dict[str, object], message: str) -> str:
    """One line that the runner reads; what would end it or begin another is escaped as the runner wants it."""

    def plain(text: str) -> str:
        return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")

    shown = ",".join(
        f"{name}={plain(str(value)).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items()
    )
    return f"::{kind} {shown}::{plain(message)}\n"


def _attribute(text: str) -> str:
    return quoteattr(visible(text))
