"""The store of the ledger: append to the chain of a workspace, read from it, empty what is too old."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, func, insert, select, update

from assay.errors import LedgerError
from assay.ledger.chain import LedgerSnapshot
from assay.ledger.records import Record, Tombstone
from assay.ledger.rows import (
    citation_rows,
    document_key,
    document_of,
    is_sound,
    record_of,
    restored,
    row_of,
    storable,
    text_rows,
)
from assay.storage.head_files import Head, HeadFile
from assay.storage.schema import ledger_heads as heads
from assay.storage.schema import ledger_leanings as leanings
from assay.storage.schema import ledger_records as records
from assay.storage.schema import ledger_texts as texts
from assay.storage.schema import ledger_uses as uses
from assay.storage.store import SqlStore, chunks

ChainEntry = Record | Tombstone
RecordBuilder = Callable[[ChainEntry | None], Record]
_PAGE = 100
_TEXTS = "assay-ledger-texts"


class LedgerStore(SqlStore):
    """Appends to and reads from the chains of one database; safe with several processes at once."""

    part, noun, error = "ledger", "ledger", LedgerError

    def __init__(self, place: str | os.PathLike[str]) -> None:
        super().__init__(place)
        self._at = place
        self._head_files: dict[str, HeadFile] = {}

    # In

    def append(self, make: RecordBuilder, workspace: str, texts_used: Mapping[str, str] | None = None) -> Record:
        """Adds the record that `make` builds on the last one; it is on disk when this returns."""
        with self.writing() as connection:
            self._lock(connection, workspace)
            self._lock(connection, _TEXTS, shared=True)
            record = self._add(connection, make, workspace, texts_used or {})
        self._note_head(record)
        return record

    def _add(
        self, connection: Connection, make: RecordBuilder, workspace: str, texts_used: Mapping[str, str]
    ) -> Record:
        last = self._last(connection, workspace)
        record = make(last)
        connection.execute(insert(records).values(**row_of(record)))
        _set_head(connection, record, fresh=last is None)
        for sha256, content in texts_used.items():
            connection.execute(_insert_if_new(connection, texts).values(sha256=sha256, text=storable(content)))
        for table, rows in ((uses, text_rows(record)), (leanings, citation_rows(record))):
            if rows:
                connection.execute(insert(table), rows)
        return record

    def purge(
        self, workspace: str, before: str, now: str, make: Callable[[ChainEntry | None, list[int]], Record]
    ) -> list[int]:
        """Empties records older than a time and adds the record that says so; the numbers of those emptied.

        A record is as old as the latest time at or before it that is not in the future: a clock that jumped back makes
        nothing old.
        """
        with self.writing() as connection:
            self._lock(connection, workspace)
            self._lock(connection, _TEXTS)
            if self.engine.dialect.name == "sqlite":
                # What is emptied is overwritten, not only freed.
                connection.exec_driver_sql("PRAGMA secure_delete = ON")
            doomed = _outdated(connection, workspace, before, now)
            if not doomed:
                return []
            for part in chunks(doomed):
                chosen = and_(records.c.workspace == workspace, records.c.sequence.in_(part))
                connection.execute(update(records).where(chosen).values(payload=None))
                for table in (leanings, uses):
                    connection.execute(delete(table).where(table.c.workspace == workspace, table.c.sequence.in_(part)))
            connection.execute(delete(texts).where(texts.c.sha256.not_in(select(uses.c.sha256))))
            record = self._add(connection, lambda last: make(last, doomed), workspace, {})
        self._note_head(record)
        if self.engine.dialect.name == "sqlite":
            with self.reading() as connection:
                raw: Any = connection.connection.driver_connection  # outside any transaction
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()  # nor does it stand in the write-ahead log
        return doomed

    def head_file(self, workspace: str) -> HeadFile:
        """Where the end of a chain is kept outside the database."""
        return self._head_files.setdefault(workspace, HeadFile.beside(self._at, workspace))

    def _note_head(self, record: Record) -> None:
        def held(sequence: int) -> str | None:
            with self.snapshot() as seen:
                return seen.hash_of(record.workspace, sequence)

        self.head_file(record.workspace).advance(Head(record.sequence, record.hash), held)

    # Out

    def chain(self, workspace: str) -> Iterator[ChainEntry]:
        """Every record in order, as one moment saw it."""
        with self.snapshot() as seen:
            for record, _ in seen.records(workspace):
                yield record

    def get(self, workspace: str, sequence: int) -> ChainEntry | None:
        query = select(records).where(records.c.workspace == workspace, records.c.sequence == sequence)
        with self.reading() as connection:
            row = connection.execute(query).mappings().first()
        return record_of(row) if row else None

    def newest(self, workspace: str, *kinds: str, below: int | None = None, limit: int = 20) -> list[Record]:
        """The last records of some kinds that have not been emptied, the newest first."""
        query = select(records).where(
            records.c.workspace == workspace,
            records.c.kind.in_(kinds),
            records.c.payload.is_not(None),
        )
        if below is not None:
            query = query.where(records.c.sequence < below)
        with self.reading() as connection:
            rows = connection.execute(query.order_by(records.c.sequence.desc()).limit(limit)).mappings().all()
        return [found for row in rows if isinstance(found := record_of(row), Record)]

    def all(self, workspace: str, *kinds: str) -> Iterator[Record]:
        """Every record of some kinds, the newest first, a page at a time."""
        below: int | None = None
        while page := self.newest(workspace, *kinds, below=below, limit=_PAGE):
            yield from page
            below = page[-1].sequence

    def count(self, workspace: str, *kinds: str) -> int:
        chosen = and_(
            records.c.workspace == workspace,
            records.c.kind.in_(kinds),
            records.c.payload.is_not(None),
        )
        with self.reading() as connection:
            return int(connection.execute(select(func.count()).where(chosen)).scalar_one())

    def head(self, workspace: str) -> tuple[int, str] | None:
        with self.snapshot() as seen:
            return seen.head(workspace)

    def workspaces(self) -> list[str]:
        with self.reading() as connection:
            held = set(connection.execute(select(heads.c.workspace)).scalars())
        return sorted(held | set(HeadFile.names(self._at)))  # a chain may be lost as a whole

    def texts(self, hashes: Iterable[str]) -> dict[str, str]:
        """Texts of documents as runs saw them, by their hashes; what is not held, or damaged, is left out."""
        found: dict[str, str] = {}
        with self.reading() as connection:
            for part in chunks(sorted(set(hashes))):
                rows = connection.execute(select(texts.c.sha256, texts.c.text).where(texts.c.sha256.in_(part)))
                found |= {row.sha256: restored(row.text) for row in rows if is_sound(row.text, row.sha256)}
        return found

    def findings_citing(self, workspace: str, document: str) -> list[tuple[int, int, str]]:
        """(record, claim, hash of the version used) of every finding that cites a document."""
        query = select(leanings.c.sequence, leanings.c.claim, leanings.c.document_sha256).where(
            leanings.c.workspace == workspace, leanings.c.document == document_key(document)
        )
        with self.reading() as connection:
            rows = connection.execute(query.order_by(leanings.c.sequence, leanings.c.claim)).all()
        return [(row.sequence, row.claim, row.document_sha256) for row in rows]

    def cited_versions(self, workspace: str) -> list[tuple[str, str]]:
        """Every document that a finding cites, with the hash of each version that was cited."""
        query = select(leanings.c.document, leanings.c.document_sha256).where(leanings.c.workspace == workspace)
        with self.reading() as connection:
            rows = connection.execute(query.distinct()).all()
        return sorted((document_of(row.document), row.document_sha256) for row in rows)

    @contextmanager
    def snapshot(self) -> Iterator[LedgerSnapshot]:
        """Several readings of one and the same moment, whatever is written meanwhile."""
        with self.reading() as connection:
            if self.engine.dialect.name == "postgresql":
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield LedgerSnapshot(connection)

    def _last(self, connection: Connection, workspace: str) -> ChainEntry | None:
        newest = select(func.max(records.c.sequence)).where(records.c.workspace == workspace).scalar_subquery()
        query = select(records).where(records.c.workspace == workspace, records.c.sequence == newest)
        row = connection.execute(query).mappings().first()
        return record_of(row) if row else None

    def _lock(self, connection: Connection, name: str, *, shared: bool = False) -> None:
        """One writer at a time for each chain, and no purge of texts while another chain takes them up.

        SQLite already holds its write lock here.
        """
        if self.engine.dialect.name == "postgresql":
            lock = func.pg_advisory_xact_lock_shared if shared else func.pg_advisory_xact_lock
            connection.execute(select(lock(func.hashtext(f"assay-ledger:{name}"))))


def _set_head(connection: Connection, record: Record, *, fresh: bool) -> None:
    if fresh:
        connection.execute(insert(heads).values(workspace=record.workspace, sequence=record.sequence, hash=record.hash))
    else:
        own = heads.c.workspace == record.workspace
        connection.execute(update(heads).where(own).values(sequence=record.sequence, hash=record.hash))


def _outdated(connection: Connection, workspace: str, before: str, now: str) -> list[int]:
    query = select(
        records.c.sequence,
        records.c.time,
        records.c.kind,
        records.c.payload.is_(None).label("empty"),
    )
    latest, found = "", []
    for row in connection.execute(query.where(records.c.workspace == workspace).order_by(records.c.sequence)):
        if row.time <= now:
            latest = max(latest, row.time)
        # What says that records were emptied must outlive them.
        if (latest or row.time) < before and not row.empty and row.kind != "purge":
            found.append(int(row.sequence))
    return found


def _insert_if_new(connection: Connection, table: Table) -> Any:
    from sqlalchemy.dialects import postgresql, sqlite

    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()
