"""A hundred files of all formats go in; every fact comes out with a receipt that holds."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest

from assay.memory import Memory
from assay.types import Evidence, sha256_of
from tests.memory.files import make_encrypted_pdf, make_zip_bomb
from tests.memory.library import Fact, write_library


@pytest.fixture(scope="module")
def mines(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Fact]]:
    folder = tmp_path_factory.mktemp("mines")
    facts = write_library(folder, 100, seed=4)
    make_encrypted_pdf(folder / "locked.pdf")
    make_zip_bomb(folder / "bomb.docx")
    (folder / "empty.md").touch()
    with (folder / "sparse.txt").open("wb") as sparse:
        sparse.truncate(2 * 1024**3)
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "dangling").symlink_to(folder / "nowhere")
    return folder, facts


@pytest.fixture(scope="module")
def memory(mines: tuple[Path, list[Fact]], tmp_path_factory: pytest.TempPathFactory) -> Memory:
    return Memory(tmp_path_factory.mktemp("memory"), embedder="static")


def test_a_hundred_files_go_in_and_what_cannot_is_refused_by_name(
    mines: tuple[Path, list[Fact]], memory: Memory
) -> None:
    folder, facts = mines
    told: list[str] = []
    result = memory.add(folder, lambda identity, _: told.append(identity))
    reasons = {Path(refusal.path).name: refusal.reason for refusal in result.refused}
    assert reasons.keys() == {"locked.pdf", "bomb.docx", "empty.md", "sparse.txt", "dangling", "loop"}
    for name, word in {"locked.pdf": "encrypted", "bomb.docx": "bomb", "empty.md": "0 bytes", "loop": "end"}.items():
        assert word in reasons[name]
    assert {identity.split("#")[0] for identity in result.added} == {fact.file for fact in facts}
    assert len(told) == len(result.added) + len(result.refused)
    again = memory.add(folder)
    assert (again.added, again.updated, len(again.unchanged)) == ((), (), len(result.added))


def test_every_passage_is_the_very_text_at_its_offsets(mines: tuple[Path, list[Fact]], memory: Memory) -> None:
    memory.add(mines[0])
    for document in memory:
        entries = memory.passages(document.id)
        assert entries
        for entry in entries:
            passage = memory.passage(entry.id)
            assert passage is not None
            assert passage.text == document.text[entry.start : entry.end] == passage.text.strip()
            assert entry.sha256 == sha256_of(passage.text)
            assert entry.page == document.page_at(entry.start)
            assert entry.heading == (document.heading_at(entry.start) or "")
        for furniture in ("cookie", "Buy our", "track()", "Infobox", "Category:", "cite book", "yielded nothing"):
            assert furniture not in document.text
    assert memory.verify() == []


def test_every_fact_is_found_with_a_receipt_on_the_right_page(mines: tuple[Path, list[Fact]], memory: Memory) -> None:
    """Among three, though every file says nearly the same: the first of each way to search is never crowded out."""
    folder, facts = mines
    memory.add(folder)
    for fact, found in zip(facts, memory.retrieve_all([fact.text for fact in facts], k=3), strict=True):
        wanted = re.compile(r"\s+".join(map(re.escape, fact.text.split())))  # a PDF breaks lines where it likes
        best = next(item for item in found if wanted.search(item.text))
        assert best.document_id.split("#")[0] == fact.file
        place = wanted.search(best.document.text)
        assert place is not None
        receipt = Evidence.cite(best.document, *place.span())
        held = memory.get(best.document_id)
        assert held is not None
        assert receipt.holds_in(held)
        assert receipt.page == fact.page


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
