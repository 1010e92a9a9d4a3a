"""One flipped bit in any stored column, a removed, moved or emptied record: found, and named."""

import json
import sqlite3
from contextlib import contextmanager

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sqlalchemy import and_, select, update
from sqlalchemy.exc import IntegrityError

from assay.engine import Engine, Request
from assay.errors import LedgerError
from assay.ledger.chain import ranges
from assay.ledger.ledger import Ledger
from assay.storage.database import writing
from assay.storage.schema import ledger_heads as heads
from assay.storage.schema import ledger_leanings as leanings
from assay.storage.schema import ledger_records as records
from assay.storage.schema import ledger_texts as texts
from assay.storage.schema import ledger_uses as uses
from tests.ledger.conftest import ANSWER, EVEREST, KTWO, NILE, Clock

COLUMNS = [(table, column) for table in (heads, leanings, records, texts, uses) for column in table.columns]


def fill(place):
    """Six records: an emptied run, two runs, a mark, a re-check, and the purge that emptied the first."""
    clock, engine = Clock(), Engine(judge="lexical")
    ledger = Ledger(place, clock=clock)
    ledger.record(engine.run(Request("The Nile flows through Egypt.", sources=[NILE])))
    clock.jump(days=100)
    first = ledger.record(engine.run(Request(ANSWER, sources=[EVEREST, KTWO, NILE], question="Grüße?")), user="ann")
    ledger.record(engine.run(Request("K2 is 8,611 m high. Café au lait.", sources=[KTWO])))
    ledger.feedback(first, 0, True)
    ledger.purge()
    ledger.record(engine.run(Request("The Nile flows through Egypt.", sources=[NILE])))
    assert ledger.verify() is None
    return ledger


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request, tmp_path_factory):
    if request.param == "sqlite":
        place = tmp_path_factory.mktemp("proof") / "ledger.db"
    else:
        server = request.getfixturevalue("postgres_server")
        server.psql("CREATE DATABASE proof;")
        place = server.get_uri(database="proof")
    with fill(place) as ledger:
        yield ledger


def rows_of(ledger, table):
    with ledger._store.engine.connect() as connection:
        return [dict(row) for row in connection.execute(select(table)).mappings()]


def put(ledger, table, row, **values):
    """Rewrites one row, as somebody with the database in hand would."""
    same = and_(*(column.is_not_distinct_from(row[column.name]) for column in table.columns))
    with writing(ledger._store.engine).begin() as connection:
        assert connection.execute(update(table).where(same).values(**values)).rowcount == 1


@contextmanager
def tampered(ledger, table, row, **values):
    try:
        put(ledger, table, row, **values)
    except IntegrityError:
        assume(False)  # another row stands there already
    try:
        yield
    finally:
        put(ledger, table, {**row, **values}, **{name: row[name] for name in values})


def flipped(value, place, bit):
    if isinstance(value, int):
        return value ^ (1 << (place % 30))
    changed = chr(ord(value[place % len(value)]) ^ (1 << bit))
    return value[: place % len(value)] + changed + value[place % len(value) + 1 :]


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=[f"{t.name}.{c.name}" for t, c in COLUMNS])
@settings(max_examples=5)
@given(row=st.integers(0, 99), place=st.integers(0, 10**6), bit=st.integers(0, 6))
def test_one_flipped_bit_is_found_and_named(filled, table, column, row, place, bit):
    rows = [held for held in rows_of(filled, table) if held[column.name] is not None]
    held = rows[row % len(rows)]
    value = flipped(held[column.name], place, bit)
    assume(value != "" and "\x00" not in str(value))
    with tampered(filled, table, held, **{column.name: value}):
        found = filled.verify()
    assert found is not None
    if table is texts:
        using = [item["sequence"] for item in rows_of(filled, uses) if item["sha256"] == held["sha256"]]
        assert found.sequence == min(using)
    elif table is not heads:
        moved = value if column.name == "sequence" else held["sequence"]
        assert found.sequence in (held["sequence"], moved)
    assert filled.verify() is None


@pytest.mark.parametrize("number", range(1, 7))
def test_a_removed_record_is_named(filled, number):
    (held,) = [row for row in rows_of(filled, records) if row["sequence"] == number]
    with tampered(filled, records, held, workspace="elsewhere"):
        assert filled.verify().sequence == number


@pytest.mark.parametrize("number", [2, 3, 4, 6])
def test_a_record_emptied_without_a_purge_is_named(filled, number):
    (held,) = [row for row in rows_of(filled, records) if row["sequence"] == number]
    with tampered(filled, records, held, payload=None):
        found = filled.verify()
    assert (found.sequence, found.reason) == (number, "its contents were removed, and no purge says so")


def test_records_that_changed_places_are_named(filled):
    held = {row["sequence"]: row for row in rows_of(filled, records)}
    with (
        tampered(filled, records, held[2], sequence=99),
        tampered(filled, records, held[3], sequence=2),
        tampered(filled, records, {**held[2], "sequence": 99}, sequence=3),
    ):
        assert filled.verify().sequence == 2


def test_a_leaning_added_or_taken_away_is_named(filled):
    held = rows_of(filled, leanings)[0]
    with tampered(filled, leanings, held, document="something-else"):
        assert filled.verify().sequence == held["sequence"]


def test_a_chain_made_anew_does_not_hold_a_hash_kept_elsewhere(filled, tmp_path):
    number, head = filled.head()
    assert number == 6
    assert filled.verify(head) is None
    assert filled.verify(head[:16]) is None
    with fill(tmp_path / "anew.db") as anew:
        anew.record(Engine(judge="lexical").run(Request("Something else.", sources=[NILE])))
        assert anew.verify() is None
        assert "not the chain" in str(anew.verify("f" * 64))


DAMAGE = [
    {"payload": "{}"},
    {"payload": "[1, 2]"},
    {"payload": "not json"},
    {"payload": '{"stages": null, "user": 1}'},
    {"payload": '{"a": NaN}'},
    {"payload": "[" * 5_000},
    {"payload": '{"stages": {"verification": [1], "raw_answer": 3, "question": []}}'},
    {"payload": b"\xff\xfe\x00"},
    {"payload": b"{}", "time": b"\xff", "hash": b"\x00\x01"},
]


@pytest.mark.parametrize("values", DAMAGE, ids=str)
@pytest.mark.parametrize("resealed", [False, True])
def test_one_damaged_record_ends_nothing_but_its_own_reading(tmp_path, values, resealed):
    """Whatever stands in a row: the others are listed, this one is named, and nothing ends in a raw exception."""
    import hashlib

    file = tmp_path / "ledger.db"
    fill(file).close()
    values = dict(values)
    if resealed and isinstance(values["payload"], str):
        values["payload_sha256"] = hashlib.sha256(values["payload"].encode()).hexdigest()
    with sqlite3.connect(file) as raw:
        names = ", ".join(f"{name} = CAST(? AS TEXT)" for name in values)
        raw.execute(f"UPDATE ledger_records SET {names} WHERE sequence = 3", list(values.values()))
    raw.close()
    with Ledger(file) as ledger:
        runs = ledger.runs()
        assert [run.id.split("-")[0] for run in runs] == ["6", "3", "2"]
        assert (runs[1].verdict, "damaged" in runs[1].opening) == ("ERROR", True)
        json.dumps([run.to_dict() for run in runs] + [line.to_dict() for line in ledger.log()])
        assert [line.verdict for line in ledger.log() if line.run_id == runs[1].id] == ["ERROR"]
        assert ledger.verify().sequence == 3
        with pytest.raises(LedgerError, match="assay audit verify"):
            ledger.get("3")
        assert ledger.get("2").report["claims"]
        assert len(ledger.marks()) == 1
        ledger.stale([NILE, KTWO])
        with ledger._store.engine.begin() as connection:
            connection.execute(update(texts).values(text="no json"))
        with pytest.raises(LedgerError, match="assay audit verify"):
            ledger.get("2")


def test_a_head_that_was_written_down_must_be_held(filled):
    number, head = filled.head()
    assert filled.verify(f"{number}:{head}") is None
    assert filled.verify(f"{number}:{head[:8]}") is None
    assert filled.verify(f"{number - 1}:{head}").sequence == number - 1
    missing = filled.verify(f"{number + 3}:{head}")
    assert (missing.sequence, "missing" in missing.reason) == (number + 1, True)


def test_an_empty_ledger_holds(tmp_path):
    assert Ledger(tmp_path).verify() is None
    assert Ledger(tmp_path).head() is None


@settings(max_examples=30)
@given(where=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_flipped_bit_in_the_file_itself_is_found(file_and_payload, where, bit):
    """Beneath the database: in the bytes of a record's payload as they lie on the disk."""
    file, start, length, number = file_and_payload
    data = bytearray(file.read_bytes())
    data[start + where % length] ^= 1 << bit
    copy = file.with_name("flipped.db")
    copy.write_bytes(data)
    for leftover in file.parent.glob("flipped.db-*"):
        leftover.unlink()
    with Ledger(copy) as ledger:
        found = ledger.verify()
        assert found is not None
        assert found.sequence == number
        assert len(ledger.runs(10)) == 3  # every other record can still be read


@pytest.fixture(scope="module")
def file_and_payload(tmp_path_factory):
    file = tmp_path_factory.mktemp("raw") / "ledger.db"
    with fill(file) as ledger:
        ledger.feedback("6", 0, True, "a note that can be found in the file")
    with sqlite3.connect(file) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (payload,) = raw.execute("SELECT payload FROM ledger_records WHERE sequence = 7").fetchone()
    raw.close()
    start = file.read_bytes().index(payload.encode())  # a mark is small enough to lie on one page
    return file, start, len(payload), 7


@given(st.sets(st.integers(1, 60)))
def test_ranges_hold_exactly_the_numbers(numbers):
    ordered = sorted(numbers)
    assert [n for first, last in ranges(ordered) for n in range(first, last + 1)] == ordered
