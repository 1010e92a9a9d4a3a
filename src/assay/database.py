"""Opening a database: one way for SQLite files and PostgreSQL servers, and schema changes as a list of small steps."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import DatabaseError, UsageError, mask_password, missing_extra

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

Migration = Callable[["Connection"], None]
BUSY_MS = 30_000  # how long a writer waits for another before it gives up
CONNECT_SECONDS = 10  # for a server that does not answer
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_MS}")
_OTHER_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # also with one slash: a path drops the other
_LAYOUT = re.compile("journal_mode|synchronous")  # what only a writer may set


def is_postgres(place: str | os.PathLike[str]) -> bool:
    return str(place).startswith(("postgresql:", "postgres:", "postgresql+psycopg:"))


def file_path(place: str | os.PathLike[str]) -> Path:
    """The path of a place that is no PostgreSQL address; another address must not become a folder with its password."""
    if _OTHER_ADDRESS.match(str(place)):
        raise UsageError(f"{place}: give a file path or a postgresql:// address")
    return Path(place)


def open_database(place: str | os.PathLike[str]) -> Engine:
    """An engine for a PostgreSQL address or for an SQLite file, whose folder is made when missing."""
    from sqlalchemy import event

    if is_postgres(place):
        return postgres_engine(str(place))
    path = file_path(place)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _unusable(path, problem) from problem
    engine = sqlite_engine(path, PRAGMAS, connect_args={"timeout": BUSY_MS / 1000})

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        mode = "IMMEDIATE" if connection.get_execution_options().get("writes") else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {mode}")

    return engine


def postgres_engine(place: str, **options: Any) -> Engine:
    """An engine for a PostgreSQL address; nothing is connected yet."""
    from importlib.util import find_spec

    from sqlalchemy import create_engine
    from sqlalchemy.exc import ArgumentError

    if find_spec("psycopg") is None:
        raise missing_extra("a PostgreSQL address", "postgres")
    arguments = {} if "connect_timeout=" in place else {"connect_timeout": CONNECT_SECONDS}
    try:
        address = "postgresql+psycopg:" + place.split(":", 1)[1]
        return create_engine(address, pool_pre_ping=True, connect_args=arguments, **options)
    except (ArgumentError, ValueError):  # its own words may quote the password
        raise UsageError(
            f"{mask_password(place)} is no PostgreSQL address; it is like postgresql://user:password@host:5432/name, "
            "with special characters of the password percent-encoded"
        ) from None


def sqlite_engine(path: Path, pragmas: Sequence[str], **options: Any) -> Engine:
    """An engine for an SQLite file that only its owner may read; one on a read-only disk is opened for reading."""
    from sqlalchemy import create_engine, event

    reading = path.is_file() and not os.access(path.parent, os.W_OK)
    if not reading:
        _create(path)
    # Nobody can write beside it. A log that is there is read with its index; without one the file is all there is.
    wanted = "" if not reading else "&mode=ro" if Path(f"{path}-wal").exists() else "&immutable=1"
    engine = create_engine(f"sqlite:///file:{_quoted(path)}?uri=true{wanted}", **options)

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: Any) -> None:
        # The driver's own transactions begin too late: we begin them ourselves, so that a reader-turned-writer
        # cannot find that somebody wrote in between.
        connection.isolation_level = None
        # A damaged byte must not make a whole page of rows unreadable: whoever checks the row's hash names it.
        connection.text_factory = _decode
        for pragma in pragmas:
            if not (reading and _LAYOUT.match(pragma)):
                connection.execute(f"PRAGMA {pragma}").fetchall()

    return engine


def _create(path: Path) -> None:
    """Makes the file with the mode that its journals will get too; one that is there must not be opened here, as
    closing it would drop the locks that SQLite holds on it for this process."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass
    except OSError as problem:
        raise _unusable(path, problem) from problem


def _unusable(path: Path, problem: OSError) -> DatabaseError:
    return DatabaseError(f"{path} cannot be opened ({problem.strerror}): it needs a folder that this user may write to")


def explain_failure(problem: Exception) -> str:
    """A database's own error in one line, without its statement and without passwords."""
    cause = str(getattr(problem, "orig", None) or problem).strip().splitlines() or [type(problem).__name__]
    return mask_password(cause[0])


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path.absolute()))


def _decode(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")


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
