from __future__ import annotations

import io
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import SourceError
from assay.memory.readers import find_cell, read_path, read_sources
from assay.memory.readers.encoding import decode
from assay.memory.readers.html import read_html
from assay.memory.readers.jsonl import read_jsonl
from assay.memory.readers.markdown import read_markdown
from assay.memory.readers.table import read_table
from assay.memory.readers.wikitext import read_wikitext
from assay.types import Document
from tests.memory.files import FACT, SECOND, make_encrypted_pdf, make_everything, make_pdf, make_zip_bomb


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_everything(tmp_path_factory.mktemp("files"))


def only(path: Path) -> Document:
    (document,) = read_path(path)
    return document


def test_every_format_is_read_and_nothing_is_refused(files: dict[str, Path]) -> None:
    result = read_sources(files.values())
    assert result.refused == ()
    assert {document.id.split("#")[0] for document in result.documents} == set(files)
    assert len({document.id for document in result.documents}) == len(result.documents)


def test_html_gives_what_the_reader_sees_and_nothing_else(files: dict[str, Path]) -> None:
    page = only(files["page.html"])
    assert "Mount Everest is 8,849\u00a0metres high & cold." in page.text
    for furniture in ("Home", "cookies", "Copyright", "hidden words", "track", "color"):
        assert furniture not in page.text
    assert "- South Col route\n- North ridge" in page.text
    assert "Lhotse | 8,516 m" in page.text
    assert "def f(x):\n    return x" in page.text
    assert page.title == "Everest – Encyclopedia"
    assert (page.date, page.date_inferred) == (date(2021, 5, 3), True)
    assert page.heading_at(page.text.index(SECOND)) == "Everest › First ascent"


def test_furniture_beside_an_article_is_left_out_but_its_own_asides_stay(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<body><header>Site name</header><article><header><h1>Peak</h1></header><p>High.</p><aside>A note.</aside>"
        "</article><aside>Read more</aside><p>After.</p></body>"
    )
    assert only(path).text == "Peak\n\nHigh.\n\nA note.\n\nAfter."


def test_a_table_reads_row_by_row_and_a_layout_table_like_a_page(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<table><tr><td><p>Peak</p></td><td><div>Height</div><div>in m</div></td></tr><tr><td>Lhotse<td>8,516</table>"
        "<table><tr><td><h2>News</h2><p>One.</p><p>Two.</p></td><td><ul><li>Three</li></ul></td></tr></table>"
    )
    assert only(path).text == "Peak | Height in m\nLhotse | 8,516\n\nNews\n\nOne.\n\nTwo.\n\n- Three"


def test_links_of_a_page_are_marked_where_their_words_stand(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(
        "<nav><a href='/menu'>Menu</a></nav><h1>Peaks and <a href='k2.html'>K2</a></h1>"
        "<p>Some  words, then <a href=' everest.html '>Mount\n <b>Everest</b></a> and <a href='#top'>up</a>.</p>"
        "<ul><li>the <a href='nile.html'>Nile</a></li></ul><a href='card.html'><div>A card.</div></a>"
    )
    document = only(path)
    stand = [(mark.label, document.text[mark.start :].split("\n")[0]) for mark in document.links]
    assert stand == [
        ("k2.html", "K2"), ("everest.html", "Mount Everest and up."), ("nile.html", "Nile"), ("card.html", "A card."),
    ]  # fmt: skip


def test_markdown_stays_readable_source_with_its_headings_marked(files: dict[str, Path]) -> None:
    notes = only(files["notes.md"])
    assert notes.text.startswith("# Everest\n\n" + FACT)
    assert notes.markup == "markdown"
    assert (notes.title, notes.date, notes.date_inferred) == ("Everest notes", date(2020, 2, 3), False)
    assert notes.heading_at(notes.text.index("not a heading")) == "Everest"
    assert notes.heading_at(notes.text.index(SECOND)) == "Everest › First ascent"


def test_pdf_pages_are_marked_and_broken_words_joined(files: dict[str, Path]) -> None:
    paper = only(files["paper.pdf"])
    assert "as a survey of both countries found." in paper.text
    assert paper.page_at(paper.text.index("survey")) == 1
    assert paper.page_at(paper.text.index(SECOND)) == 2
    assert paper.title == "A paper"


def test_pdf_keeps_a_hyphen_that_the_document_uses_elsewhere(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", [["A well-known fact is well-", "known to all."]])
    assert "well-known to all" in only(path).text


def test_docx_headings_lists_and_tables_are_read_in_order(files: dict[str, Path]) -> None:
    memo = only(files["memo.docx"])
    assert memo.text.index(FACT) < memo.text.index(SECOND) < memo.text.index("Lhotse | 8,516 m")
    assert "- A listed thing" in memo.text
    assert memo.heading_at(memo.text.index(SECOND)) == "Everest › First ascent"


def test_wikitext_reads_like_the_article(files: dict[str, Path]) -> None:
    article = only(files["Mount_Everest.wiki"])
    assert f"Mount Everest is a mountain in Nepal. {FACT}" in article.text
    for markup in ("Infobox", "A book", "remark", "thumb", "Category", "'''", "[["):
        assert markup not in article.text
    assert "- one link\n- two – three" in article.text
    assert article.heading_at(article.text.index("Nothing much")) == "History › Later"
    assert article.title == "Mount Everest"


def test_table_rows_and_cells_can_be_addressed(files: dict[str, Path]) -> None:
    peaks = only(files["peaks.csv"])
    assert peaks.text == "Peak: Everest | Height (m): 8,849\nPeak: Lhotse | Height (m): 8,516"
    cell = find_cell(peaks, 2, "Height (m)")
    assert cell is not None
    assert cell.of(peaks.text) == "8,516"
    assert peaks.heading_at(cell.start) == "row 2"
    assert find_cell(peaks, 3, "Peak") is None
    assert find_cell(peaks, 1, "Depth") is None


def test_jsonl_records_become_documents_and_bad_lines_are_named(tmp_path: Path, files: dict[str, Path]) -> None:
    first, second = read_path(files["records.jsonl"])
    assert (first.id, first.title, first.text, first.date) == ("records.jsonl#e1", "Everest", FACT, date(2019, 1, 2))
    assert (second.id, second.uri) == ("records.jsonl#3", "https://example.org/ascent")
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "good one"}\n{nonsense\n[1]\n{"peak": "Lhotse", "facts": {"height": 8516}}\n')
    result = read_sources([bad])
    assert [document.text for document in result.documents] == ["good one", "peak: Lhotse\nfacts height: 8516"]
    assert [refusal.path for refusal in result.refused] == [f"{bad}:2", f"{bad}:3"]


@pytest.mark.parametrize("name", ["plain.txt", "wide.txt", "bom.txt", "dos.txt"])
def test_encodings_and_line_ends_do_not_matter(files: dict[str, Path], name: str) -> None:
    document = only(files[name])
    assert document.text.startswith(FACT)
    assert "\r" not in document.text


def test_a_guessed_encoding_is_reported(files: dict[str, Path]) -> None:
    result = read_sources([files["latin.txt"]])
    assert "Die Höhe des Gipfels beträgt" in result.documents[0].text
    assert "guess" in result.notices[0].message


def test_damaged_characters_are_never_silent(tmp_path: Path) -> None:
    path = tmp_path / "damaged.txt"
    path.write_bytes("Größe und Höhe sind schöne Wörter. ".encode() * 20 + b"\xff the end")
    result = read_sources([path])
    assert any("U+FFFD" in notice.message for notice in result.notices)


def test_declared_encoding_of_html_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes("<html><head><meta charset='windows-1251'></head><body><p>Эверест</p></body>".encode("cp1251"))
    assert only(path).text == "Эверест"


def test_bad_files_are_refused_by_name_and_the_rest_goes_in(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text(FACT)
    (tmp_path / "empty.txt").touch()
    (tmp_path / "blank.txt").write_text(" \n\n ")
    (tmp_path / "noise.txt").write_bytes(bytes(range(256)) * 50)
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0" + b"x" * 100)
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing here")
    (tmp_path / "fake.docx").write_text("no archive")
    make_encrypted_pdf(tmp_path / "locked.pdf")
    make_zip_bomb(tmp_path / "bomb.docx")
    with (tmp_path / "huge.txt").open("wb") as sparse:
        sparse.truncate(2 * 1024**3)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    (tmp_path / "around").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(tmp_path / "pipe.txt")
    result = read_sources([tmp_path])
    assert [document.id for document in result.documents] == ["good.txt"]
    reasons = {Path(refusal.path).name: refusal.reason for refusal in result.refused}
    assert reasons.keys() == {
        "empty.txt", "blank.txt", "noise.txt", "photo.jpg", "broken.pdf", "fake.docx", "locked.pdf", "bomb.docx",
        "huge.txt", "circle", "around", "pipe.txt",
    }  # fmt: skip
    assert "never end" in reasons["around"]
    assert "0 bytes" in reasons["empty.txt"]
    assert "encrypted" in reasons["locked.pdf"]
    assert "bomb" in reasons["bomb.docx"]
    assert "binary" in reasons["noise.txt"]
    assert "2,147,483,648" in reasons["huge.txt"]
    assert "regular" in reasons["pipe.txt"]


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_permission_denied_is_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.write_text(FACT)
    path.chmod(0)
    assert read_sources([path]).refused[0].reason == "permission denied"


def test_a_permission_error_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "secret.txt"
    path.write_text(FACT)
    monkeypatch.setattr(Path, "open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
    assert read_sources([path]).refused[0].reason == "permission denied"


def test_hidden_and_version_control_files_are_left_out(tmp_path: Path) -> None:
    for name in (".git/config", ".hidden.txt", "sub/.cache/x.txt", "node_modules/m.txt", "sub/b.txt", "a.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    assert [document.id for document in read_sources([tmp_path]).documents] == ["a.txt", "sub/b.txt"]


def test_globs_folders_and_paths_give_each_file_once(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.txt", "deep/d.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    result = read_sources([tmp_path / "**" / "*.md", tmp_path / "a.md", tmp_path])
    assert sorted(document.text for document in result.documents) == ["a.md", "b.md", "c.txt", "deep/d.md"]


def test_files_of_the_same_name_get_different_ids(tmp_path: Path) -> None:
    for name in ("one/readme.md", "two/readme.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(name)
    result = read_sources([tmp_path / "one/readme.md", tmp_path / "two/readme.md"])
    assert [document.id for document in result.documents] == ["readme.md", "two/readme.md"]


@pytest.mark.parametrize("given", [".", "notes.md", "gone.pdf", "docs/*.md"])
def test_a_string_is_text_and_one_that_looks_like_a_path_gets_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.md").write_text(FACT)
    with pytest.warns(UserWarning, match="give a Path"):
        result = read_sources([given])
    assert [document.text for document in result.documents] == [given]
    assert "taken as text" in result.warnings[0]


def test_a_text_is_taken_literally_but_a_missing_path_is_refused(tmp_path: Path) -> None:
    result = read_sources(["Paris is in France.", "What is 2*3?", "line one\nline two", "a" * 10_000, "nul\0byte"])
    assert [document.id for document in result.documents] == [f"text-{n}" for n in range(1, 6)]
    assert result.warnings == ()
    missing = read_sources([Path("missing.pdf"), Path("nowhere/*.md"), tmp_path / "gone"])
    assert missing.documents == ()
    assert [refusal.reason for refusal in missing.refused] == ["no such file or folder"] * 3


def test_documents_pass_through_and_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    given_one = Document("mine", FACT)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"<html><body><p>Piped</p></body></html>")))
    result = read_sources([given_one, Path("-")])
    assert result.documents[0] == given_one
    assert (result.documents[1].id, result.documents[1].text) == ("stdin", "Piped")


def test_reading_one_bad_path_raises(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.txt"):
        read_path(tmp_path / "gone.txt")


@pytest.mark.parametrize("line", ["Published: 3 May 2021", "Last updated on May 3, 2021", "**Date:** 2021-05-03"])
def test_a_dated_line_near_the_top_gives_an_inferred_date(tmp_path: Path, line: str) -> None:
    path = tmp_path / "post.md"
    path.write_text(f"# Post\n\n{line}\n\nText from 1 January 1999.")
    assert (only(path).date, only(path).date_inferred) == (date(2021, 5, 3), True)


def test_form_feeds_are_page_breaks(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("first\fsecond\fthird")
    report = only(path)
    assert [report.page_at(report.text.index(word)) for word in ("first", "second", "third")] == [1, 2, 3]


READERS = [read_html, read_markdown, read_wikitext, read_table, read_jsonl]


@settings(max_examples=60, deadline=None)
@given(data=st.one_of(st.binary(max_size=300), st.text(alphabet="<>/!-[]{}|'=#*`\n ab\"&;,\t", max_size=300)))
def test_no_input_breaks_a_reader(data: bytes | str) -> None:
    raw = data if isinstance(data, bytes) else data.encode()
    for reader in READERS:
        try:
            for item in reader(Path("x.csv"), raw):
                for mark in getattr(item, "headings", ()):
                    assert 0 <= mark.start <= len(item.text)
        except SourceError:
            pass


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_clean_utf8_is_read_without_change(text: str) -> None:
    assert decode(text.lstrip("\ufeff").encode())[0] == text.lstrip("\ufeff")


@pytest.mark.parametrize(
    "unit", ["<div>", "<b", "&", "{{", "[[", "<ref>", "[http://a ", "a,", '"', "# x\n", "{", "\ufffd", "("]
)
def test_a_long_run_of_anything_is_read_in_linear_time(tmp_path: Path, unit: str) -> None:
    raw = (unit * (400_000 // len(unit))).encode()
    for reader in READERS:
        try:
            for _ in zip(reader(Path("x.csv"), raw), range(5), strict=False):
                pass
        except (SourceError, RecursionError):
            pass


def test_reading_files_needs_neither_a_database_nor_a_model() -> None:
    script = (
        "import sys; from assay.memory.readers import read_sources; read_sources(['Some text.']);"
        "sys.exit(','.join({'numpy', 'sqlalchemy', 'usearch', 'onnxruntime'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr == "\n" or done.stderr == ""


def test_links_that_leave_a_folder_are_refused_unless_asked_for(tmp_path: Path) -> None:
    """A file, a folder, a chain of links, a link that comes back in; through a folder and through a glob."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    for folder in (outside / "more", inside / "sub"):
        folder.mkdir(parents=True)
    (outside / "secret.txt").write_text("The key is under the mat.")
    (outside / "more" / "deep.txt").write_text("The safe is behind the picture.")
    (inside / "own.txt").write_text("This stands inside.")
    (inside / "sub" / "own2.txt").write_text("This stands inside, too.")
    (inside / "file.txt").symlink_to(outside / "secret.txt")
    (inside / "sub" / "folder").symlink_to(outside, target_is_directory=True)
    (outside / "hop.txt").symlink_to(outside / "secret.txt")
    (inside / "chain.txt").symlink_to(outside / "hop.txt")
    (inside / "same.txt").symlink_to(inside / "own.txt")
    (inside / "back.txt").symlink_to(Path("..") / "inside" / "sub" / "own2.txt")
    for source in (inside, inside / "**" / "*.txt"):
        result = read_sources([source])
        assert {document.text for document in result.documents} == {"This stands inside.", "This stands inside, too."}
        assert {Path(refusal.path).name for refusal in result.refused} >= {"file.txt", "chain.txt"}
        assert all("leads out of the folder" in refusal.reason for refusal in result.refused)
        asked = read_sources([source], follow_links=True)
        assert {document.text for document in asked.documents} > {"The key is under the mat.", "This stands inside."}
    assert not read_sources([inside / "file.txt"]).refused  # named by itself, it is asked for
    (tmp_path / "alias").symlink_to(inside, target_is_directory=True)
    assert len(read_sources([tmp_path / "alias"]).documents) == 2


CODECS = "undefined idna punycode unicode_escape raw_unicode_escape rot13 base64 zlib hex mbcs utf-7 nonsense utf_8_sig"


@pytest.mark.parametrize("charset", CODECS.split())
@pytest.mark.parametrize("form", ['<meta charset="{}">', '<?xml version="1.0" encoding="{}"?>'])
def test_a_charset_that_is_none_is_no_failure(tmp_path: Path, charset: str, form: str) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(form.format(charset).encode() + "<p>Caf\\u00e9 co\xfbte".encode("latin-1") + b" 3 francs.</p>")
    result = read_sources([page])
    assert "francs" in result.documents[0].text
    assert "\\u00e9" in result.documents[0].text  # an escape in a page is no letter
