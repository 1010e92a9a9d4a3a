import sqlite3
import threading
from functools import partial

import pytest
from sqlalchemy import text

from assay.errors import LedgerError, UsageError
from assay.ledger.records import Record, Tombstone, first_break
from assay.ledger.store import LedgerStore
from assay.storage.database import open_database, writing
from assay.types import Document


def build(payload, time="2026-01-01T00:00:00Z", workspace="w", kind="run"):
    return partial(Record.after, kind=kind, time=time, workspace=workspace, payload=payload)


def about(document, claim=0):
    return {"texts": [document.sha256], "leanings": [[claim, document.id, document.sha256]]}


def purge_record(last, numbers):
    return build({"emptied": [[number, number] for number in numbers]}, kind="purge")(last)


def test_what_was_appended_is_read_back_in_order(place):
    store = LedgerStore(place)
    for number in range(5):
        store.append(build({"n": number, "text": "é\x00😀\ud800", "x": 0.1}), "w")
    chain = list(LedgerStore(place).chain("w"))
    assert [record.payload["n"] for record in chain] == [0, 1, 2, 3, 4]
    assert chain[0].payload["text"] == "é\x00😀\ud800"
    assert first_break(chain) is None
    assert [record.sequence for record in store.newest("w", "run", limit=2)] == [5, 4]
    assert [record.sequence for record in store.all("w", "run")] == [5, 4, 3, 2, 1]
    store.close()


def test_workspaces_have_chains_of_their_own(place):
    store = LedgerStore(place)
    store.append(build({"n": 1}, workspace="a"), "a")
    store.append(build({"n": 2}, workspace="b"), "b")
    assert [record.sequence for record in store.chain("b")] == [1]
    assert store.workspaces() == ["a", "b"]
    assert store.get("a", 2) is None
    assert store.head("a")[0] == 1
    assert store.head("c") is None


def test_a_purge_empties_old_records_and_the_chain_still_holds(place):
    store = LedgerStore(place)
    old, new = Document("old", "old text \ud800"), Document("new", "new text")
    for document, time in ((old, "2025-01-01"), (new, "2026-01-01")):
        store.append(build(about(document), time), "w", {document.sha256: document.text})
    assert store.texts([old.sha256]) == {old.sha256: old.text}
    assert store.purge("w", "2025-06-01", "2026-01-02", purge_record) == [1]
    chain = list(store.chain("w"))
    assert isinstance(chain[0], Tombstone)
    assert first_break(chain) is None
    assert store.texts([old.sha256, new.sha256]) == {new.sha256: "new text"}
    assert store.findings_citing("w", "old") == []
    assert store.purge("w", "2025-06-01", "2026-01-02", purge_record) == []  # and leaves no second note of it


def test_a_text_another_workspace_needs_outlives_a_purge(place):
    store, shared = LedgerStore(place), Document("d", "shared")
    for workspace in ("a", "b"):
        store.append(build(about(shared), workspace=workspace), workspace, {shared.sha256: shared.text})
    store.purge("a", "2027", "2028", lambda last, _: build({"emptied": [[1, 1]]}, workspace="a", kind="purge")(last))
    assert store.texts([shared.sha256]) == {shared.sha256: "shared"}


def test_a_clock_that_jumped_back_makes_nothing_old(place):
    store = LedgerStore(place)
    for time in ("2025-01-01", "2026-05-01", "1999-01-01", "2099-01-01", "2026-05-02"):
        store.append(build({}, time), "w")
    # The third was written after May 2026, whatever its clock said; the fourth's clock was ahead and proves nothing.
    assert store.purge("w", "2026-01-01", "2026-05-03", purge_record) == [1]
    assert store.purge("w", "2027-01-01", "2027-05-03", purge_record) == [2, 3, 4, 5]


@pytest.mark.parametrize("name", ["a", "grüße/ß.md", "caf\udce9", "nul\0nul", 'quote"\\', "%_"])
def test_findings_are_found_by_the_document_they_lean_on(place, name):
    store = LedgerStore(place)
    first, second = Document(name, "alpha"), Document("b", "beta")
    leanings = [[0, name, first.sha256], [2, "b", second.sha256]]
    store.append(build({"leanings": leanings}), "w")
    assert store.findings_citing("w", name) == [(1, 0, first.sha256)]
    assert store.findings_citing("w", "b") == [(1, 2, second.sha256)]
    assert store.cited_versions("w") == sorted([(name, first.sha256), ("b", second.sha256)])


def test_two_writers_lose_nothing(place):
    LedgerStore(place).close()
    document = Document("d", "the same text for both")

    def write(name):
        store = LedgerStore(place)
        for number in range(15):
            payload = {"writer": name, "n": number, **about(document)}
            store.append(build(payload), "w", {document.sha256: document.text})
        store.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    chain = list(LedgerStore(place).chain("w"))
    assert sorted((record.payload["writer"], record.payload["n"]) for record in chain) == [
        (name, number) for name in "ab" for number in range(15)
    ]
    assert first_break(chain) is None


def test_a_reader_sees_one_moment_while_others_write(place):
    store, other = LedgerStore(place), LedgerStore(place)
    store.append(build({}), "w")
    with store.snapshot() as seen:
        before = seen.head("w")
        other.append(build({}), "w")
        assert seen.head("w") == before
        assert len(list(seen.records("w"))) == 1
    assert store.head("w")[0] == 2


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "ledger.db"
    file.write_text("this is a shopping list, not a database" * 30)
    with pytest.raises(LedgerError, match=r"ledger\.db"):
        LedgerStore(file)
    assert file.read_text().startswith("this is a shopping list")


def test_a_password_is_not_shown(postgres_url):
    bad = "postgresql://someone:secret@127.0.0.1:1/none"
    with pytest.raises(LedgerError) as caught:
        LedgerStore(bad)
    assert "secret" not in str(caught.value)
    assert "secret" not in LedgerStore(postgres_url).place


# The steps of the schema


def old_ledger(place):
    """A ledger as an older Assay left it: a counted schema, no record of where the chains end."""
    store = LedgerStore(place)
    for number in range(3):
        store.append(build({"n": number}), "w")
    with writing(store.engine).begin() as connection:
        connection.execute(text("DROP TABLE ledger_heads"))
        connection.execute(text("DROP INDEX ledger_records_by_kind"))
        connection.execute(text("DROP TABLE migrations"))
        connection.execute(text("CREATE TABLE assay_schema (name VARCHAR PRIMARY KEY, version INTEGER)"))
        connection.execute(text("INSERT INTO assay_schema VALUES ('ledger', 1)"))
    store.close()


def test_a_ledger_of_an_older_assay_opens_and_is_brought_up_to_date(place):
    old_ledger(place)
    store = LedgerStore(place)
    assert store.head("w")[0] == 3
    store.append(build({"n": 3}), "w")
    assert first_break(store.chain("w"), expected_head=store.head("w")[1]) is None
    store.close()
    assert len(list(LedgerStore(place).chain("w"))) == 4


@pytest.mark.parametrize("counted", [False, True])
def test_a_newer_schema_is_refused_and_left_alone(place, counted):
    if counted:
        old_ledger(place)
    engine = open_database(place) if counted else LedgerStore(place).engine
    change = "UPDATE assay_schema SET version = 99" if counted else "INSERT INTO migrations VALUES ('ledger:wings')"
    with writing(engine).begin() as connection:
        connection.execute(text(change))
    with pytest.raises(UsageError, match="newer Assay"):
        LedgerStore(place)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM ledger_records")).scalar() == (3 if counted else 0)


def test_a_ledger_that_is_up_to_date_opens_while_somebody_writes(tmp_path):
    file = tmp_path / "ledger.db"
    store = LedgerStore(file)
    store.append(build({"n": 1}), "w")
    store.close()
    blocker = sqlite3.connect(file, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    assert len(list(LedgerStore(file).chain("w"))) == 1
    blocker.execute("ROLLBACK")
