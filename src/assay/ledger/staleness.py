"""Findings that cite a document which has changed or is gone: find them, and check them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.ledger.records import Record
from assay.ledger.replay import engine_for
from assay.ledger.rerun import CurrentSources, rerun
from assay.ledger.runs import run_id_of
from assay.ledger.store import LedgerStore
from assay.types import Document

if TYPE_CHECKING:
    from assay.engine import Engine
    from assay.ledger.ledger import Ledger
    from assay.memory import Memory


@dataclass(frozen=True)
class StaleFinding:
    """A finding that cites documents which have changed or are gone; `claim` counts from 0."""

    run_id: str
    time: str
    claim: int
    text: str
    verdict: str
    confidence: float
    documents: tuple[tuple[str, str], ...]

    @property
    def reason(self) -> str:
        return ", ".join(f"{document} {what}" for document, what in self.documents)

    def to_dict(self) -> dict[str, Any]:
        documents = [{"id": document, "became": what} for document, what in self.documents]
        return {**asdict(self), "documents": documents, "reason": self.reason}


@dataclass(frozen=True)
class RecheckedFinding:
    """A finding before and after its sources changed; the new one is claim `claim` of run `run_id`."""

    stale: StaleFinding
    run_id: str
    claim: int
    verdict: str
    confidence: float

    @property
    def differs(self) -> bool:
        return self.verdict != self.stale.verdict

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "stale": self.stale.to_dict(), "differs": self.differs}


def find_stale(store: LedgerStore, workspace: str, given: Memory | Iterable[Document]) -> list[StaleFinding]:
    """Look up the citations of each cited document, and reads only the runs that are concerned."""
    current = CurrentSources(given)
    suspects: dict[int, dict[int, list[tuple[str, str]]]] = {}
    runs: dict[int, Record] = {}
    moved = {document for document, sha256 in store.cited_versions(workspace) if current.hashes.get(document) != sha256}
    for document in sorted(moved):
        for sequence, claim, sha256 in store.findings_citing(workspace, document):
            if current.hashes.get(document) == sha256:
                continue
            if sequence not in runs:
                found = store.get(workspace, sequence)
                if not isinstance(found, Record):
                    continue
                runs[sequence] = found
            if what := current.change(document, sha256, remembered=bool(runs[sequence].payload["remembered"])):
                suspects.setdefault(sequence, {}).setdefault(claim, []).append((document, what))
    if not suspects:
        return []
    settled = _replaced(store, workspace)
    return [
        _stale(runs[sequence], claim, documents)
        for sequence, claims in sorted(suspects.items())
        for claim, documents in sorted(claims.items())
        if (run_id_of(runs[sequence]), claim) not in settled
    ]


def recheck(
    ledger: Ledger,
    stale: Iterable[StaleFinding],
    engine: Engine | None,
    given: Memory | Iterable[Document],
    *,
    user: str,
    session: str,
) -> Iterator[RecheckedFinding]:
    """One new record for each run concerned, holding new findings for its stale claims alone."""
    current = CurrentSources(given)
    by_run: dict[str, list[StaleFinding]] = {}
    for finding in stale:
        by_run.setdefault(finding.run_id, []).append(finding)
    for run_id, findings in by_run.items():
        stored = ledger.get(run_id)
        numbers = [finding.claim for finding in findings]
        run = rerun(stored, engine or engine_for(stored), current, numbers)
        new_id = ledger.record(
            run,
            user=user,
            session=session,
            mode="recheck",
            memory=current.memory,
            replaces=[(run_id, number) for number in numbers],
        )
        for place, (finding, new) in enumerate(zip(findings, run.report.findings, strict=True)):
            yield RecheckedFinding(finding, new_id, place, new.verdict.value, new.confidence)


def _stale(record: Record, claim: int, documents: Sequence[tuple[str, str]]) -> StaleFinding:
    finding = record.payload["stages"]["verification"][claim]
    return StaleFinding(
        run_id=run_id_of(record),
        time=record.time,
        claim=claim,
        text=finding["text"],
        verdict=finding["verdict"],
        confidence=finding["confidence"],
        documents=tuple(documents),
    )


def _replaced(store: LedgerStore, workspace: str) -> set[tuple[str, int]]:
    return {
        (item["run"], item["claim"])
        for record in store.all(workspace, "recheck")
        for item in record.payload["replaces"]
    }
