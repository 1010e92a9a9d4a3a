"""What the server itself stores: evaluation runs, and the answers to writes that may be sent again."""

from __future__ import annotations

import json
import secrets
import time as clock
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, insert, select, update

from assay.storage.schema import server_evaluations as runs
from assay.storage.schema import server_replies as replies
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

    def list(self, limit: int | None) -> list[dict[str, Any]]:
        mine = select(runs.c.summary).where(runs.c.workspace == self._workspace)
        with self.reading() as connection:
            rows = connection.execute(mine.order_by(runs.c.time.desc(), runs.c.id).limit(limit)).scalars()
            return [json.loads(row) for row in rows]

    def get(self, identity: str) -> dict[str, Any] | None:
        mine = select(runs.c.result).where(runs.c.workspace == self._workspace, runs.c.id == identity)
        with self.reading() as connection:
            found = connection.execute(mine).scalar()
        return None if found is None else dict(json.loads(found))


_KEPT = 24 * 3600.0  # seconds for which an answer is kept


@dataclass(frozen=True)
class Reply:
    """The answer to a write: for which request, and what was said; status 0 while it is being answered."""

    time: float
    request: str
    status: int
    headers: str
    body: bytes


class Replies(SqlStore):
    """The answers to the writes of one workspace that carried a key."""

    part, noun = "server", "store of answers"

    def __init__(self, place: str, workspace: str) -> None:
        super().__init__(place)
        self._workspace = workspace

    def begin(self, identity: str, request: str, seconds: float) -> Reply | None:
        """The answer that is kept under an id; None if there is none, and then its place is taken.

        A request that has been worked on for longer than it may take was lost with its process.
        """
        now = clock.time()
        mine = replies.c.workspace == self._workspace
        lost = (replies.c.status == 0) & (replies.c.time < now - seconds)
        columns = (replies.c.time, replies.c.request, replies.c.status, replies.c.headers, replies.c.body)
        with self.writing() as connection:
            connection.execute(delete(replies).where(mine & (lost | (replies.c.time < now - _KEPT))))
            found = connection.execute(select(*columns).where(mine, replies.c.id == identity)).first()
            if found is not None:
                return Reply(*found)
            row = {"workspace": self._workspace, "id": identity, "time": now, "request": request}
            connection.execute(insert(replies).values(**row, status=0, headers="{}", body=b""))
        return None

    def finish(self, identity: str, status: int, headers: str, body: bytes) -> None:
        self._change(update(replies).values(status=status, headers=headers, body=body), identity)

    def forget(self, identity: str) -> None:
        self._change(delete(replies), identity)

    def _change(self, statement: Any, identity: str) -> None:
        with self.writing() as connection:
            connection.execute(statement.where(replies.c.workspace == self._workspace, replies.c.id == identity))
