"""The steps of the memory's schema, for `assay.database` to run in order, each once.

A step must not use the tables as they are today (they will have moved on), only what it creates or changes itself.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text

from assay import database
from assay.database import Migration
from assay.errors import MemoryStoreError, UsageError
from assay.memory.stores.tables import metadata

_PART = ""  # the memory's steps bear no prefix: they were there before any other part had steps


def create_tables(connection: Connection) -> None:
    metadata.create_all(connection)


def create_sqlite_terms(connection: Connection) -> None:
    # The words themselves are in the documents; FTS5 keeps only its index of them.
    connection.execute(text("CREATE VIRTUAL TABLE terms USING fts5(words, content='', tokenize='ascii')"))
    connection.execute(text("CREATE VIRTUAL TABLE term_places USING fts5vocab('terms', 'instance')"))


def create_postgres_terms(connection: Connection) -> None:
    connection.execute(
        text("CREATE TABLE terms (number BIGINT PRIMARY KEY, words TSVECTOR NOT NULL, size INT NOT NULL)")
    )
    connection.execute(text("CREATE INDEX terms_by_word ON terms USING gin (words)"))


def add_links(connection: Connection) -> None:
    """A memory made before this step has no column for links; one made after it was created with the column."""
    columns = inspect(connection).get_columns("documents")
    if "links" not in {column["name"] for column in columns}:
        connection.execute(text("ALTER TABLE documents ADD COLUMN links TEXT NOT NULL DEFAULT '[]'"))


def add_seals(connection: Connection) -> None:
    """Rows from before this step stay unsealed until they are written again, or all at once by a rebuild."""
    connection.execute(
        text(
            "CREATE TABLE IF NOT EXISTS history "
            "(generation BIGINT PRIMARY KEY, hash TEXT NOT NULL, seal TEXT DEFAULT '' NOT NULL)"
        )
    )
    for table in ("settings", "documents", "passages", "tombstones", "citations"):
        if "seal" not in {column["name"] for column in inspect(connection).get_columns(table)}:
            connection.execute(text(f"ALTER TABLE {table} ADD COLUMN seal TEXT NOT NULL DEFAULT ''"))


SQLITE: tuple[Migration, ...] = (create_tables, create_sqlite_terms, add_links, add_seals)
POSTGRES: tuple[Migration, ...] = (create_tables, create_postgres_terms, add_links, add_seals)


def is_current(connection: Connection, steps: tuple[Migration, ...]) -> bool:
    """Whether a store has seen exactly these steps; raises if there are no tables yet."""
    return database.is_current(connection, _PART, steps)


def migrate(connection: Connection, steps: tuple[Migration, ...]) -> None:
    """Runs the steps this store has not seen; the caller holds the write transaction."""
    try:
        database.advance(connection, _PART, steps)
    except UsageError as problem:
        raise MemoryStoreError(f"this memory cannot be opened: {problem}") from problem
