import json
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from selectolax.lexbor import LexborHTMLParser

from assay.render.escape import visible
from assay.render.html import render_fragment, render_html
from assay.render.marks import gather_sources
from assay.types import Claim, Document, Evidence, Finding, Judgement, Report, Span, Stance, Verdict
from tests.render.conftest import EVEREST
from tests.render.strategies import reports

calm = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def page_of(report: Report) -> LexborHTMLParser:
    return LexborHTMLParser(render_html(report))


def with_answer(answer: str, *findings: Finding, documents: tuple[Document, ...] = ()) -> Report:
    return Report(answer, findings, documents)


def claim(start: int, end: int, verdict: Verdict, *evidence: Evidence) -> Finding:
    return Finding(Claim(f"{start}–{end}", (Span(start, end),)), Judgement(verdict, 0.9, "test", evidence=evidence))


def test_nothing_comes_from_another_host(report: Report) -> None:
    page = page_of(report)
    assert not page.css("link, img, iframe, script[src], object")
    assert "url(" not in page.css_first("style").text()
    assert "default-src 'none'" in page.css_first("meta[http-equiv]").attributes["content"]


def test_claims_are_marked_by_more_than_colour(report: Report) -> None:
    pieces = page_of(report).css("#answer a.claim")
    refuted = [piece for piece in pieces if "refuted" in piece.attributes["class"]]
    assert refuted[0].attributes["aria-label"].startswith("Claim 2, contradicted: it stands")
    assert refuted[-1].attributes["data-mark"] == "✗2"
    strokes = re.findall(r"--stroke: (\w+)", page_of(report).css_first("style").text())
    assert len(set(strokes)) == 5


def test_a_claim_in_pieces_is_one_stop_for_the_keyboard(report: Report) -> None:
    pieces = page_of(report).css("#answer a.claim")
    stops = [piece.attributes["href"] for piece in pieces if "tabindex" not in piece.attributes]
    assert stops == [f"#claim-{n}" for n in range(1, 8)]


def test_every_link_leads_somewhere(report: Report) -> None:
    page = page_of(report)
    ids = {node.attributes["id"] for node in page.css("[id]")}
    assert {link.attributes["href"].removeprefix("#") for link in page.css("a")} <= ids
    assert len(ids) == len(page.css("[id]"))


def test_the_quote_is_highlighted_in_its_source(report: Report) -> None:
    marks = page_of(report).css("#source-1 mark[data-claims='2']")
    assert "".join(mark.text() for mark in marks) == report.findings[1].evidence[0].quote
    assert [strong.text() for mark in marks for strong in mark.css("b")] == ["8,849"]


def test_overlapping_claims_show_the_worse_and_keep_both() -> None:
    page = page_of(with_answer("abcdefghij", claim(0, 6, Verdict.SUPPORTED), claim(4, 10, Verdict.REFUTED)))
    shown = [(p.text(), p.attributes["data-claims"], p.attributes["class"]) for p in page.css("#answer a")]
    assert shown == [
        ("abcd", "1", "claim supported"),
        ("ef", "1 2", "claim refuted"),
        ("ghij", "2", "claim refuted"),
    ]


def test_a_filter_for_each_verdict_there_is(report: Report) -> None:
    shown = [(f.attributes["data-verdict"], f.css_first(".count").text()) for f in page_of(report).css(".filter")]
    assert shown == [
        ("SUPPORTED", "3"),
        ("REFUTED", "1"),
        ("INSUFFICIENT", "1"),
        ("NOT_CHECKABLE", "1"),
        ("ERROR", "1"),
    ]


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!-- <script>", "&lt;/script&gt;", "]]>"])
def test_the_embedded_json_cannot_be_left(text: str) -> None:
    report = replace(with_answer(text, claim(0, len(text), Verdict.REFUTED)), question=text)
    page = page_of(report)
    assert len(page.css("script")) == 2
    assert json.loads(page.css_first("#report").text())["question"] == text
    assert page.css_first("#answer").text() == text


def test_a_long_source_is_cut_to_the_neighbourhood_of_its_quotes() -> None:
    text = "".join(f"Sentence number {n} says nothing. " for n in range(150_000))
    document = Document("long.txt", text)
    first, last = text.index("Sentence number 70000 "), text.index("Sentence number 140000 ")
    proof = [Evidence.cite(document, at, at + 30, stance=Stance.SUPPORTS) for at in (first, last)]
    shown = render_html(with_answer("abc", claim(0, 3, Verdict.SUPPORTED, *proof), documents=(document,)))
    assert len(text) > 4_000_000
    assert len(shown) < 60_000
    assert len(LexborHTMLParser(shown).css(".cut")) == 4
    assert "Sentence number 70000 " in shown
    assert "Sentence number 140000 " in shown


def test_a_quote_as_long_as_its_source_shows_both_ends() -> None:
    document = Document("all.txt", "first " + "x" * 100_000 + " last")
    proof = Evidence.cite(document, 0, len(document.text), stance=Stance.REFUTES)
    report = with_answer("abc", claim(0, 3, Verdict.REFUTED, proof), documents=(document,))
    (source,), _ = gather_sources(report)
    assert [sum(len(text) for text, _ in excerpt.pieces) for excerpt in source.excerpts] == [1500, 1500]


def test_a_source_that_is_not_at_hand_is_shown_by_its_quotes(report: Report) -> None:
    page = page_of(replace(report, documents=()))
    assert "Only the quotes of this source are at hand." in page.css_first("#source-1").text()
    assert "Its elevation of 8,849 metres" in page.css_first("#source-1").text()


def test_a_source_that_has_changed_says_so(report: Report) -> None:
    page = page_of(replace(report, documents=(replace(EVEREST, text="Something else."),)))
    assert "The document has changed since it was quoted." in page.css_first("#source-1").text()


def test_the_page_says_when_there_is_nothing_to_check() -> None:
    page = page_of(Report("", ()))
    assert "Nothing in this answer can be checked" in page.css_first("h1").text()
    assert "No source was given." in page.css_first("#sources").text()


def test_the_fragment_has_no_script_and_no_style_of_its_own(report: Report) -> None:
    page = LexborHTMLParser(render_fragment(report))
    assert not page.css("script, style, link, [id], [class]")
    assert len(page.css("tr")) == 7
    assert render_fragment(report).count("double") == 3  # one claim, cut in three by its decisive number


@calm
@given(reports())
def test_the_reader_sees_exactly_the_answer_and_no_markup_of_its_making(report: Report) -> None:
    page = page_of(report)
    if report.answer and "\r" not in report.answer:
        assert page.css_first("#answer").text() == visible(report.answer)
    assert {node.tag for node in page.css("#answer *")} <= {"section", "a", "span", "b", "p"}
    assert len(page.css("script")) == 2
    assert len(page.css("article")) == len(report.findings)
    assert json.loads(page.css_first("#report").text()) == json.loads(json.dumps(report.to_dict()))
    for number, finding in enumerate(report.findings, start=1):
        if "\r" not in finding.text:
            assert page.css_first(f"#claim-{number} .statement").text() == visible(finding.text)
    ids = [node.attributes["id"] for node in page.css("[id]")]
    assert len(ids) == len(set(ids))
