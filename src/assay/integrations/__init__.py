"""Assay inside other tools: MCP clients, pytest, OpenTelemetry, and the frameworks of LLM applications."""
