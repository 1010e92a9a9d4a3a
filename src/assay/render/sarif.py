"""A report as SARIF 2.1.0, for code scanning: a result for each claim that is not backed, with place and proof."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from urllib.parse import quote as percent_encode

from assay import __version__
from assay.codec import Json
from assay.render.escape import one_line, to_json, visible
from assay.render.plain import PROBLEMS, explain, locate_evidence, name_violation, show_share, style_of
from assay.render.rows import CheckedRow
from assay.types import Evidence, Finding, Report, Span, Verdict, sha256_of
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
    "ASSAY-NOT-CHECKED": ("warning", "This answer could not be checked, so nothing is known about it."),
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

    def region(self, span: Span) -> Json:
        start_line, start_column = self._place(span.start)
        end_line, end_column = self._place(span.end)
        region: Json = {
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
    properties = {
        "verdict": report.verdict.value,
        "auditMode": report.audit_mode.value,
        "counts": report.counts,
        "policySha256": report.policy_sha256,
    }
    artifact = {"hashes": {"sha-256": sha256_of(report.answer)}}
    return _log(_results(report, TextPlaces(report.answer), answer_uri, Counter()), answer_uri, artifact, properties)


def render_sarif_rows(rows: Iterable[CheckedRow], *, answer_uri: str) -> str:
    """The problems of many answers as one SARIF log: each at the line of its row in `answer_uri`."""
    seen: Counter[str] = Counter()
    results: list[Json] = []
    verdicts: Counter[str] = Counter()
    for row in rows:
        if row.report is None:
            found = [_about_all("not_checked", "warning", row.problem, row, answer_uri, seen)]
        else:
            found = _results(row.report, row, answer_uri, seen)
            verdicts[row.report.verdict.value] += 1
        for result in found:
            result["message"]["text"] = f"{_message(one_line(row.name, 100))}: {result['message']['text']}"
        results += found
    return _log(results, answer_uri, {}, {"answers": dict(sorted(verdicts.items()))})


def _log(results: list[Json], answer_uri: str, artifact: Json, properties: Json) -> str:
    """The log with these results, and the rules that they name."""
    rules = list(dict.fromkeys([*list(_RULES)[:4], *(result["ruleId"] for result in results)]))
    for result in results:
        result["ruleIndex"] = rules.index(result["ruleId"])
    run = {
        "tool": {"driver": {"name": "Assay", "version": __version__, "rules": [_describe(rule) for rule in rules]}},
        "columnKind": "utf16CodeUnits",
        "artifacts": [{"location": {"uri": _uri(answer_uri)}, **artifact}],
        "results": results,
        "properties": properties,
    }
    return to_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _results(report: Report, places: TextPlaces | CheckedRow, answer_uri: str, seen: Counter[str]) -> list[Json]:
    """A result for each problem of a report, the claims first."""
    row = places if isinstance(places, CheckedRow) else None
    uris = {document.id: document.uri or document.id for document in report.documents}
    held = {(document.id, document.sha256): document for document in report.documents}
    cited = {(item.document, item.document_sha256) for f in report.findings for item in f.evidence}
    texts = {key: TextPlaces(held[key].text) for key in cited if key in held}

    def locate_source(item: Evidence) -> Json:
        place: Json = {"artifactLocation": {"uri": _uri(uris.get(item.document, item.document))}}
        says = f"{item.stance.value}: {locate_evidence(item)}"
        # Without the text its lines are unknown; the code point offsets stay in the properties.
        if text := texts.get((item.document, item.document_sha256)):
            place["region"] = text.region(Span(item.start, item.end))
        elif row is not None:  # a source of its own, encoded in the same row
            place = {"artifactLocation": {"uri": _uri(answer_uri)}, "region": row.region(Span(item.start, item.end))}
            says += f": “{one_line(item.quote, 500)}”"
        return {
            "physicalLocation": place,
            "message": {"text": _message(says)},
            "properties": {"start": item.start, "end": item.end, "documentSha256": item.document_sha256},
        }

    results = []
    for finding in report.findings:
        for rule in _rules_broken(finding):
            results.append(_result(rule, finding, places, answer_uri, seen))
            if finding.evidence:
                related = [locate_source(item) | {"id": n} for n, item in enumerate(quotes(finding), start=1)]
                results[-1]["relatedLocations"] = related
    told = {result["ruleId"] for result in results}
    for flag in report.risk_flags:
        if rule_of(flag.kind) not in told:
            level = _LEVELS.get(flag.severity.lower(), "note")
            results.append(_about_all(flag.kind, level, flag.message, places, answer_uri, seen))
    return results


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


def _describe(rule: str) -> Json:
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


def _result(rule: str, finding: Finding, places: TextPlaces | CheckedRow, answer_uri: str, seen: Counter[str]) -> Json:
    sure = "" if finding.verdict in (Verdict.ERROR, Verdict.NOT_CHECKABLE) else f" ({show_share(finding.confidence)})"
    fault = (
        style_of(finding).word + sure
        if rule == rule_of(finding.verdict.value)
        else name_violation(rule[6:].replace("-", "_"))
    )
    reason = one_line(explain(finding), 1000)
    file = {"uri": _uri(answer_uri)}
    found = [
        {"physicalLocation": {"artifactLocation": file, "region": places.region(span)}} for span in finding.spans[:1]
    ]
    return {
        "ruleId": rule,
        "level": _describe(rule)["defaultConfiguration"]["level"],
        "message": {
            "text": _message(
                f"{fault.capitalize()}: “{one_line(finding.text, 1000)}”" + (f" {reason}" if reason else "")
            )
        },
        "locations": found or [{"physicalLocation": {"artifactLocation": file}}],
        # From the words alone, so that a paragraph added above does not make an old finding look new.
        "partialFingerprints": {"assayClaim/v1": _fingerprint(rule, _within(places) + finding.text, seen)},
        "properties": {
            "confidence": finding.confidence,
            "method": finding.method,
            "importance": finding.claim.importance.value,
            "spans": [{"start": span.start, "end": span.end} for span in finding.spans],
        },
    }


def _about_all(
    kind: str, level: str, message: str, places: TextPlaces | CheckedRow, answer_uri: str, seen: Counter[str]
) -> Json:
    """A result about an answer as a whole, at its first line."""
    rule = rule_of(kind)
    line = places.line if isinstance(places, CheckedRow) else 1
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": _message(one_line(message, 2000) or name_violation(kind) or rule)},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": _uri(answer_uri)}, "region": {"startLine": line}}}
        ],
        "partialFingerprints": {"assayClaim/v1": _fingerprint(rule, _within(places) + kind, seen)},
    }


def _within(places: TextPlaces | CheckedRow) -> str:
    """What tells the claims of one answer of a file from those of another, whatever its line."""
    return f"{places.id}\n" if isinstance(places, CheckedRow) and places.id is not None else ""


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
