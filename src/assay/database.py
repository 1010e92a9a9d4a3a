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
    """Brings a schema up to date, one step after the other in one transaction; returns its version."""
    from sqlalchemy import Column, Integer, MetaData, String, Table, insert, inspect, select, update

    versions = Table("assay_schema", MetaData(), Column("name", String, primary_key=True), Column("version", Integer))
    with writing(engine).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(727774)")  # one migration at a time
        if not inspect(connection).has_table("assay_schema"):
            versions.create(connection)
        found = connection.execute(select(versions.c.version).where(versions.c.name == name)).scalar()
        current = found or 0
        if current > len(steps):
            raise UsageError(
                f"the {name} was written by a newer Assay (schema {current}; this one knows {len(steps)}): upgrade"
            )
        for step in steps[current:]:
            step(connection)
        if found is None:
            connection.execute(insert(versions).values(name=name, version=len(steps)))
        elif current != len(steps):
            connection.execute(update(versions).where(versions.c.name == name).values(version=len(steps)))
    return len(steps)
