"""The store at scale: PostgreSQL with pgvector's HNSW and its full-text search, one schema for each workspace."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, select, text
from sqlalchemy.exc import SQLAlchemyError

from assay.errors import mask_password
from assay.memory.embed import Vectors
from assay.memory.graph import BUILD_EFFORT, CONNECTIONS, SEARCH_EFFORT
from assay.memory.stores import Hits, Notify, schema_of
from assay.memory.stores.bm25 import choose_terms, evenness, rarity
from assay.memory.stores.integrity import check_rows
from assay.memory.stores.sql import SqlMemoryStore
from assay.policy import Policy
from assay.storage.head_files import HeadFile
from assay.storage.schema import passages
from assay.storage.store import chunks

_LOCK = 0x61737361  # advisory lock that writers of a workspace take in turn, with the schema's own number
_MOST_COUNTED = 10_000
_CANDIDATES = 400


class PostgresStore(SqlMemoryStore):
    """Everything is in the database, vectors and full text too; there is no file that could be out of step."""

    def __init__(self, place: str, workspace: str, width: int, policy: Policy, notify: Notify) -> None:
        head_file = HeadFile.beside(place, f"memory-{workspace}")
        super().__init__(place, mask_password(place), workspace, width, policy, notify, head_file)
        self.report_history()

    def prepare(self) -> None:
        self._create_once("CREATE EXTENSION IF NOT EXISTS vector")
        self._create_once(f'CREATE SCHEMA IF NOT EXISTS "{schema_of(self.workspace)}"')
        with self.engine.connect() as connection:
            half = connection.exec_driver_sql("SELECT 1 FROM pg_type WHERE typname = 'halfvec'").scalar()
        self._kind = "public.halfvec" if half else "public.vector"  # f16 came with pgvector 0.7
        super().prepare()

    def _create_once(self, statement: str) -> None:
        """Two processes may create the same thing at once; one of them is told that it exists."""
        try:
            with self.engine.begin() as connection:
                connection.exec_driver_sql(statement)
        except SQLAlchemyError as problem:
            if "already exists" not in str(problem) and "duplicate key" not in str(problem):
                raise

    def create_vectors(self, connection: Connection) -> None:
        connection.execute(
            text(f"CREATE TABLE vectors (number BIGINT PRIMARY KEY, vector {self._kind}({self._width}) NOT NULL)")
        )
        connection.execute(
            text(
                f"CREATE INDEX vectors_near ON vectors USING hnsw (vector {self._kind}_cosine_ops) "
                f"WITH (m = {CONNECTIONS}, ef_construction = {BUILD_EFFORT})"
            )
        )

    def lock(self, connection: Connection) -> None:
        name = schema_of(self.workspace)
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_LOCK}, hashtext(:name))"), {"name": name})

    # Vectors

    def nearest(self, vectors: Vectors, k: int) -> list[Hits]:
        statement = text(
            f"SELECT number, 1 - (vector <=> CAST(:wanted AS {self._kind})) AS close FROM vectors "
            f"ORDER BY vector <=> CAST(:wanted AS {self._kind}) LIMIT :k"
        )
        found: list[Hits] = []
        effort = min(1000, max(SEARCH_EFFORT, k))
        with self.reading() as connection:
            connection.exec_driver_sql(f"SET hnsw.ef_search = {effort}")
            for vector in vectors:
                rows = connection.execute(statement, {"wanted": _literal(vector), "k": k})
                found.append([(int(row.number), _cosine(row.close)) for row in rows])
        return found

    def similarities(self, vector: Vectors, ids: Sequence[int]) -> dict[int, float]:
        statement = text(
            f"SELECT number, 1 - (vector <=> CAST(:wanted AS {self._kind})) AS close FROM vectors "
            "WHERE number = ANY(:ids)"
        )
        if not ids:
            return {}
        with self.reading() as connection:
            rows = connection.execute(statement, {"wanted": _literal(vector), "ids": list(ids)})
            return {int(row.number): _cosine(row.close) for row in rows}

    # Full text

    def index_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        """Makes passages findable, by their words and by their vectors."""
        values = [{"at": number, "words": words, "size": words.count(" ") + 1} for number, words in rows.items()]
        if not values:
            return
        connection.execute(
            text("INSERT INTO terms (number, words, size) VALUES (:at, to_tsvector('simple', :words), :size)"), values
        )
        for part in chunks(rows):
            query = select(passages.c.number, passages.c.vector).where(passages.c.number.in_(part))
            packed = [
                {"at": row.number, "vector": _literal(np.frombuffer(bytes(row.vector), dtype="<f2"))}
                for row in connection.execute(query)
            ]
            connection.execute(
                text(f"INSERT INTO vectors (number, vector) VALUES (:at, CAST(:vector AS {self._kind}))"), packed
            )

    def unindex_terms(self, connection: Connection, rows: Mapping[int, str]) -> None:
        ids = list(rows)
        connection.execute(text("DELETE FROM terms WHERE number = ANY(:ids)"), {"ids": ids})
        connection.execute(text("DELETE FROM vectors WHERE number = ANY(:ids)"), {"ids": ids})

    def matching(self, queries: Sequence[Sequence[str]], k: int) -> list[Hits]:
        found: list[Hits] = []
        with self.reading() as connection:
            total, mean = connection.execute(text("SELECT count(*), coalesce(avg(size), 1) FROM terms")).one()
            for query in queries:
                counts = self._count(connection, sorted(set(query)))
                chosen = {term: counts[term] for term in choose_terms(counts)}
                found.append(self._best(connection, chosen, int(total), float(mean), k))
        return found

    def _count(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        """In how many passages each term stands, counted up to a limit."""
        statement = text(
            "SELECT term, (SELECT count(*) FROM (SELECT 1 FROM terms "
            "WHERE words @@ CAST(quote_literal(term) AS tsquery) LIMIT :most) AS few) AS held "
            "FROM unnest(CAST(:terms AS text[])) AS term"
        )
        rows = connection.execute(statement, {"terms": list(terms), "most": _MOST_COUNTED})
        return {row.term: int(row.held) for row in rows if row.held}

    def _best(self, connection: Connection, counts: Mapping[str, int], total: int, mean: float, k: int) -> Hits:
        """PostgreSQL's own rank knows no rarity, so the candidates it finds are scored by BM25 here."""
        if not counts:
            return []
        wanted = " | ".join(f"'{term}'" for term in counts)
        rows = connection.execute(
            text(
                "SELECT number, size, ARRAY(SELECT lexeme FROM unnest(words) WHERE lexeme = ANY(:terms)) AS held "
                "FROM terms WHERE words @@ CAST(:wanted AS tsquery) "
                "ORDER BY ts_rank(words, CAST(:wanted AS tsquery)) DESC LIMIT :most"
            ),
            {"wanted": wanted, "terms": list(counts), "most": max(_CANDIDATES, k)},
        )
        scored = []
        for row in rows:
            worth = sum(rarity(counts[term], total) for term in row.held)
            scored.append((int(row.number), worth * evenness(row.size, mean)))
        scored.sort(key=lambda hit: (-hit[1], hit[0]))
        return scored[:k]

    # Upkeep

    def flush(self) -> None:
        """Nothing to write: the indexes are in the database."""

    def rebuild(self) -> int:
        """Makes the vector and full-text tables again from the documents; the number of passages."""
        with self.writing() as connection:
            connection.execute(text("TRUNCATE terms, vectors"))
            return self.reindex(connection)

    def verify(self) -> list[str]:
        """What is wrong: rows that do not match their hashes, indexes that do not agree."""
        problems = list(self.check_history())
        with self.reading() as connection:
            problems += check_rows(connection, self.workspace)
            live = {row.number for row in connection.execute(select(passages.c.number).where(passages.c.live))}
            for table in ("terms", "vectors"):
                held = {row.number for row in connection.execute(text(f"SELECT number FROM {table}"))}
                if held != live:
                    problems.append(
                        f"{table}: {len(live - held)} passages are missing and {len(held - live)} are too many"
                    )
            for part in chunks(sorted(live)):
                problems += self._check_indexed(connection, part)
        return problems

    def _check_indexed(self, connection: Connection, ids: Sequence[int]) -> Iterator[str]:
        """Whether passages are indexed under their own words and vectors."""
        try:
            words = self.terms_of(connection, ids)
            vectors = self.vectors(ids)
        except (ValueError, KeyError, TypeError):  # a damaged document, which is named elsewhere
            return
        rows = [
            {"at": at, "words": words[at], "size": words[at].count(" ") + 1, "vector": _literal(vectors[at])}
            for at in words
        ]
        for name, condition in (
            ("terms", "words <> to_tsvector('simple', :words) OR size <> :size"),
            ("vectors", f"vector <> CAST(:vector AS {self._kind})"),
        ):
            statement = text(f"SELECT number FROM {name} WHERE number = :at AND ({condition})")
            for row in rows:
                if connection.execute(statement, {key: row[key] for key in statement.compile().params}).first():
                    yield f"{name}: passage {row['at']} is not indexed as it is stored"

    def stats(self) -> dict[str, Any]:
        with self.reading() as connection:
            size = connection.execute(
                text("SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
                     "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = :schema AND c.relkind = 'r'"),
                {"schema": schema_of(self.workspace)},
            ).scalar_one()  # fmt: skip
            index = connection.execute(text("SELECT pg_relation_size('vectors_near')")).scalar_one()
        return super().stats() | {"store": "postgres", "disk_bytes": int(size), "index_bytes": int(index)}


def _literal(vector: Any) -> str:
    return "[" + ",".join(f"{value:.5g}" for value in vector.tolist()) + "]"


def _cosine(value: float | None) -> float:
    """pgvector has no cosine for a vector without length; it is like nothing."""
    return 0.0 if value is None or math.isnan(value) else max(-1.0, min(1.0, float(value)))
