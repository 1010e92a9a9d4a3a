"""The embedded store: one folder with a SQLite database and the graph file beside it, for each workspace."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, event, func, select, text
from sqlalchemy.exc import SQLAlchemyError

from assay.errors import MemoryStoreError
from assay.memory.embed import Vectors
from assay.memory.graph import Graph, GraphFileError, peek_generation
from assay.memory.stores import Hits, Notify
from assay.memory.stores.full_text import FullText, fresh_words, word_sums
from assay.memory.stores.integrity import check_rows
from assay.memory.stores.rows import unpack_vectors
from assay.memory.stores.sql import GENERATION, SqlMemoryStore
from assay.policy import Policy
from assay.storage.database import advise, file_path
from assay.storage.head_files import HeadFile
from assay.storage.schema import passages, tombstones
from assay.storage.store import chunks

_REBUILD_BATCH = 2_000


class SqliteStore(SqlMemoryStore):
    """SQLite holds everything; the graph is a copy of its vectors that can always be made again."""

    pragmas = ("cache_size = -65536", "mmap_size = 1073741824")

    def __init__(
        self, place: str | os.PathLike[str], workspace: str, width: int, policy: Policy, notify: Notify
    ) -> None:
        folder = file_path(place)
        self._database = folder / f"{workspace}.db"
        self._file = folder / f"{workspace}.graph"
        head_file = HeadFile(folder / f"{workspace}.head")
        super().__init__(folder, str(folder), workspace, width, policy, notify, head_file)

        @event.listens_for(self.engine, "checkout")
        def sync(connection: Any, *_: Any) -> None:
            connection.execute("PRAGMA synchronous = FULL")  # whoever had it before may have relaxed it

        self._lock = threading.RLock()
        self._words: FullText | None = None
        self._words_version: int | None = None
        self._words_generation = -1
        self._held = self.engine.raw_connection()
        self._watch: Any = self._held.driver_connection
        self._caught_up: tuple[Graph, int | None] | None = None
        self._graph = self._open_graph()
        self.report_history()

    def relax(self, connection: Connection) -> None:
        raw: Any = connection.connection.driver_connection  # outside the transaction, where it would have no effect
        raw.execute("PRAGMA synchronous = NORMAL")

    def number_passages(self, connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """SQLite would number a passage like the last one that was removed, to which edges may still lead."""
        taken = (connection.execute(select(func.max(table.c.number))).scalar() or 0 for table in (passages, tombstones))
        first = max(taken) + 1
        return [{**row, "number": first + at} for at, row in enumerate(rows)]

    # The graph

    def _open_graph(self) -> Graph:
        with self.reading() as connection:
            generation = self.generation(connection)
        try:
            graph = Graph.load(self._file, self._identity, self._width, self.policy)
            if graph.generation > generation:
                raise GraphFileError("it is ahead of the database")
        except GraphFileError as problem:
            if generation:
                self._notify(f"making the index of {self.place} again from the database: {problem}")
            graph = Graph(self._width, self.policy)
        behind = generation - graph.generation
        with self._lock:
            self._graph = graph
            self._catch_up()
        if behind and generation:
            self._save_quietly()
        return graph

    def _catch_up(self) -> None:
        """Brings the graph to the database's generation, whoever moved it on."""
        with self._lock:
            version = self._data_version()
            if version is None or (self._graph, version) != self._caught_up:
                self._follow()
                self._caught_up = (self._graph, version)

    def _data_version(self) -> int | None:
        """A number that changes with every commit of another connection, in a tenth of the time of asking the tables;
        None where that fails, and the tables will tell why."""
        try:
            version: int = self._watch.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            return None
        return version

    def _follow(self) -> None:
        with self.reading() as connection:
            generation = self.generation(connection)  # one transaction reads it and everything that belongs to it
            if generation == self._graph.generation:
                return
            since = self._graph.generation
            gone = select(tombstones.c.number).where(tombstones.c.changed > since)
            self._graph.remove(list(connection.execute(gone).scalars()))
            hidden = select(passages.c.number).where(passages.c.changed > since, passages.c.live.is_(False))
            self._graph.remove(list(connection.execute(hidden).scalars()))
            query = select(passages.c.number, passages.c.vector).where(passages.c.changed > since, passages.c.live)
            rows = connection.execute(query)
            while part := rows.fetchmany(_REBUILD_BATCH):
                vectors = unpack_vectors([bytes(row.vector) for row in part])
                self._graph.add([row.number for row in part], vectors)
            self._graph.generation = generation

    def nearest(self, vectors: Vectors, k: int) -> list[Hits]:
        with self._lock:
            self._catch_up()
            return self._graph.search(vectors, k)

    def similarities(self, vector: Vectors, ids: Sequence[int]) -> dict[int, float]:
        with self._lock:
            held = self._graph.vectors(ids)
        if not held:
            return {}
        rows = np.stack(list(held.values())).astype(np.float32)
        length = np.linalg.norm(rows, axis=1)
        close = np.clip((rows @ vector) / np.where(length > 0, length, 1), -1.0, 1.0)
        return dict(zip(held, close.tolist(), strict=True))

    # Full text

    def index_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        values = [{"at": number, "words": words} for number, words in rows.items()]
        if values:
            connection.execute(text("INSERT INTO terms (rowid, words) VALUES (:at, :words)"), values)

    def unindex_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        values = [{"at": number, "words": words} for number, words in rows.items()]
        if values:
            connection.execute(text("INSERT INTO terms (terms, rowid, words) VALUES ('delete', :at, :words)"), values)

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """A cursor of the driver: for a small statement the toolkit's own work is ten times that of SQLite."""
        try:
            held = self.engine.raw_connection()
            try:
                yield held.cursor()
            finally:
                held.close()
        except (sqlite3.Error, SQLAlchemyError) as problem:
            raise MemoryStoreError(f"the memory {self.place} cannot be read: {advise(problem)}") from problem

    def plain_rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._cursor() as cursor:
            rows: list[tuple[Any, ...]] = cursor.execute(query).fetchall()
        return rows

    def matching(self, queries: Sequence[Sequence[str]], k: int) -> list[Hits]:
        words = self._current_words()
        with self._cursor() as cursor:
            return [words.search(cursor, query, k) for query in queries]

    def _current_words(self) -> FullText:
        """What is kept of the full text, made anew when the passages have changed."""
        with self._lock:  # before any connection: whoever holds the lock may need one, and they are not without end
            version = self._data_version()
            if self._words is None or self._words.is_full or version is None or version != self._words_version:
                with self._cursor() as cursor:
                    # Most commits only count how often a passage was used.
                    generation = int(cursor.execute(GENERATION).fetchone()[0])
                    if self._words is None or self._words.is_full or generation != self._words_generation:
                        self._words, self._words_generation = FullText(cursor), generation
                self._words_version = version
            return self._words

    # Upkeep

    def flush(self) -> None:
        """Writes the graph file if it is behind; a reader elsewhere then opens faster."""
        with self._lock:
            self._catch_up()
            if peek_generation(self._file) != self._graph.generation:
                self._save()

    def _save(self) -> None:
        try:
            self._graph.save(self._file, self._identity)
        except OSError as problem:
            raise MemoryStoreError(
                f"the index of {self.place} cannot be written ({problem.strerror}); the documents are safe, and "
                "the index is made again from them when there is room"
            ) from problem

    def _save_quietly(self) -> None:
        """A memory on a full or read-only disk can still be read."""
        try:
            self._save()
        except MemoryStoreError as problem:
            self._notify(str(problem))

    def rebuild(self) -> int:
        """Makes the graph and the full-text index again from the documents; the number of passages."""
        with self.writing() as connection:
            connection.execute(text("INSERT INTO terms (terms) VALUES ('delete-all')"))
            count = self.reindex(connection)
        with self._lock:
            self._graph = Graph(self._width, self.policy)
            self._catch_up()
            self._save()
        return count

    def verify(self) -> list[str]:
        """What is wrong: damaged pages, rows that do not match their hashes, indexes that do not agree."""
        problems: list[str] = []
        try:
            problems += self.check_history()
            with self.reading() as connection:
                damage = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA integrity_check(20)")]
                problems += [f"database: {line}" for line in damage if line != "ok"]
                problems += check_rows(connection, self.workspace)
                live = {row.number for row in connection.execute(select(passages.c.number).where(passages.c.live))}
                problems += self._check_words(connection, live)
            with self._lock:
                self._catch_up()
                problems += self._check_graph(live)
        except MemoryStoreError as problem:  # too damaged to be read to the end
            problems.append(str(problem))
        if self._file.exists():  # while it is missing nothing is wrong: it is written at the end of the next ingest
            try:
                Graph.load(self._file, self._identity, self._width, self.policy)
            except GraphFileError as problem:
                problems.append(f"index file: {problem}")
        return problems

    def _check_words(self, connection: Connection, live: set[int]) -> Iterator[str]:
        """Whether the full text holds exactly the words of the passages: an index made anew must be the same."""
        held = word_sums(connection.connection.cursor())
        expected: dict[int, int] = {}
        for part in chunks(sorted(live)):
            try:
                expected |= word_sums(fresh_words(self.terms_of(connection, part)))
            except (ValueError, KeyError, TypeError):  # a damaged document, which is named elsewhere
                held = {number: value for number, value in held.items() if number not in part}
        wrong = sorted(number for number in held.keys() | expected.keys() if held.get(number) != expected.get(number))
        if wrong:
            yield f"full text: {len(wrong)} passages are not indexed under their words, the first is {wrong[0]}"

    def _check_graph(self, live: set[int]) -> Iterator[str]:
        held = self._graph.keys()
        if held != live:
            yield f"index: {len(live - held)} passages are missing and {len(held - live)} are too many"
        for part in chunks(sorted(live & held)):
            stored, indexed = self.vectors(part), self._graph.vectors(part)
            wrong = [
                at for at in part if not np.array_equal(stored[at], indexed[at].astype(np.float32), equal_nan=True)
            ]
            if wrong:
                yield f"index: the vector of passage {wrong[0]} is not the stored one"

    def stats(self) -> dict[str, Any]:
        size = sum(path.stat().st_size for path in self._files())
        return super().stats() | {"store": "sqlite", "disk_bytes": size, "index_bytes": self._graph.bytes}

    def _files(self) -> list[Path]:
        names = [self._file, *(Path(f"{self._database}{end}") for end in ("", "-wal", "-shm"))]
        return [path for path in names if path.exists()]

    def close(self) -> None:
        self._held.close()
        super().close()
