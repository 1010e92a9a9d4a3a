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

from assay.epistemic.checker import Checker
from assay.epistemic.results import ClaimVerification, EpistemicGap, HallucinationReport
from assay.epistemic.ruling import find_gap, write_guidance
from assay.epistemic.traces.graph import Node, NodeEdge, NodeEdgeKind, NodeKind, Trace
from assay.errors import UsageError
from assay.llm.prices import total_usd
from assay.llm.waiting import run
from assay.policy import Policy
from assay.storage.database import file_in
from assay.storage.schema import trace_edges as edges
from assay.storage.schema import trace_nodes as nodes
from assay.storage.store import SqlStore
from assay.types import Document, Verdict

if TYPE_CHECKING:
    from assay.memory import Memory

FILE = "traces.db"


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """One stored trace in a list."""

    id: str
    goal: str
    nodes: int
    claims: int
    at: float

    def to_dict(self) -> dict[str, Any]:
        return {"id": self.id, "goal": self.goal, "nodes": self.nodes, "claims": self.claims, "at": self.at}


class TraceStore(SqlStore):
    """The traces of one workspace.

    Claims are verified by a `Checker` (Assay's own judge unless another is given) against the steps of the trace they
    cite, and against documents of the memory, if there is one, that bear the cited id.
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
    ) -> None:
        super().__init__(file_in(place, FILE))
        self.workspace, self.memory = workspace, memory
        self.policy = policy or Policy()
        self._checker = checker

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
        if not text.strip():
            raise UsageError(f"a {step.value} needs a text")
        if (parent is None) != (step is NodeKind.GOAL):
            raise UsageError("a goal stands alone, and every other step needs a parent")
        node = Node(id or f"{step.value}-{uuid.uuid4().hex[:12]}", step, text, parent, dict(data or {}), time())
        with self.writing() as connection:
            goal = node.id if parent is None else self._goal_of(connection, parent)
            self._insert(connection, goal, [node], ())
        return node.id

    def add_claim(
        self, decision_id: str, claim: str, evidence_ids: Sequence[str] = (), confidence: float | None = None
    ) -> str:
        """A claim under a decision or another step, citing steps of the trace or documents of the memory."""
        sure = self.policy.target_confidence if confidence is None else confidence
        if not 0 <= sure <= 1:
            raise UsageError(f"a confidence lies between 0 and 1, not at {confidence!r}")
        if not claim.strip():
            raise UsageError("a claim needs a text")
        named = [evidence_ids] if isinstance(evidence_ids, str) else list(evidence_ids)
        node = Node(f"claim-{uuid.uuid4().hex[:12]}", NodeKind.CLAIM, claim, decision_id, {"confidence": sure}, time())
        with self.writing() as connection:
            goal = self._goal_of(connection, decision_id)
            cites = [NodeEdge(node.id, target, NodeEdgeKind.CITES) for target in dict.fromkeys(named)]
            self._insert(connection, goal, [node], cites)
        return node.id

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

    def traces(self, limit: int = 100) -> list[TraceSummary]:
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

    def verify_claim(self, claim_id: str) -> ClaimVerification:
        """Verifies a claim against what it cites, and keeps the verification under it."""
        trace = self.get(claim_id)
        node = trace.node(claim_id)
        if node is None or node.kind is not NodeKind.CLAIM:
            raise UsageError(f"{claim_id!r} is a {node.kind.value if node else 'nothing'}, not a claim")
        cites = trace.cites(claim_id)
        sure = min(max(float(node.data.get("confidence", self.policy.target_confidence)), 0.001), 0.999)
        found = run(
            self._check().verify_claim(
                node.text, self._evidence(trace, node, cites), sure, cites=cites or None, claim_id=claim_id
            )
        )
        self._keep(trace, node, found)
        return found

    def get_epistemic_gaps(self, goal_id: str, *, verify: bool = True) -> list[EpistemicGap]:
        """The gaps of a goal's claims, the widest first; claims that nobody has verified yet are verified first."""
        gaps = [gap for gap in map(find_gap, self._verified(goal_id, verify)) if gap is not None]
        return sorted(gaps, key=lambda gap: -gap.gap_bits)

    def get_verification_report(self, goal_id: str, *, verify: bool = True) -> HallucinationReport:
        """All claims of a goal with their gaps; `left_out` counts the claims that are not verified."""
        found = self._verified(goal_id, verify)
        gaps = tuple(gap for gap in map(find_gap, found) if gap is not None)
        claims = self.get(goal_id).claims()
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
            self._check().referee.name,
        )

    def _verified(self, goal_id: str, verify: bool) -> list[ClaimVerification]:
        trace = self.get(goal_id)
        found: list[ClaimVerification] = []
        for claim in trace.claims():
            known = trace.verification(claim.id)
            if known is None and verify:
                known = self.verify_claim(claim.id)
            if known is not None:
                found.append(known)
        return found

    def _check(self) -> Checker:
        if self._checker is None:
            self._checker = Checker(policy=self.policy)
        return self._checker

    def _evidence(self, trace: Trace, claim: Node, cites: Sequence[str]) -> list[Document]:
        """What may speak for a claim: the steps it cites, or else every observation and outcome of the trace."""
        told = (NodeKind.OBSERVATION, NodeKind.OUTCOME)
        steps = [node for node in trace.nodes if node.id in cites or node.kind in told]
        documents = [Document(node.id, node.text) for node in steps if node.id != claim.id]
        known = {document.id for document in documents}
        for name in cites:
            held = self.memory.get(name) if self.memory is not None and name not in known else None
            if held is not None:
                documents.append(held)
        return documents

    def _keep(self, trace: Trace, claim: Node, found: ClaimVerification) -> None:
        data = {"verification": found.to_dict()}
        node = Node(
            f"verification-{uuid.uuid4().hex[:12]}", NodeKind.VERIFICATION, _word(found), claim.id, data, time()
        )
        across = {Verdict.REFUTED: NodeEdgeKind.REFUTES}.get(found.verdict)
        if found.verdict is Verdict.SUPPORTED and not found.is_flagged:
            across = NodeEdgeKind.VERIFIES
        with self.writing() as connection:
            joined = [NodeEdge(node.id, claim.id, across)] if across else []
            self._insert(connection, trace.goal.id, [node], joined)

    # Rows

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


def _kind(kind: NodeKind | str) -> NodeKind:
    try:
        return NodeKind(kind)
    except ValueError:
        raise UsageError(f"there is no step of kind {kind!r}; there are {', '.join(NodeKind)}") from None


def _word(found: ClaimVerification) -> str:
    if found.is_flagged:
        return f"{found.verdict.value}, flagged: {found.flag_reason}"
    support = "" if found.evidence_support is None else f" with a support of {found.evidence_support:.2f}"
    return f"{found.verdict.value}{support}"
