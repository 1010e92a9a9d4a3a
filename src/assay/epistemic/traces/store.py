"""The store of reasoning traces, which also verifies their claims."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, delete, func, insert, select

from assay.codec import Json, encode_fields
from assay.epistemic.bits import TARGET_CONFIDENCE, clip
from assay.epistemic.checker import Check, Checker
from assay.epistemic.config import EpistemicConfig
from assay.epistemic.results import ClaimVerification, EpistemicGap, HallucinationReport
from assay.epistemic.ruling import find_gap, write_guidance
from assay.epistemic.traces.graph import Node, NodeEdge, NodeEdgeKind, NodeKind, Trace
from assay.errors import UsageError
from assay.judges import JUDGES
from assay.llm.prices import total_usd
from assay.llm.waiting import run
from assay.policy import Policy
from assay.storage.database import file_in
from assay.storage.schema import trace_edges as edges
from assay.storage.schema import trace_nodes as nodes
from assay.storage.store import SqlStore
from assay.types import Document, Verdict, sha256_of

if TYPE_CHECKING:
    from assay.memory import Memory

FILE = "traces.db"
DEFAULT_CONFIDENCE = 0.5  # of a claim that does not say how sure it is


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """One stored trace in a list."""

    id: str
    goal: str
    nodes: int
    claims: int
    at: float

    def to_dict(self) -> Json:
        return encode_fields(self)


class TraceStore(SqlStore):
    """The traces of one workspace.

    Claims are verified by a `Checker` (Assay's own judge, or the `verification_model`, unless a checker is given)
    against the steps of the trace they cite, and against documents of the memory, if there is one, that bear the cited
    id. A verification is kept; it is made again when what the claim cites has changed, as when evidence that was
    missing has arrived.
    """

    part, noun = "traces", "trace store"

    def __init__(
        self,
        place: str | os.PathLike[str],
        *,
        workspace: str = "default",
        policy: Policy | None = None,
        checker: Checker | None = None,
        memory: Memory | None = None,
        verification_model: str | None = None,
    ) -> None:
        super().__init__(file_in(place, FILE))
        self.workspace, self.memory = workspace, memory
        self.policy = policy or (checker.policy if checker is not None else Policy())
        self._checker = checker
        self._model = verification_model

    # In

    def add_goal(self, text: str, *, id: str | None = None, data: Mapping[str, Any] | None = None) -> str:
        """A new trace; the goal's id names it."""
        return self.add(NodeKind.GOAL, text, id=id, data=data)

    def add(
        self,
        kind: NodeKind | str,
        text: str,
        parent: str | None = None,
        *,
        id: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> str:
        """A new step under another one; returns its id."""
        step = _kind(kind)
        if (parent is None) != (step is NodeKind.GOAL):
            raise UsageError("a goal stands alone, and every other step needs a parent")
        return self._add(_new(step, text, parent, data or {}, id))

    def add_claim(
        self,
        decision_id: str,
        claim: str,
        evidence_ids: Sequence[str] = (),
        confidence: float = DEFAULT_CONFIDENCE,
    ) -> str:
        """A claim under a decision or another step, citing steps of the trace or documents of the memory."""
        if not 0 <= confidence <= 1:
            raise UsageError(f"a confidence lies between 0 and 1, not at {confidence!r}")
        named = [evidence_ids] if isinstance(evidence_ids, str) else list(evidence_ids)
        node = _new(NodeKind.CLAIM, claim, decision_id, {"confidence": confidence})
        return self._add(node, [NodeEdge(node.id, target, NodeEdgeKind.CITES) for target in dict.fromkeys(named)])

    def save(self, trace: Trace) -> str:
        """Stores a whole trace, in place of one with the same goal; returns the goal's id."""
        with self.writing() as connection:
            self._delete(connection, trace.goal.id)
            self._insert(connection, trace.goal.id, trace.nodes, trace.edges)
        return trace.goal.id

    def delete(self, goal_id: str) -> bool:
        with self.writing() as connection:
            return self._delete(connection, goal_id)

    # Out

    def traces(self, limit: int | None = 100) -> list[TraceSummary]:
        """The traces, the newest first."""
        mine = nodes.c.workspace == self.workspace
        counts = (
            select(
                nodes.c.goal,
                func.count().label("size"),
                func.count().filter(nodes.c.kind == NodeKind.CLAIM.value).label("claims"),
            )
            .where(mine)
            .group_by(nodes.c.goal)
            .subquery()
        )
        query = (
            select(nodes.c.id, nodes.c.text, counts.c.size, counts.c.claims, nodes.c.at)
            .join(counts, counts.c.goal == nodes.c.id)
            .where(mine, nodes.c.parent.is_(None))
            .order_by(nodes.c.number.desc())
            .limit(limit)
        )
        with self.reading() as connection:
            return [TraceSummary(*row) for row in connection.execute(query)]

    def get(self, goal_id: str) -> Trace:
        """The trace of a goal, or of any step in it."""
        with self.reading() as connection:
            return self._load(connection, self._goal_of(connection, goal_id))

    # The four checks

    def verify_claim(self, claim_id: str, *, verification_model: str | None = None) -> ClaimVerification:
        """Verifies a claim against what it cites, and keeps the verification under it."""
        trace = self.get(claim_id)
        node = trace.node(claim_id)
        if node is None or node.kind is not NodeKind.CLAIM:
            raise UsageError(f"{claim_id!r} is a {node.kind.value if node else 'nothing'}, not a claim")
        return self._verify(trace, [node], verification_model)[0]

    def get_epistemic_gaps(
        self, goal_id: str, *, verify: bool = True, verification_model: str | None = None
    ) -> list[EpistemicGap]:
        """The gaps of a goal's claims, the widest first; claims that are not verified yet are verified first."""
        found = self._verified(goal_id, verify, verification_model)
        return sorted(filter(None, map(find_gap, found)), key=lambda gap: -gap.gap_bits)

    def get_verification_report(
        self, goal_id: str, *, verify: bool = True, verification_model: str | None = None
    ) -> HallucinationReport:
        """All claims of a goal with their gaps; `left_out` counts the claims that are not verified."""
        found = self._verified(goal_id, verify, verification_model)
        gaps = tuple(filter(None, map(find_gap, found)))
        trace = self.get(goal_id)
        claims = trace.claims()
        return HallucinationReport(
            len(claims),
            tuple(found),
            gaps,
            sum(one.verdict is Verdict.NOT_CHECKABLE for one in found),
            len(claims) - len(found),
            None if claims else "the trace makes no claim",
            bool(gaps),
            write_guidance(gaps),
            {"usd": total_usd(one.cost_usd for one in found)},
            self._check(verification_model).name,
            trace.goal.id,
        )

    def _verified(self, goal_id: str, verify: bool, model: str | None) -> list[ClaimVerification]:
        """What is known of each claim, after verifying those that nobody has verified against what they cite now."""
        trace = self.get(goal_id)
        claims = trace.claims()
        if verify:
            due = [claim for claim in claims if model is not None or self._is_due(trace, claim)]
            self._verify(trace, due, model)
            trace = self.get(goal_id)
        return [known for claim in claims if (known := trace.verification(claim.id)) is not None]

    def _is_due(self, trace: Trace, claim: Node) -> bool:
        kept = [node for node in trace.children(claim.id) if node.kind is NodeKind.VERIFICATION]
        return not kept or kept[-1].data.get("evidence_sha256") != self._evidence(trace, claim).sha256

    def _verify(self, trace: Trace, claims: Sequence[Node], model: str | None) -> list[ClaimVerification]:
        """Verifies some claims of a trace, several at the same time, and keeps the verifications."""
        check = Check(self._check(model))
        given = [self._evidence(trace, claim) for claim in claims]
        found = run(
            check.gather(
                check.verify_claim(
                    claim.text,
                    evidence.documents,
                    clip(float(claim.data.get("confidence", TARGET_CONFIDENCE))),
                    evidence.cites or None,
                    None,
                    claim.id,
                )
                for claim, evidence in zip(claims, given, strict=True)
            )
        )
        for claim, evidence, verification in zip(claims, given, found, strict=True):
            self._keep(claim, evidence, verification)
        return found

    def _check(self, model: str | None = None) -> Checker:
        if self._checker is None:
            config = EpistemicConfig.of(self.policy)
            own_model = {} if self._model is None else {"verification_model": self._model}
            self._checker = Checker(policy=self.policy, config=config.but(**own_model))
        if model is None:
            return self._checker
        own, config = self._checker, self._checker.config.but(verification_model=model)
        if model in JUDGES:
            return Checker(policy=own.policy, judge=model, config=config, cache=own.cache)
        return Checker(engine=own.engine, config=config, cache=own.cache)

    def _evidence(self, trace: Trace, claim: Node) -> _Evidence:
        """What may speak for a claim: the steps it cites, or else every observation and outcome of the trace.

        A step that the claim stands under is no evidence for it: an outcome does not bear out what it says itself.
        """
        cites, above = trace.cites(claim.id), set(trace.ancestors(claim.id))
        told = (NodeKind.OBSERVATION, NodeKind.OUTCOME)
        steps = [node for node in trace.nodes if node.id in cites or (node.kind in told and node.id not in above)]
        documents = [Document(node.id, node.text) for node in steps if node.id != claim.id]
        known = {document.id for document in documents}
        for name in cites:
            held = self.memory.get(name) if self.memory is not None and name not in known else None
            if held is not None:
                documents.append(held)
        return _Evidence(tuple(documents), tuple(cites))

    def _keep(self, claim: Node, evidence: _Evidence, found: ClaimVerification) -> None:
        data = {"verification": found.to_dict(), "evidence_sha256": evidence.sha256}
        node = _new(NodeKind.VERIFICATION, _word(found), claim.id, data)
        across = {Verdict.REFUTED: NodeEdgeKind.REFUTES}.get(found.verdict)
        if found.verdict is Verdict.SUPPORTED and not (found.is_flagged or found.doubt):
            across = NodeEdgeKind.VERIFIES
        self._add(node, [NodeEdge(node.id, claim.id, across)] if across else [])

    # Rows

    def _add(self, node: Node, joined: Sequence[NodeEdge] = ()) -> str:
        with self.writing() as connection:
            goal = node.id if node.parent is None else self._goal_of(connection, node.parent)
            self._insert(connection, goal, [node], joined)
        return node.id

    def _goal_of(self, connection: Connection, id: str) -> str:
        query = select(nodes.c.goal).where(nodes.c.workspace == self.workspace, nodes.c.id == id)
        found: str | None = connection.execute(query).scalar()
        if found is None:
            raise UsageError(f"there is no step {id!r} in the traces of {self.place}")
        return found

    def _insert(self, connection: Connection, goal: str, added: Iterable[Node], joined: Iterable[NodeEdge]) -> None:
        listed = list(added)
        taken = select(nodes.c.id).where(
            nodes.c.workspace == self.workspace, nodes.c.id.in_([node.id for node in listed])
        )
        if (known := connection.execute(taken).scalar()) is not None:
            raise UsageError(f"there already is a step {known!r} in the traces of {self.place}")
        for node in listed:
            row = node.to_dict() | {"data": json.dumps(node.data), "workspace": self.workspace, "goal": goal}
            connection.execute(insert(nodes).values(row))
        for position, edge in enumerate(joined):
            row = edge.to_dict() | {"workspace": self.workspace, "goal": goal, "position": position}
            connection.execute(insert(edges).values(row))

    def _delete(self, connection: Connection, goal: str) -> bool:
        gone = 0
        for table in (edges, nodes):
            gone += connection.execute(
                delete(table).where(table.c.workspace == self.workspace, table.c.goal == goal)
            ).rowcount
        return gone > 0

    def _load(self, connection: Connection, goal: str) -> Trace:
        steps = connection.execute(
            select(nodes).where(nodes.c.workspace == self.workspace, nodes.c.goal == goal).order_by(nodes.c.number)
        )
        listed = tuple(
            Node(row.id, NodeKind(row.kind), row.text, row.parent, json.loads(row.data), row.at) for row in steps
        )
        order = {node.id: number for number, node in enumerate(listed)}
        found = connection.execute(
            select(edges).where(edges.c.workspace == self.workspace, edges.c.goal == goal).order_by(edges.c.position)
        )
        across = sorted(
            (NodeEdge(row.source, row.target, NodeEdgeKind(row.kind)) for row in found),
            key=lambda edge: order.get(edge.source, -1),
        )
        return Trace(listed, tuple(across))


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What a claim is verified against, and the ids that it cites."""

    documents: tuple[Document, ...]
    cites: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """A hash of what the claim cites, or of everything if it cites nothing."""
        given = [d for d in self.documents if not self.cites or d.id in self.cites]
        return sha256_of("\x1f".join(f"{document.id}\0{document.sha256}" for document in given))


def _new(kind: NodeKind, text: str, parent: str | None, data: Mapping[str, Any], id: str | None = None) -> Node:
    if not text.strip():
        raise UsageError(f"a {kind.value} needs a text")
    return Node(id or f"{kind.value}-{uuid.uuid4().hex[:12]}", kind, text, parent, dict(data), time())


def _kind(kind: NodeKind | str) -> NodeKind:
    try:
        return NodeKind(kind)
    except ValueError:
        raise UsageError(f"there is no step of kind {kind!r}; there are {', '.join(NodeKind)}") from None


def _word(found: ClaimVerification) -> str:
    if found.is_flagged:
        return f"{found.verdict.value}, flagged: {found.flag_reason}"
    support = "" if found.evidence_support is None else f" with a support of {found.evidence_support:.2f}"
    return f"{found.verdict.value}{', doubtful' if found.doubt else ''}{support}"
