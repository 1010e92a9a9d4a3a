"""What both databases do alike: documents, versions, passages, edges, citations, in plain SQLAlchemy Core."""

from __future__ import annotations

import time
import uuid
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Select, delete, func, insert, select, text, update

from assay.errors import MemoryStoreError, UsageError
from assay.memory.embed import Vectors
from assay.memory.entries import EDGES_PER_ENTRY, Edge, EdgeKind, Entry, Listing, merge_edges, pack_edges, unpack_edges
from assay.memory.passages import PassageSpan, search_terms
from assay.memory.stores import Notify, database_of, schema_of
from assay.memory.stores.integrity import (
    add_missing_checksums,
    count_everything,
    insert_rows,
    list_documents,
    update_checksums,
)
from assay.memory.stores.rows import (
    PreparedDocument,
    StoredVersion,
    document_of,
    document_row,
    entry_of,
    fingerprint,
    first_edges,
    passage_rows,
    storable,
    unpack_vectors,
)
from assay.policy import Policy
from assay.storage.database import writing
from assay.storage.head_files import Head, HeadFile, find_lost
from assay.storage.schema import citations, documents, history, passages, settings, tombstones
from assay.storage.store import SqlStore, chunks
from assay.types import Document, sha256_of

# In plain SQL: every search asks this, and building the statement would take longer than answering it.
GENERATION = "SELECT value FROM settings WHERE key = 'generation'"


class SqlMemoryStore(SqlStore):
    """The part of a memory's store that needs nothing but tables; a database adds its full text and its vectors."""

    part, noun, error, newer_error = "memory", "memory", MemoryStoreError, MemoryStoreError
    pragmas: tuple[str, ...] = ()

    def __init__(
        self, place: Any, shown: str, workspace: str, width: int, policy: Policy, notify: Notify, head_file: HeadFile
    ) -> None:
        self.workspace, self.policy = workspace, policy
        self._width, self._notify = width, notify
        self._identity = ""
        self._head_file = head_file
        self._changes: dict[Connection, Head] = {}
        super().__init__(database_of(place, workspace), shown=shown, pragmas=self.pragmas, schema=schema_of(workspace))

    def prepare(self) -> None:
        """Bring the tables and settings up to date; a memory that is ready is not written to: it may be read-only."""
        super().prepare()
        with self.engine.connect() as connection:
            held = {row.key: row.value for row in connection.execute(select(settings))}
        fresh = {"generation": "0", "identity": uuid.uuid4().hex, "width": str(self._width)}
        if not held.keys() >= fresh.keys():
            with self.writing() as connection:
                held = {row.key: row.value for row in connection.execute(select(settings))}
                missing = [{"key": key, "value": fresh[key]} for key in fresh.keys() - held.keys()]
                insert_rows(connection, settings, missing)
                if "width" not in held:
                    self.create_vectors(connection)
            held = fresh | held
        if int(held["width"]) != self._width:
            raise MemoryStoreError(
                f"the memory {self.place} holds vectors of {held['width']} numbers, not {self._width}: "
                "open it with the embedder it was made with"
            )
        self._identity = str(held["identity"])

    def report_history(self) -> None:
        """Tell whoever opened the memory what its head file knows and the database does not."""
        for problem in self.check_history():
            self._notify(f"the memory {self.place}: {problem}")

    # What a database adds

    @abstractmethod
    def index_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        """Add passages to the full text."""

    @abstractmethod
    def unindex_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        """Remove passages from the full text."""

    def create_vectors(self, connection: Connection) -> None:
        """Create what holds the vectors in the database, if anything does."""

    def lock(self, connection: Connection) -> None:
        """Wait for the other writers of the workspace, at the beginning of a transaction."""

    def relax(self, connection: Connection) -> None:
        """Allow the next transaction to be lost in a power cut."""

    # Transactions

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[Connection]:
        """One transaction; writers of all processes take turns.

        It is on disk when this ends. One that is not `durable` may be lost in a power cut, with nothing else harmed,
        unless another one follows it.
        """
        changed: Head | None = None
        with self.explaining("written"), writing(self.engine).connect() as connection:
            if not durable:
                self.relax(connection)
            with connection.begin():
                self.lock(connection)
                try:
                    yield connection
                finally:
                    changed = self._changes.pop(connection, None)
        if changed is not None:
            self._head_file.advance(changed, self.held_at)

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
        insert_rows(connection, history, [{"generation": number, "hash": fresh}])
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

    def find(self, identity: str = "", uri: str = "") -> StoredVersion | None:
        """The current version under this id, or from this path."""
        condition = documents.c.id == identity if identity else documents.c.uri == uri
        query = select(
            documents.c.number, documents.c.id, documents.c.version, documents.c.fingerprint, documents.c.uri
        )
        query = query.where(condition, documents.c.current).order_by(documents.c.number.desc()).limit(1)
        with self.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else StoredVersion(row.number, row.id, row.version, row.fingerprint, row.uri)

    def put(self, batch: Sequence[PreparedDocument]) -> list[int]:
        """Stores whole documents in one transaction, each as the new current version of its id; their passages' ids."""
        added: list[int] = []
        with self.writing() as connection:
            named = [(incoming.document.id, fingerprint(incoming.document)) for incoming in batch]
            generation = self.next_generation(connection, "put", *named)
            for incoming in batch:
                added += self._put_one(connection, incoming, generation)
        return added

    def _put_one(self, connection: Connection, incoming: PreparedDocument, generation: int) -> list[int]:
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
        update_checksums(connection, documents, [number])
        rows = passage_rows(incoming, number, generation, now)
        ids = []
        for part in chunks(self.number_passages(connection, rows)):
            result = connection.execute(
                insert(passages).returning(passages.c.number, sort_by_parameter_order=True), part
            )
            ids += [row.number for row in result]
        edges = first_edges(ids, [cut.heading for cut in incoming.cuts], EDGES_PER_ENTRY)
        if edges:
            self._write_edges(connection, edges)
        update_checksums(connection, passages, ids)
        self.index_terms(connection, dict(zip(ids, incoming.terms, strict=True)))
        return ids

    def number_passages(self, connection: Connection, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows with numbers no passage has had before, where the database would give one out twice."""
        return rows

    def _retire(self, connection: Connection, numbers: Sequence[int], generation: int) -> None:
        """Old versions keep their text and passages for receipts, but are no longer found."""
        connection.execute(
            update(documents).where(documents.c.number.in_(numbers), documents.c.current).values(current=False)
        )
        update_checksums(connection, documents, numbers)
        query = select(passages.c.number).where(passages.c.document.in_(numbers), passages.c.live)
        self._hide(connection, _ids(connection, query), generation)

    def _hide(self, connection: Connection, ids: Sequence[int], generation: int, **values: Any) -> None:
        for part in chunks(ids):
            self.unindex_terms(connection, self.terms_of(connection, part))
            connection.execute(
                update(passages).where(passages.c.number.in_(part)).values(live=False, changed=generation, **values)
            )
            update_checksums(connection, passages, part)

    def remove(self, identity: str) -> int:
        """Takes a document out with all its versions; what a ledger cites stays readable, but is not found any more."""
        with self.writing() as connection:
            own = select(documents.c.number).where(documents.c.id == identity)
            if not _ids(connection, own.where(documents.c.current)):
                return 0  # never there, or taken out before: what a ledger cites of it stays
            numbers = _ids(connection, own)
            generation = self.next_generation(connection, "remove", identity)
            self._retire(connection, numbers, generation)
            ids = _ids(connection, select(passages.c.number).where(passages.c.document.in_(numbers)))
            kept = _cited_among(connection, ids)
            self._erase(connection, [identity for identity in ids if identity not in kept], generation)
            self._erase_empty_documents(connection, numbers)
        return len(ids)

    def _erase(self, connection: Connection, ids: Sequence[int], generation: int) -> None:
        for part in chunks(ids):
            connection.execute(delete(passages).where(passages.c.number.in_(part)))
            # A memory of an older version may have given out the number of a removed passage again.
            connection.execute(delete(tombstones).where(tombstones.c.number.in_(part)))
            insert_rows(connection, tombstones, [{"number": number, "changed": generation} for number in part])

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
            for row in _select_in(connection, select(documents), documents.c.number, numbers):
                found[row.number] = document_of(row, self.workspace)
        return found

    def titles(self, titles: Iterable[str]) -> dict[str, int]:
        """For each title that a current document has, the first passage of that document."""
        found: dict[str, int] = {}
        with self.reading() as connection:
            query = (
                select(documents.c.title, func.min(passages.c.number).label("first"))
                .join(passages, passages.c.document == documents.c.number)
                .where(documents.c.current, passages.c.live)
                .group_by(documents.c.number, documents.c.title)
            )
            usable = (title for title in titles if storable(title) == title)
            for row in _select_in(connection, query, documents.c.title, usable):
                found.setdefault(row.title, row.first)
        return found

    # Passages

    def entries(self, ids: Iterable[int]) -> dict[int, Entry]:
        found: dict[int, Entry] = {}
        columns = [column for column in passages.c if column.name != "vector"]
        with self.reading() as connection:
            for row in _select_in(connection, select(*columns), passages.c.number, ids):
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
            ids = _ids(connection, query)
        return sorted(self.entries(ids).values(), key=lambda entry: (entry.start, entry.id))

    def live_ids(self) -> list[int]:
        with self.reading() as connection:
            query = select(passages.c.number).where(passages.c.live).order_by(passages.c.number)
            return _ids(connection, query)

    def vectors(self, ids: Sequence[int]) -> dict[int, Vectors]:
        query = select(passages.c.number, passages.c.vector)
        with self.reading() as connection:
            rows = list(_select_in(connection, query, passages.c.number, ids))
        matrix = unpack_vectors([bytes(row.vector) for row in rows]) if rows else ()
        return {row.number: vector for row, vector in zip(rows, matrix, strict=True)}

    def terms_of(self, connection: Connection, ids: Sequence[int]) -> dict[int, str]:
        """The search terms of passages, made again from their documents."""
        query = select(
            passages.c.number, passages.c.start_at, passages.c.end_at, passages.c.heading, passages.c.document
        )
        rows = connection.execute(query.where(passages.c.number.in_(ids))).all()
        sources = {
            row.number: document_of(row, self.workspace)
            for row in _select_in(connection, select(documents), documents.c.number, {row.document for row in rows})
        }
        return {
            row.number: search_terms(sources[row.document], PassageSpan(row.start_at, row.end_at, row.heading))
            for row in rows
        }

    def unlinked(self, limit: int) -> list[int]:
        query = select(passages.c.number).where(passages.c.live, passages.c.linked.is_(False))
        with self.reading() as connection:
            return _ids(connection, query.order_by(passages.c.number).limit(limit))

    def set_edges(self, edges: Mapping[int, Sequence[Edge]]) -> None:
        """Adds edges to passages and marks them as linked."""
        with self.writing(durable=False) as connection:  # what is lost is looked for again: it is marked as unlinked
            self._write_edges(connection, edges)
            for part in chunks(edges):
                connection.execute(update(passages).where(passages.c.number.in_(part)).values(linked=True))
            update_checksums(connection, passages, edges)

    def _write_edges(self, connection: Connection, edges: Mapping[int, Sequence[Edge]]) -> None:
        for part in chunks(edges):
            query = select(passages.c.number, passages.c.edges).where(passages.c.number.in_(part))
            held = {row.number: unpack_edges(row.edges) for row in connection.execute(query)}
            values = []
            for number in part:
                if number in held:
                    merged = merge_edges(held[number], edges[number], EDGES_PER_ENTRY)
                    doubled = any(edge.kind is EdgeKind.DUPLICATE for edge in merged)
                    values.append({"at": number, "packed": pack_edges(merged), "doubled": doubled})
            if values:
                statement = "UPDATE passages SET edges = :packed, doubled = :doubled WHERE number = :at"
                connection.execute(text(statement), values)

    def doubled(self) -> list[int]:
        """The live passages with an edge to a near-duplicate."""
        query = select(passages.c.number).where(passages.c.live, passages.c.doubled)
        with self.reading() as connection:
            return _ids(connection, query.order_by(passages.c.number))

    def set_clusters(self, clusters: Mapping[int, int]) -> None:
        values = [{"at": number, "cluster": cluster} for number, cluster in clusters.items()]
        if values:
            with self.writing(durable=False) as connection:
                connection.execute(text("UPDATE passages SET cluster = :cluster WHERE number = :at"), values)
                update_checksums(connection, passages, clusters)

    def touch(self, counts: Mapping[int, int], now: float) -> None:
        values = [{"at": number, "count": count, "now": now} for number, count in counts.items()]
        if values:
            with self.writing(durable=False) as connection:
                statement = "UPDATE passages SET access = access + :count, last_access = :now WHERE number = :at"
                connection.execute(text(statement), values)
                update_checksums(connection, passages, counts)

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
                update_checksums(connection, passages, [identity])
                return
            live = row.current and row.folded_into is None
            connection.execute(
                update(passages)
                .where(passages.c.number == identity)
                .values(quarantined=None, live=live, changed=generation)
            )
            update_checksums(connection, passages, [identity])
            if live and not row.live:
                self.index_terms(connection, self.terms_of(connection, [identity]))

    def fold(self, keeper: int, others: Sequence[int]) -> None:
        """Folds near-duplicates into one entry, which inherits how often they were used; cited ones are left alone."""
        with self.writing() as connection:
            kept = _cited_among(connection, others)
            ids = [other for other in others if other not in kept and other != keeper]
            if not ids:
                return
            generation = self.next_generation(connection, "fold", keeper, *ids)
            query = select(
                func.sum(passages.c.access), func.max(passages.c.last_access), func.max(passages.c.importance)
            )
            access, last, importance = connection.execute(query.where(passages.c.number.in_([keeper, *ids]))).one()
            self._hide(connection, ids, generation, folded_into=keeper)
            moved = _ids(connection, select(passages.c.number).where(passages.c.folded_into.in_(ids)))
            connection.execute(
                update(passages).where(passages.c.folded_into.in_(ids)).values(folded_into=keeper)
            )  # what was folded into a folded one moves along
            connection.execute(
                update(passages)
                .where(passages.c.number == keeper)
                .values(access=access, last_access=last, importance=importance)
            )
            update_checksums(connection, passages, [keeper, *moved])

    def evict(self, ids: Sequence[int]) -> int:
        """Removes passages for good, with what was folded into them, except what a ledger cites."""
        with self.writing() as connection:
            folded = _select_in(connection, select(passages.c.number), passages.c.folded_into, ids)
            wanted = {*ids, *(row.number for row in folded)}
            gone = sorted(wanted - _cited_among(connection, sorted(wanted)))
            if gone:
                generation = self.next_generation(connection, "evict", *gone)
                self._hide(connection, gone, generation)
                self._erase(connection, gone, generation)
        return len(gone)

    def cite(self, ids: Iterable[int], by: str) -> None:
        with self.writing() as connection:
            for part in chunks(sorted(set(ids))):
                query = select(citations.c.passage).where(citations.c.passage.in_(part), citations.c.cited_by == by)
                held = set(connection.execute(query).scalars())
                values = [{"passage": identity, "cited_by": by} for identity in part if identity not in held]
                insert_rows(connection, citations, values)

    def uncite(self, by: str) -> None:
        with self.writing() as connection:
            connection.execute(delete(citations).where(citations.c.cited_by == by))

    def cited(self) -> set[int]:
        with self.reading() as connection:
            return set(connection.execute(select(citations.c.passage).distinct()).scalars())

    def hashed(self, start: str) -> tuple[list[int], list[int]]:
        """The numbers of documents, and of passages, of current versions whose hash begins like this.

        A passage that was folded into another is still there to be cited; one in quarantine is not.
        """
        end = start + "g"  # behind every hexadecimal digit
        current = select(documents.c.number).where(documents.c.current)
        whole = current.where(documents.c.sha256 >= start, documents.c.sha256 < end)
        cut = select(passages.c.number).where(
            passages.c.sha256 >= start,
            passages.c.sha256 < end,
            passages.c.quarantined.is_(None),
            passages.c.document.in_(current),
        )
        with self.reading() as connection:
            return _ids(connection, whole.order_by(documents.c.number)), _ids(
                connection, cut.order_by(passages.c.number)
            )

    def passages_at(self, sha256: str, start: int, end: int) -> list[int]:
        """The passages, of any version with this content, that share a character with a stretch of it."""
        numbers = select(documents.c.number).where(documents.c.sha256 == sha256)
        query = select(passages.c.number).where(
            passages.c.document.in_(numbers), passages.c.start_at < end, passages.c.end_at > start
        )
        with self.reading() as connection:
            return _ids(connection, query.order_by(passages.c.number))

    def reindex(self, connection: Connection) -> int:
        """Index every live passage again and complete the checksums; the number of passages."""
        ids = _ids(connection, select(passages.c.number).where(passages.c.live))
        for part in chunks(ids):
            self.index_terms(connection, self.terms_of(connection, part))
        add_missing_checksums(connection)
        return len(ids)

    def stats(self) -> dict[str, Any]:
        with self.reading() as connection:
            return count_everything(connection) | {"generation": self.generation(connection)}


def _put_setting(connection: Connection, key: str, value: str) -> None:
    connection.execute(delete(settings).where(settings.c.key == key))
    insert_rows(connection, settings, [{"key": key, "value": value}])


def _ids(connection: Connection, query: Select[Any]) -> list[int]:
    return list(connection.execute(query).scalars())


def _select_in(connection: Connection, query: Select[Any], column: Any, values: Iterable[Any]) -> Iterator[Any]:
    """Yield the rows of a query whose column has one of many values."""
    for part in chunks(values):
        yield from connection.execute(query.where(column.in_(part)))


def _cited_among(connection: Connection, ids: Iterable[int]) -> set[int]:
    return {row.passage for row in _select_in(connection, select(citations.c.passage), citations.c.passage, ids)}
