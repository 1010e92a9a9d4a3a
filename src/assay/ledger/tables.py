"""The ledger's schema, one for SQLite and PostgreSQL, and the steps that lead to it."""

from __future__ import annotations

from sqlalchemy import Column, Connection, Index, Integer, MetaData, String, Table, Text, text

metadata = MetaData()

records = Table(
    "ledger_records",
    metadata,
    Column("workspace", String, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("kind", String, nullable=False),
    Column("time", String, nullable=False),
    Column("payload", Text),  # null once purged
    Column("payload_sha256", String, nullable=False),
    Column("previous", String, nullable=False),
    Column("hash", String, nullable=False),
)
# Texts are kept once however many runs used them.
texts = Table(
    "ledger_texts", metadata, Column("sha256", String, primary_key=True), Column("text", Text, nullable=False)
)
uses = Table(
    "ledger_uses",
    metadata,
    Column("workspace", String, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("sha256", String, primary_key=True),
)
# Which finding leaned on which version of which document: what `stale` asks.
leanings = Table(
    "ledger_leanings",
    metadata,
    Column("workspace", String, primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("claim", Integer, primary_key=True),
    Column("document", String, primary_key=True),
    Column("document_sha256", String, nullable=False),
)
Index("ledger_leanings_by_document", leanings.c.workspace, leanings.c.document)
# Where each chain ends: without it, records cut off at the end would not be missed.
heads = Table(
    "ledger_heads",
    metadata,
    Column("workspace", String, primary_key=True),
    Column("sequence", Integer, nullable=False),
    Column("hash", String, nullable=False),
)


def create_tables(connection: Connection) -> None:
    metadata.create_all(connection, tables=[records, texts, uses, leanings])


def create_heads(connection: Connection) -> None:
    metadata.create_all(connection, tables=[heads])
    connection.execute(
        text(
            "INSERT INTO ledger_heads (workspace, sequence, hash) "
            "SELECT workspace, sequence, hash FROM ledger_records AS held WHERE sequence = "
            "(SELECT max(sequence) FROM ledger_records AS other WHERE other.workspace = held.workspace)"
        )
    )


def index_kinds(connection: Connection) -> None:
    connection.execute(text("CREATE INDEX ledger_records_by_kind ON ledger_records (workspace, kind, sequence)"))


MIGRATIONS = (create_tables, create_heads, index_kinds)
