"""The store of the server's evaluation runs."""

from __future__ import annotations

import json
import secrets
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, select

from assay.storage.schema import server_evaluations as runs
from assay.storage.store import SqlStore


class Evaluations(SqlStore):
    """The evaluation runs of one workspace, newest first."""

    part, noun = "server", "evaluation store"

    def __init__(self, place: str, workspace: str) -> None:
        super().__init__(place)
        self._workspace = workspace

    def keep(self, summary: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
        """Stores a run under an id that cannot be guessed; what was stored."""
        identity, time = secrets.token_hex(8), datetime.now(UTC).isoformat(timespec="seconds")
        named = {"id": identity, "time": time}
        with self.writing() as connection:
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
        with self.reading() as connection:
            rows = connection.execute(mine.order_by(runs.c.time.desc(), runs.c.id).limit(limit)).scalars()
            return [json.loads(row) for row in rows]

    def get(self, identity: str) -> dict[str, Any] | None:
        mine = select(runs.c.result).where(runs.c.workspace == self._workspace, runs.c.id == identity)
        with self.reading() as connection:
            found = connection.execute(mine).scalar()
        return None if found is None else dict(json.loads(found))
