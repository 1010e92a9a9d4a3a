"""A hundred files of all formats go in; every fact comes out with a receipt that holds."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from assay.memory import Memory
from assay.types import Evidence
from tests.memory.files import make_encrypted_pdf, make_pdf, make_zip_bomb

WORDS = ["amber", "basalt", "copper", "dolomite", "emerald", "flint", "garnet", "halite", "iron", "jade"]
PLACES = ["Lisbon", "Nairobi", "Oslo", "Quito", "Riga", "Seoul", "Tunis", "Utrecht", "Vienna", "Warsaw"]


def fact(number: int) -> str:
    word, place = WORDS[number % 10], PLACES[number // 10]
    return f"The {word} mine of {place} yielded {number * 137 + 11} tonnes of {word} in 19{number % 90 + 10:02d}."


def write_text(path: Path, text: str, number: int) -> None:
    encoding = ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"][number % 4]
    path.with_suffix(".txt").write_bytes(f"Notes on mines, “reviewed”.\r\n\r\n{text}\r\n".encode(encoding))


def write_markdown(path: Path, text: str, _: int) -> None:
    path.with_suffix(".md").write_text(f"# Mines\n\nSome words.\n\n## Yields\n\n- {text}\n\n[home](index.md)\n")


def write_html(path: Path, text: str, number: int) -> None:
    charset = ["utf-8", "iso-8859-1"][number % 2]
    page = (
        f"<html><head><meta charset={charset}><title>Mine – café</title><script>let x = '<p>no</p>'</script></head>"
        f"<body><nav>Home | Mines</nav><main><h1>Café report</h1><p>{text.replace(' of ', ' <b>of</b> ', 1)}</p></main>"
        "<footer>All rights reserved</footer></body></html>"
    )
    path.with_suffix(".html").write_bytes(page.replace("–", "-").encode(charset))


def write_pdf(path: Path, text: str, _: int) -> None:
    make_pdf(path.with_suffix(".pdf"), [["A first page without the fact."], ["Report.", text]])


def write_docx(path: Path, text: str, _: int) -> None:
    import docx

    document = docx.Document()
    document.add_heading("Mines", 1)
    paragraph = document.add_paragraph(text[:20])
    paragraph.add_run(text[20:]).bold = True
    document.save(str(path.with_suffix(".docx")))


def write_wikitext(path: Path, text: str, _: int) -> None:
    linked = text.replace("mine", "[[Mining|mine]]", 1)
    path.with_suffix(".wiki").write_text(f"{{{{Infobox}}}}\n== Yield ==\n{linked}<ref>Smith</ref>\n")


def write_jsonl(path: Path, text: str, number: int) -> None:
    rows = [{"id": number, "title": "Mine", "text": text}, {"title": "Other", "text": "Nothing to see."}]
    path.with_suffix(".jsonl").write_text("\n".join(json.dumps(row) for row in rows))


def write_table(path: Path, text: str, number: int) -> None:
    words = text.rstrip(".").split()
    path.with_suffix([".csv", ".tsv"][number % 2]).write_text(
        ["mine,fact\n{},{}\n", "mine\tfact\n{}\t{}\n"][number % 2].format(words[1], text)
    )


WRITERS = (write_text, write_markdown, write_html, write_pdf, write_docx, write_wikitext, write_jsonl, write_table)


@pytest.fixture(scope="module")
def mines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mines")
    for number, write in zip(range(100), itertools.cycle(WRITERS), strict=False):
        write(folder / f"mine-{number:02d}", fact(number), number)
    make_encrypted_pdf(folder / "locked.pdf")
    make_zip_bomb(folder / "bomb.docx")
    (folder / "empty.md").touch()
    with (folder / "sparse.txt").open("wb") as sparse:
        sparse.truncate(2 * 1024**3)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "dangling").symlink_to(folder / "nowhere")
    return folder


def test_a_hundred_files_of_all_formats_go_in_with_exact_receipts(mines: Path, tmp_path: Path) -> None:
    told: list[str] = []
    with Memory(tmp_path, embedder="static") as memory:
        result = memory.add(mines, lambda identity, _: told.append(identity))
        assert {Path(refusal.path).name for refusal in result.refused} == {
            "locked.pdf", "bomb.docx", "empty.md", "sparse.txt", "dangling",
        }  # fmt: skip
        assert {identity.split(".")[0] for identity in result.added} == {f"mine-{number:02d}" for number in range(100)}
        assert len(told) == len(result.added) + len(result.refused)
        for number in range(100):
            found = memory.retrieve(fact(number), k=3)
            best = next(item for item in found if fact(number).rstrip(".") in item.text)
            assert best.document_id.startswith(f"mine-{number:02d}")
            start = best.document.text.index(fact(number).rstrip("."))
            receipt = Evidence.cite(best.document, start, start + len(fact(number)) - 1)
            held = memory.get(best.document_id)
            assert held is not None
            assert receipt.holds_in(held)
            assert receipt.page == (2 if best.document_id.endswith(".pdf") else None)
        assert memory.verify() == []
        again = memory.add(mines)
        assert (again.added, again.updated, len(again.unchanged)) == ((), (), len(result.added))


def test_a_large_text_file_goes_in_whole(tmp_path: Path) -> None:
    lines = [f"Line {number} says that item {number * 7} weighs {number * 3} grams." for number in range(20_000)]
    path = tmp_path / "large.txt"
    path.write_text("\n".join(lines))
    from assay.memory.passages import cut_passages
    from assay.memory.readers import read_path

    (document,) = read_path(path)
    cuts = cut_passages(document)
    assert cuts[-1].end == len(document.text)
    assert all(one.end >= two.start - 1 for one, two in itertools.pairwise(cuts))
