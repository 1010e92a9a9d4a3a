"""The ledger of one workspace: record runs, verify the chain, replay runs, re-check stale findings, take feedback."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from assay.errors import LedgerError, UsageError
from assay.ledger.chain import ranges, verify_chain
from assay.ledger.feedback import Feedback, pack_feedback
from assay.ledger.recording import pack_run
from assay.ledger.records import Break, Record, Tombstone
from assay.ledger.runs import RUN_KINDS, LogLine, RunSummary, StoredRun, log_lines, run_id_of, unpack_run
from assay.ledger.store import LedgerStore
from assay.policy import Policy
from assay.storage.database import check_workspace, file_in
from assay.storage.head_files import parse_head
from assay.types import Document, Verdict

if TYPE_CHECKING:
    from assay.abstention import Abstention
    from assay.engine import Engine, Run
    from assay.ledger.replay import Replay
    from assay.ledger.staleness import RecheckedFinding, StaleFinding
    from assay.memory import Memory

FILE_NAME = "ledger.db"
LOG_RESULTS = 10_000  # results that the verification log has at hand
DEFAULT_PLACES = (Path(".assay") / FILE_NAME, Path(".assay") / "memory" / FILE_NAME)
Clock = Callable[[], datetime]


class Ledger:
    """The chain of one workspace, in a folder, a file or a PostgreSQL database.

    >>> import tempfile
    >>> from assay.engine import Engine, Request
    >>> with Ledger(tempfile.mkdtemp()) as ledger:
    ...     run = Engine(judge="lexical").run(Request("Everest is 8,849 m high.", ["Everest is 8,849 m high."]))
    ...     run_id = ledger.record(run, user="me")
    ...     ledger.verify(), ledger.get(run_id).report["verdict"], ledger.replay(run_id).identical
    (None, 'SUPPORTED', True)
    """

    def __init__(
        self,
        place: str | os.PathLike[str],
        *,
        workspace: str = "default",
        policy: Policy | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.workspace, self.policy = check_workspace(workspace), policy or Policy()
        self._clock = clock or (lambda: datetime.now(UTC))
        self._store = LedgerStore(file_in(place, FILE_NAME))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._store.close()

    @property
    def place(self) -> str:
        return self._store.place

    def within(self, workspace: str) -> Ledger:
        """The chain of another workspace in the same database; it is closed with this one."""
        other = copy(self)
        other.workspace = check_workspace(workspace)
        return other

    # In

    def record(
        self,
        run: Run,
        *,
        user: str = "",
        session: str = "",
        mode: str = "answer",
        attempts: Sequence[Any] = (),
        memory: Memory | None = None,
        prompt: str | None = None,
        rendering: str | None = None,
        spent: Mapping[str, float] | None = None,
        replaces: Sequence[tuple[str, int]] = (),
        abstention: Abstention | None = None,
    ) -> str:
        """Writes a run down; it is on disk when this returns its id.

        `memory` is the one the run was made against: what the run cites is protected there. `attempts` are
        earlier answers, of any shape that JSON can carry; `spent` has `model_calls`, `prompt_tokens`,
        `completion_tokens` and `cost_usd`, else they are summed over the attempts.
        `abstention` says why the reader got no answer, with the claims that failed.
        """
        payload, texts = pack_run(
            run,
            user=user,
            session=session,
            mode=mode,
            attempts=attempts,
            prompt=prompt,
            rendering=rendering,
            remembered=memory is not None,
            spent=spent,
            replaces=replaces,
            abstention=None if abstention is None else abstention.to_dict(),
        )
        cited = [item for finding in run.report.findings for item in finding.evidence]
        protected: list[str] = []

        def make(last: Record | Tombstone | None) -> Record:
            record = self._next(last, "recheck" if replaces else "run", payload)
            if memory is not None and cited:
                # Before the record is written: a crash in between protects too much, never too little.
                protected.append(run_id_of(record))
                memory.cite(cited, by=protected[-1])
            return record

        try:
            return run_id_of(self._store.append(make, self.workspace, texts))
        except BaseException:
            if memory is not None and protected:
                memory.unprotect(protected[-1])
            raise

    def feedback(
        self,
        run_id: str,
        claim: int,
        right: bool,
        note: str = "",
        user: str = "",
        *,
        verdict: Verdict | str | None = None,
    ) -> Feedback:
        """Writes down that a reader found a finding right or wrong; `claim` counts from 0, as in the report.

        `verdict` is what it should have been, where the reader knows.
        """
        payload = pack_feedback(self.get(run_id), claim, right, note, user, verdict)
        return Feedback.of(self._store.append(partial(self._next, kind="feedback", payload=payload), self.workspace))

    def purge(self, days: int | None = None, *, memory: Memory | None = None) -> int:
        """Empties records older than the retention; their hashes stay, and a record says which they were."""
        own = self.own_retention()
        kept = days if days is not None else self.policy.retention_days if own is None else own
        if kept < 0:
            raise UsageError(f"records are kept for a number of days, 0 or more, not {kept}")
        now = self._clock()
        before = _stamp(now - timedelta(days=kept)) if kept else "9999"

        def make(last: Record | Tombstone | None, numbers: list[int]) -> Record:
            payload = {"before": before, "days": kept, "emptied": ranges(numbers), "retention": own}
            return self._next(last, "purge", payload)

        emptied = self._store.purge(self.workspace, before, _stamp(now), make)
        if memory is not None:
            for number in emptied:
                gone = self._store.get(self.workspace, number)
                if gone is not None and gone.kind in RUN_KINDS:
                    memory.unprotect(run_id_of(gone))
        return len(emptied)

    def own_retention(self) -> int | None:
        """The days this workspace keeps its records, where they were set for it; a purge carries the setting on."""
        found = (record.payload.get("retention") for record in self._store.all(self.workspace, "retention", "purge"))
        return next((days for days in found if days is not None), None)

    def set_retention(self, days: int, *, user: str = "") -> None:
        """Sets for how many days this workspace keeps its records; who did so is part of the chain."""
        if days < 1:
            raise UsageError(f"records are kept for a number of days, 1 or more, not {days}")
        payload = {"retention": days, "user": user}
        self._store.append(partial(self._next, kind="retention", payload=payload), self.workspace)

    def _next(self, last: Record | Tombstone | None, kind: str, payload: Mapping[str, Any]) -> Record:
        return Record.after(last, kind=kind, time=_stamp(self._clock()), workspace=self.workspace, payload=payload)

    # Out

    def runs(self, limit: int | None = 20, *, abstained: bool = False) -> list[RunSummary]:
        """The last runs, the newest first; or only those that ended without an answer."""
        found = map(RunSummary.of, self._store.all(self.workspace, *RUN_KINDS))
        return list(islice((run for run in found if run.abstained is not None or not abstained), limit))

    def __len__(self) -> int:
        """How many runs can be read."""
        return self._store.count(self.workspace, *RUN_KINDS)

    def __bool__(self) -> bool:
        return True  # an empty ledger is still a ledger: `if ledger:` asks whether there is one

    def get(self, run_id: str) -> StoredRun:
        """A run whole, by its id or by the number it begins with."""
        number, _, start = str(run_id).partition("-")
        found = self._store.get(self.workspace, int(number)) if number.isdecimal() and len(number) < 10 else None
        if found is None or found.kind not in RUN_KINDS or not found.hash.startswith(start):
            raise UsageError(
                f"there is no run {run_id!r} in the workspace {self.workspace!r}; 'assay audit list' shows them"
            )
        if isinstance(found, Tombstone):
            raise UsageError(f"run {run_id} was purged: only its place in the chain is left")
        if not found.intact():
            raise LedgerError(f"run {run_id} was changed after it was written: run 'assay audit verify'")
        return unpack_run(found, self._store.texts(found.payload["texts"]))

    def log(self, limit: int | None = None) -> list[LogLine]:
        """The last results, one line for each claim, the newest first."""
        wanted = LOG_RESULTS if limit is None else limit
        return list(islice(log_lines(self._store.all(self.workspace, *RUN_KINDS)), wanted))

    def marks(self, run_id: str | None = None) -> list[Feedback]:
        """The feedback of readers, the newest first; of one run or of all; a damaged one is left out."""
        wanted = self.get(run_id).id if run_id is not None else None
        found = (Feedback.of(record) for record in self._store.all(self.workspace, "feedback") if record.intact())
        return [mark for mark in found if wanted in (None, mark.run_id)]

    def calibration_rows(self) -> list[dict[str, Any]]:
        """The feedback as labelled rows (claim, evidence, label); the last one on a finding counts."""
        last: dict[tuple[str, int], Feedback] = {}
        for mark in self.marks():
            last.setdefault((mark.run_id, mark.claim), mark)
        return [row for mark in last.values() if (row := mark.as_row()) is not None]

    def export(self, run_id: str, form: str) -> str:
        """The evidence ledger of a run as json, md, html or csv."""
        from assay.ledger.export import export

        return export(self.get(run_id).as_ledger(), form)

    # Proof

    def verify(self, head: str | None = None) -> Break | None:
        """The first record that was changed, removed or reordered; None when the whole chain holds.

        `head` is a head of this chain that was written down elsewhere, COUNT:HASH or the hash alone: a chain made anew,
        or one that lost its end, does not hold it. The head file beside the database is compared in any case.
        """
        if head is not None:
            parse_head(head)
        kept = self._store.head_file(self.workspace).peek()  # before the snapshot, which may then only be ahead of it
        with self._store.snapshot() as seen:
            return verify_chain(seen, self.workspace, head, kept)

    def head(self) -> tuple[int, str] | None:
        """The number and the hash of the last record: worth keeping where nobody who can write here can write."""
        return self._store.head(self.workspace)

    def workspaces(self) -> list[str]:
        return self._store.workspaces()

    def replay(
        self, run_id: str, engine: Engine | None = None, *, current: Memory | Iterable[Document] | None = None
    ) -> Replay:
        """Runs the stored inputs again and explains every verdict that differs.

        Without an engine, one like the run's own is made: same policy, same judge. `current` are the sources as they
        are now; without them the stored ones are used.
        """
        from assay.ledger.replay import replay

        return replay(self.get(run_id), engine, current)

    def stale(self, current: Memory | Iterable[Document]) -> list[StaleFinding]:
        """The findings that cite a document which has changed or is gone, oldest first.

        Of a memory, a document is gone if it came from a memory and is not in this one; of documents, if it is not
        among them. A finding that was re-checked since is no longer counted.
        """
        from assay.ledger.staleness import find_stale

        return find_stale(self._store, self.workspace, current)

    def reverify(
        self,
        stale: Iterable[StaleFinding],
        engine: Engine | None = None,
        *,
        current: Memory | Iterable[Document],
        user: str = "",
        session: str = "",
    ) -> list[RecheckedFinding]:
        """Checks these findings, and only these, against the sources as they are now, and records the new ones."""
        from assay.ledger.staleness import recheck

        return list(recheck(self, stale, engine, current, user=user, session=session))


def file_of(place: str | os.PathLike[str]) -> Path:
    """The database file of a ledger: the file itself, or `ledger.db` in a folder."""
    return Path(file_in(place, FILE_NAME))


def find_place(place: str | os.PathLike[str] | None = None) -> str:
    """Where the ledger is: as given, else `ASSAY_LEDGER`, else the first of the usual places that holds one."""
    chosen = place or os.environ.get("ASSAY_LEDGER")
    if chosen:
        return os.fspath(chosen)
    return str(next((usual for usual in DEFAULT_PLACES if usual.is_file()), DEFAULT_PLACES[0]))


def open_ledger(
    place: str | os.PathLike[str] | None = None, *, workspace: str = "default", policy: Policy | None = None
) -> Ledger:
    """The ledger at a place, or at the usual one; made if there is none yet."""
    return Ledger(find_place(place), workspace=workspace, policy=policy)


def _stamp(moment: datetime) -> str:
    """UTC, always as many characters, so that times compare as texts."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
