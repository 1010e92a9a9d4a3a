import os
import signal
import sqlite3
import subprocess
import sys
import threading
from functools import partial

import pytest

from assay.errors import LedgerError, UsageError
from assay.ledger.records import Record, Tombstone, first_break
from assay.ledger.store import LedgerStore
from assay.types import Document, Evidence


def build(payload, time="2026-01-01T00:00:00Z", workspace="w"):
    return partial(Record.after, kind="run", time=time, workspace=workspace, payload=payload)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    if request.param == "sqlite":
        return tmp_path / "ledger.db"
    return request.getfixturevalue("postgres_url")


def test_what_was_appended_is_read_back_in_order(place):
    store = LedgerStore(place)
    for number in range(5):
        store.append(build({"n": number, "text": "é\x00😀", "x": 0.1}), "w")
    chain = list(LedgerStore(place).chain("w"))
    assert [record.payload["n"] for record in chain] == [0, 1, 2, 3, 4]
    assert chain[0].payload["text"] == "é\x00😀"
    assert first_break(chain) is None
    assert [record.sequence for record in store.newest("w", limit=2)] == [5, 4]
    store.close()


def test_workspaces_have_chains_of_their_own(place):
    store = LedgerStore(place)
    store.append(build({"n": 1}, workspace="a"), "a")
    store.append(build({"n": 2}, workspace="b"), "b")
    assert [record.sequence for record in store.chain("b")] == [1]
    assert store.workspaces() == ["a", "b"]
    assert store.get("a", 2) is None


def test_a_purge_empties_old_records_and_the_chain_still_holds(place):
    store = LedgerStore(place)
    old, new = Document("old", "old text \ud800"), Document("new", "new text")
    for document, time in ((old, "2025-01-01T00:00:00Z"), (new, "2026-01-01T00:00:00Z")):
        evidence = [(Evidence.cite(document, 0, 3),)]
        store.append(build({}, time), "w", documents={document.sha256: document.text}, evidence=evidence)
    assert store.text(old.sha256) == old.text
    assert store.purge("w", "2025-06-01T00:00:00Z") == 1
    chain = list(store.chain("w"))
    assert isinstance(chain[0], Tombstone)
    assert first_break(chain) is None
    assert store.text(old.sha256) is None
    assert store.text(new.sha256) == "new text"
    assert store.leaning_on("w", "old") == []


def test_findings_are_found_by_the_document_they_lean_on(place):
    store = LedgerStore(place)
    first, second = Document("a", "alpha"), Document("b", "beta")
    evidence = [(Evidence.cite(first, 0, 1), Evidence.cite(first, 2, 3)), (), (Evidence.cite(second, 0, 1),)]
    store.append(build({}), "w", evidence=evidence)
    assert store.leaning_on("w", "a") == [(1, 0, first.sha256)]
    assert store.leaning_on("w", "b") == [(1, 2, second.sha256)]
    assert store.cited_documents("w") == ["a", "b"]


def test_two_writers_lose_nothing(place):
    LedgerStore(place).close()

    def write(name):
        store = LedgerStore(place)
        for number in range(15):
            store.append(build({"writer": name, "n": number}), "w")
        store.close()

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    chain = list(LedgerStore(place).chain("w"))
    assert len(chain) == 30
    assert first_break(chain) is None


def test_one_changed_byte_is_found_and_named(tmp_path):
    file = tmp_path / "ledger.db"
    store = LedgerStore(file)
    for number in range(4):
        store.append(build({"verdict": "REFUTED", "n": number}), "w")
    store.close()
    with sqlite3.connect(file) as raw:
        raw.execute("UPDATE ledger_records SET payload = replace(payload, 'REFUTED', 'REFUTEE') WHERE sequence = 3")
    found = first_break(LedgerStore(file).chain("w"))
    assert (found.sequence, found.reason) == (3, "its contents were changed after it was written")


def test_a_newer_schema_is_refused(tmp_path):
    file = tmp_path / "ledger.db"
    LedgerStore(file).close()
    with sqlite3.connect(file) as raw:
        raw.execute("UPDATE assay_schema SET version = 99")
    with pytest.raises(UsageError, match="upgrade"):
        LedgerStore(file)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path):
    file = tmp_path / "ledger.db"
    file.write_text("this is a shopping list, not a database" * 30)
    with pytest.raises(LedgerError, match=r"ledger\.db"):
        LedgerStore(file)
    assert file.read_text().startswith("this is a shopping list")


WRITER = """
import sys
from functools import partial
from assay.ledger.records import Record
from assay.ledger.store import LedgerStore
store = LedgerStore(sys.argv[1])
print("ready", flush=True)
for number in range(10_000):
    made = partial(Record.after, kind="run", time="t", workspace="w", payload={"n": number, "x": "y" * 2000})
    print(store.append(made, "w").sequence, flush=True)
"""


@pytest.mark.parametrize("after", [1, 2, 3, 5, 8])
def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(tmp_path, after):
    file = tmp_path / "ledger.db"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE, text=True)
    seen = 0
    for line in writer.stdout:
        seen = int(line) if line.strip().isdigit() else seen
        if seen >= after:
            os.kill(writer.pid, signal.SIGKILL)
            break
    rest = [int(line) for line in writer.stdout if line.strip().isdigit()]
    writer.wait()
    chain = list(LedgerStore(file).chain("w"))
    assert len(chain) >= max([seen, *rest])
    assert first_break(chain) is None
