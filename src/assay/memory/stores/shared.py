"""What both databases do alike: documents, versions, passages, edges, citations, in plain SQLAlchemy Core."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select, text, update
from sqlalchemy.exc import SQLAlchemyError

from assay.database import explain_failure
from assay.errors import MemoryStoreError, UsageError
from assay.heads import Head, HeadFile, find_lost
from assay.memory.embed import Vectors
from assay.memory.entries import Edge, EdgeKind, Entry, Listing, merge_edges, pack_edges, unpack_edges
from assay.memory.stores import protection
from assay.memory.stores.inserting import first_edges, passage_rows
from assay.memory.stores.inspection import count_everything, list_documents
from assay.memory.stores.rows import (
    Incoming,
    Known,
    chunks,
    document_of,
    document_row,
    entry_of,
    fingerprint,
    storable,
    unpack_vectors,
)
from assay.memory.stores.seals import insert_sealed, seal
from assay.memory.stores.tables import documents, history, passages, settings, tombstones
from assay.policy import Policy
from assay.types import Document, sha256_of

# In plain SQL: every search asks this, and building the statement would take longer than answering it.
GENERATION = "SELECT value FROM settings WHERE key = 'generation'"
_ADVICE = {
    "full": "the disk is full: make room and try again; nothing was damaged",
    "disk I/O error": "the disk is full or failing; nothing that was stored before is lost",
    "readonly": "it is read-only: check the permissions of its folder",
    "locked": "another process holds it for too long: try again",
    "not a database": "the file is damaged or no memory at all: restore it from a copy",
    "malformed": "the file is damaged: restore it from a copy",
}


def advise(problem: Exception) -> str:
    """What a database's error means for the person who meets it, and what to do; its own words if it is not known."""
    cause = explain_failure(problem)
    return next((line for word, line in _ADVICE.items() if word in cause), cause)


class SharedStore(ABC):
    """The part of a store that needs nothing but tables; a database adds its full text and its vectors."""

    begin_statement = "BEGIN"

    def __init__(self, engine: Engine, place: str, workspace: str, policy: Policy, head_file: HeadFile) -> None:
        self.engine, self.place, self.workspace, self.policy = engine, place, workspace, policy
        self._head_file = head_file
        self._changes: dict[Connection, Head] = {}

    # What a database adds

    @abstractmethod
    def index_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        """Makes passages known to the full text."""

    @abstractmethod
    def unindex_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        """Makes the full text forget them."""

    # Transactions

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        try:
            with self.engine.connect() as connection:
                yield connection
        except SQLAlchemyError as problem:
            raise self._explain(problem, "read") from problem

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """One transaction; writers of all processes take turns.

        It is on disk when this ends. One that is not `durable` may be lost in a power cut, with nothing else harmed,
        unless another one follows it.
        """
        changed: Head | None = None
        try:
            with self.engine.connect() as connection:
                if not durable:
                    self.relax(connection)
                connection.exec_driver_sql(self.begin_statement)
                try:
                    yield connection
                except BaseException:
                    self._changes.pop(connection, None)
                    connection.exec_driver_sql("ROLLBACK")
                    raise
                changed = self._changes.pop(connection, None)
                connection.exec_driver_sql("COMMIT")
        except SQLAlchemyError as problem:
            raise self._explain(problem, "written") from problem
        if changed is not None:
            self._head_file.advance(changed, self.held_at)

    @abstractmethod
    def relax(self, connection: Connection) -> None:
        """Told before a transaction that need not survive a power cut."""

    def _explain(self, problem: Exception, what: str) -> MemoryStoreError:
        return MemoryStoreError(f"the memory {self.place} cannot be {what}: {advise(problem)}")

    def plain_rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query that every search asks, in plain SQL: building it would take longer than answering it."""
        with self.reading() as connection:
            return [tuple(row) for row in connection.exec_driver_sql(query)]

    def generation(self, connection: Connection) -> int:
        return int(connection.exec_driver_sql(GENERATION).scalar() or 0)

    def next_generation(self, connection: Connection, *what: object) -> int:
        """Begins a change of what can be found, and writes it into the history: the hash over what is changed and the
        hash before it."""
        number = self.generation(connection) + 1
        before = self.history_at(connection, number - 1) or ""
        fresh = sha256_of("\0".join([before, str(number), *map(str, what)]))
        insert_sealed(connection, history, [{"generation": number, "hash": fresh}])
        _put_setting(connection, "generation", str(number))
        self._changes[connection] = Head(number, fresh)
        return number

    @staticmethod
    def history_at(connection: Connection, generation: int) -> str | None:
        found: str | None = connection.execute(
            select(history.c.hash).where(history.c.generation == generation)
        ).scalar()
        return found

    def held_at(self, generation: int) -> str | None:
        with self.reading() as connection:
            return self.history_at(connection, generation)

    def check_history(self) -> Iterator[str]:
        """What the head file outside the database knows and the database does not."""
        kept = self._head_file.peek()  # before the database, which may then only be ahead of it
        with self.reading() as connection:
            lost = find_lost(kept, self.generation(connection), lambda at: self.history_at(connection, at))
        if lost:
            yield (
                f"change {lost[0]} {lost[1]}; documents added since then may be lost: add them again, then delete "
                f"{self._head_file.path}"
            )

    def setting(self, key: str) -> str | None:
        with self.reading() as connection:
            return connection.execute(select(settings.c.value).where(settings.c.key == key)).scalar()

    def set_setting(self, key: str, value: str) -> None:
        with self.writing() as connection:
            _put_setting(connection, key, value)

    # Documents

    def find(self, identity: str = "", uri: str = "") -> Known | None:
        """The current version under this id, or from this path."""
        condition = documents.c.id == identity if identity else documents.c.uri == uri
        query = select(
            documents.c.number, documents.c.id, documents.c.version, documents.c.fingerprint, documents.c.uri
        )
        query = query.where(condition, documents.c.current).order_by(documents.c.number.desc()).limit(1)
        with self.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else Known(row.number, row.id, row.version, row.fingerprint, row.uri)

    def put(self, batch: Sequence[Incoming]) -> list[int]:
        """Stores whole documents in one transaction, each as the new current version of its id; their passages' ids."""
        added: list[int] = []
        with self.writing() as connection:
            named = [(incoming.document.id, fingerprint(incoming.document)) for incoming in batch]
            generation = self.next_generation(connection, "put", *named)
            for incoming in batch:
                added += self._put_one(connection, incoming, generation)
        return added

    def _put_one(self, connection: Connection, incoming: Incoming, generation: int) -> list[int]:
        now = time.time()
        old = connection.execute(
            select(documents.c.number, documents.c.version, documents.c.fingerprint, documents.c.current)
            .where(documents.c.id == incoming.document.id)
            .order_by(documents.c.version.desc())
        ).all()
        if old and old[0].current and old[0].fingerprint == fingerprint(incoming.document):
            return []  # another process was faster
        if old:
            self._retire(connection, [row.number for row in old], generation)
        version = old[0].version + 1 if old else 1
        row = document_row(incoming.document, version, now)
        number = connection.execute(insert(documents).values(row).returning(documents.c.number)).scalar_one()
        seal(connection, documents, [number])
        rows = passage_rows(incoming, number, generation, now)
        ids = []
        for part in chunks(rows):
            result = connection.execute(
                insert(passages).returning(passages.c.number, sort_by_parameter_order=True), part
            )
            ids += [row.number for row in result]
        edges = first_edges(ids, [cut.heading for cut in incoming.cuts], self.policy.edges_per_entry)
        if edges:
            self._write_edges(connection, edges)
        seal(connection, passages, ids)
        self.index_terms(connection, dict(zip(ids, incoming.terms, strict=True)))
        return ids

    def _retire(self, connection: Connection, numbers: Sequence[int], generation: int) -> None:
        """Old versions keep their text and passages for receipts, but are no longer found."""
        connection.execute(
            update(documents).where(documents.c.number.in_(numbers), documents.c.current).values(current=False)
        )
        seal(connection, documents, numbers)
        query = select(passages.c.number).where(passages.c.document.in_(numbers), passages.c.live)
        self._hide(connection, [row.number for row in connection.execute(query)], generation)

    def _hide(self, connection: Connection, ids: Sequence[int], generation: int, **values: Any) -> None:
        for part in chunks(ids):
            self.unindex_terms(connection, self.terms_of(connection, part))
            connection.execute(
                update(passages).where(passages.c.number.in_(part)).values(live=False, changed=generation, **values)
            )
            seal(connection, passages, part)

    def remove(self, identity: str) -> int:
        """Takes a document out with all its versions; what a ledger cites stays readable, but is not found any more."""
        with self.writing() as connection:
            numbers = [
                row.number for row in connection.execute(select(documents.c.number).where(documents.c.id == identity))
            ]
            if not numbers:
                return 0
            generation = self.next_generation(connection, "remove", identity)
            self._retire(connection, numbers, generation)
            ids = [
                row.number
                for row in connection.execute(select(passages.c.number).where(passages.c.document.in_(numbers)))
            ]
            kept = protection.cited_among(connection, ids)
            self._erase(connection, [identity for identity in ids if identity not in kept], generation)
            self._erase_empty_documents(connection, numbers)
        return len(ids)

    def _erase(self, connection: Connection, ids: Sequence[int], generation: int) -> None:
        for part in chunks(ids):
            connection.execute(delete(passages).where(passages.c.number.in_(part)))
            insert_sealed(connection, tombstones, [{"number": number, "changed": generation} for number in part])

    def _erase_empty_documents(self, connection: Connection, numbers: Sequence[int]) -> None:
        used = select(passages.c.document).where(passages.c.document.in_(numbers))
        connection.execute(delete(documents).where(documents.c.number.in_(numbers), documents.c.number.not_in(used)))

    def listings(self) -> list[Listing]:
        with self.reading() as connection:
            return list_documents(connection, documents.c.current)

    def versions(self, identity: str) -> list[Listing]:
        with self.reading() as connection:
            return list_documents(connection, documents.c.id == identity)

    def document(self, identity: str, version: int | None = None) -> Document | None:
        wanted = documents.c.current if version is None else documents.c.version == version
        with self.reading() as connection:
            row = connection.execute(select(documents).where(documents.c.id == identity, wanted)).first()
        return document_of(row, self.workspace) if row is not None else None

    def documents(self, numbers: Iterable[int]) -> dict[int, Document]:
        found: dict[int, Document] = {}
        with self.reading() as connection:
            for part in chunks(numbers):
                for row in connection.execute(select(documents).where(documents.c.number.in_(part))):
                    found[row.number] = document_of(row, self.workspace)
        return found

    def titles(self, titles: Iterable[str]) -> dict[str, int]:
        """For each title that a current document has, the first passage of that document."""
        found: dict[str, int] = {}
        with self.reading() as connection:
            for part in chunks(title for title in titles if storable(title) == title):
                query = (
                    select(documents.c.title, func.min(passages.c.number).label("first"))
                    .join(passages, passages.c.document == documents.c.number)
                    .where(documents.c.title.in_(part), documents.c.current, passages.c.live)
                    .group_by(documents.c.number, documents.c.title)
                )
                for row in connection.execute(query):
                    found.setdefault(row.title, row.first)
        return found

    # Passages

    def entries(self, ids: Iterable[int]) -> dict[int, Entry]:
        found: dict[int, Entry] = {}
        columns = [column for column in passages.c if column.name != "vector"]
        with self.reading() as connection:
            for part in chunks(ids):
                for row in connection.execute(select(*columns).where(passages.c.number.in_(part))):
                    found[row.number] = entry_of(row)
        return found

    def edges(self, ids: Iterable[int]) -> dict[int, tuple[Edge, ...]]:
        """Where passages lead to: what a search needs of them before it knows which ones it gives back."""
        found: dict[int, tuple[Edge, ...]] = {}
        for part in chunks(ids):
            query = f"SELECT number, edges FROM passages WHERE number IN ({','.join(map(str, part))})"
            found |= {number: unpack_edges(packed) for number, packed in self.plain_rows(query)}
        return found

    def entries_of(self, identity: str) -> list[Entry]:
        """The passages of a document's current version, in order."""
        with self.reading() as connection:
            numbers = select(documents.c.number).where(documents.c.id == identity, documents.c.current)
            query = select(passages.c.number).where(passages.c.document.in_(numbers))
            ids = [row.number for row in connection.execute(query)]
        return sorted(self.entries(ids).values(), key=lambda entry: (entry.start, entry.id))

    def live_ids(self) -> list[int]:
        with self.reading() as connection:
            query = select(passages.c.number).where(passages.c.live).order_by(passages.c.number)
            return [row.number for row in connection.execute(query)]

    def vectors(self, ids: Sequence[int]) -> dict[int, Vectors]:
        found: dict[int, Vectors] = {}
        with self.reading() as connection:
            for part in chunks(ids):
                query = select(passages.c.number, passages.c.vector).where(passages.c.number.in_(part))
                rows = connection.execute(query).all()
                if rows:
                    matrix = unpack_vectors([bytes(row.vector) for row in rows])
                    found |= {row.number: vector for row, vector in zip(rows, matrix, strict=True)}
        return found

    def terms_of(self, connection: Connection, ids: Sequence[int]) -> dict[int, str]:
        """The search terms of passages, made again from their documents."""
        from assay.memory.passages import Cut, search_terms

        query = select(
            passages.c.number, passages.c.start_at, passages.c.end_at, passages.c.heading, passages.c.document
        )
        rows = connection.execute(query.where(passages.c.number.in_(ids))).all()
        sources = {}
        for part in chunks({row.document for row in rows}):
            for row in connection.execute(select(documents).where(documents.c.number.in_(part))):
                sources[row.number] = document_of(row, self.workspace)
        return {
            row.number: search_terms(sources[row.document], Cut(row.start_at, row.end_at, row.heading)) for row in rows
        }

    def unlinked(self, limit: int) -> list[int]:
        query = select(passages.c.number).where(passages.c.live, passages.c.linked.is_(False))
        with self.reading() as connection:
            return [row.number for row in connection.execute(query.order_by(passages.c.number).limit(limit))]

    def set_edges(self, edges: Mapping[int, Sequence[Edge]]) -> None:
        """Adds edges to passages and marks them as linked."""
        with self.writing(durable=False) as connection:  # what is lost is looked for again: it is marked as unlinked
            self._write_edges(connection, edges)
            for part in chunks(edges):
                connection.execute(update(passages).where(passages.c.number.in_(part)).values(linked=True))
            seal(connection, passages, edges)

    def _write_edges(self, connection: Connection, edges: Mapping[int, Sequence[Edge]]) -> None:
        for part in chunks(edges):
            query = select(passages.c.number, passages.c.edges).where(passages.c.number.in_(part))
            held = {row.number: unpack_edges(row.edges) for row in connection.execute(query)}
            values = []
            for number in part:
                if number in held:
                    merged = merge_edges(held[number], edges[number], self.policy.edges_per_entry)
                    doubled = any(edge.kind is EdgeKind.DUPLICATE for edge in merged)
                    values.append({"at": number, "packed": pack_edges(merged), "doubled": doubled})
            if values:
                statement = "UPDATE passages SET edges = :packed, doubled = :doubled WHERE number = :at"
                connection.execute(text(statement), values)

    def doubled(self) -> list[int]:
        """The live passages with an edge to a near-duplicate."""
        query = select(passages.c.number).where(passages.c.live, passages.c.doubled)
        with self.reading() as connection:
            return [row.number for row in connection.execute(query.order_by(passages.c.number))]

    def set_clusters(self, clusters: Mapping[int, int]) -> None:
        values = [{"at": number, "cluster": cluster} for number, cluster in clusters.items()]
        if values:
            with self.writing(durable=False) as connection:
                connection.execute(text("UPDATE passages SET cluster = :cluster WHERE number = :at"), values)
                seal(connection, passages, clusters)

    def touch(self, counts: Mapping[int, int], now: float) -> None:
        values = [{"at": number, "count": count, "now": now} for number, count in counts.items()]
        if values:
            with self.writing(durable=False) as connection:
                statement = "UPDATE passages SET access = access + :count, last_access = :now WHERE number = :at"
                connection.execute(text(statement), values)
                seal(connection, passages, counts)

    # Upkeep

    def quarantine(self, identity: int, reason: str | None) -> None:
        """Hides a passage for a reason, or with None brings it back."""
        with self.writing() as connection:
            row = connection.execute(
                select(passages.c.live, passages.c.folded_into, documents.c.current)
                .join(documents, documents.c.number == passages.c.document)
                .where(passages.c.number == identity)
            ).first()
            if row is None:
                raise UsageError(f"there is no passage {identity} in {self.place}")
            generation = self.next_generation(connection, "quarantine", identity, reason)
            if reason is not None:
                ids = [identity] if row.live else []
                self._hide(connection, ids, generation)
                connection.execute(update(passages).where(passages.c.number == identity).values(quarantined=reason))
                seal(connection, passages, [identity])
                return
            live = row.current and row.folded_into is None
            connection.execute(
                update(passages)
                .where(passages.c.number == identity)
                .values(quarantined=None, live=live, changed=generation)
            )
            seal(connection, passages, [identity])
            if live and not row.live:
                self.index_terms(connection, self.terms_of(connection, [identity]))

    def fold(self, keeper: int, others: Sequence[int]) -> None:
        """Folds near-duplicates into one entry, which inherits how often they were used; cited ones are left alone."""
        with self.writing() as connection:
            kept = protection.cited_among(connection, others)
            ids = [other for other in others if other not in kept and other != keeper]
            if not ids:
                return
            generation = self.next_generation(connection, "fold", keeper, *ids)
            query = select(
                func.sum(passages.c.access), func.max(passages.c.last_access), func.max(passages.c.importance)
            )
            access, last, importance = connection.execute(query.where(passages.c.number.in_([keeper, *ids]))).one()
            self._hide(connection, ids, generation, folded_into=keeper)
            moved = [
                row.number
                for row in connection.execute(select(passages.c.number).where(passages.c.folded_into.in_(ids)))
            ]
            connection.execute(
                update(passages).where(passages.c.folded_into.in_(ids)).values(folded_into=keeper)
            )  # what was folded into a folded one moves along
            connection.execute(
                update(passages)
                .where(passages.c.number == keeper)
                .values(access=access, last_access=last, importance=importance)
            )
            seal(connection, passages, [keeper, *moved])

    def evict(self, ids: Sequence[int]) -> int:
        """Removes passages for good, with what was folded into them, except what a ledger cites."""
        with self.writing() as connection:
            wanted = set(ids)
            for part in chunks(ids):
                query = select(passages.c.number).where(passages.c.folded_into.in_(part))
                wanted |= {row.number for row in connection.execute(query)}
            gone = sorted(wanted - protection.cited_among(connection, sorted(wanted)))
            if gone:
                generation = self.next_generation(connection, "evict", *gone)
                self._hide(connection, gone, generation)
                self._erase(connection, gone, generation)
        return len(gone)

    def cite(self, ids: Iterable[int], by: str) -> None:
        with self.writing() as connection:
            protection.cite(connection, ids, by)

    def uncite(self, by: str) -> None:
        with self.writing() as connection:
            protection.uncite(connection, by)

    def cited(self) -> set[int]:
        with self.reading() as connection:
            return protection.all_cited(connection)

    def passages_at(self, sha256: str, start: int, end: int) -> list[int]:
        with self.reading() as connection:
            return protection.passages_at(connection, sha256, start, end)

    def stats(self) -> dict[str, Any]:
        with self.reading() as connection:
            return count_everything(connection) | {"generation": self.generation(connection)}


def _put_setting(connection: Connection, key: str, value: str) -> None:
    connection.execute(delete(settings).where(settings.c.key == key))
    insert_sealed(connection, settings, [{"key": key, "value": value}])
