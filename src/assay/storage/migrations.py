"""The migrations of every store, in one list, and the function that applies them.

A migration is applied once, in the order of the list, and noted by name in the table `migrations`. The first one of a
part creates its tables as `schema` has them today; a later one changes only what an older database lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, Engine, Table, inspect, text

from assay.errors import UsageError
from assay.storage import schema
from assay.storage.database import writing

_LOCK = 727774  # advisory lock of PostgreSQL: one migration at a time


class Migration(NamedTuple):
    """One change of the schema: the store that needs it, its name, what it does, and the only database it is for."""

    part: str
    name: str
    apply: Callable[[Connection], None]
    dialect: str = ""

    @property
    def key(self) -> str:
        """Its name in the database; those of the memory were there before any other part and have no prefix."""
        return self.name if self.part == "memory" else f"{self.part}:{self.name}"


def migrate(engine: Engine, part: str, migrations: Sequence[Migration] | None = None) -> int:
    """Bring one part of a database up to date in one transaction; return how many migrations it has seen.

    A database that is up to date is not written to, so that it can be opened for reading only.
    """
    own = _select(MIGRATIONS if migrations is None else migrations, part, engine.dialect.name)
    keys = {migration.key for migration in own}
    with engine.connect() as connection:
        if inspect(connection).has_table("migrations") and _applied(connection, part) == keys:
            return len(own)
    with writing(engine).begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        connection.execute(text("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)"))
        done = _applied(connection, part) | _adopt_counted(connection, part, own)
        if ahead := sorted(done - keys):
            raise UsageError(f"written by a newer Assay (it has the step {ahead[0]!r}); upgrade assay to open it")
        for migration in own:
            if migration.key not in done:
                migration.apply(connection)
                _note(connection, migration)
    return len(own)


def _select(migrations: Sequence[Migration], part: str, dialect: str) -> list[Migration]:
    own = [item for item in migrations if item.part == part and item.dialect in ("", dialect)]
    keys = [migration.key for migration in own]
    if len(set(keys)) != len(keys):
        raise ValueError(f"two migrations of {part} have the same name: {keys}")
    return own


def _applied(connection: Connection, part: str) -> set[str]:
    held = {row.name for row in connection.execute(text("SELECT name FROM migrations"))}
    return {key for key in held if (key.partition(":")[0] if ":" in key else "memory") == part}


def _adopt_counted(connection: Connection, part: str, own: Sequence[Migration]) -> set[str]:
    """Note by name the migrations that an older Assay counted in a table of its own."""
    if not inspect(connection).has_table("assay_schema"):
        return set()
    counted = connection.execute(text("SELECT version FROM assay_schema WHERE name = :name"), {"name": part}).scalar()
    if counted is None:
        return set()
    if counted > len(own):
        raise UsageError(f"written by a newer Assay (schema {counted}; this one knows {len(own)}); upgrade assay")
    for migration in own[:counted]:
        _note(connection, migration)
    connection.execute(text("DELETE FROM assay_schema WHERE name = :name"), {"name": part})
    return {migration.key for migration in own[:counted]}


def _note(connection: Connection, migration: Migration) -> None:
    connection.execute(text("INSERT INTO migrations (name) VALUES (:name)"), {"name": migration.key})


def _create(*tables: Table) -> Callable[[Connection], None]:
    def create(connection: Connection) -> None:
        # Each exactly once, so nothing is looked up first: PostgreSQL would also find tables of other schemas.
        schema.metadata.create_all(connection, tables=list(tables), checkfirst=False)

    return create


def _run(*statements: str) -> Callable[[Connection], None]:
    def run(connection: Connection) -> None:
        for statement in statements:
            connection.execute(text(statement))

    return run


def _add_columns(table: str, **columns: str) -> Callable[[Connection], None]:
    """Add columns to a table made before this migration; one made after it was created with them."""

    def add(connection: Connection) -> None:
        known = {column["name"] for column in inspect(connection).get_columns(table)}
        for name, definition in columns.items():
            if name not in known:
                connection.execute(text(f"ALTER TABLE {table} ADD COLUMN {name} {definition}"))

    return add


def _add_checksums(connection: Connection) -> None:
    """Rows from before this migration have no checksum until they are written again, or all are by a rebuild."""
    connection.execute(
        text(
            "CREATE TABLE IF NOT EXISTS history "
            "(generation BIGINT PRIMARY KEY, hash TEXT NOT NULL, seal TEXT DEFAULT '' NOT NULL)"
        )
    )
    for table in ("settings", "documents", "passages", "tombstones", "citations"):
        _add_columns(table, seal="TEXT NOT NULL DEFAULT ''")(connection)


def _create_heads(connection: Connection) -> None:
    _create(schema.ledger_heads)(connection)
    _run(
        "INSERT INTO ledger_heads (workspace, sequence, hash) "
        "SELECT workspace, sequence, hash FROM ledger_records AS held WHERE sequence = "
        "(SELECT max(sequence) FROM ledger_records AS other WHERE other.workspace = held.workspace)"
    )(connection)


MIGRATIONS: tuple[Migration, ...] = (
    Migration("memory", "create_tables", _create(*schema.MEMORY_TABLES)),
    Migration(
        "memory",
        "create_sqlite_terms",  # the words themselves are in the documents; FTS5 keeps only its index of them
        _run(
            "CREATE VIRTUAL TABLE terms USING fts5(words, content='', tokenize='ascii')",
            "CREATE VIRTUAL TABLE term_places USING fts5vocab('terms', 'instance')",
        ),
        "sqlite",
    ),
    Migration(
        "memory",
        "create_postgres_terms",
        _run(
            "CREATE TABLE terms (number BIGINT PRIMARY KEY, words TSVECTOR NOT NULL, size INT NOT NULL)",
            "CREATE INDEX terms_by_word ON terms USING gin (words)",
        ),
        "postgresql",
    ),
    Migration("memory", "add_links", _add_columns("documents", links="TEXT NOT NULL DEFAULT '[]'")),
    Migration("memory", "add_seals", _add_checksums),
    Migration("memory", "index_hashes", _run("CREATE INDEX IF NOT EXISTS passages_by_sha256 ON passages (sha256)")),
    Migration(
        "ledger",
        "create_tables",
        _create(schema.ledger_records, schema.ledger_texts, schema.ledger_uses, schema.ledger_leanings),
    ),
    Migration("ledger", "create_heads", _create_heads),
    Migration(
        "ledger",
        "index_kinds",
        _run("CREATE INDEX ledger_records_by_kind ON ledger_records (workspace, kind, sequence)"),
    ),
    Migration("traces", "create_tables", _create(schema.trace_nodes, schema.trace_edges)),
    Migration("engine", "create", _create(schema.engine_outputs, schema.engine_judgements)),
    Migration("engine", "add_workspaces", _add_columns("engine_outputs", workspace="VARCHAR NOT NULL DEFAULT ''")),
    Migration(
        "engine",
        "add_probes",
        _add_columns(
            "engine_outputs",
            answer="VARCHAR NOT NULL DEFAULT ''",
            samples="VARCHAR NOT NULL DEFAULT '[]'",
            probe="VARCHAR NOT NULL DEFAULT ''",
        ),
    ),
    Migration("server", "create_evaluations", _create(schema.server_evaluations)),
    Migration("server", "create_replies", _create(schema.server_replies)),
)
