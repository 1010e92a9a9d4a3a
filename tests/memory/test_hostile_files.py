"""Small files made to take minutes or gigabytes, and text in them that no reader sees."""

from __future__ import annotations

import io
import json
import re
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pypdf import PageObject

from assay.errors import SourceError
from assay.memory import readers
from assay.memory.readers import DocumentIds, read_sources
from assay.memory.readers import html as html_reader
from assay.memory.readers import pdf as pdf_reader
from assay.memory.readers.docx import read_docx
from assay.memory.readers.html import read_html
from assay.memory.readers.markdown import read_markdown
from assay.memory.readers.parsed import ParsedDocument
from assay.memory.readers.pdf import read_pdf
from assay.memory.readers.wikitext import read_wikitext
from tests.hostile import grows_linearly
from tests.memory.files import FACT, SECOND

MEGABYTES = 1024 * 1024


def make_docx(body: str, styles: str = "", background: str = "") -> bytes:
    """A Word file with this XML in its body."""
    import docx

    plain, made = io.BytesIO(), io.BytesIO()
    docx.Document().save(plain)
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            text = source.read(name)
            if name == "word/document.xml":
                text = text.replace(b"<w:body>", f"{background}<w:body>{body}".encode())
            elif name == "word/styles.xml":
                text = text.replace(b"</w:styles>", f"{styles}</w:styles>".encode())
            target.writestr(name, text)
    return made.getvalue()


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def docx_text(data: bytes) -> str:
    (draft,) = read_docx(Path("x.docx"), data)
    assert isinstance(draft, ParsedDocument)
    return draft.text


@pytest.mark.parametrize(
    "unit",
    [
        "{|\n",
        "*",
        "*\n",
        "#",
        ":",
        "=",
        "''",
        "{{",
        "{{{",
        "[[",
        "[[a|",
        "<ref>",
        "<b",
        "<!--",
        "&",
        "{|\n|",
        "[http://a ",
    ],
)
def test_wikitext_is_read_in_linear_time(unit: str) -> None:
    assert grows_linearly(lambda text: list(read_wikitext(Path("x.wiki"), text.encode())), unit, 200_000)


def test_wikitext_that_cannot_be_taken_apart_is_kept_and_said() -> None:
    for source in ("{|\n" * 100_000, "*" * 1_000_000):
        (draft,) = read_wikitext(Path("x.wiki"), source.encode())
        assert isinstance(draft, ParsedDocument)
        assert (draft.text, draft.markup) == (source, "wikitext")
        assert "kept as wikitext source" in draft.warnings[0]


@pytest.mark.parametrize("unit", ["<a", "<div>", "<p hidden>", "<style>a{", "<!--", "&"])
def test_html_is_read_in_linear_time(unit: str) -> None:
    def read(text: str) -> None:
        with suppress(SourceError):  # nested too deeply, or too many rules
            list(read_html(Path("x.html"), text.encode()))

    assert grows_linearly(read, unit, 60_000)


def test_aliases_in_front_matter_are_not_expanded() -> None:
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]" for old, new in zip("abcdefgh", "bcdefghi", strict=True)]
    source = "---\n" + "\n".join([*lines, "title: *i"]) + f"\n---\n{FACT}"
    tracemalloc.start()
    (draft,) = read_markdown(Path("notes.md"), source.encode())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(draft, ParsedDocument)
    assert peak < 10 * MEGABYTES
    assert len(draft.title) < 100
    assert draft.text == source
    assert draft.warnings == ("its front matter is not readable YAML (aliases are not allowed) and was kept as text",)


def test_a_title_that_is_no_word_is_not_taken() -> None:
    (draft,) = read_markdown(Path("notes.md"), b"---\ntitle: {a: [1, 2]}\nrole: [x]\n---\n# Real\n")
    assert isinstance(draft, ParsedDocument)
    assert (draft.title, draft.role) == ("Real", "unclassified")


def test_deeply_nested_front_matter_is_kept_as_text() -> None:
    (draft,) = read_markdown(Path("notes.md"), b"---\na: " + b"[" * 9_000 + b"\n---\nText")
    assert isinstance(draft, ParsedDocument)
    assert draft.text.startswith("---\na: [[")


def test_a_cell_over_a_thousand_million_columns_is_one_cell() -> None:
    cells = '<w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr><w:p><w:r><w:t>Peak</w:t></w:r></w:p></w:tc>'
    row = f"<w:tr>{cells}<w:tc><w:p><w:r><w:t>Height</w:t></w:r></w:p></w:tc></w:tr>"
    tracemalloc.start()
    text = docx_text(make_docx(f"<w:tbl>{row * 3}</w:tbl>"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert text == "Peak | Height\nPeak | Height\nPeak | Height"
    assert peak < 20 * MEGABYTES


def test_merged_cells_show_the_text_above() -> None:
    def cell(text: str, properties: str = "") -> str:
        return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{run(text)}</w:p></w:tc>"

    first = cell("wide", '<w:gridSpan w:val="2"/>') + cell("tall", '<w:vMerge w:val="restart"/>')
    second = cell("a") + cell("b") + cell("", "<w:vMerge/>")
    text = docx_text(make_docx(f"<w:tbl><w:tr>{first}</w:tr><w:tr>{second}</w:tr></w:tbl>"))
    assert text == "wide | tall\na | b | tall"


def test_empty_paragraphs_cost_next_to_nothing() -> None:
    assert grows_linearly(lambda body: docx_text(make_docx(body + f"<w:p>{run(FACT)}</w:p>")), "<w:p/>", 400_000)
    assert docx_text(make_docx("<w:p/>" * 50_000 + f"<w:p>{run(FACT)}</w:p>")) == FACT


@pytest.mark.parametrize(
    "properties",
    [
        "<w:vanish/>",
        '<w:vanish w:val="true"/>',
        '<w:color w:val="FFFFFF"/>',
        '<w:color w:val="fefefe"/>',
        '<w:sz w:val="1"/>',
        '<w:shd w:val="clear" w:fill="336699"/><w:color w:val="336699"/>',
        '<w:rStyle w:val="Unseen"/>',
        '<w:rStyle w:val="BasedOnUnseen"/>',
    ],
)
def test_hidden_white_and_tiny_runs_are_not_read(properties: str) -> None:
    styles = (
        '<w:style w:type="character" w:styleId="Unseen"><w:name w:val="Unseen"/><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="BasedOnUnseen"><w:name w:val="B"/><w:basedOn w:val="Unseen"/></w:style>'
    )
    unseen = run(" UNSEEN", properties)
    body = f"<w:p>{run(FACT)}{unseen}</w:p><w:p><w:hyperlink>{unseen}</w:hyperlink></w:p>"
    cell = f"<w:tbl><w:tr><w:tc><w:p>{unseen}{run(SECOND)}</w:p></w:tc></w:tr></w:tbl>"
    assert docx_text(make_docx(body + cell, styles)) == f"{FACT}\n\n{SECOND}"


@pytest.mark.parametrize(
    "properties",
    [
        '<w:vanish w:val="0"/>',
        '<w:color w:val="auto"/>',
        '<w:color w:val="CC0000"/>',
        '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>',
        '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="000000"/>',
        '<w:sz w:val="12"/>',
    ],
)
def test_runs_that_can_be_seen_are_read(properties: str) -> None:
    assert docx_text(make_docx(f"<w:p>{run(FACT, properties)}</w:p>")) == FACT


def test_white_text_on_a_dark_ground_is_read() -> None:
    white = run(FACT, '<w:color w:val="FFFFFF"/>')
    dark = '<w:shd w:val="clear" w:fill="1F3864"/>'
    table_style = f'<w:style w:type="table" w:styleId="Dark"><w:name w:val="Dark"/><w:tcPr>{dark}</w:tcPr></w:style>'
    assert docx_text(make_docx(f"<w:p><w:pPr>{dark}</w:pPr>{white}</w:p>")) == FACT
    cell = f"<w:tbl><w:tr><w:tc><w:tcPr>{dark}</w:tcPr><w:p>{white}</w:p></w:tc></w:tr></w:tbl>"
    assert docx_text(make_docx(cell)) == FACT
    styled = f'<w:tbl><w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr><w:tr><w:tc><w:p>{white}</w:p></w:tc></w:tr></w:tbl>'
    assert docx_text(make_docx(styled, table_style)) == FACT
    assert docx_text(make_docx(f"<w:p>{white}</w:p>", background='<w:background w:color="000000"/>')) == FACT


def test_deleted_text_is_gone_and_inserted_text_is_there() -> None:
    body = f"<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins>{run(FACT)}</w:ins></w:p>"
    control = f"<w:sdt><w:sdtContent><w:p>{run(SECOND)}</w:p></w:sdtContent></w:sdt>"
    assert docx_text(make_docx(body + control)) == f"{FACT}\n\n{SECOND}"


def test_one_id_repeated_is_numbered_in_linear_time(tmp_path: Path) -> None:
    def claim(text: str) -> None:
        names = DocumentIds()
        for _ in text:
            names.assign("a")

    assert grows_linearly(claim, "x", 40_000)
    path = tmp_path / "same.jsonl"
    path.write_text("\n".join(json.dumps({"id": "a", "text": FACT}) for _ in range(4)))
    ids = [document.id for document in read_sources([path]).documents]
    assert ids == ["same.jsonl#a", "same.jsonl#a~2", "same.jsonl#a~3", "same.jsonl#a~4"]


def make_pdf(draw: Callable[[Any], None], pages: int = 1) -> bytes:
    from reportlab.pdfgen import canvas

    made = io.BytesIO()
    sheet = canvas.Canvas(made, pagesize=(595, 842), pageCompression=0)
    for _ in range(pages):
        draw(sheet)
        sheet.showPage()
    sheet.save()
    return made.getvalue()


def pdf(data: bytes) -> ParsedDocument:
    (draft,) = read_pdf(Path("x.pdf"), data)
    assert isinstance(draft, ParsedDocument)
    return draft


def mode(sheet: Any, number: int, words: str) -> None:
    text = sheet.beginText(72, 680)
    text.setTextRenderMode(number)
    text.textLine(words)
    sheet.drawText(text)


def in_form(sheet: Any, draw: Callable[[Any], None]) -> None:
    sheet.beginForm("F")
    draw(sheet)
    sheet.endForm()
    sheet.doForm("F")


def white(sheet: Any) -> None:
    sheet.setFillColorRGB(1, 1, 1)
    sheet.drawString(72, 680, "UNSEEN")


UNSEEN: dict[str, Callable[[Any], None]] = {
    "rendering mode 3": lambda sheet: mode(sheet, 3, "UNSEEN"),
    "rendering mode 7": lambda sheet: mode(sheet, 7, "UNSEEN"),
    "white": white,
    "almost white": lambda sheet: (sheet.setFillGray(0.97), sheet.drawString(72, 680, "UNSEEN")),
    "no ink": lambda sheet: (sheet.setFillColorCMYK(0, 0, 0, 0), sheet.drawString(72, 680, "UNSEEN")),
    "white outline": lambda sheet: (sheet.setStrokeColorRGB(1, 1, 1), mode(sheet, 1, "UNSEEN")),
    "transparent": lambda sheet: (sheet.setFillAlpha(0), sheet.drawString(72, 680, "UNSEEN")),
    "tiny": lambda sheet: (sheet.setFont("Helvetica", 0.4), sheet.drawString(72, 680, "UNSEEN")),
    "scaled to nothing": lambda sheet: (sheet.scale(0.01, 0.01), sheet.drawString(7200, 68000, "UNSEEN")),
    "below": lambda sheet: sheet.drawString(72, -300, "UNSEEN"),
    "above": lambda sheet: sheet.drawString(72, 1_000, "UNSEEN"),
    "left": lambda sheet: sheet.drawString(-2_000, 400, "UNSEEN"),
    "right": lambda sheet: sheet.drawString(700, 400, "UNSEEN"),
    "moved off the page": lambda sheet: (sheet.translate(0, 2_000), sheet.drawString(72, 400, "UNSEEN")),
    "in a form": lambda sheet: in_form(sheet, white),
}


@pytest.mark.parametrize("name", UNSEEN)
def test_text_that_a_page_does_not_show_is_not_read(name: str) -> None:
    def draw(sheet: Any) -> None:
        sheet.drawString(72, 750, FACT)
        sheet.saveState()
        UNSEEN[name](sheet)
        sheet.restoreState()
        sheet.drawString(72, 600, SECOND)

    assert pdf(make_pdf(draw)).text == f"{FACT}\n{SECOND}"


def test_white_text_on_a_dark_ground_of_a_page_is_read() -> None:
    def draw(sheet: Any) -> None:
        sheet.setFillColorRGB(0, 0, 0.3)
        sheet.rect(60, 670, 400, 40, fill=1, stroke=0)
        sheet.setFillColorRGB(1, 1, 1)
        sheet.drawString(72, 680, FACT)

    assert pdf(make_pdf(draw)).text == FACT


def test_the_recognised_text_of_a_scan_is_read_and_said() -> None:
    from PIL import Image
    from reportlab.lib.utils import ImageReader

    picture = ImageReader(Image.new("RGB", (20, 20), (200, 200, 200)))

    def scan(sheet: Any) -> None:
        sheet.drawImage(picture, 0, 0, 595, 842)
        mode(sheet, 3, FACT)

    def beside(sheet: Any) -> None:
        sheet.drawImage(picture, 0, 0, 595, 842)
        sheet.saveState()
        mode(sheet, 3, "UNSEEN")
        sheet.restoreState()
        sheet.drawString(72, 600, SECOND)

    read = pdf(make_pdf(scan))
    assert read.text == FACT
    assert "invisible layer over a picture" in read.warnings[0]
    assert pdf(make_pdf(beside)).text == SECOND


def test_a_page_listed_two_thousand_times_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_pdf(lambda sheet: sheet.drawString(72, 700, FACT))
    kids = re.search(rb"/Kids \[ (\d+ 0 R) \]", data)
    assert kids
    data = data.replace(kids[0], b"/Kids [ " + (kids[1] + b" ") * 2_000 + b"]").replace(b"/Count 1", b"/Count 2000")
    calls = []
    extract = PageObject.extract_text
    monkeypatch.setattr(
        PageObject, "extract_text", lambda *args, **options: calls.append(1) or extract(*args, **options)
    )
    read = pdf(data)
    assert read.text == FACT
    assert len(calls) == 1
    assert read.warnings == ("1999 pages repeat another one (the first is page 2) and were left out",)


def test_limits_of_a_pdf_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_pdf(lambda sheet: sheet.drawString(72, 700, FACT), pages=3)
    monkeypatch.setattr(pdf_reader, "MAX_PAGES", 2)
    with pytest.raises(SourceError, match="3 pages are more than the 2 one PDF may have; split it"):
        pdf(data)
    monkeypatch.setattr(pdf_reader, "MAX_PAGES", 3)
    monkeypatch.setattr(pdf_reader, "MAX_CONTENT", 150)
    with pytest.raises(SourceError, match=r"page 2 draws \d+ bytes, all pages up to it \d+: more than the"):
        pdf(data)


def test_a_page_and_a_pipe_have_limits_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html_reader, "MAX_HTML", 10)
    with pytest.raises(SourceError, match="15 bytes is more than the 10 one page may have; save it as text"):
        list(read_html(Path("x.html"), b"<p>Some text.</p>"[:15]))
    monkeypatch.setattr(readers, "MAX_FILE", 10)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x" * 11)))
    assert [str(item) for item in read_sources([Path("-")]).refused] == [
        "stdin: more than the 10 bytes that may be piped in; split it"
    ]
