"""A trace as a value: nodes in a tree under one goal, and edges across it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from assay.codec import Json, encode_fields
from assay.epistemic.results import ClaimVerification
from assay.errors import UsageError


class NodeKind(StrEnum):
    """What a node of a trace is."""

    GOAL = "goal"
    DECISION = "decision"
    OPTION = "option"
    ACTION = "action"
    OUTCOME = "outcome"
    OBSERVATION = "observation"
    CLAIM = "claim"
    VERIFICATION = "verification"


class NodeEdgeKind(StrEnum):
    """What one node does to another: a claim cites evidence, a verification verifies or refutes a claim."""

    CITES = "cites"
    VERIFIES = "verifies"
    REFUTES = "refutes"


@dataclass(frozen=True, slots=True)
class Node:
    """One step; `parent` is the step it belongs to, None for the goal alone."""

    id: str
    kind: NodeKind
    text: str
    parent: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0

    def to_dict(self) -> Json:
        return encode_fields(self)


@dataclass(frozen=True, slots=True, order=True)
class NodeEdge:
    """A relation across the tree; what a claim cites need not exist, and is then a phantom."""

    source: str
    target: str
    kind: NodeEdgeKind

    def to_dict(self) -> Json:
        return encode_fields(self)


@dataclass(frozen=True)
class Trace:
    """Everything under one goal, in the order in which it was added."""

    nodes: tuple[Node, ...]
    edges: tuple[NodeEdge, ...] = ()

    def __post_init__(self) -> None:
        ids = [node.id for node in self.nodes]
        roots = [node for node in self.nodes if node.kind is NodeKind.GOAL and node.parent is None]
        if len(roots) != 1:
            raise UsageError(f"a trace has one goal at its root, not {len(roots)}")
        if len(set(ids)) != len(ids):
            raise UsageError(f"two nodes of a trace have the id {next(i for i in ids if ids.count(i) > 1)!r}")
        known = set(ids)
        for node in self.nodes:
            if node.parent is None and node is not roots[0]:
                raise UsageError(f"the {node.kind.value} {node.id!r} belongs to nothing: give it a parent")
            if node.parent is not None and node.parent not in known:
                raise UsageError(f"the parent {node.parent!r} of {node.id!r} is not in the trace")
        reached = {node.id for _, node in self.walk()}
        if len(reached) != len(ids):
            raise UsageError(
                f"{sorted(known - reached)[0]!r} cannot be reached from the goal: its parents run in a ring"
            )
        for edge in self.edges:
            missing = {edge.source} if edge.kind is NodeEdgeKind.CITES else {edge.source, edge.target}
            if lost := missing - known:
                raise UsageError(f"an edge {edge.kind.value} names {sorted(lost)[0]!r}, which is not in the trace")

    @property
    def goal(self) -> Node:
        return next(node for node in self.nodes if node.parent is None)

    def node(self, id: str) -> Node | None:
        return next((node for node in self.nodes if node.id == id), None)

    def children(self, id: str) -> list[Node]:
        return [node for node in self.nodes if node.parent == id]

    def ancestors(self, id: str) -> list[str]:
        """The ids of the steps that a step belongs to, the nearest first."""
        parents = {node.id: node.parent for node in self.nodes}
        found: list[str] = []
        while (above := parents.get(id)) is not None:
            found.append(above)
            id = above
        return found

    def walk(self) -> Iterator[tuple[int, Node]]:
        """Every node with its depth, each before its children."""
        below: dict[str | None, list[Node]] = {}
        for node in self.nodes:
            below.setdefault(node.parent, []).append(node)
        waiting = [(0, node) for node in reversed(below.get(None, []))]
        while waiting:
            depth, node = waiting.pop()
            yield depth, node
            waiting.extend((depth + 1, child) for child in reversed(below.get(node.id, [])))

    def claims(self) -> list[Node]:
        return [node for node in self.nodes if node.kind is NodeKind.CLAIM]

    def cites(self, claim_id: str) -> list[str]:
        return [e.target for e in self.edges if e.source == claim_id and e.kind is NodeEdgeKind.CITES]

    def verification(self, claim_id: str) -> ClaimVerification | None:
        """What the last verification of a claim said; None where there was none."""
        found = [node for node in self.children(claim_id) if node.kind is NodeKind.VERIFICATION]
        return ClaimVerification.from_dict(found[-1].data["verification"]) if found else None

    def to_dict(self) -> Json:
        return {
            "version": 1,
            "goal": self.goal.id,
        } | encode_fields(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Trace:
        """The trace of its JSON form; what is wrong with it is said by name."""
        if not isinstance(data, Mapping) or not isinstance(data.get("nodes"), list):
            raise UsageError('a trace is an object with "nodes" and "edges"')
        nodes = tuple(_node(item, number) for number, item in enumerate(data["nodes"], 1))
        edges = tuple(_edge(item, number) for number, item in enumerate(data.get("edges") or [], 1))
        return cls(nodes, edges)


def _node(item: Any, number: int) -> Node:
    if not isinstance(item, Mapping) or not all(isinstance(item.get(name), str) for name in ("id", "kind", "text")):
        raise UsageError(f'node {number} of the trace needs "id", "kind" and "text"')
    data = item.get("data") or {}
    parent = item.get("parent")
    if not isinstance(data, Mapping) or not (parent is None or isinstance(parent, str)):
        raise UsageError(f'node {number} of the trace: "data" is an object and "parent" an id')
    try:
        kind = NodeKind(item["kind"])
    except ValueError:
        known = ", ".join(kind.value for kind in NodeKind)
        raise UsageError(f"node {number} of the trace is a {item['kind']!r}; there are {known}") from None
    return Node(item["id"], kind, item["text"], parent, dict(data), float(item.get("at") or 0.0))


def _edge(item: Any, number: int) -> NodeEdge:
    try:
        return NodeEdge(str(item["source"]), str(item["target"]), NodeEdgeKind(item["kind"]))
    except (KeyError, TypeError, ValueError):
        known = ", ".join(kind.value for kind in NodeEdgeKind)
        raise UsageError(f'edge {number} of the trace needs "source", "target" and a "kind" of {known}') from None
