"""One codec: what is written can be read again, is described by its schema, and bad input is named."""

import json
from datetime import date

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Report, check
from assay.codec import decode, encode, schema_of
from assay.errors import UsageError
from assay.ledger import ledger_of
from assay.ledger.export import schema
from assay.types import (
    Action,
    Citation,
    Claim,
    Document,
    Evidence,
    Finding,
    Importance,
    Judgement,
    Kind,
    Mark,
    RiskFlag,
    Span,
    Stance,
    Support,
    Verdict,
)

SOURCES = ["The mill opened in 1900. It stands by the river.", "| Plan | Price |\n| --- | --- |\n| Basic | $5 |"]
ANSWERS = [
    "The mill opened in 1901 [1]. It rained [9].",
    "Hello! How can I help you?",
    "",
    "The mill opened in 1900. The mill stands by the river. Basic costs $7 [2].",
]
words = st.text(max_size=12)
spans = st.tuples(st.integers(0, 5), st.integers(5, 10)).map(lambda pair: Span(*pair))
shares = st.floats(0, 1)
evidence = st.builds(
    lambda text, stance, similarity: Evidence.cite(
        Document("d", text, pages=(Mark(0, "3"),)), 0, len(text), stance=stance, similarity=similarity
    ),
    words,
    st.sampled_from(Stance),
    st.none() | shares,
)
claims = st.builds(
    Claim,
    words,
    st.lists(spans, min_size=1, max_size=2).map(tuple),
    st.sampled_from(Kind),
    st.sampled_from(Importance),
    st.booleans(),
    words,
    st.lists(st.builds(Citation, words, spans, words, st.just(("1",))), max_size=2).map(tuple),
    st.integers(0, 9),
    words,
)
judgements = st.builds(
    Judgement,
    st.sampled_from(Verdict),
    shares,
    words,
    st.sampled_from(Support),
    words,
    st.lists(evidence, max_size=2).map(tuple),
    st.just(("phantom_citation",)),
    st.lists(spans, max_size=2).map(tuple),
    st.floats(0, 1e6),
    shares,
)
findings = st.builds(Finding, claims, judgements, st.sampled_from(Action), st.just(("uncited",)))
reports = st.builds(
    Report,
    st.just("0123456789"),
    st.lists(findings, max_size=3).map(tuple),
    question=st.none() | words,
    skipped=st.none() | words,
    risk_flags=st.lists(st.builds(RiskFlag, words, words, words), max_size=1).map(tuple),
    timings_ms=st.dictionaries(words, st.floats(0, 1e6), max_size=2),
)


@given(reports)
def test_a_report_is_read_again_as_it_was(report):
    told = json.loads(json.dumps(report.to_dict()))
    assert Report.from_dict(told) == report
    jsonschema.validate(told, Report.schema())


@pytest.mark.parametrize("answer", ANSWERS)
def test_real_reports_and_their_ledgers_keep_to_their_schemas(answer):
    report = check(answer, SOURCES, judge="lexical")
    told = report.to_dict()
    assert told["answer"] == answer
    assert Report.from_dict(told, report.documents) == report
    jsonschema.validate(told, Report.schema())
    jsonschema.validate(ledger_of(report).to_dict(), schema())


def test_figures_of_a_report_and_its_ledger_are_the_same():
    report = check("The mill opened in 1901. The mill opened in 1900.", SOURCES, judge="lexical")
    ledger, told = ledger_of(report), report.to_dict()
    assert (ledger.coverage, ledger.unsupported_rate) == (report.coverage, report.unsupported_rate)
    assert (told["coverage"], told["unsupported_rate"], told["grounded"]) == (0.5, 0.0, False)
    assert any("cover 50%" in flag.message for flag in report.risk_flags)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"version": 7}, "its version is 7"),
        ({"answer": 5}, "report.answer: 5 is not a string"),
        ({"action": "WAIT"}, "report.action: 'WAIT' is none of CONTINUE"),
        ({"claims": [{"text": "x"}]}, "claim 'x'.*has no 'spans'"),
        ({"claims": "none"}, "report.findings is a list"),
    ],
)
def test_what_is_no_report_is_refused_by_name(change, says):
    told = check("The mill opened in 1900.", SOURCES, judge="lexical").to_dict()
    with pytest.raises(UsageError, match=says):
        Report.from_dict(told | change)


def test_documents_and_dates_are_values_too():
    document = Document("d", "text", date=date(2024, 5, 6), headings=(Mark(0, "Top"),))
    assert decode(Document, json.loads(json.dumps(encode(document)))) == document
    assert decode(Span, [2, 5]) == Span(2, 5)  # as records of format 1 have it
    assert schema_of(Document)["properties"]["title"] == {"type": "string"}
    with pytest.raises(UsageError, match="Span: a span runs forward"):
        decode(Span, {"start": 5, "end": 2})
