import csv
import io
import json
import re
from html import unescape

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from assay.errors import UsageError
from assay.ledger.entries import ledger_of
from assay.ledger.export import EXPORTS, export, schema
from assay.render.escape import visible
from assay.types import (
    Claim,
    Document,
    Evidence,
    Finding,
    Importance,
    Judgement,
    Kind,
    Report,
    RiskFlag,
    Span,
    Stance,
    Support,
    Verdict,
)

SOURCE = Document("everest.md", "Everest is 8,849 m high | see <b>*table*</b>.")


def finding(text, verdict, support=Support.NONE, confidence=0.9, importance=Importance.CRITICAL, evidence=()):
    claim = Claim(text, (Span(0, 3),), kind=Kind.NUMERIC, importance=importance)
    return Finding(claim, Judgement(verdict, confidence, "span", support=support, evidence=evidence))


@pytest.fixture
def report():
    receipt = Evidence.cite(SOURCE, 0, len(SOURCE.text), stance=Stance.SUPPORTS)
    return Report(
        "abcdef",
        (
            finding("Everest is high", Verdict.SUPPORTED, Support.FULL, evidence=(receipt,)),
            finding("=cmd()|<script>", Verdict.INSUFFICIENT),
            finding("It is 9 m", Verdict.REFUTED, Support.CONTRADICTED, evidence=(receipt,)),
            finding("Really?", Verdict.NOT_CHECKABLE),
        ),
        documents=(SOURCE,),
        question="How *high*?",
        risk_flags=(RiskFlag("conflict", "high", "two values", (receipt,)),),
        warnings=("one",),
    )


def test_the_ledger_enters_what_was_scored_and_counts_the_rest(report):
    ledger = ledger_of(report)
    assert ledger.counts == {"supported": 1, "weak": 0, "contradicted": 1, "not_found": 1}
    assert ledger.not_entered == 1
    assert ledger.coverage == pytest.approx(1 / 3)
    assert len(ledger.follow_up) == 2


def test_no_finding_that_the_report_calls_supported_is_not_found_in_the_ledger():
    unsure = Report("abc", (finding("Everest is high", Verdict.SUPPORTED, Support.FULL, confidence=0.4),))
    ledger = ledger_of(unsure)
    assert ledger.counts["weak"] == 1
    assert ledger.unsupported_rate == 0
    assert ledger.follow_up == ()


def test_the_gates(report):
    gates = {gate.name: gate.passed for gate in ledger_of(report).gates}
    assert gates == {
        "coverage": False,
        "unsupported_rate": False,
        "critical_unsupported": False,
        "contradictions": False,
    }
    empty = {gate.name: gate.passed for gate in ledger_of(Report("x", ())).gates}
    assert empty == {"coverage": None, "unsupported_rate": None, "critical_unsupported": True, "contradictions": True}


def test_the_json_export_keeps_to_its_published_schema(report):
    jsonschema.validate(json.loads(export(ledger_of(report), "json")), schema())


def test_the_html_export_shows_the_words_and_runs_nothing(report):
    page = LexborHTMLParser(export(ledger_of(report), "html"))
    assert not page.css("script")
    assert "=cmd()|<script>" in page.css(".entry")[1].text()
    assert SOURCE.text in page.text()
    assert page.css_first("h1").text() == "1 of 3 claims supported, 1 contradicted and 1 not confirmed"
    assert "default-src 'none'" in page.css_first("meta[http-equiv]").attributes["content"]


@given(st.text(min_size=1, max_size=40), st.data())
def test_the_page_shows_the_answer_to_the_letter_however_claims_overlap(answer, data):
    findings = []
    for _ in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(answer) - 1))
        span = Span(start, data.draw(st.integers(start + 1, len(answer))))
        claim = Claim("claim", (span,), importance=Importance.CRITICAL)
        findings.append(Finding(claim, Judgement(Verdict.SUPPORTED, 0.9, "span", support=Support.FULL)))
    page = export(ledger_of(Report(answer, tuple(findings))), "html")
    shown = page.split('<div class="answer" dir="auto">')[1].split("</div></section>")[0]
    assert unescape(re.sub(r"<sup>\d+</sup>|<[^>]*>", "", shown)) == visible(answer)


def test_what_is_not_there_is_not_shown():
    page = export(ledger_of(Report("Hello!", ())), "html")
    assert "Nothing in this answer could be checked" in page
    assert "Claim by claim" not in page
    assert "How to prove this" not in page


def test_an_export_of_a_recorded_run_says_where_it_comes_from(ledger, run):
    run_id = ledger.record(run, user="ann")
    told = json.loads(ledger.export(run_id, "json"))
    jsonschema.validate(told, schema())
    assert told["origin"]["run_id"] == run_id
    assert told["origin"]["root"] == ledger.get(run_id).root
    assert told["answer"] == run.report.answer
    for form in ("html", "md"):
        assert told["origin"]["hash"] in ledger.export(run_id, form)


def test_the_markdown_export_keeps_its_table_whole(report):
    rows = [line for line in export(ledger_of(report), "md").splitlines() if line.startswith("| ")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {6}


def test_a_spreadsheet_runs_nothing(report):
    rows = list(csv.reader(io.StringIO(export(ledger_of(report), "csv"))))
    assert rows[2][0] == "'=cmd()|<script>"
    assert len({len(row) for row in rows}) == 1


def test_an_unknown_format_is_refused_by_name(report):
    with pytest.raises(UsageError, match="csv"):
        export(ledger_of(report), "xls")
    assert set(EXPORTS) == {"json", "md", "html", "csv"}
