from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.types import (
    Claim,
    Document,
    Evidence,
    Finding,
    Importance,
    Judgement,
    Mark,
    Report,
    Span,
    Support,
    Verdict,
)


def finding(verdict, importance=Importance.MINOR, confidence=0.9, support=Support.NONE, start=0, end=1):
    return Finding(
        Claim("x", (Span(start, end),), importance=importance), Judgement(verdict, confidence, "none", support=support)
    )


@given(st.text(), st.data())
def test_a_receipt_always_replays(text, data):
    document = Document("d", text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert Evidence.cite(document, start, end).holds_in(document)


def test_a_quote_that_cannot_stand_at_its_offsets_is_refused():
    with pytest.raises(ValueError, match="cannot stand"):
        Evidence("d", "0" * 64, 3, 9, "four")


def test_a_receipt_does_not_hold_in_a_changed_document():
    receipt = Evidence.cite(Document("d", "Everest is 8,849 m high."), 11, 18)
    assert receipt.quote == "8,849 m"
    assert not receipt.holds_in(Document("d", "Everest is 8,849 m high!"))


def test_a_claim_outside_the_answer_is_refused():
    with pytest.raises(ValueError, match="outside the answer"):
        Report("short", (finding(Verdict.SUPPORTED, end=99),))


@pytest.mark.parametrize("confidence", [float("nan"), -0.1, 1.1, float("inf")])
def test_confidence_is_a_number_from_0_to_1(confidence):
    with pytest.raises(ValueError, match="0 to 1"):
        Judgement(Verdict.SUPPORTED, confidence, "none")


def test_a_span_never_runs_backwards():
    with pytest.raises(ValueError, match="forward"):
        Span(3, 2)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([Verdict.SUPPORTED, Verdict.INSUFFICIENT, Verdict.REFUTED], Verdict.REFUTED),
        ([Verdict.SUPPORTED, Verdict.INSUFFICIENT], Verdict.INSUFFICIENT),
        ([Verdict.SUPPORTED, Verdict.NOT_CHECKABLE], Verdict.SUPPORTED),
        ([Verdict.NOT_CHECKABLE], Verdict.NOT_CHECKABLE),
        ([], Verdict.NOT_CHECKABLE),
        ([Verdict.SUPPORTED, Verdict.ERROR], Verdict.SUPPORTED),
    ],
)
def test_the_answer_is_as_good_as_its_worst_claim(verdicts, expected):
    assert Report("abc", tuple(finding(v) for v in verdicts)).verdict is expected


def test_an_error_on_a_critical_claim_is_not_passed_over():
    report = Report("abc", (finding(Verdict.SUPPORTED), finding(Verdict.ERROR, Importance.CRITICAL)))
    assert report.verdict is Verdict.ERROR
    assert not report.grounded


def test_an_answer_with_nothing_to_check_has_no_score():
    data = Report("Hello!", (finding(Verdict.NOT_CHECKABLE),)).to_dict()
    assert data["confidence"] is None
    assert data["coverage"] is None
    assert data["unsupported_rate"] is None
    assert data["counts"]["NOT_CHECKABLE"] == 1


def test_pages_and_headings_are_found_by_offset():
    document = Document("d", "a" * 30, pages=(Mark(0, "1"), Mark(10, "2")), headings=(Mark(5, "Height"),))
    assert [document.page_at(n) for n in (0, 9, 10, 29)] == [1, 1, 2, 2]
    assert document.heading_at(0) is None
    assert document.heading_at(20) == "Height"


def test_a_tampered_receipt_is_named():
    document = Document("d", "Everest is 8,849 m high.")
    receipt = Evidence.cite(document, 0, 7)
    found = Finding(Claim("x", (Span(0, 1),)), Judgement(Verdict.SUPPORTED, 0.9, "span", evidence=(receipt,)))
    assert Report("x", (found,), documents=(document,)).broken_receipts() == []
    assert Report("x", (found,), documents=(Document("d", "other"),)).broken_receipts() == [receipt]


def test_a_report_is_given_as_a_page_as_markdown_and_as_a_table():
    from assay import check
    from assay.render import render

    report = check("The mill opened in 1950. Is it nice?", ["The mill opened in 1900."], judge="lexical")
    assert (report.to_html(), report.to_markdown()) == (render(report, "html"), render(report, "md"))
    pytest.importorskip("pandas", reason="pip install 'assay-check[pandas]'")
    frame = report.to_frame()
    assert frame["verdict"].tolist() == ["REFUTED", "NOT_CHECKABLE"]
    assert (frame.loc[0, "quote"], frame.loc[0, "source"]) == ("The mill opened in 1900.", "text-1")
    assert report.answer[frame.loc[0, "start"] : frame.loc[0, "end"]] == frame.loc[0, "claim"]
    assert list(replace(report, findings=()).to_frame().columns) == list(frame.columns)


def test_without_pandas_the_message_says_what_to_install(monkeypatch):
    import sys

    from assay.errors import UsageError

    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"Report.to_frame needs .* pip install 'assay-check\[pandas\]'"):
        Report("", ()).to_frame()
