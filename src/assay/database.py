"""Opening a database: one way for SQLite files and PostgreSQL servers, and schema changes as a list of small steps."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError, missing_extra

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

Migration = Callable[["Connection"], None]
BUSY_MS = 30_000  # how long a writer waits for another before it gives up


def is_postgres(place: str | os.PathLike[str]) -> bool:
    return str(place).startswith(("postgresql:", "postgres:", "postgresql+psycopg:"))


def open_database(place: str | os.PathLike[str]) -> Engine:
    """An engine for a PostgreSQL address or for an SQLite file, whose folder is made when missing."""
    from sqlalchemy import create_engine, event

    if is_postgres(place):
        from importlib.util import find_spec

        if find_spec("psycopg") is None:
            raise missing_extra("a PostgreSQL address", "postgres")
        address = "postgresql+psycopg:" + str(place).split(":", 1)[1]
        return create_engine(address, pool_pre_ping=True)
    if "://" in str(place):
        raise UsageError(f"{place}: give a file path or a postgresql:// address")
    path = Path(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": BUSY_MS / 1000})

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: Any) -> None:
        # The driver's own transactions begin too late: we begin them ourselves, so that a reader-turned-writer
        # cannot find that somebody wrote in between.
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_MS}"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        mode = "IMMEDIATE" if connection.get_execution_options().get("writes") else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {mode}")

    return engine


def writing(engine: Engine) -> Engine:
    """The same engine, whose transactions take the write lock at once."""
    return engine.execution_options(writes=True)


def migrate(engine: Engine, name: str, steps: Sequence[Migration]) -> int:
    """Brings the part `name` of a database up to date in one transaction; returns how many steps it has seen.

    A database that is up to date is not written to, so that it can be opened for reading only.
    """
    from sqlalchemy import inspect

    with engine.connect() as connection:
        if inspect(connection).has_table("migrations") and is_current(connection, name, steps):
            return len(steps)
    with writing(engine).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(727774)")  # one migration at a time
        advance(connection, name, steps)
    return len(steps)


def advance(connection: Connection, name: str, steps: Sequence[Migration]) -> None:
    """Runs the steps this database has not seen, each once and in order; the caller holds the write transaction."""
    from sqlalchemy import text

    keys = _keys(name, steps)
    connection.execute(text("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)"))
    done = _done(connection, name) | _adopt(connection, name, keys)
    if ahead := sorted(done - set(keys)):
        raise UsageError(f"written by a newer Assay (it has the step {ahead[0]!r}); upgrade assay to open it")
    for key, step in zip(keys, steps, strict=True):
        if key not in done:
            step(connection)
            _note(connection, key)


def is_current(connection: Connection, name: str, steps: Sequence[Migration]) -> bool:
    """Whether a database has seen exactly these steps; raises if it has seen none at all."""
    return _done(connection, name) == set(_keys(name, steps))


def _keys(name: str, steps: Sequence[Migration]) -> list[str]:
    """What stands in the database for each step; the memory's, which has no name, came first and bears no prefix."""
    keys = [f"{name}:{step.__name__.lstrip('_')}" if name else step.__name__ for step in steps]
    if len(set(keys)) != len(keys):
        raise ValueError(f"two steps of {name or 'the memory'} have the same name: {keys}")
    return keys


def _done(connection: Connection, name: str) -> set[str]:
    from sqlalchemy import text

    held = {row.name for row in connection.execute(text("SELECT name FROM migrations"))}
    return {key for key in held if key.partition(":")[0] == name} if name else {key for key in held if ":" not in key}


def _adopt(connection: Connection, name: str, keys: Sequence[str]) -> set[str]:
    """The steps an older Assay counted in a table of its own; they are noted by name from now on."""
    from sqlalchemy import inspect, text

    if not name or not inspect(connection).has_table("assay_schema"):
        return set()
    counted = connection.execute(text("SELECT version FROM assay_schema WHERE name = :name"), {"name": name}).scalar()
    if counted is None:
        return set()
    if counted > len(keys):
        raise UsageError(f"written by a newer Assay (schema {counted}; this one knows {len(keys)}); upgrade assay")
    for key in keys[:counted]:
        _note(connection, key)
    connection.execute(text("DELETE FROM assay_schema WHERE name = :name"), {"name": name})
    return set(keys[:counted])


def _note(connection: Connection, key: str) -> None:
    from sqlalchemy import text

    connection.execute(text("INSERT INTO migrations (name) VALUES (:name)"), {"name": key})
