"""Traces as OpenTelemetry spans with the GenAI attributes, and back.

A goal is an agent's invocation, a decision a call of a model, an action the use of a tool; everything else is a span of
Assay's own. Edges are span links. What Assay wrote comes back exactly; spans of other programs are read by their GenAI
attributes: agents become goals, model calls decisions with their output as outcome, tool calls actions with their
result as observation. What the output states becomes claims that cite the results of the tool calls before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.epistemic.traces.graph import Node, NodeEdge, NodeEdgeKind, NodeKind, Trace
from assay.errors import UsageError, missing_extra

if TYPE_CHECKING:
    from opentelemetry.trace import Link, Span, Tracer

OPERATIONS = {NodeKind.GOAL: "invoke_agent", NodeKind.DECISION: "chat", NodeKind.ACTION: "execute_tool"}
MODEL_CALLS = {"chat", "text_completion", "generate_content"}
_OUTPUTS = ("gen_ai.output.messages", "gen_ai.completion", "gen_ai.response.text")
_INPUTS = ("gen_ai.input.messages", "gen_ai.prompt")
_NANO = 1_000_000_000


def export_spans(trace: Trace, tracer: Tracer) -> int:
    """Ends one span for each node through the tracer of the caller's own telemetry; returns how many."""
    try:
        from opentelemetry.trace import Link, SpanKind, set_span_in_context
    except ImportError:
        raise missing_extra("exporting spans", "otel") from None

    made: dict[str, Span] = {}
    # A link needs its target: what is pointed to is made first, parents before children in any case.
    for node in _targets_first(trace):
        links: list[Link] = []
        phantoms: list[str] = []
        for edge in trace.edges:
            if edge.source == node.id and edge.target in made:
                links.append(Link(made[edge.target].get_span_context(), {"assay.edge": edge.kind.value}))
            elif edge.source == node.id:
                phantoms.append(edge.target)
        made[node.id] = tracer.start_span(
            _name(node),
            context=set_span_in_context(made[node.parent]) if node.parent else None,
            kind=SpanKind.INTERNAL,
            attributes=_attributes(node) | ({"assay.cites": phantoms} if phantoms else {}),
            links=links,
            start_time=int(node.at * _NANO) or None,
        )
    for node in reversed(trace.nodes):
        made[node.id].end(end_time=int(node.at * _NANO) or None)
    return len(made)


def import_spans(spans: Iterable[Any]) -> list[Trace]:
    """The traces of finished spans (of the SDK, or the JSON that its `to_json` writes), one for each root."""
    read = [_read(span) for span in spans]
    by_id = {span.id: span for span in read}
    roots: dict[str, list[_Span]] = {}
    for span in read:
        roots.setdefault(_root(span, by_id), []).append(span)
    return [_trace(found, by_id) for found in roots.values()]


@dataclass(frozen=True, slots=True)
class _Span:
    id: str
    parent: str | None
    name: str
    at: float
    end: float
    attributes: Mapping[str, Any]
    links: tuple[tuple[str, Mapping[str, Any]], ...]


def _targets_first(trace: Trace) -> Iterator[Node]:
    depth = {node.id: at for at, node in trace.walk()}
    order = {kind: number for number, kind in enumerate(NodeKind)}
    yield from sorted(
        trace.nodes,
        key=lambda n: (n.kind is NodeKind.VERIFICATION, n.kind is NodeKind.CLAIM, depth[n.id], order[n.kind]),
    )


def _name(node: Node) -> str:
    short = " ".join(node.text.split())[:60]
    return f"{OPERATIONS.get(node.kind, node.kind.value)} {short}"


def _attributes(node: Node) -> dict[str, Any]:
    found: dict[str, Any] = {
        "assay.id": node.id,
        "assay.kind": node.kind.value,
        "assay.text": node.text,
        "assay.data": json.dumps(dict(node.data), sort_keys=True),
        "assay.at": node.at,
    }
    if node.kind in OPERATIONS:
        found["gen_ai.operation.name"] = OPERATIONS[node.kind]
    if node.kind is NodeKind.ACTION:
        found["gen_ai.tool.name"] = str(node.data.get("tool", "step"))
    return found


def _read(span: Any) -> _Span:
    if isinstance(span, str):
        span = json.loads(span)
    if isinstance(span, Mapping):
        context = span.get("context")
        if not isinstance(context, Mapping) or "span_id" not in context:
            raise UsageError('a span needs a "context" with a "span_id", as the OpenTelemetry SDK writes it')
        links = tuple(
            (_hex(link["context"]["span_id"]), link.get("attributes") or {}) for link in span.get("links") or ()
        )
        parent = span.get("parent_id")
        return _Span(
            _hex(context["span_id"]),
            None if parent is None else _hex(parent),
            str(span.get("name", "")),
            _seconds(span.get("start_time")),
            _seconds(span.get("end_time")),
            span.get("attributes") or {},
            links,
        )
    own = span.get_span_context() if hasattr(span, "get_span_context") else span.context
    return _Span(
        f"{own.span_id:016x}",
        None if span.parent is None else f"{span.parent.span_id:016x}",
        span.name,
        (span.start_time or 0) / _NANO,
        (span.end_time or 0) / _NANO,
        span.attributes or {},
        tuple((f"{link.context.span_id:016x}", link.attributes or {}) for link in span.links),
    )


def _hex(value: Any) -> str:
    return str(value).removeprefix("0x")


def _seconds(stamp: Any) -> float:
    from datetime import datetime

    if not isinstance(stamp, str):
        return 0.0
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except ValueError:
        return 0.0


def _root(span: _Span, by_id: Mapping[str, _Span]) -> str:
    seen = {span.id}
    while (above := by_id.get(span.parent or "")) and above.id not in seen:
        span = above
        seen.add(span.id)
    return span.id


def _trace(spans: Sequence[_Span], by_id: Mapping[str, _Span]) -> Trace:
    nodes: list[Node] = []
    edges: list[NodeEdge] = []
    for span in sorted(spans, key=lambda one: (one.parent in by_id, one.at)):
        above = by_id.get(span.parent or "")
        parent = _node_id(above) if above else None
        found = [_own_node(span, parent)] if "assay.kind" in span.attributes else list(_foreign_nodes(span, parent))
        nodes += found
        edges += _edges(span, by_id)
    ordered = sorted(nodes, key=lambda node: (node.parent is not None, node.at))
    foreign = {node.id for span in spans if "assay.kind" not in span.attributes for node in _foreign_nodes(span, None)}
    for claim, cites in _claims([node for node in ordered if node.id in foreign]):
        ordered.append(claim)
        edges += [NodeEdge(claim.id, cited, NodeEdgeKind.CITES) for cited in cites]
    return Trace(tuple(ordered), tuple(edges))


def _claims(nodes: Sequence[Node]) -> Iterator[tuple[Node, list[str]]]:
    """What the outcomes of another program state, each with the tool results that came before it."""
    from assay.claims import extract_claims

    for outcome in nodes:
        if outcome.kind is not NodeKind.OUTCOME:
            continue
        seen = [node.id for node in nodes if node.kind is NodeKind.OBSERVATION and node.at <= outcome.at]
        stated = [claim for claim in extract_claims(outcome.text) if claim.checkable] if seen else []
        for number, claim in enumerate(stated, 1):
            data = {"span": outcome.parent or outcome.id}
            yield Node(f"{outcome.id}-{number}", NodeKind.CLAIM, claim.text, outcome.id, data, outcome.at), seen


def _node_id(span: _Span) -> str:
    return str(span.attributes.get("assay.id", span.id))


def _own_node(span: _Span, parent: str | None) -> Node:
    said = span.attributes
    data = json.loads(said.get("assay.data", "{}"))
    return Node(
        _node_id(span), NodeKind(said["assay.kind"]), str(said["assay.text"]), parent, data, float(said["assay.at"])
    )


def _edges(span: _Span, by_id: Mapping[str, _Span]) -> Iterator[NodeEdge]:
    for target, attributes in span.links:
        if "assay.edge" in attributes and target in by_id:
            yield NodeEdge(_node_id(span), _node_id(by_id[target]), NodeEdgeKind(attributes["assay.edge"]))
    for name in span.attributes.get("assay.cites") or ():
        yield NodeEdge(_node_id(span), str(name), NodeEdgeKind.CITES)


def _foreign_nodes(span: _Span, parent: str | None) -> Iterator[Node]:
    """A span of another program as one or two steps."""
    said = span.attributes
    operation = str(said.get("gen_ai.operation.name", ""))
    kept = {name: value for name, value in said.items() if isinstance(value, str | int | float | bool)}
    if parent is None:
        kind = NodeKind.GOAL
    elif operation in MODEL_CALLS or operation == "invoke_agent":
        kind = NodeKind.DECISION
    else:
        kind = NodeKind.ACTION
    asked = next((text for name in _INPUTS if (text := _text(said.get(name)))), "")
    yield Node(span.id, kind, asked or span.name or operation or "step", parent, {"span": span.name, **kept}, span.at)
    answered = next((text for name in _OUTPUTS if (text := _text(said.get(name)))), "")
    if answered:
        yield Node(f"{span.id}-out", NodeKind.OUTCOME, answered, span.id, {}, max(span.at, span.end))
    if result := _text(said.get("gen_ai.tool.call.result")):
        yield Node(f"{span.id}-result", NodeKind.OBSERVATION, result, span.id, {}, max(span.at, span.end))


def _text(value: Any) -> str:
    """The words of an attribute: plain text, or the text parts of GenAI messages as JSON."""
    if not isinstance(value, str) or not value.strip():
        return ""
    try:
        loaded = json.loads(value)
    except ValueError:
        return value
    if isinstance(loaded, str):
        return loaded
    words = list(_words(loaded))
    return "\n".join(words) if words else value


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name in ("content", "text"):
            if isinstance(value.get(name), str):
                yield value[name]
                return
        for inner in value.values():
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
