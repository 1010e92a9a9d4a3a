"""Reasoning traces: goals, decisions, actions and claims, stored and verified."""

from assay.epistemic.traces.graph import Node, NodeEdge, NodeEdgeKind, NodeKind, Trace
from assay.epistemic.traces.store import TraceStore, TraceSummary

__all__ = ["Node", "NodeEdge", "NodeEdgeKind", "NodeKind", "Trace", "TraceStore", "TraceSummary"]
