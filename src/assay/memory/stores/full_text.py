"""Search by words in the embedded store: BM25 over FTS5's posting lists.

FTS5's own ranking reads a row for every passage that holds any term. Here the lists alone are read, and kept, until the
database changes.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from assay.memory.stores import Hits
from assay.memory.stores.bm25 import MOST_POSTINGS, Postings, choose_terms, rank

_TERMS_KEPT, _POSTINGS_KEPT = 200_000, 4_000_000  # some 50 MB together
_MOST_COUNTED = 5 * MOST_POSTINGS
_UNREAD = 0.0  # a passage without terms is in no posting list, so nobody asks for its length
_RARE = 500  # passages: most terms stand in fewer, and are counted by reading where they stand


class FullText:
    """What one generation of a store has under each term, as far as searches have asked for it."""

    def __init__(self, cursor: Any) -> None:
        self._total, terms = _read_totals(cursor)
        self._mean_length = max(1.0, terms / max(1, self._total))
        self._lengths = PassageLengths()
        self._postings: dict[str, Postings] = {}
        self._counts: dict[str, int] = {}
        self._kept = 0

    @property
    def is_full(self) -> bool:
        """Whether so much is kept that it is time to begin anew."""
        return len(self._counts) > _TERMS_KEPT or self._kept > _POSTINGS_KEPT

    def search(self, cursor: Any, terms: Iterable[str], k: int) -> Hits:
        """The best k passages for some terms."""
        chosen = choose_terms({term: self.count(cursor, term) for term in set(terms)})
        postings = [self._postings_of(cursor, term) for term in chosen]
        return rank(postings, self._total, self._mean_length, partial(self._lengths.of, cursor), k)

    def count(self, cursor: Any, term: str) -> int:
        """In how many passages a term stands; past a limit only roughly, as such a term tells little."""
        held = self._counts.get(term)
        if held is None:
            held = len(self._read(cursor, term, _RARE + 1))
            if held > _RARE:
                query = "SELECT count(*) FROM (SELECT 1 FROM terms WHERE terms MATCH ? LIMIT ?)"
                held = int(cursor.execute(query, (f'"{term}"', _MOST_COUNTED)).fetchone()[0])
            self._counts[term] = held
        return held

    def _postings_of(self, cursor: Any, term: str) -> Postings:
        held = self._postings.get(term)
        return held if held is not None else self._read(cursor, term)

    def _read(self, cursor: Any, term: str, most: int = -1) -> Postings:
        """The first postings of a term, all of them if not told how many; they are kept if these are all."""
        # One long text of numbers crosses into Python several times as fast as a row for each.
        query = "SELECT group_concat(rowid) FROM (SELECT rowid FROM terms WHERE terms MATCH ? LIMIT ?)"
        listed = cursor.execute(query, (f'"{term}"', most)).fetchone()[0] or ""
        postings = np.fromstring(listed, dtype=np.int64, sep=",")
        if most < 0 or len(postings) < most:
            self._postings[term] = postings
            self._kept += len(postings)
        return postings


class PassageLengths:
    """The number of terms of each passage, read once: every search asks for some two hundred, many of them again."""

    def __init__(self) -> None:
        self._held = np.zeros(0, dtype=np.float32)

    def of(self, cursor: Any, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """The lengths of passages; without end for one that another process has just removed."""
        held = self._held
        if ids.max(initial=-1) >= len(held):
            held = self._held = np.concatenate([held, np.zeros(int(ids.max()) + 1, dtype=np.float32)])
        unread = ids[held[ids] == _UNREAD]
        if len(unread):
            held[unread] = _read_lengths(cursor, unread.tolist())
        return held[ids]


def _read_lengths(cursor: Any, ids: list[int]) -> list[float]:
    wanted = ",".join(map(str, ids))
    sizes = dict(cursor.execute(f"SELECT id, sz FROM terms_docsize WHERE id IN ({wanted})"))
    return [float(read_varints(sizes[number])[0]) if number in sizes else math.inf for number in ids]


def read_varints(data: bytes) -> list[int]:
    """SQLite's whole numbers: seven bits a byte, the highest first, the eighth bit set where more follow.

    >>> read_varints(bytes([5, 0x81, 0x00]))
    [5, 128]
    """
    values, value = [], 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            values.append(value)
            value = 0
    return values


def _read_totals(cursor: Any) -> tuple[int, int]:
    """How many passages FTS5 holds, and how many terms they have together: the first record of its data."""
    held = cursor.execute("SELECT block FROM terms_data WHERE id = 1").fetchone()
    totals = read_varints(bytes(held[0])) if held else []
    return (totals[0], totals[1]) if len(totals) == 2 else (0, 0)


WORDS_TABLE = "CREATE VIRTUAL TABLE terms USING fts5(words, content='', tokenize='ascii')"
PLACES_TABLE = "CREATE VIRTUAL TABLE term_places USING fts5vocab('terms', 'instance')"


def fresh_words(rows: Mapping[int, str]) -> sqlite3.Cursor:
    """A full text of these passages alone, in memory."""
    database = sqlite3.connect(":memory:")
    database.execute(WORDS_TABLE)
    database.execute(PLACES_TABLE)
    database.executemany("INSERT INTO terms (rowid, words) VALUES (?, ?)", rows.items())
    return database.cursor()


def word_sums(cursor: Any) -> dict[int, int]:
    """For each passage a number that depends on every word indexed for it and on its place, in any order of reading."""
    sums: dict[int, int] = {}
    for term, number, place in cursor.execute("SELECT term, doc, offset FROM term_places"):
        sums[number] = sums.get(number, 0) + crc32(f"{term}\0{place}".encode("utf-8", "surrogatepass"))
    for (number,) in cursor.execute("SELECT id FROM terms_docsize"):
        sums.setdefault(number, 0)
    return sums
