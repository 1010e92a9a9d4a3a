import re

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from assay.render.escape import one_line, visible
from assay.render.markdown import escape_markdown, render_markdown
from assay.types import Report
from tests.render.strategies import TEXT

FLAVOUR = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def squeeze(text: str) -> str:
    return re.sub(r"\s+", "", text.replace("\xa0", " "))


def test_the_summary_is_a_table_and_the_answer_is_marked(report: Report) -> None:
    page = LexborHTMLParser(FLAVOUR.render(render_markdown(report)))
    cells = [[cell.text() for cell in row.css("td")] for row in page.css("tbody tr")]
    assert ["verdict", "✗ contradicted"] in cells
    assert ["coverage", "60%"] in cells
    assert "it stands **8,611** metres above the sea ✗²" in render_markdown(report)


def test_evidence_is_quoted_with_its_offsets(report: Report) -> None:
    page = LexborHTMLParser(FLAVOUR.render(render_markdown(report)))
    quotes = [quote.text() for quote in page.css("blockquote")]
    assert len(quotes) == 4
    assert "everest.md 188–267, Mount Everest (contradicts it); answer 64–100" in quotes[1]
    assert [strong.text() for strong in page.css("blockquote strong")] == ["8,849"]


@pytest.mark.parametrize(
    "hostile",
    [
        "# heading",
        "- item",
        "1. item",
        "> quote",
        "    code",
        "```\nfence\n```",
        "a\n===",
        "<b>x</b>",
        "[a](http://b.c)",
        "~~x~~",
    ],
)
def test_markup_in_user_text_stays_text(hostile: str) -> None:
    page = LexborHTMLParser(FLAVOUR.render(escape_markdown(hostile)))
    assert {node.tag for node in page.body.css("*")} <= {"body", "p"}
    assert squeeze(page.body.text()) == squeeze(hostile)


@settings(deadline=None)
@given(TEXT)
def test_any_text_comes_out_of_markdown_as_it_went_in(text: str) -> None:
    page = LexborHTMLParser(FLAVOUR.render(escape_markdown(one_line(text))))
    assert squeeze(page.body.text() if page.body else "") == squeeze(visible(text))
