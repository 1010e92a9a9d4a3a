"""A changed bit in any column of any table, in the words or in the vectors of a memory: found, and its row named."""

import pytest
from sqlalchemy import Boolean, Float, Integer, LargeBinary, select, text, update

from assay.memory import Memory
from assay.storage.schema import MEMORY_TABLES
from tests.faults.crowd import QuickEmbedder, make_document

COLUMNS = [(table, column) for table in MEMORY_TABLES for column in table.columns]


def fill(place, **options):
    """Two documents, an older version, a removed one, a quarantined passage, a citation."""
    memory = Memory(place, embedder=QuickEmbedder(), **options)
    memory.add([make_document("a", number) for number in range(3)])
    memory.add(make_document("a", 1).__class__("a-1", "Another text stands here now. It is short.", "Title"))
    memory.remove("a-2")
    ids = memory.passage_ids()
    memory.protect(ids[:2], "a run")
    memory.quarantine(ids[0], "wrong")
    memory.retrieve("Fact 3 of document a-0")
    memory._write_touches()
    memory.clusters(2)
    assert memory.verify() == []
    return memory


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request, tmp_path_factory):
    if request.param == "sqlite":
        place = tmp_path_factory.mktemp("sealed")
    else:
        place = request.getfixturevalue("postgres_server").get_uri()
    with fill(place, workspace="sealed") as memory:
        yield memory


def changed(column, value):
    """The value with its lowest bit flipped, or the nearest thing to it."""
    if isinstance(column.type, Boolean):
        return not value
    if isinstance(column.type, Integer):
        return (value or 0) ^ 1 if not column.primary_key else value + 1_000_000
    if isinstance(column.type, Float):
        return value + 1.0
    if isinstance(column.type, LargeBinary):
        return bytes([bytes(value)[0] ^ 1]) + bytes(value)[1:] if value else b"\1"
    return f"{value or ''}x"


@pytest.mark.parametrize(("table", "column"), COLUMNS, ids=lambda item: getattr(item, "name", None))
def test_a_changed_value_in_any_column_is_found(filled, table, column):
    engine = filled._store.engine
    with engine.begin() as connection:
        row = connection.execute(select(table).order_by(*table.primary_key.columns)).mappings().first()
    own = [key == row[key.name] for key in table.primary_key.columns]
    value = changed(column, row[column.name])
    moved = [key == (value if key is column else row[key.name]) for key in table.primary_key.columns]
    with engine.begin() as connection:
        connection.execute(update(table).where(*own).values({column.name: value}))
    try:
        problems = filled.verify()
        assert any(table.name in line or "passage" in line or "document" in line for line in problems), problems
    finally:
        with engine.begin() as connection:
            connection.execute(update(table).where(*moved).values({column.name: row[column.name]}))
    assert filled.verify() == []


def test_words_and_vectors_that_are_not_those_of_the_passage_are_found(filled):
    store = filled._store
    at = filled.passage_ids()[-1]
    if store.engine.dialect.name == "sqlite":
        with store.writing() as connection:
            words = store.terms_of(connection, [at])
            store.unindex_terms(connection, words)
            store.index_terms(connection, {at: f"fable {words[at]}"})
        assert any("full text" in line and str(at) in line for line in filled.verify())
        filled.rebuild()
        store._graph.add([at], QuickEmbedder().embed(["something else"]))
        assert any("vector" in line for line in filled.verify())
    else:
        other = "(SELECT {0} FROM {1} WHERE number <> :at LIMIT 1)"
        for table, column in (("terms", "words"), ("vectors", "vector")):
            statement = f"UPDATE {table} SET {column} = {other.format(column, table)} WHERE number = :at"
            with store.writing() as connection:
                connection.execute(text(statement), {"at": at})
            assert any(table in line and str(at) in line for line in filled.verify())
    filled.rebuild()
    assert filled.verify() == []


def test_a_memory_from_before_seals_is_sealed_by_a_rebuild(tmp_path):
    with fill(tmp_path) as memory:
        with memory._store.engine.begin() as connection:
            for table in MEMORY_TABLES:
                connection.execute(update(table).values(seal=""))
        assert memory.verify() == []
        memory.rebuild()
        with memory._store.engine.begin() as connection:
            for table in MEMORY_TABLES:
                assert "" not in set(connection.execute(select(table.c.seal)).scalars())
        assert memory.verify() == []


def test_text_that_is_not_even_utf8_is_named(tmp_path):
    with fill(tmp_path) as memory:
        with memory._store.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE documents SET title = CAST(X'ff41' AS TEXT) WHERE id = 'a-0'")
            connection.exec_driver_sql("UPDATE documents SET pages = 'no json', date = 'never' WHERE id = 'a-1'")
        problems = "\n".join(memory.verify())
    assert "a-0" in problems
    assert "a-1" in problems
