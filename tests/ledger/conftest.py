"""Ledgers to test with: both databases, the lexical judge, a clock that can be set."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest

from assay.engine import Engine, Request
from assay.ledger.ledger import Ledger
from assay.types import Document

EVEREST = Document(
    "everest", "Mount Everest is 8,849 m high. It stands on the border between Nepal and China.", "Everest"
)
KTWO = Document("k2", "K2 is 8,611 m high. It stands on the border between Pakistan and China.", "K2")
NILE = Document("nile", "The Nile flows through Egypt. It is about 6,650 km long.", "Nile")
ANSWER = "Mount Everest is 8,849 m high [1]. K2 is 8,612 m high. The Nile flows through Egypt. Fish live on the Moon."

NUMBERS = itertools.count(1)


class Clock:
    """Time as a test wants it; every reading is a second later."""

    def __init__(self):
        self.now = datetime(2026, 5, 1, tzinfo=UTC)

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now

    def jump(self, **by):
        self.now += timedelta(**by)


@pytest.fixture(scope="session")
def ledger_database(postgres_server):
    """One database for all tests of this room: each gets a schema of its own, which is made in no time."""
    postgres_server.psql("CREATE DATABASE ledgers;")
    return postgres_server


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path):
    if request.param == "sqlite":
        return tmp_path / "ledger.db"
    server, schema = request.getfixturevalue("ledger_database"), f"s{next(NUMBERS)}"
    address = server.get_uri(database="ledgers")
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return f"{address}&options=-csearch_path%3D{schema}"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(place, clock):
    with Ledger(place, clock=clock) as held:
        yield held


@pytest.fixture(scope="session")
def engine():
    return Engine(judge="lexical")


@pytest.fixture
def run(engine):
    return engine.run(Request(ANSWER, sources=[EVEREST, KTWO, NILE], question="How high are they?"))
