"""Steps from one schema to the next: small named functions, run in order, each once.

A step must not use the tables as they are today (they will have moved on), only what it creates or changes itself.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, text

from assay.errors import MemoryStoreError
from assay.memory.stores.tables import metadata

Step = Callable[[Connection], None]


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


SQLITE: tuple[Step, ...] = (create_tables, create_sqlite_terms)
POSTGRES: tuple[Step, ...] = (create_tables, create_postgres_terms)


def is_current(connection: Connection, steps: tuple[Step, ...]) -> bool:
    """Whether a store has seen exactly these steps; raises if there are no tables yet."""
    return {name for (name,) in connection.execute(text("SELECT name FROM migrations"))} == {
        step.__name__ for step in steps
    }


def migrate(connection: Connection, steps: tuple[Step, ...]) -> None:
    """Runs the steps this store has not seen; the caller holds the write transaction."""
    connection.execute(text("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)"))
    done = {name for (name,) in connection.execute(text("SELECT name FROM migrations"))}
    known = {step.__name__ for step in steps}
    if ahead := sorted(done - known):
        raise MemoryStoreError(
            f"this memory was written by a newer Assay (it has {ahead[0]!r}); upgrade assay to open it"
        )
    for step in steps:
        if step.__name__ not in done:
            step(connection)
            connection.execute(text("INSERT INTO migrations (name) VALUES (:name)"), {"name": step.__name__})
