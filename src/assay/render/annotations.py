"""A report for build servers: SARIF 2.1.0, annotations of GitHub Actions, and JUnit XML with a test for each claim."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote as percent_encode
from xml.sax.saxutils import escape, quoteattr

from assay import __version__
from assay.render.escape import one_line, to_json, visible
from assay.render.plain import PROBLEMS, explain, locate_evidence, name_violation, show_share, style_of
from assay.types import Evidence, Finding, Report, RiskFlag, Span, Verdict, sha256_of
from assay.views import quotes

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

# What each rule says and how loudly; any other fault gets a rule of its own name at level "warning".
_RULES: dict[str, tuple[str, str]] = {
    "ASSAY-REFUTED": ("error", "The sources contradict this claim."),
    "ASSAY-INSUFFICIENT": ("warning", "The sources do not settle this claim."),
    "ASSAY-ERROR": ("warning", "The check of this claim failed, so nothing is known about it."),
    "ASSAY-PHANTOM-CITATION": ("error", "The claim cites a source that does not exist."),
    "ASSAY-CONFLICT": ("warning", "The sources disagree with each other."),
    "ASSAY-NO-EVIDENCE": ("warning", "No source says anything about this."),
    "ASSAY-OUTDATED-SOURCE": ("note", "The evidence comes from an old source."),
    "ASSAY-LOW-COVERAGE": ("warning", "Too few of the claims that matter are backed."),
    "ASSAY-UNVERIFIED": ("warning", "The answer was passed on without being verified."),
    "ASSAY-CONTEXT-NEGATED": ("error", "The quoted words stand inside a denial in the source."),
}
_LEVELS = {"critical": "error", "high": "error", "error": "error", "medium": "warning", "warning": "warning"}
_SNIPPET_SHOWN = 2_000
_NEWLINE = re.compile(r"\r?\n")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_NOT_WORD = re.compile(r"[^A-Z0-9]+")


class TextPlaces:
    """A text whose offsets can be given as lines and UTF-16 columns, each by a search in a sorted list."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [0, *(match.end() for match in _NEWLINE.finditer(text))]
        self._astral = [match.start() for match in _ASTRAL.finditer(text)]

    def _units(self, offset: int) -> int:
        """Code points before the offset, those outside the basic plane counted twice."""
        return offset + bisect_left(self._astral, offset)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, offset)
        return line, self._units(offset) - self._units(self._lines[line - 1]) + 1

    def region(self, span: Span) -> dict[str, Any]:
        start_line, start_column = self._place(span.start)
        end_line, end_column = self._place(span.end)
        region: dict[str, Any] = {
            "startLine": start_line,
            "startColumn": start_column,
            "endLine": end_line,
            "endColumn": end_column,
            "charOffset": self._units(span.start),
            "charLength": self._units(span.end) - self._units(span.start),
        }
        if len(span) <= _SNIPPET_SHOWN:
            region["snippet"] = {"text": visible(span.of(self.text))}
        return region


def render_sarif(report: Report, *, answer_uri: str = "answer.txt") -> str:
    """The problems of a report as a SARIF log whose answer is found at `answer_uri`."""
    answer = TextPlaces(report.answer)
    uris = {document.id: document.uri or document.id for document in report.documents}
    held = {(document.id, document.sha256): document for document in report.documents}
    cited = {(item.document, item.document_sha256) for f in report.findings for item in f.evidence}
    texts = {key: TextPlaces(held[key].text) for key in cited if key in held}

    def locate_source(item: Evidence) -> dict[str, Any]:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(uris.get(item.document, item.document))}}
        # Without the text its lines are unknown; the code point offsets stay in the properties.
        if text := texts.get((item.document, item.document_sha256)):
            place["region"] = text.region(Span(item.start, item.end))
        return {
            "physicalLocation": place,
            "message": {"text": _message(f"{item.stance.value}: {locate_evidence(item)}")},
            "properties": {"start": item.start, "end": item.end, "documentSha256": item.document_sha256},
        }

    seen: Counter[str] = Counter()
    results = []
    for finding in report.findings:
        for rule in _rules_broken(finding):
            results.append(_result(rule, finding, answer, answer_uri, seen))
            if finding.evidence:
                related = [locate_source(item) | {"id": n} for n, item in enumerate(quotes(finding), start=1)]
                results[-1]["relatedLocations"] = related
    told = {result["ruleId"] for result in results}
    results += [_flag(flag, answer_uri, seen) for flag in report.risk_flags if rule_of(flag.kind) not in told]
    rules = list(dict.fromkeys([*list(_RULES)[:4], *(result["ruleId"] for result in results)]))
    for result in results:
        result["ruleIndex"] = rules.index(result["ruleId"])
    run = {
        "tool": {"driver": {"name": "Assay", "version": __version__, "rules": [_describe(rule) for rule in rules]}},
        "columnKind": "utf16CodeUnits",
        "artifacts": [{"location": {"uri": _uri(answer_uri)}, "hashes": {"sha-256": sha256_of(report.answer)}}],
        "results": results,
        "properties": {
            "verdict": report.verdict.value,
            "auditMode": report.audit_mode.value,
            "counts": report.counts,
            "policySha256": report.policy_sha256,
        },
    }
    return to_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def rule_of(kind: str) -> str:
    """The rule named for a fault.

    >>> rule_of("phantom_citation")
    'ASSAY-PHANTOM-CITATION'
    """
    return "ASSAY-" + (_NOT_WORD.sub("-", kind.upper()).strip("-") or "FAULT")


def _rules_broken(finding: Finding) -> Iterator[str]:
    if finding.verdict in PROBLEMS:
        yield rule_of(finding.verdict.value)
    yield from dict.fromkeys(map(rule_of, finding.violations))


def _describe(rule: str) -> dict[str, Any]:
    level, text = _RULES.get(
        rule, ("warning", name_violation(rule.removeprefix("ASSAY-").replace("-", "_")).capitalize() + ".")
    )
    name = "".join(part.capitalize() for part in rule.split("-"))
    return {
        "id": rule,
        "name": name,
        "shortDescription": {"text": text},
        "fullDescription": {"text": text},
        "help": {
            "text": f"{text} Look at the related locations, then correct the claim or add a source that backs it."
        },
        "defaultConfiguration": {"level": level},
    }


def _result(rule: str, finding: Finding, answer: TextPlaces, answer_uri: str, seen: Counter[str]) -> dict[str, Any]:
    sure = "" if finding.verdict in (Verdict.ERROR, Verdict.NOT_CHECKABLE) else f" ({show_share(finding.confidence)})"
    fault = (
        style_of(finding).word + sure
        if rule == rule_of(finding.verdict.value)
        else name_violation(rule[6:].replace("-", "_"))
    )
    reason = one_line(explain(finding), 1000)
    places = [
        {"physicalLocation": {"artifactLocation": {"uri": _uri(answer_uri)}, "region": answer.region(span)}}
        for span in finding.spans
    ]
    return {
        "ruleId": rule,
        "level": _describe(rule)["defaultConfiguration"]["level"],
        "message": {
            "text": _message(
                f"{fault.capitalize()}: “{one_line(finding.text, 1000)}”" + (f" {reason}" if reason else "")
            )
        },
        "locations": places[:1] or [{"physicalLocation": {"artifactLocation": {"uri": _uri(answer_uri)}}}],
        # From the words alone, so that a paragraph added above does not make an old finding look new.
        "partialFingerprints": {"assayClaim/v1": _fingerprint(rule, finding.text, seen)},
        "properties": {
            "confidence": finding.confidence,
            "method": finding.method,
            "importance": finding.claim.importance.value,
            "spans": [{"start": span.start, "end": span.end} for span in finding.spans],
        },
    }


def _flag(flag: RiskFlag, answer_uri: str, seen: Counter[str]) -> dict[str, Any]:
    rule = rule_of(flag.kind)
    return {
        "ruleId": rule,
        "level": _LEVELS.get(flag.severity.lower(), "note"),
        "message": {"text": _message(one_line(flag.message, 2000) or name_violation(flag.kind) or rule)},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": _uri(answer_uri)}, "region": {"startLine": 1}}}
        ],
        "partialFingerprints": {"assayClaim/v1": _fingerprint(rule, flag.kind, seen)},
    }


def _fingerprint(rule: str, text: str, seen: Counter[str]) -> str:
    """A hash of rule and words; the second claim with the same words gets another one."""
    print_ = sha256_of(f"{rule}\n{' '.join(text.lower().split())}")[:32]
    seen[print_] += 1
    return f"{print_}:{seen[print_]}"


def _message(text: str) -> str:
    """Plain text for a message: brackets and braces would otherwise be read as links and placeholders."""
    if "](" in text:
        text = text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return re.sub(r"\{(\d+)\}", r"{{\1}}", text)


def _uri(name: str) -> str:
    return percent_encode(visible(name).replace("\\", "/"), safe="/:@!$&'()*+,;=~-._?#%") or "answer.txt"


_COMMANDS = {Verdict.REFUTED: "error", Verdict.INSUFFICIENT: "warning", Verdict.ERROR: "warning"}
_FLAG_COMMANDS = {"critical": "error", "high": "warning", "medium": "warning"}


def render_github(report: Report, *, answer_uri: str = "answer.txt") -> str:
    """A workflow command for each claim that is not backed, at its lines in the answer's file.

    >>> print(render_github(Report("", (), warnings=("a.txt: read as cp1252",))), end="")
    ::notice file=answer.txt,line=1,title=Assay::a.txt: read as cp1252
    """
    places = TextPlaces(report.answer)
    lines = []
    for finding in report.findings:
        if finding.verdict not in PROBLEMS:
            continue
        region = places.region(finding.spans[0] if finding.spans else Span(0, 0))
        at = {"file": answer_uri, "line": region["startLine"], "endLine": region["endLine"]}
        if region["startLine"] == region["endLine"]:  # columns are read on one line only
            at |= {"col": region["startColumn"], "endColumn": region["endColumn"]}
        lines.append(_command(_COMMANDS[finding.verdict], at | {"title": _headline(finding)}, _annotation(finding)))
    start = {"file": answer_uri, "line": 1, "title": "Assay"}
    for flag in report.risk_flags:
        lines.append(_command(_FLAG_COMMANDS.get(flag.severity, "notice"), start, one_line(flag.message, 1000)))
    lines += [_command("notice", start, one_line(warning, 1000)) for warning in report.warnings]
    return "".join(lines)


def render_junit(report: Report, *, answer_uri: str = "answer.txt") -> str:
    """A test suite with a case for each claim: failed where it is not backed, skipped where nothing can be checked."""
    counts = report.counts
    failures, seconds = counts["REFUTED"] + counts["INSUFFICIENT"], sum(report.timings_ms.values()) / 1000
    suite = (
        f'<testsuite name={_attribute(answer_uri)} tests="{len(report.findings)}" failures="{failures}" '
        f'errors="{counts["ERROR"]}" skipped="{counts["NOT_CHECKABLE"]}" time="{seconds:.3f}">'
    )
    cases = "".join(_case(number, finding, answer_uri) for number, finding in enumerate(report.findings, 1))
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n{suite}\n{cases}</testsuite>\n</testsuites>\n'


def _case(number: int, finding: Finding, answer_uri: str) -> str:
    name, seconds = f"{number}. {one_line(finding.text, 200)}", finding.judgement.latency_ms / 1000
    head = f'<testcase classname={_attribute(answer_uri)} name={_attribute(name)} time="{seconds:.3f}"'
    if finding.verdict is Verdict.SUPPORTED:
        return f"  {head}/>\n"
    if finding.verdict is Verdict.NOT_CHECKABLE:
        return f"  {head}><skipped message={_attribute(one_line(explain(finding), 500))}/></testcase>\n"
    tag = "error" if finding.verdict is Verdict.ERROR else "failure"
    said = f"type={_attribute(finding.verdict.value)} message={_attribute(_headline(finding))}"
    return f"  {head}><{tag} {said}>{escape(visible(_annotation(finding)))}</{tag}></testcase>\n"


def _headline(finding: Finding) -> str:
    sure = "" if finding.verdict is Verdict.ERROR else f" {show_share(finding.confidence)}"
    return style_of(finding).word.capitalize() + sure


def _annotation(finding: Finding) -> str:
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
