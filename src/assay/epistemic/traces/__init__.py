"""Reasoning traces: what was wanted, decided, done and claimed, and which of it holds."""

from assay.epistemic.traces.graph import Node, NodeKind, Trace, TraceEdge, TraceEdgeKind
from assay.epistemic.traces.store import TraceStore, TraceSummary

__all__ = ["Node", "NodeKind", "Trace", "TraceEdge", "TraceEdgeKind", "TraceStore", "TraceSummary"]
