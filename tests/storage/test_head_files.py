"""The head of a history outside its database: when it moves on, when it must not, and what it finds missing."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.storage.head_files import Head, HeadFile, HeadFileError, find_lost, parse_head

HASHES = [f"{number:064x}" for number in range(50)]


def held(number):
    """A history of 20 entries."""
    return HASHES[number] if 0 < number <= 20 else None


@pytest.fixture
def file(tmp_path):
    return HeadFile.beside(tmp_path / "a.db", "w")


def test_it_moves_on_with_its_history(file):
    assert file.read() is None
    assert find_lost(file.peek(), 0, held) is None
    for number in (1, 2, 7):
        file.advance(Head(number, HASHES[number]), held)
        assert file.read() == Head(number, HASHES[number])
    assert find_lost(file.peek(), 20, held) is None  # behind is no loss: killed between the commit and the file
    assert HeadFile.names(file.path.parent / "a.db") == ["w"]
    assert file.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.path.parent.iterdir()] == ["a.db.w.head"]


def test_it_never_moves_back(file):
    file.advance(Head(7, HASHES[7]), held)
    HeadFile(file.path).advance(Head(3, HASHES[3]), held)
    assert file.read() == Head(7, HASHES[7])


def test_a_shorter_or_another_history_is_named_and_stays_named(file, caplog):
    file.advance(Head(9, HASHES[9]), held)
    assert find_lost(file.peek(), 5, held)[0] == 6
    other = HeadFile(file.path)
    with caplog.at_level(logging.WARNING):
        other.advance(Head(12, HASHES[40]), lambda number: HASHES[number + 28])  # written on after the loss
    assert "its end was lost" in caplog.text
    assert other.read() == Head(9, HASHES[9])
    assert find_lost(other.peek(), 12, lambda number: HASHES[number + 28])[0] == 9


@pytest.mark.parametrize(
    "damage", [b"", b"{}", b"[1]", b"[" * 100_000, b"\xff\xfe", b'{"count": "x", "hash": 1, "seal": 2}']
)
def test_a_damaged_file_is_named_and_kept(file, damage, caplog):
    file.path.write_bytes(damage)
    with pytest.raises(HeadFileError, match="damaged"):
        file.read()
    assert "cannot be compared" in find_lost(file.peek(), 3, held)[1]
    file.advance(Head(4, HASHES[4]), held)
    assert file.path.read_bytes() == damage
    assert "was not noted" in caplog.text


@given(st.data())
def test_any_changed_byte_of_the_file_is_seen(tmp_path_factory, data):
    file = HeadFile(tmp_path_factory.mktemp("head") / "x.head")
    file.advance(Head(7, HASHES[7]), held)
    stored = bytearray(file.path.read_bytes())
    stored[data.draw(st.integers(0, len(stored) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    file.path.write_bytes(stored)
    found = file.peek()
    assert isinstance(found, HeadFileError) or found == Head(7, HASHES[7])  # blanks between the values may differ


def test_with_a_key_the_file_cannot_be_forged(file, monkeypatch):
    file.advance(Head(9, HASHES[9]), held)
    plain = file.path.read_bytes()
    file.path.unlink()
    monkeypatch.setenv("ASSAY_HEAD_KEY", "kept elsewhere")
    file.advance(Head(9, HASHES[9]), held)
    assert file.read() == Head(9, HASHES[9])
    file.path.write_bytes(plain)
    with pytest.raises(HeadFileError, match="ASSAY_HEAD_KEY"):
        file.read()
    monkeypatch.setenv("ASSAY_HEAD_KEY", "another")
    with pytest.raises(HeadFileError, match="ASSAY_HEAD_KEY"):
        file.read()


def test_many_writers_leave_the_furthest(file):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: HeadFile(file.path).advance(Head(number, HASHES[number]), held), range(1, 21)))
    assert file.read() == Head(20, HASHES[20])


def test_a_folder_that_cannot_be_written_loses_nothing_but_the_note(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    HeadFile.beside(tmp_path / "file" / "a.db", "w").advance(Head(1, HASHES[1]), held)
    assert "was not noted" in caplog.text


def test_a_server_has_its_file_in_the_data_folder_whatever_its_password(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_HEADS", str(tmp_path))
    first = HeadFile.beside("postgresql://ann:one@db/x", "w").path
    assert first.parent == tmp_path
    assert first == HeadFile.beside("postgres://ann:two@db/x", "w").path
    assert first != HeadFile.beside("postgresql://ann:one@db/y", "w").path


@pytest.mark.parametrize("text", ["", "12", "12:", "12:xyz", "x:39e3794a", "39e3", "1:2:39e3794a", "1:" + "0" * 65])
def test_a_head_that_is_none_is_refused(text):
    with pytest.raises(UsageError, match="COUNT:HASH"):
        parse_head(text)
