"""What the engine keeps between runs: the last outputs for the monitor, and judgements for the cache.

One PostgreSQL database serves many workspaces: outputs are a workspace's own, judgements are found by what decided
them.
"""

from __future__ import annotations

import os
from time import time
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from assay.storage.database import file_in
from assay.storage.schema import engine_judgements as judgements
from assay.storage.schema import engine_outputs as outputs
from assay.storage.store import SqlStore

FILE = "engine.db"
_OUTPUT_FIELDS = ("scored", "supported", "refuted", "similarity", "ms", "answer", "samples", "probe")


class EngineStore(SqlStore):
    """A folder, a SQLite file or a PostgreSQL address; safe between threads and processes."""

    part, noun = "engine", "engine store"

    def __init__(self, place: str | os.PathLike[str], workspace: str = "") -> None:
        super().__init__(file_in(place, FILE))
        self.workspace = workspace

    # Outputs

    def add_output(self, values: dict[str, Any], keep: int) -> None:
        """Notes one output of the workspace and forgets those beyond its last `keep`; an answer is noted once."""
        own = outputs.c.workspace == self.workspace
        with self.writing() as connection:
            if values.get("answer"):
                again = update(outputs).where(own, outputs.c.answer == values["answer"])
                measured = {name: value for name, value in values.items() if name != "probe"}
                if connection.execute(again.values(**measured)).rowcount:
                    return
            connection.execute(insert(outputs).values(**values, workspace=self.workspace))
            newest = select(outputs.c.id).where(own).order_by(outputs.c.id.desc()).limit(keep).subquery()
            oldest = connection.execute(select(func.min(newest.c.id))).scalar()
            connection.execute(delete(outputs).where(own, outputs.c.id < oldest))

    def mark_probe(self, outcome: str) -> None:
        """Writes down beside the last output of the workspace how the verifier did in a probe."""
        last = select(func.max(outputs.c.id)).where(outputs.c.workspace == self.workspace).scalar_subquery()
        with self.writing() as connection:
            connection.execute(update(outputs).where(outputs.c.id == last).values(probe=outcome))

    def outputs(self, limit: int) -> list[dict[str, Any]]:
        """The last outputs of the workspace, the oldest first."""
        own = select(outputs).where(outputs.c.workspace == self.workspace)
        with self.reading() as connection:
            found = connection.execute(own.order_by(outputs.c.id.desc()).limit(limit)).mappings().all()
        return [{name: row[name] for name in _OUTPUT_FIELDS} for row in found][::-1]

    def clear_outputs(self) -> None:
        with self.writing() as connection:
            connection.execute(delete(outputs).where(outputs.c.workspace == self.workspace))

    # Judgements

    def judgements(self, keys: list[str]) -> dict[str, str]:
        """The stored judgements among the keys."""
        query = select(judgements.c.key, judgements.c.judgement).where(judgements.c.key.in_(keys))
        with self.reading() as connection:
            return {row.key: row.judgement for row in connection.execute(query)}

    def keep_judgements(self, found: dict[str, str], most: int) -> None:
        """Stores judgements and drops the oldest beyond `most`."""
        with self.writing() as connection:
            connection.execute(delete(judgements).where(judgements.c.key.in_(list(found))))
            now = time()
            rows = [{"key": key, "judgement": text, "used_at": now} for key, text in found.items()]
            connection.execute(insert(judgements), rows)
            count = connection.execute(select(func.count()).select_from(judgements)).scalar() or 0
            if count > most:
                oldest = select(judgements.c.key).order_by(judgements.c.used_at).limit(count - most)
                connection.execute(delete(judgements).where(judgements.c.key.in_(oldest)))
