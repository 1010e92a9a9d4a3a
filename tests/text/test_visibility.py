"""What a reader of a page sees, and what is there for machines only."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.defuse import defuse_text, shown_passages
from assay.errors import SourceError
from assay.memory.readers.html import read_html
from assay.memory.readers.parsed import ParsedDocument
from assay.text import visibility
from assay.text.visibility import MAX_DEPTH, find_unseen
from assay.types import Document, Passage

HIDDEN = [
    '<p style="display: none">UNSEEN</p>',
    '<p style="visibility:hidden">UNSEEN</p>',
    '<p style="font-size:0">UNSEEN</p>',
    '<p style="font-size: 1px">UNSEEN</p>',
    '<p style="font: 0/0 a">UNSEEN</p>',
    '<div style="font-size:0"><p style="font-size:2em">UNSEEN</p></div>',
    '<p style="opacity:0">UNSEEN</p>',
    '<p style="opacity:.01">UNSEEN</p>',
    '<div style="opacity:0.2"><p style="opacity:20%">UNSEEN</p></div>',
    '<p style="position:absolute; left:-9999px">UNSEEN</p>',
    '<p style="position:fixed; top:-100em">UNSEEN</p>',
    '<p style="text-indent:-9999px">UNSEEN</p>',
    '<p style="margin-left:-200em">UNSEEN</p>',
    '<p style="transform: translateX(-9999px)">UNSEEN</p>',
    '<p style="transform:scale(0)">UNSEEN</p>',
    '<p style="position:absolute;clip:rect(0 0 0 0)">UNSEEN</p>',
    '<p style="clip-path: inset(100%)">UNSEEN</p>',
    '<p style="height:0;overflow:hidden">UNSEEN</p>',
    '<p style="color:white">UNSEEN</p>',
    '<p style="color:#fefefe">UNSEEN</p>',
    '<p style="color:rgb(255, 255, 255)">UNSEEN</p>',
    '<p style="color:rgba(0,0,0,0)">UNSEEN</p>',
    '<p style="color:hsl(0,0%,99%)">UNSEEN</p>',
    '<p style="color:transparent">UNSEEN</p>',
    '<p style="color:#000; background:#000">UNSEEN</p>',
    '<div style="background-color:navy"><p style="color:navy">UNSEEN</p></div>',
    "<p><font color=white>UNSEEN</font></p>",
    '<table bgcolor="#eeeeee"><tr><td><font color="#f0f0f0">UNSEEN</font></td></tr></table>',
    "<p hidden>UNSEEN</p>",
    '<p hidden="until-found">UNSEEN</p>',
    "<template><p>UNSEEN</p></template>",
    '<p " hidden>UNSEEN</p>',
    '<p title="<" hidden>UNSEEN</p>',
    "<p style='--c:white;color:var(--c)'>UNSEEN</p>",
    "<style>.a{display:none}</style><p class='b a'>UNSEEN</p>",
    "<style>#a{opacity:0}</style><p id=a>UNSEEN</p>",
    "<style>aside p, u { visibility : hidden }</style><article><u>UNSEEN</u></article>",
    "<style>.a > b{font-size:0}</style><p class=a><b>UNSEEN</b></p>",
    "<style>h2 + p{display:none}</style><h2>Head</h2><p>UNSEEN</p>",
    "<style>h2 ~ p{display:none}</style><h2>Head</h2><div>x</div><p>UNSEEN</p>",
    "<style>p:nth-of-type(2){display:none}</style><section><p>x</p><p>UNSEEN</p></section>",
    "<style>p:not(.a){display:none}</style><p>UNSEEN</p>",
    "<style>[data-x]{display:none}</style><p data-x=1>UNSEEN</p>",
    "<style>p::before, p{display:none}</style><p>UNSEEN</p>",
    "<style>/* x */ p{/*y*/display/**/:none}</style><p>UNSEEN</p>",
    "<style>p{d\\69splay:none}</style><p>UNSEEN</p>",
    "<style>p{display:none !important}</style><p style='display:block'>UNSEEN</p>",
    "<style>:root{--c:#fff} p{color:var(--c)}</style><p>UNSEEN</p>",
    "<style>@media screen{p{display:none}}</style><p>UNSEEN</p>",
    "<style>@media (min-width: 400px){p{display:none}}</style><p>UNSEEN</p>",
    "<style>p{display:none</style><p>UNSEEN</p>",
    "<STYLE>P{DISPLAY:NONE}</STYLE><P>UNSEEN</P>",
]
SHOWN = [
    "<p aria-hidden=true>SEEN</p>",
    '<p style="opacity:.6">SEEN</p>',
    '<p style="font-size:70%">SEEN</p>',
    '<div style="font-size:0"><p style="font-size:16px">SEEN</p></div>',
    '<div style="visibility:hidden"><p style="visibility:visible">SEEN</p></div>',
    '<p style="color:white;background:#003">SEEN</p>',
    '<div style="background:url(sky.jpg)"><p style="color:#fff">SEEN</p></div>',
    '<div style="background:linear-gradient(red, blue)"><p style="color:#fff">SEEN</p></div>',
    '<p style="position:relative; left:-20px">SEEN</p>',
    '<p style="left:-9999px">SEEN</p>',
    '<p style="margin:0 -20px; text-indent:-2em; padding-left:2em">SEEN</p>',
    '<p style="transform:translate(-50%, -50%) scale(.9)">SEEN</p>',
    '<p style="overflow:hidden;height:40px">SEEN</p>',
    "<style>.a{display:none}</style><p class=b>SEEN</p>",
    "<style>.a{display:none}</style><style>p.a{display:block}</style><p class=a>SEEN</p>",
    "<style>p{display:none}</style><p style='display:block'>SEEN</p>",
    "<style>@media print{p{display:none}}</style><p>SEEN</p>",
    "<style>@media (max-width: 600px){p{display:none}}</style><p>SEEN</p>",
    "<style>@keyframes f{from{opacity:0}}p{animation:f 1s}</style><p>SEEN</p>",
    "<style>p:hover{display:none}</style><p>SEEN</p>",
    "<style>body{background:#111;color:#eee}</style><p>SEEN</p>",
]


def page(html: str) -> str:
    (draft,) = read_html(Path("page.html"), f"<!doctype html><body><div>First.</div>{html}<div>Last.</div>".encode())
    assert isinstance(draft, ParsedDocument)
    return draft.text


@pytest.mark.parametrize("html", HIDDEN)
def test_what_no_reader_sees_is_not_read(html: str) -> None:
    text = page(html)
    assert "UNSEEN" not in text
    source = f"First. {html} Last."
    kept = defuse_text(source)
    assert "UNSEEN" not in kept
    assert len(kept) == len(source)
    shown = shown_passages([Passage(Document("d", source), 0, len(source))])
    assert all("UNSEEN" not in passage.text for passage in shown)


@pytest.mark.parametrize("html", HIDDEN)
def test_what_stands_around_hidden_text_stays(html: str) -> None:
    assert page(html).startswith("First.")
    assert page(html).endswith("Last.")
    assert defuse_text(f"First. {html} Last.").startswith("First.")


@pytest.mark.parametrize("html", SHOWN)
def test_what_a_reader_sees_is_read(html: str) -> None:
    assert "SEEN" in page(html)
    assert "SEEN" in defuse_text(f"First. {html} Last.")


def test_comments_scripts_and_pretended_prompts_are_cut_with_their_tags() -> None:
    text = "A <!-- b --> c <script>d</script> e <system>f</system> g <b hidden>h <i>i</i></b> j <!-- k"
    assert [span.of(text) for span in find_unseen(text)] == [
        "<!-- b -->", "<script>d</script>", "<system>f</system>", "<b hidden>h <i>i</i></b>", "<!-- k",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["a < b and c > d", "if x <y, then the style is hidden", "no tag, style or hidden"])
def test_prose_with_angle_brackets_is_no_page(text: str) -> None:
    assert find_unseen(text) == []


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*HIDDEN, *SHOWN, "<", ">", '"', "'", "<!--", "-->", "<style>", "</style>", "{", "}", " a. "])
        | st.text(max_size=8),
        max_size=8,
    ).map("".join)
)
def test_offsets_stay_and_spans_are_in_order(text: str) -> None:
    spans = find_unseen(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(before.end < after.start for before, after in pairwise(spans))
    assert len(defuse_text(text)) == len(text)


def test_a_page_with_too_many_rules_is_refused_and_its_text_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visibility, "MAX_STYLE_WORK", 1_000)
    html = "<style>" + "b i{color:red}" * 50 + "</style>" + "<b>x</b>" * 50
    with pytest.raises(SourceError, match="style rules times its elements are more than 1,000; save"):
        list(read_html(Path("x.html"), html.encode()))
    assert find_unseen("Seen. " + html)[0].end == len("Seen. " + html)


def test_tags_nested_too_deeply_are_refused_and_their_text_is_no_evidence() -> None:
    html = "<b hidden>" * (MAX_DEPTH + 1)
    with pytest.raises(SourceError, match="nested more than 5,000 deep; save the page as text"):
        list(read_html(Path("x.html"), html.encode()))
    assert find_unseen(f"Seen. {html}")[0].of(f"Seen. {html}") == html
