"""What every store must do, run against each of them for real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from assay.errors import MemoryStoreError, UsageError
from assay.memory import Memory
from assay.memory.entries import EDGES_PER_ENTRY, EdgeKind
from assay.policy import Policy
from assay.types import Document, Evidence, Mark

Open = Callable[..., Memory]

EVEREST = Document(
    "everest",
    "Mount Everest is 8,849 metres high. It stands in Nepal and Tibet.",
    "Mount Everest",
    date=date(2020, 1, 2),
)
NILE = Document("nile", "The Nile flows north through Egypt and Sudan to the Mediterranean Sea.", "Nile")
HILLARY = Document("hillary", "Edmund Hillary climbed Mount Everest with Tenzing Norgay in May 1953.", "Edmund Hillary")
LONG = Document(
    "long",
    "# One\n"
    + "The first chapter speaks of mountains and snow. " * 30
    + "\n# Two\n"
    + "The second is about rivers. " * 40,
    "A long book",
    markup="markdown",
    headings=(Mark(0, "One"), Mark(6 + 48 * 30 + 1, "Two")),
    pages=(Mark(0, "1"), Mark(1000, "2")),
)


def texts(memory: Memory, query: str, k: int = 5) -> list[str]:
    return [found.document_id for found in memory.retrieve(query, k)]


def test_what_goes_in_is_found_with_exact_offsets(open_memory: Open) -> None:
    memory = open_memory()
    result = memory.add([EVEREST, NILE, HILLARY, LONG])
    assert result.added == ("everest", "nile", "hillary", "long")
    best = memory.retrieve("How high is Mount Everest?", k=1)[0]
    assert best.document_id == "everest"
    assert best.document.text[best.start : best.end] == best.text
    assert 0 < best.similarity <= 1
    assert "vector" in best.reason
    assert "text" in best.reason
    for found in memory.retrieve("rivers and mountains", k=10):
        assert Evidence.cite(found.document, found.start, found.end).holds_in(found.document)


def test_documents_come_back_as_they_were(open_memory: Open) -> None:
    strange = Document("odd/ïd.txt", "lone \ud800 surrogate, a nul \0, emoji 😀, İ ß ﬁ\n" * 3, "t\0itle", uri="x:1")
    memory = open_memory()
    memory.add([EVEREST, LONG, strange])
    held = memory.get("everest")
    assert held is not None
    assert (held.text, held.title, held.date, held.sha256) == (
        EVEREST.text,
        EVEREST.title,
        EVEREST.date,
        EVEREST.sha256,
    )
    book = memory.get("long")
    assert book is not None
    assert (book.headings, book.pages) == (LONG.headings, LONG.pages)
    odd = memory.get("odd/ïd.txt")
    assert odd is not None
    assert odd.text == strange.text
    assert memory.verify() == []
    assert memory.get("nowhere") is None


def test_a_memory_can_stand_for_its_documents(open_memory: Open) -> None:
    memory = open_memory()
    assert memory
    assert list(memory) == []
    memory.add([NILE, EVEREST])
    assert [document.text for document in memory] == [EVEREST.text, NILE.text]
    assert len(memory) == 2


def test_adding_unchanged_content_again_does_nothing(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE])
    before = memory.stats()
    again = memory.add([EVEREST, NILE])
    assert again.unchanged == ("everest", "nile")
    assert (again.added, again.updated, again.passages) == ((), (), 0)
    assert memory.stats() == before


def test_changed_content_is_a_new_version_and_the_old_one_stays_readable(open_memory: Open) -> None:
    memory = open_memory()
    memory.add(EVEREST)
    old = memory.retrieve("Everest high", k=1)[0]
    changed = Document("everest", "Mount Everest is 8,848 metres high, some say.", "Mount Everest")
    assert memory.add(changed).updated == ("everest",)
    assert [listing.version for listing in memory.versions("everest")] == [1, 2]
    new = memory.retrieve("Everest high", k=5)
    assert [found.text for found in new] == [changed.text]
    passage = memory.passage(old.id)
    assert passage is not None
    assert passage.text == old.text
    first = memory.get("everest", version=1)
    assert first is not None
    assert first.text == EVEREST.text
    assert memory.verify() == []


def test_a_removed_document_is_gone(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE])
    assert memory.remove("everest") == 1
    assert memory.remove("everest") == 0
    assert texts(memory, "Mount Everest") == ["nile"]
    assert [listing.id for listing in memory.documents()] == ["nile"]
    assert memory.get("everest") is None
    assert memory.verify() == []


def test_a_document_can_be_removed_and_put_back_again_and_again(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([NILE, EVEREST])
    seen = set(memory.passage_ids())
    for _ in range(3):
        assert memory.remove("everest") == 1
        assert memory.get("everest") is None
        memory.add([EVEREST])
        fresh = set(memory.passage_ids()) - set(memory.passage_ids()[:1])
        assert not fresh & seen  # no passage takes the number of one that is gone
        seen |= fresh
    assert texts(memory, "Mount Everest")[0] == "everest"
    assert memory.verify() == []


def test_what_a_ledger_cites_survives_removal_eviction_and_folding(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE, Document("copy", EVEREST.text, "Mount Everest")])
    receipts = [Evidence.cite(EVEREST, 0, 20)]
    cited = memory.cite(receipts, by="run 1")
    assert len(cited) == 2  # the copy has the same content hash: a receipt holds in both
    assert memory.consolidate() == 0
    assert memory.evict(limit=0) == 1
    assert set(texts(memory, "Nile")) == {"everest", "copy"}
    memory.remove("everest")
    assert "everest" not in texts(memory, "Mount Everest")
    passage = memory.passage(cited[0])
    assert passage is not None
    assert passage.text == EVEREST.text
    memory.unprotect("run 1")
    assert memory.evict(limit=0) == 1
    assert memory.verify() == []


def test_a_callable_can_protect_passages_too(open_memory: Open) -> None:
    kept: list[int] = []
    memory = open_memory(protected=lambda: kept)
    memory.add([EVEREST, NILE])
    kept.append(memory.passages("nile")[0].id)
    assert memory.evict(limit=0) == 1
    assert texts(memory, "anything at all about rivers") == ["nile"]


def test_near_duplicates_fold_into_the_most_important(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([NILE, EVEREST])
    memory.add(Document("echo", NILE.text + " ", "Nile"), importance=2.0)
    for _ in range(3):
        memory.retrieve("Where does the Nile flow?", k=3)
    memory.close()
    memory = open_memory()
    assert memory.consolidate() == 1
    assert texts(memory, "Where does the Nile flow?", k=1) == ["echo"]
    (keeper,) = memory.passages("echo")
    (folded,) = memory.passages("nile")
    assert folded.folded_into == keeper.id
    assert keeper.access >= 6
    assert memory.passage(folded.id) is not None
    assert memory.consolidate() == 0
    assert memory.verify() == []


def test_eviction_takes_the_least_used_first(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE, HILLARY])
    for _ in range(3):
        memory.retrieve("Nile", k=1)
    memory.close()
    memory = open_memory()
    assert memory.evict(limit=1) == 2
    assert texts(memory, "Everest Hillary Nile") == ["nile"]
    assert memory.evict(limit=1) == 0


def test_a_quarantined_passage_is_kept_but_never_found(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE, HILLARY])
    bad = memory.retrieve("How high is Mount Everest?", k=1)[0]
    memory.quarantine(bad.id, "poisoned")
    assert "everest" not in texts(memory, "How high is Mount Everest?")
    entry = memory.entry(bad.id)
    assert entry is not None
    assert entry.quarantined == "poisoned"
    assert memory.verify() == []
    memory.release(bad.id)
    assert texts(memory, "How high is Mount Everest?", k=1) == ["everest"]
    assert memory.verify() == []
    with pytest.raises(UsageError, match="no passage"):
        memory.quarantine(10**12)


def test_edges_follow_the_text_and_the_titles_it_mentions(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE, HILLARY, LONG])
    (hillary,) = memory.passages("hillary")
    (everest,) = memory.passages("everest")
    assert (EdgeKind.LINK, everest.id) in {(edge.kind, edge.target) for edge in hillary.edges}
    book = memory.passages("long")
    assert len(book) > 3
    assert (EdgeKind.NEXT, book[1].id) in {(edge.kind, edge.target) for edge in book[0].edges}
    assert (EdgeKind.PREVIOUS, book[0].id) in {(edge.kind, edge.target) for edge in book[1].edges}
    assert all(len(entry.edges) <= EDGES_PER_ENTRY for entry in book)


def test_links_of_pages_become_edges(open_memory: Open, tmp_path: Path) -> None:
    pages = {
        "index.html": "<p>Welcome to the <a href='guide/hours.html?from=home#top'>opening hours</a> of the house.</p>",
        "guide/hours.html": "<p>It opens at nine. <a href='../the%20rules.html'>Rules</a> apply.</p>",
        "the rules.html": "<p>No dogs. Ask <a href='mailto:a@example.org'>us</a> or go <a href='/'>home</a>.</p>",
        "notes.md": "See [the guide](guide/hours.html) and [nothing](gone.md).",
    }
    for name, page in pages.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page)
    memory = open_memory()
    memory.add([tmp_path / "site", Document("web", "A mirror of it.", uri="https://example.org/hours")])
    linked = Document("out", "Read the mirror.", links=(Mark(9, "https://example.org/hours#now"),))
    memory.add(replace(linked, uri="https://example.org/out"))
    first = {name: memory.passages(name)[0] for name in [*pages, "web", "out"]}

    def leads_to(name: str) -> set[str]:
        targets = {edge.target for edge in first[name].edges if edge.kind is EdgeKind.LINK}
        return {other for other, entry in first.items() if entry.id in targets}

    assert leads_to("index.html") == {"guide/hours.html"}
    assert leads_to("guide/hours.html") == {"the rules.html"}
    assert leads_to("the rules.html") == {"index.html"}
    assert leads_to("notes.md") == {"guide/hours.html"}
    assert leads_to("out") == {"web"}


def test_vectors_can_be_read(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE])
    ids = memory.passage_ids()
    held = memory.vectors()
    assert sorted(held) == ids
    (nile,) = memory.passages("nile")
    assert memory.vectors([nile.id, 10**12]).keys() == {nile.id}
    best = memory.retrieve(held[nile.id], k=1)[0]
    assert (best.document_id, round(best.similarity, 2)) == ("nile", 1.0)
    assert memory.embed(["one", "two"]).shape == (2, held[nile.id].size)


def test_passages_know_their_heading_and_page(open_memory: Open) -> None:
    memory = open_memory()
    memory.add(LONG)
    entries = memory.passages("long")
    assert {entry.heading for entry in entries} == {"One", "Two"}
    assert entries[0].page == 1
    assert entries[-1].page == 2


def test_queries_come_as_texts_vectors_or_many_at_once(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE, HILLARY])
    from assay.memory.embed import load_embedder

    vector = load_embedder("static").embed(["the river Nile"])[0]
    assert memory.retrieve(vector, k=1)[0].document_id == "nile"
    many = memory.retrieve_all(["Nile", "Tenzing Norgay"], k=1)
    assert [found[0].document_id for found in many] == ["nile", "hillary"]
    assert memory.retrieve_all([], k=1) == []
    with pytest.raises(UsageError, match="numbers"):
        memory.retrieve(np.ones(3, dtype=np.float32))
    with pytest.raises(UsageError, match="k is"):
        memory.retrieve("x", k=0)


@pytest.mark.parametrize(
    "query", ["", " ", '"', "'; DROP TABLE passages; --", "a AND OR NOT (", "\0", "\ud800", "😀 %_", "*"]
)
def test_no_query_breaks_retrieval(open_memory: Open, query: str) -> None:
    memory = open_memory()
    assert memory.retrieve(query) == []
    memory.add([EVEREST, NILE])
    assert len(memory.retrieve(query, k=2)) <= 2
    assert memory.verify() == []


def test_a_reranker_has_the_last_word(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE, HILLARY])
    last = memory.retrieve("Everest", k=1, rerank=lambda _, found: [item.document_id == "nile" for item in found])
    assert [found.document_id for found in last] == ["nile"]


def test_workspaces_do_not_see_each_other(open_memory: Open, place: tuple[str, str]) -> None:
    one = open_memory()
    two = open_memory(workspace=f"{place[1]}-b")
    one.add(EVEREST)
    two.add(NILE)
    assert texts(one, "Everest or Nile") == ["everest"]
    assert texts(two, "Everest or Nile") == ["nile"]
    with pytest.raises(UsageError, match="workspace"):
        open_memory(workspace="../x")


def test_a_second_opening_sees_what_the_first_one_does(open_memory: Open) -> None:
    writer, reader = open_memory(), open_memory()
    assert texts(reader, "Nile") == []
    writer.add([NILE, EVEREST])
    assert texts(reader, "Nile", k=1) == ["nile"]
    writer.remove("nile")
    assert texts(reader, "Nile") == ["everest"]
    assert reader.verify() == []


def test_a_memory_is_opened_with_the_embedder_it_was_made_with(open_memory: Open) -> None:
    open_memory().add(NILE)
    assert open_memory(embedder=None).stats()["embedder"] == "static"

    class Other:
        name, width = "other", 256

        def embed(self, texts: list[str]) -> np.ndarray:
            return np.ones((len(texts), 256), dtype=np.float32)

    with pytest.raises(MemoryStoreError, match="static"):
        open_memory(embedder=Other())

    class Narrow(Other):
        width = 8

    with pytest.raises(MemoryStoreError, match="256"):
        open_memory(embedder=Narrow())


def test_files_keep_their_id_wherever_they_are_added_from(open_memory: Open, tmp_path: Path) -> None:
    for name, text in {"a/readme.md": "Alpha talks.", "b/readme.md": "Beta walks."}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    memory = open_memory()
    memory.add(tmp_path / "a")
    memory.add(tmp_path / "b" / "readme.md")
    assert sorted(listing.id for listing in memory.documents()) == ["readme.md", "readme.md~2"]
    assert len(memory.add([tmp_path / "b" / "readme.md", tmp_path / "a" / "readme.md"]).unchanged) == 2
    (tmp_path / "b" / "readme.md").write_text("Beta runs.")
    assert memory.add(tmp_path / "b").updated == ("readme.md~2",)


def test_texts_without_a_name_do_not_replace_each_other(open_memory: Open) -> None:
    memory = open_memory()
    memory.add("The first text is about apples.")
    memory.add("The second text is about pears.")
    assert len(memory.documents()) == 2
    assert len(memory.add("The first text is about apples.").unchanged) == 1


def test_clusters_map_the_memory(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([Document(f"r{n}", f"The river number {n} flows to the sea.") for n in range(6)])
    memory.add([Document(f"c{n}", f"Programming language version {n} has new syntax.") for n in range(6)])
    clusters = memory.clusters(2)
    assert sorted(cluster.size for cluster in clusters) == [6, 6]
    sides = [{memory.passages(f"{kind}{n}")[0].cluster for n in range(6)} for kind in "rc"]
    assert len(sides[0]) == len(sides[1]) == 1
    assert sides[0] != sides[1]


def test_consolidation_and_eviction_run_by_themselves(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.memory.memory.CONSOLIDATE_EVERY", 4)
    memory = open_memory(policy=Policy(memory_limit=3))
    memory.add([Document(f"d{n}", f"Fact number {n}: {word} is a fine thing to know about.") for n, word in
                enumerate(["gold", "rain", "music", "stone", "bread", "light"])])  # fmt: skip
    assert len(memory) == 3
    assert memory.verify() == []


def test_rebuilding_changes_nothing_that_is_found(open_memory: Open) -> None:
    memory = open_memory()
    memory.add([EVEREST, NILE, HILLARY, LONG])
    memory.remove("nile")
    before = [(found.id, found.start) for found in memory.retrieve("mountains and rivers", k=8)]
    assert memory.rebuild() == len(memory)
    assert [(found.id, found.start) for found in memory.retrieve("mountains and rivers", k=8)] == before
    assert memory.verify() == []


def test_two_processes_adding_the_same_document_make_one_version(open_memory: Open) -> None:
    from assay.memory.ingest import Ingest

    one, two = open_memory(), open_memory()
    ingests = [Ingest(memory._store, memory._embedder, memory.workspace, 1.0, print) for memory in (one, two)]
    for ingest in ingests:
        ingest._take(NILE)  # both have looked before either has written
    for ingest in ingests:
        ingest._store_waiting()
    assert [listing.version for listing in one.versions("nile")] == [1]
    assert one.verify() == []
