"""The schema, one for both databases."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

_Number = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by itself only for INTEGER, also 64 bits


def _seal() -> Column[str]:
    """A hash over the other columns of the row, so that a changed bit shows; empty in rows of older memories."""
    return Column("seal", Text, nullable=False, server_default="")


settings = Table(
    "settings",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    _seal(),
)

history = Table(  # every change of what can be found, each with the hash of the one before it in its own
    "history",
    metadata,
    Column("generation", _Number, primary_key=True, autoincrement=False),
    Column("hash", Text, nullable=False),
    _seal(),
)

documents = Table(
    "documents",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("current", Boolean, nullable=False),
    Column("title", Text, nullable=False),
    Column("text", LargeBinary, nullable=False),  # UTF-8 that keeps NULs and lone surrogates, which Text would not
    Column("sha256", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),  # of everything that makes a new version when it changes
    Column("role", Text, nullable=False),
    Column("markup", Text, nullable=False),
    Column("date", Text),
    Column("date_inferred", Boolean, nullable=False),
    Column("uri", Text, nullable=False),
    Column("pages", Text, nullable=False),
    Column("headings", Text, nullable=False),
    Column("links", Text, nullable=False, server_default="[]"),
    Column("added_at", Float, nullable=False),
    _seal(),
    UniqueConstraint("id", "version"),
    Index("documents_by_uri", "uri"),
    Index("documents_by_sha256", "sha256"),
    Index("documents_by_title", "title"),
)

passages = Table(
    "passages",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("document", _Number, nullable=False),
    Column("start_at", Integer, nullable=False),
    Column("end_at", Integer, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("heading", Text, nullable=False),
    Column("page", Integer),
    Column("vector", LargeBinary, nullable=False),  # f16
    Column("inserted_at", Float, nullable=False),
    Column("access", Integer, nullable=False),
    Column("last_access", Float, nullable=False),
    Column("importance", Float, nullable=False),
    Column("cluster", Integer),
    Column("quarantined", Text),
    Column("folded_into", _Number),
    Column("live", Boolean, nullable=False),  # whether it may be found: current, not quarantined, not folded
    Column("changed", _Number, nullable=False),  # the generation in which `live` or the vector last changed
    Column("linked", Boolean, nullable=False),  # whether its links and neighbours have been looked for
    Column("edges", LargeBinary, nullable=False),
    Column("doubled", Boolean, nullable=False),  # whether one of its edges leads to a near-duplicate
    _seal(),
    Index("passages_by_document", "document"),
    Index("passages_by_change", "changed"),
    Index("passages_folded", "folded_into"),
    Index("passages_doubled", "doubled"),
)

tombstones = Table(
    "tombstones",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=False),
    Column("changed", _Number, nullable=False),
    _seal(),
    Index("tombstones_by_change", "changed"),
)

citations = Table(
    "citations",
    metadata,
    Column("passage", _Number, primary_key=True, autoincrement=False),
    Column("cited_by", Text, primary_key=True),
    _seal(),
)
