"""Migrations: each applied once and in order, and databases of earlier versions that still open."""

import tarfile
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from assay.engine.store import EngineStore
from assay.epistemic.traces import TraceStore
from assay.ledger import Ledger
from assay.ledger.store import LedgerStore
from assay.memory import Memory
from assay.monitors import Monitor
from assay.server.store import Evaluations
from assay.storage.database import open_database
from assay.storage.migrations import MIGRATIONS, Migration, migrate
from assay.storage.schema import metadata

WRITTEN = Path(__file__).parent / "written"
PARTS = {migration.part for migration in MIGRATIONS}


@pytest.fixture(params=["sqlite", "postgres"])
def database(request, tmp_path):
    if request.param == "sqlite":
        return open_database(tmp_path / "x.db")
    return open_database(request.getfixturevalue("postgres_url"))


def test_each_part_has_its_own_migrations_and_each_is_applied_once(database):
    ran = []
    first = Migration("one", "first", lambda _: ran.append("first"))
    second = Migration("one", "second", lambda _: ran.append("second"))
    other = Migration("two", "first", lambda _: ran.append("other"))
    assert migrate(database, "one", (first, other)) == 1
    assert migrate(database, "two", (first, other)) == 1
    assert migrate(database, "one", (first, other, second)) == 2
    migrate(database, "one", (first, other, second))
    assert ran == ["first", "other", "second"]


def test_a_migration_for_the_other_database_is_left_out(database):
    ran = []
    migrations = [
        Migration("one", name, lambda _, name=name: ran.append(name), name) for name in ("sqlite", "postgresql")
    ]
    migrate(database, "one", migrations)
    assert ran == [database.dialect.name]


def test_a_migration_that_fails_leaves_nothing_behind(database):
    def create(connection):
        connection.execute(text("CREATE TABLE made (x INTEGER)"))

    def fail(_):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        migrate(database, "part", (Migration("part", "create", create), Migration("part", "fail", fail)))
    migrate(database, "part", (Migration("part", "create", create),))  # would fail if the table were there


def test_two_migrations_of_one_name_are_a_mistake(tmp_path):
    one = Migration("part", "step", lambda _: None)
    with pytest.raises(ValueError, match="same name"):
        migrate(open_database(tmp_path / "x.db"), "part", (one, one))


def test_all_parts_together_make_the_schema(database):
    """Every store may share one database, and the list of migrations makes every table that the schema has."""
    for part in PARTS:
        migrate(database, part)
    found = inspect(database)
    for table in metadata.sorted_tables:
        assert {column["name"] for column in found.get_columns(table.name)} == set(table.columns.keys())


# Files written by the code of an earlier version (see `written/README.md`): what they hold must still be there.


@pytest.fixture(params=["0.1-first", "0.1"])
def written(request, tmp_path):
    with tarfile.open(WRITTEN / f"{request.param}.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / request.param


def test_an_earlier_memory_still_finds_and_takes_in_documents(written):
    with Memory(written / "memory") as memory:
        assert {listing.id for listing in memory.documents()} == {"everest", "nile"}
        assert memory.retrieve("How high is Mount Everest?", k=1)[0].document_id == "everest"
        memory.rebuild()
        assert memory.verify() == []
        memory.add(["K2 is 8,611 m high."])
        assert len(memory.documents()) == 3
        assert memory.verify() == []


def test_an_earlier_ledger_still_holds_and_goes_on(written):
    with Ledger(written / "ledger.db") as ledger:
        assert ledger.verify() is None
        run = ledger.get("1")
        assert [item["verdict"] for item in run.report["claims"]] == ["SUPPORTED", "REFUTED"]
        assert [mark.note for mark in ledger.marks()] == ["seen"]
        ledger.feedback("1", 1, True)
        assert ledger.verify() is None


def test_the_outputs_an_earlier_monitor_noted_still_count(written):
    with EngineStore(written / "engine.db", "" if written.name == "0.1-first" else "w") as store:
        assert Monitor(store).standing.refuted_rate == 0.5
        assert store.judgements(["k"]) == {"k": "{}"}


def test_earlier_traces_and_evaluations_are_still_there(tmp_path):
    with tarfile.open(WRITTEN / "0.1.tar.gz") as archive:
        archive.extractall(tmp_path, filter="data")
    with TraceStore(tmp_path / "0.1" / "traces.db") as traces:
        assert [node.text for node in traces.get("goal-1").claims()] == ["Everest is 8,849 m high."]
    with Evaluations(str(tmp_path / "0.1" / "evaluations.db"), "default") as evaluations:
        (kept,) = evaluations.list(5)
        assert evaluations.get(kept["id"])["accuracy"] == 1.0


def test_a_memory_and_a_ledger_may_share_a_file(tmp_path):
    LedgerStore(tmp_path / "both.db").close()
    engine = open_database(tmp_path / "both.db")
    migrate(engine, "memory")
    assert migrate(engine, "memory") == 5
    engine.dispose()
    LedgerStore(tmp_path / "both.db").close()
