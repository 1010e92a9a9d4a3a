"""Reasoning traces: what was wanted, decided, done and claimed, and which of it holds."""

from assay.epistemic.traces.graph import Edge, EdgeKind, Node, NodeKind, Trace
from assay.epistemic.traces.store import TraceStore, TraceSummary

__all__ = ["Edge", "EdgeKind", "Node", "NodeKind", "Trace", "TraceStore", "TraceSummary"]
