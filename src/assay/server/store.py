"""Where evaluation runs of the server are kept: one table for SQLite and PostgreSQL."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Column, Connection, MetaData, String, Table, Text, insert, select

from assay.database import migrate, open_database, writing

tables = MetaData()
runs = Table(
    "server_evaluations",
    tables,
    Column("workspace", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("time", String, nullable=False),
    Column("summary", Text, nullable=False),
    Column("result", Text, nullable=False),
)


def _create_evaluations(connection: Connection) -> None:
    tables.create_all(connection)


class Evaluations:
    """The evaluation runs of one workspace, newest first."""

    def __init__(self, place: str, workspace: str) -> None:
        self._workspace = workspace
        self._engine = open_database(place)
        migrate(self._engine, "server", (_create_evaluations,))

    def close(self) -> None:
        self._engine.dispose()

    def keep(self, summary: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        """Stores a run under an id that cannot be guessed; what was stored."""
        identity, time = secrets.token_hex(8), datetime.now(UTC).isoformat(timespec="seconds")
        named = {"id": identity, "time": time}
        with writing(self._engine).begin() as connection:
            connection.execute(
                insert(runs).values(
                    workspace=self._workspace,
                    id=identity,
                    time=time,
                    summary=json.dumps(named | summary),
                    result=json.dumps(named | summary | result),
                )
            )
        return named | summary | result

    def list(self, limit: int) -> list[dict[str, Any]]:
        mine = select(runs.c.summary).where(runs.c.workspace == self._workspace)
        with self._engine.connect() as connection:
            rows = connection.execute(mine.order_by(runs.c.time.desc(), runs.c.id).limit(limit)).scalars()
            return [json.loads(row) for row in rows]

    def get(self, identity: str) -> dict[str, Any] | None:
        mine = select(runs.c.result).where(runs.c.workspace == self._workspace, runs.c.id == identity)
        with self._engine.connect() as connection:
            found = connection.execute(mine).scalar()
        return None if found is None else dict(json.loads(found))
