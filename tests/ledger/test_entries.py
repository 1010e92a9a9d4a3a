import csv
import io
import json

import jsonschema
import pytest
from selectolax.lexbor import LexborHTMLParser

from assay.errors import UsageError
from assay.ledger.entries import ledger_of
from assay.ledger.export import EXPORTS, export, schema
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
    assert "=cmd()|<script>" in page.css("tbody tr")[1].text()
    assert SOURCE.text in page.text()


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
