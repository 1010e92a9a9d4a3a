"""The base of every store: a migrated database, its transactions, and errors that name it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import ClassVar, Self, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from assay.errors import AssayError, DatabaseError, UsageError, mask_password
from assay.storage.database import advise, open_database, writing
from assay.storage.migrations import migrate

Item = TypeVar("Item")
_CHUNK = 500


def chunks(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items in lists short enough to be bound in one statement."""
    rest = iter(items)
    while part := list(islice(rest, _CHUNK)):
        yield part


class SqlStore:
    """One part of the schema in a SQLite file or a PostgreSQL database; safe between threads and processes.

    A subclass names its `part` of the migrations, what it is called in messages and the error it raises.
    """

    part: ClassVar[str]
    noun: ClassVar[str]
    error: ClassVar[type[AssayError]] = DatabaseError
    newer_error: ClassVar[type[AssayError]] = UsageError  # for a database that a newer Assay has changed

    def __init__(
        self, place: str | os.PathLike[str], *, shown: str = "", pragmas: tuple[str, ...] = (), schema: str = ""
    ) -> None:
        self.place = shown or mask_password(str(place))
        with self.explaining("opened"):
            self.engine: Engine = open_database(place, pragmas=pragmas, schema=schema)
        try:
            with self.explaining("opened"):
                self.prepare()
        except AssayError:
            self.engine.dispose()
            raise

    def prepare(self) -> None:
        """Bring the tables up to date."""
        try:
            migrate(self.engine, self.part)
        except UsageError as problem:
            raise self.newer_error(f"the {self.noun} {self.place} cannot be opened: {problem}") from problem

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection whose reads see one moment of a SQLite file, or what is committed in PostgreSQL."""
        with self.explaining("read"), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction, on disk when this ends; SQLite's write lock is taken at once."""
        with self.explaining("written"), writing(self.engine).begin() as connection:
            yield connection

    @contextmanager
    def explaining(self, what: str) -> Iterator[None]:
        """Turn a database failure into an error that says what could not be done, to which store, and what to do."""
        try:
            yield
        except (SQLAlchemyError, OSError, DatabaseError) as problem:
            if isinstance(problem, self.error):
                raise
            raise self.error(f"the {self.noun} {self.place} cannot be {what}: {advise(problem)}") from problem
