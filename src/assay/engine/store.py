"""What the engine keeps between runs: the last outputs for the monitor, and judgements for the cache.

One PostgreSQL database serves many workspaces: outputs are a workspace's own, judgements are found by what decided
them.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import time
from types import TracebackType
from typing import Any, Self

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    delete,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)

from assay.database import is_postgres, migrate, open_database, writing

FILE = "engine.db"
_SCHEMA = MetaData()
_OUTPUTS = Table(
    "engine_outputs",
    _SCHEMA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("scored", Integer, nullable=False),
    Column("supported", Integer, nullable=False),
    Column("refuted", Integer, nullable=False),
    Column("similarity", Float),
    Column("ms", Float, nullable=False),
    Column("workspace", String, nullable=False, server_default=""),
    Column("answer", String, nullable=False, server_default=""),
    Column("samples", String, nullable=False, server_default="[]"),
    Column("probe", String, nullable=False, server_default=""),
)
_OUTPUT_FIELDS = ("scored", "supported", "refuted", "similarity", "ms", "answer", "samples", "probe")
_JUDGEMENTS = Table(
    "engine_judgements",
    _SCHEMA,
    Column("key", String(64), primary_key=True),
    Column("judgement", String, nullable=False),
    Column("used_at", Float, nullable=False),
    Index("engine_judgements_used_at", "used_at"),
)


def _create(connection: Connection) -> None:
    _SCHEMA.create_all(connection, checkfirst=False)


def _add_workspaces(connection: Connection) -> None:
    _add_columns(connection, workspace="")


def _add_probes(connection: Connection) -> None:
    _add_columns(connection, answer="", samples="[]", probe="")


def _add_columns(connection: Connection, **defaults: str) -> None:
    """A store made before a step lacks its columns; one made after it was created with them."""
    known = {column["name"] for column in inspect(connection).get_columns("engine_outputs")}
    for name, default in defaults.items():
        if name not in known:
            connection.execute(
                text(f"ALTER TABLE engine_outputs ADD COLUMN {name} VARCHAR NOT NULL DEFAULT '{default}'")
            )


class Store:
    """A folder, an SQLite file or a PostgreSQL address; safe between threads and processes."""

    def __init__(self, place: str | os.PathLike[str], workspace: str = "") -> None:
        self.workspace = workspace
        if not is_postgres(place) and (Path(place).is_dir() or not Path(place).suffix):
            place = Path(place) / FILE
        self._engine = open_database(place)
        migrate(self._engine, "engine", [_create, _add_workspaces, _add_probes])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._engine.dispose()

    # Outputs

    def add_output(self, values: dict[str, Any], keep: int) -> None:
        """Notes one output of the workspace and forgets those beyond its last `keep`; an answer is noted once."""
        own = _OUTPUTS.c.workspace == self.workspace
        with writing(self._engine).begin() as connection:
            if values.get("answer"):
                again = update(_OUTPUTS).where(own, _OUTPUTS.c.answer == values["answer"])
                measured = {name: value for name, value in values.items() if name != "probe"}
                if connection.execute(again.values(**measured)).rowcount:
                    return
            connection.execute(insert(_OUTPUTS).values(**values, workspace=self.workspace))
            newest = select(_OUTPUTS.c.id).where(own).order_by(_OUTPUTS.c.id.desc()).limit(keep).subquery()
            oldest = connection.execute(select(func.min(newest.c.id))).scalar()
            connection.execute(delete(_OUTPUTS).where(own, _OUTPUTS.c.id < oldest))

    def mark_probe(self, outcome: str) -> None:
        """Writes down beside the last output of the workspace how the verifier did in a probe."""
        last = select(func.max(_OUTPUTS.c.id)).where(_OUTPUTS.c.workspace == self.workspace).scalar_subquery()
        with writing(self._engine).begin() as connection:
            connection.execute(update(_OUTPUTS).where(_OUTPUTS.c.id == last).values(probe=outcome))

    def outputs(self, limit: int) -> list[dict[str, Any]]:
        """The last outputs of the workspace, the oldest first."""
        own = select(_OUTPUTS).where(_OUTPUTS.c.workspace == self.workspace)
        with self._engine.connect() as connection:
            found = connection.execute(own.order_by(_OUTPUTS.c.id.desc()).limit(limit)).mappings().all()
        return [{name: row[name] for name in _OUTPUT_FIELDS} for row in found][::-1]

    def clear_outputs(self) -> None:
        with writing(self._engine).begin() as connection:
            connection.execute(delete(_OUTPUTS).where(_OUTPUTS.c.workspace == self.workspace))

    # Judgements

    def judgements(self, keys: list[str]) -> dict[str, str]:
        """The stored judgements among the keys."""
        query = select(_JUDGEMENTS.c.key, _JUDGEMENTS.c.judgement).where(_JUDGEMENTS.c.key.in_(keys))
        with self._engine.connect() as connection:
            return {row.key: row.judgement for row in connection.execute(query)}

    def keep_judgements(self, found: dict[str, str], most: int) -> None:
        """Stores judgements and drops the oldest beyond `most`."""
        with writing(self._engine).begin() as connection:
            connection.execute(delete(_JUDGEMENTS).where(_JUDGEMENTS.c.key.in_(list(found))))
            now = time()
            rows = [{"key": key, "judgement": text, "used_at": now} for key, text in found.items()]
            connection.execute(insert(_JUDGEMENTS), rows)
            count = connection.execute(select(func.count()).select_from(_JUDGEMENTS)).scalar() or 0
            if count > most:
                oldest = select(_JUDGEMENTS.c.key).order_by(_JUDGEMENTS.c.used_at).limit(count - most)
                connection.execute(delete(_JUDGEMENTS).where(_JUDGEMENTS.c.key.in_(oldest)))
