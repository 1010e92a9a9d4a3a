"""The schema of stored traces, one for both databases, as a list of steps."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
)

metadata = MetaData()

_Number = BigInteger().with_variant(Integer, "sqlite")

nodes = Table(
    "trace_nodes",
    metadata,
    Column("number", _Number, primary_key=True, autoincrement=True),
    Column("workspace", Text, nullable=False),
    Column("goal", Text, nullable=False),
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("parent", Text),
    Column("data", Text, nullable=False),
    Column("at", Float, nullable=False),
    Index("trace_nodes_by_id", "workspace", "id", unique=True),
    Index("trace_nodes_by_goal", "workspace", "goal"),
)

edges = Table(
    "trace_edges",
    metadata,
    Column("workspace", Text, nullable=False),
    Column("goal", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("position", Integer, nullable=False),
    PrimaryKeyConstraint("workspace", "source", "target", "kind"),
    Index("trace_edges_by_goal", "workspace", "goal"),
)


def create_tables(connection: Connection) -> None:
    """The first schema; a later step changes it and must not lean on the tables above, which will have moved on."""
    metadata.create_all(connection)


STEPS = (create_tables,)
