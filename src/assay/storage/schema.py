"""The tables of every store, one schema for SQLite and PostgreSQL."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

_Number = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only for INTEGER, also 64 bits


def _key(name: str, kind: Any = String, **options: Any) -> Column[Any]:
    return Column(name, kind, primary_key=True, **options)


def _column(name: str, kind: Any = String, **options: Any) -> Column[Any]:
    return Column(name, kind, nullable=False, **options)


def _checksum() -> Column[Any]:
    """A hash over the other columns of the row, so that a changed bit shows; empty in rows of older memories."""
    return _column("seal", Text, server_default="")


# Evidence memory

settings = Table("settings", metadata, _key("key", Text), _column("value", Text), _checksum())

history = Table(  # every change of what can be found, each with the hash of the one before it in its own
    "history", metadata, _key("generation", _Number, autoincrement=False), _column("hash", Text), _checksum()
)

documents = Table(
    "documents",
    metadata,
    _key("number", _Number, autoincrement=True),
    _column("id", Text),
    _column("version", Integer),
    _column("current", Boolean),
    _column("title", Text),
    _column("text", LargeBinary),  # UTF-8 that keeps NULs and lone surrogates, which Text would not
    _column("sha256", Text),
    _column("fingerprint", Text),  # of everything that makes a new version when it changes
    _column("role", Text),
    _column("markup", Text),
    Column("date", Text),
    _column("date_inferred", Boolean),
    _column("uri", Text),
    _column("pages", Text),
    _column("headings", Text),
    _column("links", Text, server_default="[]"),
    _column("added_at", Float),
    _checksum(),
    UniqueConstraint("id", "version"),
    Index("documents_by_uri", "uri"),
    Index("documents_by_sha256", "sha256"),
    Index("documents_by_title", "title"),
)

passages = Table(
    "passages",
    metadata,
    _key("number", _Number, autoincrement=True),
    _column("document", _Number),
    _column("start_at", Integer),
    _column("end_at", Integer),
    _column("sha256", Text),
    _column("heading", Text),
    Column("page", Integer),
    _column("vector", LargeBinary),  # f16
    _column("inserted_at", Float),
    _column("access", Integer),
    _column("last_access", Float),
    _column("importance", Float),
    Column("cluster", Integer),
    Column("quarantined", Text),
    Column("folded_into", _Number),
    _column("live", Boolean),  # whether it may be found: current, not quarantined, not folded
    _column("changed", _Number),  # the generation in which `live` or the vector last changed
    _column("linked", Boolean),  # whether its links and neighbours have been looked for
    _column("edges", LargeBinary),
    _column("doubled", Boolean),  # whether one of its edges leads to a near-duplicate
    _checksum(),
    Index("passages_by_document", "document"),
    Index("passages_by_sha256", "sha256"),
    Index("passages_by_change", "changed"),
    Index("passages_folded", "folded_into"),
    Index("passages_doubled", "doubled"),
)

tombstones = Table(
    "tombstones",
    metadata,
    _key("number", _Number, autoincrement=False),
    _column("changed", _Number),
    _checksum(),
    Index("tombstones_by_change", "changed"),
)

citations = Table(
    "citations", metadata, _key("passage", _Number, autoincrement=False), _key("cited_by", Text), _checksum()
)

MEMORY_TABLES = (settings, documents, passages, tombstones, citations, history)

# Ledger

ledger_records = Table(
    "ledger_records",
    metadata,
    _key("workspace"),
    _key("sequence", Integer),
    _column("kind"),
    _column("time"),
    Column("payload", Text),  # null once purged
    _column("payload_sha256"),
    _column("previous"),
    _column("hash"),
)

# Texts are kept once however many runs used them.
ledger_texts = Table("ledger_texts", metadata, _key("sha256"), _column("text", Text))
ledger_uses = Table("ledger_uses", metadata, _key("workspace"), _key("sequence", Integer), _key("sha256"))

# Which finding cites which version of which document: what `stale` asks.
ledger_leanings = Table(
    "ledger_leanings",
    metadata,
    _key("workspace"),
    _key("sequence", Integer),
    _key("claim", Integer),
    _key("document"),
    _column("document_sha256"),
    Index("ledger_leanings_by_document", "workspace", "document"),
)

# Where each chain ends: without it, records cut off at the end would not be missed.
ledger_heads = Table("ledger_heads", metadata, _key("workspace"), _column("sequence", Integer), _column("hash"))

# Reasoning traces

trace_nodes = Table(
    "trace_nodes",
    metadata,
    _key("number", _Number, autoincrement=True),
    _column("workspace", Text),
    _column("goal", Text),
    _column("id", Text),
    _column("kind", Text),
    _column("text", Text),
    Column("parent", Text),
    _column("data", Text),
    _column("at", Float),
    Index("trace_nodes_by_id", "workspace", "id", unique=True),
    Index("trace_nodes_by_goal", "workspace", "goal"),
)

trace_edges = Table(
    "trace_edges",
    metadata,
    _key("workspace", Text),
    _column("goal", Text),
    _key("source", Text),
    _key("target", Text),
    _key("kind", Text),
    _column("position", Integer),
    Index("trace_edges_by_goal", "workspace", "goal"),
)

# Monitor and cache of the engine

engine_outputs = Table(
    "engine_outputs",
    metadata,
    _key("id", Integer, autoincrement=True),
    _column("scored", Integer),
    _column("supported", Integer),
    _column("refuted", Integer),
    Column("similarity", Float),
    _column("ms", Float),
    _column("workspace", server_default=""),
    _column("answer", server_default=""),
    _column("samples", server_default="[]"),
    _column("probe", server_default=""),
)

engine_judgements = Table(
    "engine_judgements",
    metadata,
    _key("key", String(64)),
    _column("judgement"),
    _column("used_at", Float),
    Index("engine_judgements_used_at", "used_at"),
)

# Evaluations of the server

server_evaluations = Table(
    "server_evaluations",
    metadata,
    _key("workspace"),
    _key("id"),
    _column("time"),
    _column("summary", Text),
    _column("result", Text),
)

server_replies = Table(
    "server_replies",
    metadata,
    _key("workspace"),
    _key("id"),
    _column("time", Float),
    _column("request"),
    _column("status", Integer),
    _column("headers", Text),
    _column("body", LargeBinary),
)
