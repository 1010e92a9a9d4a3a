"""Open a SQLite file or a PostgreSQL database with SQLAlchemy, and explain a failure of one."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import DatabaseError, UsageError, mask_password, missing_extra

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

BUSY_MS = 60_000  # how long a writer waits for another before it gives up
CONNECT_SECONDS = 10  # for a server that does not answer
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_MS}")
_OTHER_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # also with one slash: a path drops the other
_WORKSPACE = re.compile(r"[a-z0-9][a-z0-9_-]{0,47}")
_WRITER_PRAGMA = re.compile("journal_mode|synchronous")
_ADVICE = {
    "full": "the disk is full: free some space and try again; nothing was lost",
    "disk I/O error": "the disk is full or failing; nothing that was stored before is lost",
    "readonly": "it is read-only: check the permissions of its folder",
    "locked": "another process holds it for too long: try again",
    "not a database": "the file is damaged or is not a database: restore it from a copy",
    "malformed": "the file is damaged: restore it from a copy",
}


def is_postgres(place: str | os.PathLike[str]) -> bool:
    return str(place).startswith(("postgresql:", "postgres:", "postgresql+psycopg:"))


def file_path(place: str | os.PathLike[str]) -> Path:
    """Return a place as a path; an address that is not PostgreSQL's must not become a folder with its password."""
    if _OTHER_ADDRESS.match(str(place)):
        raise UsageError(f"{place}: give a file path or a postgresql:// address")
    return Path(place)


def file_in(place: str | os.PathLike[str], name: str) -> str | os.PathLike[str]:
    """Return the database of a store: an address or a file as given, the file `name` of a folder.

    >>> str(file_in("data", "ledger.db")), file_in("data/own.sqlite", "ledger.db").name
    ('data/ledger.db', 'own.sqlite')
    """
    if is_postgres(place):
        return place
    path = file_path(place)
    return path / name if path.is_dir() or (not path.suffix and not path.is_file()) else path


def check_workspace(name: str) -> str:
    """Return the name if it can be used as a file name and a schema name."""
    if not _WORKSPACE.fullmatch(name):
        raise UsageError(
            f"a workspace is named with up to 48 of a-z, 0-9, '-', '_', the first a letter or digit, not {name!r}"
        )
    return name


def open_database(place: str | os.PathLike[str], *, pragmas: Sequence[str] = (), schema: str = "") -> Engine:
    """Return an engine for a PostgreSQL address or a SQLite file, whose folder is created if missing.

    `pragmas` are further settings of each SQLite connection; `schema` is the PostgreSQL schema to use.
    """
    if is_postgres(place):
        return _postgres_engine(str(place), schema)
    path = file_path(place)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise _unusable(path, problem) from problem
    return _sqlite_engine(path, (*PRAGMAS, *pragmas))


def writing(engine: Engine) -> Engine:
    """Return the same engine with transactions that take SQLite's write lock when they begin."""
    return engine.execution_options(writes=True)


def explain_failure(problem: Exception) -> str:
    """Return a database's own error in one line, without its statement and without passwords."""
    cause = str(getattr(problem, "orig", None) or problem).strip().splitlines() or [type(problem).__name__]
    return mask_password(cause[0])


def advise(problem: Exception) -> str:
    """Say what a database error means for its user and what to do; an unknown error is quoted."""
    cause = explain_failure(problem)
    return next((line for word, line in _ADVICE.items() if word in cause), cause)


def _postgres_engine(place: str, schema: str) -> Engine:
    from importlib.util import find_spec

    from sqlalchemy import create_engine, event
    from sqlalchemy.exc import ArgumentError

    if find_spec("psycopg") is None:
        raise missing_extra("a PostgreSQL address", "postgres")
    arguments = {} if "connect_timeout=" in place else {"connect_timeout": CONNECT_SECONDS}
    try:
        address = "postgresql+psycopg:" + place.split(":", 1)[1]
        engine = create_engine(address, pool_pre_ping=True, connect_args=arguments)
    except (ArgumentError, ValueError):  # its own words may quote the password
        raise UsageError(
            f"{mask_password(place)} is no PostgreSQL address; it is like postgresql://user:password@host:5432/name, "
            "with special characters of the password percent-encoded"
        ) from None

    @event.listens_for(engine, "connect")
    def _set_schema(connection: Any, _: Any) -> None:
        if schema:
            connection.execute(f'SET search_path = "{schema}", public')
            connection.commit()  # a rollback would take the setting back

    return engine


def _sqlite_engine(path: Path, pragmas: Sequence[str]) -> Engine:
    """Return an engine for a file that only its owner may read; on a read-only disk it is opened for reading."""
    from urllib.parse import quote

    from sqlalchemy import create_engine, event

    reading = path.is_file() and not os.access(path.parent, os.W_OK)
    if not reading:
        _create_file(path)
    # Nobody can write beside it. A log that is there is read with its index; without one the file is all there is.
    mode = "" if not reading else "&mode=ro" if Path(f"{path}-wal").exists() else "&immutable=1"
    engine = create_engine(
        f"sqlite:///file:{quote(str(path.absolute()))}?uri=true{mode}",
        connect_args={"timeout": BUSY_MS / 1000, "check_same_thread": False},
    )

    @event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: Any) -> None:
        # The driver's own transactions begin too late: `_begin` starts them, so that a reader which becomes a writer
        # cannot find that another process wrote in between.
        connection.isolation_level = None
        # A damaged byte must not make a whole page of rows unreadable: whoever checks the row's hash names it.
        connection.text_factory = _decode
        for pragma in pragmas:
            if not (reading and _WRITER_PRAGMA.match(pragma)):
                connection.execute(f"PRAGMA {pragma}").fetchall()

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        kind = "IMMEDIATE" if connection.get_execution_options().get("writes") else "DEFERRED"
        connection.exec_driver_sql(f"BEGIN {kind}")

    return engine


def _create_file(path: Path) -> None:
    """Create the file with the mode that its journals will get too.

    An existing file is not opened: closing it would drop the locks that SQLite holds on it for this process.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass
    except OSError as problem:
        raise _unusable(path, problem) from problem


def _unusable(path: Path, problem: OSError) -> DatabaseError:
    return DatabaseError(f"{path} cannot be opened ({problem.strerror}): it needs a folder that this user may write to")


def _decode(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")
