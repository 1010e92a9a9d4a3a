"""The full text of the embedded store: what it keeps between searches, and what it does when that is no longer true."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import MemoryStoreError
from assay.memory.passages import PassageSpan, search_terms
from assay.memory.stores import full_text
from assay.memory.stores.full_text import FullText, PassageLengths, read_varints
from assay.memory.stores.rows import PreparedDocument
from assay.memory.stores.sqlite import SqliteStore
from assay.policy import Policy
from assay.types import Document


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path, "default", 4, Policy(), lambda _: None)
    yield made
    made.close()


def put(store: SqliteStore, texts: list[str], name: str = "d") -> list[int]:
    """A document with a passage for each text; the passages' numbers."""
    document = Document(name, "\n".join(texts))
    ends = list(accumulate(len(text) + 1 for text in texts))
    cuts = [PassageSpan(end - 1 - len(text), end - 1) for end, text in zip(ends, texts, strict=True)]
    vectors = np.ones((len(texts), 4), dtype=np.float32)
    return store.put([PreparedDocument(document, cuts, vectors, [search_terms(document, cut) for cut in cuts])])


def found(store: SqliteStore, *terms: str, k: int = 10) -> list[int]:
    return [number for number, _ in store.matching([list(terms)], k)[0]]


@given(st.lists(st.integers(0, 2**40), max_size=5))
def test_varints_are_read_as_they_were_written(numbers: list[int]) -> None:
    def written(number: int) -> bytes:
        groups = [number & 0x7F]
        while number := number >> 7:
            groups.append(number & 0x7F | 0x80)
        return bytes(reversed(groups))

    assert read_varints(b"".join(map(written, numbers))) == numbers


def test_lengths_are_those_of_the_terms_and_read_only_once(store: SqliteStore) -> None:
    texts = ["amber", "basalt " * 7, "copper " * 300]
    numbers = np.array(put(store, texts))
    lengths = PassageLengths()
    with store._cursor() as cursor:
        assert lengths.of(cursor, numbers).tolist() == [1, 7, 300]
    nobody = None  # whoever is not asked cannot fail
    assert lengths.of(nobody, numbers[::-1]).tolist() == [300, 7, 1]
    with store._cursor() as cursor:
        assert lengths.of(cursor, np.array([numbers[0], 10_000])).tolist() == [1, math.inf]
    assert lengths.of(nobody, np.array([], dtype=np.int64)).tolist() == []


def test_a_change_is_seen_by_the_next_search(store: SqliteStore) -> None:
    first = put(store, ["amber basalt", "basalt"])
    assert found(store, "amber") == first[:1]
    second = put(store, ["amber amber flint"], name="e")
    assert set(found(store, "amber")) == {first[0], second[0]}
    store.remove("d")
    assert found(store, "amber") == second
    assert found(store, "basalt") == []


def test_what_is_known_of_words_outlives_a_commit_that_changes_no_passage(store: SqliteStore) -> None:
    put(store, ["amber"])
    found(store, "amber")
    known = store._words
    store.set_setting("embedder", "other")
    found(store, "amber")
    assert store._words is known
    put(store, ["basalt"], name="e")
    found(store, "amber")
    assert store._words is not known


def test_a_change_by_another_process_is_seen_too(store: SqliteStore, tmp_path: Path) -> None:
    put(store, ["amber"])
    assert len(found(store, "amber")) == 1
    other = SqliteStore(tmp_path, "default", 4, Policy(), lambda _: None)
    put(other, ["amber"], name="e")
    other.close()
    assert len(found(store, "amber")) == 2


def test_more_threads_than_connections_search_while_one_writes(store: SqliteStore) -> None:
    put(store, ["amber basalt"])
    vector = np.ones((1, 4), dtype=np.float32)

    def search(number: int) -> int:
        if number % 10 == 0:
            put(store, [f"amber flint{number}"], name=f"d{number}")
        return len(found(store, "amber", k=50)) + len(store.nearest(vector, 50)[0])

    with ThreadPoolExecutor(40) as pool:
        counts = list(pool.map(search, range(200), timeout=60))
    assert min(counts) >= 2
    assert len(found(store, "amber", k=50)) == 21


@pytest.mark.parametrize("rare", [0, 1, 29, 30, 31, 500])
def test_rare_and_common_terms_rank_alike_wherever_the_line_is(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, rare: int
) -> None:
    numbers = put(store, [("amber " if at % 2 else "") + "basalt" + " flint" * (at % 5) for at in range(60)])
    monkeypatch.setattr(full_text, "_RARE", rare)
    with store._cursor() as cursor:
        words = FullText(cursor)
        assert [words.count(cursor, term) for term in ("basalt", "amber", "absent")] == [60, 30, 0]
    ranked = found(store, "amber", "basalt", k=30)
    assert sorted(ranked) == numbers[1::2]
    assert ranked == sorted(ranked, key=lambda number: (numbers.index(number) % 5, number))


def test_a_database_that_breaks_is_named(store: SqliteStore) -> None:
    numbers = put(store, ["amber"])
    with store.writing() as connection:
        connection.exec_driver_sql("DROP TABLE terms")
    with pytest.raises(MemoryStoreError, match="cannot be read"):
        found(store, "amber")
    with store.writing() as connection:
        connection.exec_driver_sql("ALTER TABLE passages RENAME TO elsewhere")
    with pytest.raises(MemoryStoreError, match="cannot be read"):
        store.edges(numbers)
