"""The embedded store: one folder with a SQLite database and the graph file beside it, for each workspace."""

from __future__ import annotations

import os
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import Connection, Engine, event, select, text
from sqlalchemy.exc import SQLAlchemyError

from assay.database import file_path, sqlite_engine
from assay.errors import DatabaseError, MemoryStoreError
from assay.heads import HeadFile
from assay.memory.embed import Vectors
from assay.memory.graph import Graph, GraphFileError, peek_generation
from assay.memory.stores import Hits, Say
from assay.memory.stores.full_text import FullText, fresh_words, word_sums
from assay.memory.stores.inspection import check_rows
from assay.memory.stores.migrations import SQLITE, is_current, migrate
from assay.memory.stores.rows import chunks, unpack_vectors
from assay.memory.stores.seals import insert_sealed, seal_unsealed
from assay.memory.stores.shared import GENERATION, SharedStore
from assay.memory.stores.tables import passages, settings, tombstones
from assay.policy import Policy

_BUSY_MS = 60_000
_REBUILD_BATCH = 2_000


class SqliteStore(SharedStore):
    """SQLite holds everything; the graph is a copy of its vectors that can always be made again."""

    begin_statement = "BEGIN IMMEDIATE"

    def __init__(self, place: str | os.PathLike[str], workspace: str, width: int, policy: Policy, say: Say) -> None:
        folder = file_path(place)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise MemoryStoreError(f"the memory {folder} cannot be opened: {problem.strerror}") from problem
        self._database = folder / f"{workspace}.db"
        self._file = folder / f"{workspace}.graph"
        head_file = HeadFile(folder / f"{workspace}.head")
        super().__init__(_connect(self._database), str(folder), workspace, policy, head_file)
        self._width, self._say = width, say
        self._lock = threading.RLock()
        self._words: FullText | None = None
        self._words_version: int | None = None
        self._words_generation = -1
        self._identity = self._prepare()
        self._held = self.engine.raw_connection()
        self._watch: Any = self._held.driver_connection
        self._caught_up: tuple[Graph, int | None] | None = None
        self._graph = self._open_graph()
        for line in self.check_history():
            say(f"the memory {self.place}: {line}")

    def relax(self, connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA synchronous = NORMAL")

    def _prepare(self) -> str:
        """Makes or moves on the schema; a memory that is ready is not written to, so that it can be read-only."""
        held = self._held_settings()
        if held is None:
            with self.writing() as connection:
                migrate(connection, SQLITE)
                held = {row.key: row.value for row in connection.execute(select(settings))}
                fresh = {"generation": "0", "identity": uuid.uuid4().hex, "width": str(self._width)}
                missing = [{"key": key, "value": fresh[key]} for key in fresh.keys() - held.keys()]
                insert_sealed(connection, settings, missing)
            held = fresh | held
        if int(held["width"]) != self._width:
            raise MemoryStoreError(
                f"the memory {self.place} holds vectors of {held['width']} numbers, not {self._width}: "
                "open it with the embedder it was made with"
            )
        return str(held["identity"])

    def _held_settings(self) -> dict[str, str] | None:
        """The settings of a memory whose schema is this one's; None if there is work to do first."""
        try:
            with self.engine.connect() as connection:
                if not is_current(connection, SQLITE):
                    return None
                held = {row.key: row.value for row in connection.execute(select(settings))}
        except SQLAlchemyError:
            return None
        return held if held.keys() >= {"generation", "identity", "width"} else None

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
                self._say(f"making the index of {self.place} again from the database: {problem}")
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
            if self.generation(connection) == self._graph.generation:
                return
            connection.exec_driver_sql("BEGIN")  # one snapshot for the generation and what belongs to it
            try:
                generation = self.generation(connection)
                since = self._graph.generation
                gone = select(tombstones.c.number).where(tombstones.c.changed > since)
                self._graph.remove([row.number for row in connection.execute(gone)])
                hidden = select(passages.c.number).where(passages.c.changed > since, passages.c.live.is_(False))
                self._graph.remove([row.number for row in connection.execute(hidden)])
                query = select(passages.c.number, passages.c.vector).where(passages.c.changed > since, passages.c.live)
                rows = connection.execute(query)
                while part := rows.fetchmany(_REBUILD_BATCH):
                    vectors = unpack_vectors([bytes(row.vector) for row in part])
                    self._graph.add([row.number for row in part], vectors)
                self._graph.generation = generation
            finally:
                connection.exec_driver_sql("ROLLBACK")

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
            raise self._explain(problem, "read") from problem

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
            self._say(str(problem))

    def rebuild(self) -> int:
        """Makes the graph and the full-text index again from the documents; the number of passages."""
        with self.writing() as connection:
            connection.execute(text("INSERT INTO terms (terms) VALUES ('delete-all')"))
            ids = [row.number for row in connection.execute(select(passages.c.number).where(passages.c.live))]
            for part in chunks(ids):
                self.index_terms(connection, self.terms_of(connection, part))
            seal_unsealed(connection)
        with self._lock:
            self._graph = Graph(self._width, self.policy)
            self._catch_up()
            self._save()
        return len(ids)

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
        self.engine.dispose()


def stored_embedder(place: str | os.PathLike[str], workspace: str) -> str | None:
    """The name of the embedder a memory was made with; None if there is no memory yet."""
    path = file_path(place) / f"{workspace}.db"
    if not path.is_file():
        return None
    engine = _connect(path)
    try:
        with engine.connect() as connection:
            held = connection.execute(select(settings.c.value).where(settings.c.key == "embedder")).scalar()
            return str(held) if held is not None else None
    except SQLAlchemyError:  # not yet prepared, or damaged: opening it will tell
        return None
    finally:
        engine.dispose()


def _connect(path: Path) -> Engine:
    pragmas = (
        f"busy_timeout = {_BUSY_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "cache_size = -65536",
        "mmap_size = 1073741824",
        "foreign_keys = ON",
    )
    try:
        engine = sqlite_engine(
            path,
            pragmas,
            isolation_level="AUTOCOMMIT",  # transactions are begun by hand: BEGIN IMMEDIATE
            connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False},
        )
    except DatabaseError as problem:
        raise MemoryStoreError(f"the memory {path.parent} cannot be opened: {problem}") from problem

    @event.listens_for(engine, "checkout")
    def sync(connection: Any, *_: Any) -> None:
        connection.execute("PRAGMA synchronous = FULL")  # whoever had it before may have relaxed it

    return engine
