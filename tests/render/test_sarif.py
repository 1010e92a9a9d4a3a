import json
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings

from assay.render.sarif import render_sarif
from assay.types import Claim, Finding, Judgement, Report, RiskFlag, Span, Verdict
from tests.render.strategies import reports


def run_of(report: Report, answer_uri: str = "answers/everest.txt") -> dict[str, Any]:
    log = json.loads(render_sarif(report, answer_uri=answer_uri))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    return run


def refuted(answer: str, words: str) -> Report:
    start = answer.index(words)
    finding = Finding(Claim(words, (Span(start, start + len(words)),)), Judgement(Verdict.REFUTED, 0.9, "test"))
    return Report(answer, (finding,))


def region_of(report: Report) -> dict[str, Any]:
    return run_of(report)["results"][0]["locations"][0]["physicalLocation"]["region"]


def test_only_problems_are_results(report: Report) -> None:
    assert [(r["ruleId"], r["level"]) for r in run_of(report)["results"]] == [
        ("ASSAY-REFUTED", "error"),
        ("ASSAY-INSUFFICIENT", "warning"),
        ("ASSAY-PHANTOM-CITATION", "error"),
        ("ASSAY-ERROR", "warning"),
        ("ASSAY-LOW-COVERAGE", "warning"),
    ]


def test_the_source_is_a_related_location(report: Report) -> None:
    (related,) = run_of(report)["results"][0]["relatedLocations"]
    place = related["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "everest.md"
    assert place["region"]["snippet"]["text"] == report.findings[1].evidence[0].quote
    assert (related["properties"]["start"], related["properties"]["end"]) == (188, 267)


def test_columns_count_utf16_units_from_one() -> None:
    region = region_of(refuted("One.\r\n😀 it is wrong.\nThree.", "it is wrong."))
    assert (region["startLine"], region["startColumn"], region["endLine"], region["endColumn"]) == (2, 4, 2, 16)
    assert (region["charOffset"], region["charLength"]) == (9, 12)


def test_a_claim_over_two_lines_ends_on_the_second() -> None:
    region = region_of(refuted("It is\nwrong.", "It is\nwrong."))
    assert (region["startLine"], region["endLine"], region["endColumn"]) == (1, 2, 7)


def test_a_fingerprint_outlives_a_paragraph_put_in_front() -> None:
    before, after = refuted("It is wrong.", "It is wrong."), refuted("New.\n\nIt is wrong.", "It is wrong.")
    prints = [run_of(report)["results"][0]["partialFingerprints"] for report in (before, after)]
    assert prints[0] == prints[1]


def test_two_claims_with_the_same_words_have_different_fingerprints() -> None:
    once = refuted("It is wrong. It is wrong.", "It is wrong.")
    results = run_of(once.with_findings(once.findings * 2))["results"]
    assert len({r["partialFingerprints"]["assayClaim/v1"] for r in results}) == 2


def test_a_flag_already_told_at_its_claim_is_not_told_twice(report: Report) -> None:
    flags = (RiskFlag("phantom_citation", "high", "[7]"), RiskFlag("conflict", "high", "Two sources disagree."))
    results = run_of(replace(report, risk_flags=flags))["results"]
    assert [r["ruleId"] for r in results].count("ASSAY-PHANTOM-CITATION") == 1
    assert results[-1]["ruleId"] == "ASSAY-CONFLICT"


def test_links_and_placeholders_in_user_text_are_not_links_and_placeholders() -> None:
    text = run_of(refuted("see [here](http://x.y) {0}", "see [here](http://x.y) {0}"))["results"][0]["message"]["text"]
    assert r"\[here\](http://x.y) {{0}}" in text


def test_the_answer_uri_is_a_uri() -> None:
    place = run_of(refuted("It is wrong.", "It is wrong."), "my answers\\é.txt")["results"][0]["locations"][0]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "my%20answers/%C3%A9.txt"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(reports())
def test_any_report_makes_a_valid_log(report: Report) -> None:
    run = run_of(report)
    assert run["tool"]["driver"]["name"] == "Assay"
    assert run["columnKind"] == "utf16CodeUnits"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    units = len(report.answer.encode("utf-16-le", "surrogatepass")) // 2
    prints = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        prints.add(result["partialFingerprints"]["assayClaim/v1"])
        for location in result["locations"]:
            region = location["physicalLocation"].get("region", {"startLine": 1})
            assert region["startLine"] >= 1
            assert region.get("startColumn", 1) >= 1
            assert (region["startLine"], region.get("startColumn", 1)) <= (
                region.get("endLine", region["startLine"]),
                region.get("endColumn", region.get("startColumn", 1)),
            )
            assert region.get("charOffset", 0) + region.get("charLength", 0) <= units
    assert len(prints) == len(run["results"])
