"""Where the ledger is kept: one schema for SQLite and PostgreSQL."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    and_,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from assay.database import migrate, open_database, writing
from assay.errors import LedgerError
from assay.ledger.canonical import canonical
from assay.ledger.records import Record, Tombstone
from assay.types import Evidence

tables = MetaData()

records = Table(
    "ledger_records",
    tables,
    Column("workspace", String, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("time", String, nullable=False),
    Column("payload", Text),  # null once purged
    Column("payload_sha256", String, nullable=False),
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
)
# Texts are kept once however many runs used them.
texts = Table("ledger_texts", tables, Column("sha256", String, primary_key=True), Column("text", Text, nullable=False))
uses = Table(
    "ledger_uses",
    tables,
    Column("workspace", String, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("sha256", String, primary_key=True),
)
# Which finding leaned on which version of which document: what `stale` asks.
leanings = Table(
    "ledger_leanings",
    tables,
    Column("workspace", String, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("claim", Integer, primary_key=True),
    Column("document", String, primary_key=True),
    Column("document_sha256", String, nullable=False),
)
Index("ledger_leanings_by_document", leanings.c.workspace, leanings.c.document)


def _create_tables(connection: Connection) -> None:
    tables.create_all(connection)


MIGRATIONS = (_create_tables,)


class LedgerStore:
    """Appends to and reads from the chain of one database; safe with several processes at once."""

    def __init__(self, place: str | os.PathLike[str]) -> None:
        self.place = str(place)
        with self._explained("open"):
            self.engine = open_database(place)
            migrate(self.engine, "ledger", MIGRATIONS)

    def close(self) -> None:
        self.engine.dispose()

    def append(
        self,
        make: Callable[[Record | Tombstone | None], Record],
        workspace: str,
        *,
        documents: Mapping[str, str] | None = None,
        evidence: Sequence[Sequence[Evidence]] = (),
    ) -> Record:
        """Adds the record that `make` builds on the last one; it is on disk when this returns."""
        with self._explained("write"), writing(self.engine).begin() as connection:
            self._lock(connection, workspace)
            record = make(self._last(connection, workspace))
            connection.execute(insert(records).values(**_row(record)))
            for sha256, text in (documents or {}).items():
                known = connection.execute(select(texts.c.sha256).where(texts.c.sha256 == sha256)).first()
                if known is None:
                    connection.execute(insert(texts).values(sha256=sha256, text=_storable(text)))
                connection.execute(insert(uses).values(workspace=workspace, sequence=record.sequence, sha256=sha256))
            leaned = {
                (number, item.document): item.document_sha256 for number, items in enumerate(evidence) for item in items
            }
            for (number, document), sha256 in leaned.items():
                connection.execute(
                    insert(leanings).values(
                        workspace=workspace,
                        sequence=record.sequence,
                        claim=number,
                        document=document,
                        document_sha256=sha256,
                    )
                )
        return record

    def chain(self, workspace: str, *, start: int = 1) -> Iterator[Record | Tombstone]:
        """Every record from `start` on, in order."""
        query = select(records).where(records.c.workspace == workspace, records.c.sequence >= start)
        with self._explained("read"), self.engine.connect() as connection:
            for row in connection.execute(query.order_by(records.c.sequence)).mappings():
                yield _record(row)

    def get(self, workspace: str, sequence: int) -> Record | Tombstone | None:
        query = select(records).where(records.c.workspace == workspace, records.c.sequence == sequence)
        with self._explained("read"), self.engine.connect() as connection:
            row = connection.execute(query).mappings().first()
        return _record(row) if row else None

    def newest(self, workspace: str, kind: str | None = None, limit: int = 20) -> list[Record | Tombstone]:
        query = select(records).where(records.c.workspace == workspace)
        if kind:
            query = query.where(records.c.kind == kind)
        with self._explained("read"), self.engine.connect() as connection:
            rows = connection.execute(query.order_by(records.c.sequence.desc()).limit(limit)).mappings().all()
        return [_record(row) for row in rows]

    def workspaces(self) -> list[str]:
        with self._explained("read"), self.engine.connect() as connection:
            return list(
                connection.execute(select(records.c.workspace).distinct().order_by(records.c.workspace)).scalars()
            )

    def text(self, sha256: str) -> str | None:
        """The text of a document as a run saw it."""
        with self._explained("read"), self.engine.connect() as connection:
            found = connection.execute(select(texts.c.text).where(texts.c.sha256 == sha256)).scalar()
        return None if found is None else _restored(found)

    def leaning_on(self, workspace: str, document: str) -> list[tuple[int, int, str]]:
        """(record, claim, hash of the version used) of every finding that cites a document."""
        query = select(leanings.c.sequence, leanings.c.claim, leanings.c.document_sha256).where(
            and_(leanings.c.workspace == workspace, leanings.c.document == document)
        )
        with self._explained("read"), self.engine.connect() as connection:
            rows = connection.execute(query.order_by(leanings.c.sequence, leanings.c.claim)).all()
        return [(row.sequence, row.claim, row.document_sha256) for row in rows]

    def cited_documents(self, workspace: str) -> list[str]:
        query = select(leanings.c.document).where(leanings.c.workspace == workspace).distinct()
        with self._explained("read"), self.engine.connect() as connection:
            return sorted(connection.execute(query).scalars())

    def purge(self, workspace: str, before: str) -> int:
        """Empties records older than a time; their hashes stay, so the chain stays provable."""
        old = and_(records.c.workspace == workspace, records.c.time < before, records.c.payload.is_not(None))
        with self._explained("write"), writing(self.engine).begin() as connection:
            self._lock(connection, workspace)
            doomed = list(connection.execute(select(records.c.sequence).where(old)).scalars())
            connection.execute(update(records).where(old).values(payload=None))
            for table in (leanings, uses):
                gone = and_(table.c.workspace == workspace, table.c.sequence.in_(doomed))
                connection.execute(table.delete().where(gone))
            connection.execute(texts.delete().where(texts.c.sha256.not_in(select(uses.c.sha256))))
        return len(doomed)

    def _last(self, connection: Connection, workspace: str) -> Record | Tombstone | None:
        newest = select(func.max(records.c.sequence)).where(records.c.workspace == workspace).scalar_subquery()
        query = select(records).where(records.c.workspace == workspace, records.c.sequence == newest)
        row = connection.execute(query).mappings().first()
        return _record(row) if row else None

    def _lock(self, connection: Connection, workspace: str) -> None:
        """One writer at a time for each chain; SQLite already holds its write lock here."""
        if self.engine.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(func.hashtext(f"assay-ledger:{workspace}"))))

    def _explained(self, doing: str) -> _Explained:
        return _Explained(f"cannot {doing} the ledger {self.place}")


class _Explained:
    """Turns a database failure into an error that says what was being done, and to what."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if isinstance(problem, DBAPIError):
            raise LedgerError(f"{self.what}: {problem.orig}") from problem
        if isinstance(problem, SQLAlchemyError | OSError):
            raise LedgerError(f"{self.what}: {problem}") from problem


def _row(record: Record) -> dict[str, Any]:
    return {
        "workspace": record.workspace,
        "sequence": record.sequence,
        "kind": record.kind,
        "time": record.time,
        "payload": canonical(dict(record.payload)).decode("ascii"),
        "payload_sha256": record.payload_sha256,
        "previous": record.previous,
        "hash": record.hash,
    }


def _record(row: Mapping[Any, Any]) -> Record | Tombstone:
    shared = {name: row[name] for name in ("sequence", "kind", "time", "workspace", "previous", "hash")}
    if row["payload"] is None:
        return Tombstone(payload_sha256=row["payload_sha256"], **shared)
    try:
        payload = json.loads(row["payload"])
    except ValueError:  # somebody edited the file: the chain check will name this record
        payload = {"unreadable": row["payload"]}
    return Record(payload=payload, **shared)


def _storable(text: str) -> str:
    """PostgreSQL cannot hold NUL and neither database a lone surrogate; JSON escapes carry both."""
    return json.dumps(text)


def _restored(stored: str) -> str:
    return str(json.loads(stored))
