"""Reasoning traces: what was wanted, decided, done and claimed, and which of it holds."""

from assay.epistemic.traces.graph import Node, NodeEdge, NodeEdgeKind, NodeKind, Trace
from assay.epistemic.traces.store import TraceStore, TraceSummary

__all__ = ["Node", "NodeEdge", "NodeEdgeKind", "NodeKind", "Trace", "TraceStore", "TraceSummary"]
