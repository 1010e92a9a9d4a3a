"""A run as the ledger stores it: everything a replay needs and an auditor asks for, its summary and its log lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.codec import Json, decode, encode_fields
from assay.errors import LedgerError
from assay.ledger.entries import CitedDocument, EvidenceLedger, RunOrigin, ledger_of
from assay.ledger.records import Record, Tombstone
from assay.ledger.rows import unpack_document, unpack_passage, unpack_policy
from assay.policy import Policy
from assay.types import Claim, Document, Passage, Report, Verdict

if TYPE_CHECKING:
    from assay.lattice.evidence_map import EvidenceMap

RUN_KINDS = ("run", "recheck")  # a re-check is a run over some claims of another
DAMAGED = "(this record is damaged and cannot be read: run 'assay audit verify')"
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError)  # what reading a damaged payload may raise


@dataclass(frozen=True)
class StoredRun:
    """A recorded run, whole: nothing else is needed to show it or to run it again."""

    record: Record
    documents: tuple[Document, ...]

    @property
    def id(self) -> str:
        return run_id_of(self.record)

    @property
    def payload(self) -> Mapping[str, Any]:
        return self.record.payload

    @property
    def question(self) -> str | None:
        question: str | None = self.payload["stages"]["question"]
        return question

    @property
    def answer(self) -> str:
        return str(self.payload["stages"]["raw_answer"])

    @property
    def model(self) -> str:
        return str(self.payload["model"])

    @property
    def root(self) -> str:
        return str(self.payload["root"])

    @property
    def replaces(self) -> list[tuple[str, int]]:
        """The findings of earlier runs that this one re-checked, one for each of its own."""
        return [(item["run"], item["claim"]) for item in self.payload["replaces"]]

    @cached_property
    def report(self) -> Json:
        """The report as it was, in the one JSON shape."""
        findings = zip(self.payload["stages"]["verification"], self.payload["latencies_ms"], strict=True)
        claims = [{**item, "latency_ms": ms} for item, ms in findings]
        return {**self.payload["report"], "answer": self.answer, "claims": claims}

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        return tuple(decode(Claim, item) for item in self.payload["stages"]["claims"])

    @cached_property
    def passages(self) -> tuple[tuple[Passage, ...], ...]:
        """The evidence shown to the judges, for each claim."""
        rows = self.payload["stages"]["retrieval"]
        return tuple(tuple(unpack_passage(item, self.documents) for item in found) for found in rows)

    @cached_property
    def policy(self) -> Policy:
        return unpack_policy(self.payload["policy"])[0]

    @cached_property
    def evidence_map(self) -> EvidenceMap | None:
        from assay.lattice.evidence_map import EvidenceMap

        stored = self.payload["stages"]["evidence_map"]
        return None if stored is None else EvidenceMap.from_dict(stored)

    def as_report(self) -> Report:
        """The report as a value, with the documents as they were."""
        # Findings of records that are older than the codec know less of their claims than the stage before them.
        claims = zip(self.payload["stages"]["claims"], self.report["claims"], strict=True)
        told = {**self.report, "claims": [claim | finding for claim, finding in claims]}
        return Report.from_dict(told, self.documents)

    def as_ledger(self) -> EvidenceLedger:
        payload, record = self.payload, self.record
        origin = RunOrigin(
            run_id=self.id,
            time=record.time,
            workspace=record.workspace,
            user=payload["user"],
            session=payload["session"],
            mode=payload["mode"],
            model=self.model,
            policy_sha256=payload["policy_sha256"],
            root=self.root,
            hash=record.hash,
            documents=tuple(CitedDocument(item.id, item.title, item.sha256) for item in self.documents),
        )
        return ledger_of(self.as_report(), self.policy, origin)

    def summary(self) -> RunSummary:
        return RunSummary.of(self.record)

    def to_dict(self) -> Json:
        """For the command line and REST: the audit trail, the report and the documents it was made from."""
        return {
            **self.summary().to_dict(),
            "answer": self.answer,
            "policy": dict(self.payload["policy"]),
            "policy_sha256": self.payload["policy_sha256"],
            "retrieved": [[item.document_id for item in found] for found in self.passages],
            "attempts": self.payload["attempts"],
            "risk_flags": self.payload["risk_flags"],
            "abstention": self.payload.get("abstention"),
            "durations_ms": self.payload["durations_ms"],
            "spent": self.payload["spent"],
            "hash": self.record.hash,
            "previous": self.record.previous,
            "report": self.report,
            "documents": [{"id": d.id, "title": d.title, "sha256": d.sha256, "text": d.text} for d in self.documents],
        }


def unpack_run(record: Record, texts: Mapping[str, str]) -> StoredRun:
    documents = []
    for item in record.payload["documents"]:
        if item["sha256"] not in texts:
            raise LedgerError(
                f"run {run_id_of(record)} cites {item['id']}, whose text is not in the ledger any more: "
                "run 'assay audit verify'"
            )
        documents.append(unpack_document(item, texts[item["sha256"]]))
    return StoredRun(record, tuple(documents))


@dataclass(frozen=True)
class RunSummary:
    """One line of the audit trail."""

    id: str
    time: str
    workspace: str
    user: str
    session: str
    mode: str
    question: str | None
    opening: str
    verdict: str
    action: str
    claims: int
    verdicts: Mapping[str, int]
    coverage: float | None
    unsupported_rate: float | None
    model: str
    root: str
    rechecks: tuple[str, ...] = ()
    abstained: str | None = None  # the reasons, where nothing was answered

    @classmethod
    def of(cls, record: Record) -> RunSummary:
        """The line of a run; a damaged record has one too, which says so."""
        try:
            return cls._read(record)
        except UNREADABLE:
            where = (run_id_of(record), record.time, record.workspace)
            return cls(*where, "", "", "", None, DAMAGED, Verdict.ERROR.value, "abstain", 0, {}, None, None, "", "")

    @classmethod
    def _read(cls, record: Record) -> RunSummary:
        payload = record.payload
        return cls(
            id=run_id_of(record),
            time=record.time,
            workspace=record.workspace,
            user=payload["user"],
            session=payload["session"],
            mode=payload["mode"],
            question=payload["stages"]["question"],
            opening=" ".join(payload["stages"]["raw_answer"].split())[:120],
            verdict=payload["report"]["verdict"],
            action=payload["report"]["action"],
            claims=len(payload["stages"]["claims"]),
            verdicts=dict(payload["verdicts"]),
            coverage=payload["coverage"],
            unsupported_rate=payload["unsupported_rate"],
            model=payload["model"],
            root=payload["root"],
            rechecks=tuple(dict.fromkeys(item["run"] for item in payload["replaces"])),
            abstained=None if not payload.get("abstention") else "; ".join(payload["abstention"]["reasons"]),
        )

    def to_dict(self) -> Json:
        return encode_fields(self)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One result; `claim` counts from 0, as in the report."""

    run_id: str
    time: str
    claim: int
    text: str
    verdict: str
    support: str
    confidence: float
    method: str
    action: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


_LOGGED = ("text", "verdict", "support", "confidence", "method", "action")


def log_lines(runs: Iterable[Record]) -> Iterator[LogLine]:
    """The results of each run in turn, in the order of its answer; of a damaged record a line that says so."""
    for record in runs:
        try:
            yield from [
                LogLine(run_id_of(record), record.time, number, **{name: item[name] for name in _LOGGED})
                for number, item in enumerate(record.payload["stages"]["verification"])
            ]
        except UNREADABLE:
            where = (run_id_of(record), record.time)
            yield LogLine(*where, 0, DAMAGED, Verdict.ERROR.value, "none", 0.0, "", "abstain")


def run_id_of(record: Record | Tombstone) -> str:
    """The number of the record finds it, the start of its hash tells that it is the one that was meant."""
    return f"{record.sequence}-{record.hash[:8]}"
