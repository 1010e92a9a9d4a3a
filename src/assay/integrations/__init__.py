"""Assay inside other tools: MCP clients, pytest, OpenTelemetry."""
