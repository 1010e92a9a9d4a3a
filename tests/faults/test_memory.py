"""What a memory survives: being killed, torn files, a full disk, a crowd."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from assay.errors import MemoryStoreError
from assay.memory.passages import cut_passages
from tests.faults.crowd import make_document, open_memory

CROWD = Path(__file__).with_name("crowd.py")
ROOT = Path(__file__).parents[2]


def start(action: str, folder: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(CROWD), action, str(folder), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def whole_documents(folder: Path) -> set[str]:
    """The ids held, after checking that each document is whole and every index agrees."""
    with open_memory(folder) as memory:
        assert memory.verify() == []
        for listing in memory.documents():
            name, number = listing.id.rsplit("-", 1)
            expected = make_document(name, int(number))
            assert memory.get(listing.id) == expected
            assert [(entry.start, entry.end) for entry in memory.passages(listing.id)] == [
                (cut.start, cut.end) for cut in cut_passages(expected)
            ]
        return {listing.id for listing in memory.documents()}


def kill_while_writing(folder: Path, times: int, seed: int) -> None:
    chance = random.Random(seed)
    held: set[str] = set()
    for turn in range(times):
        writer = start("write", folder, f"t{turn}", 10_000)
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        promised = {writer.stdout.readline().strip() for _ in range(chance.randrange(1, 4))}
        time.sleep(chance.uniform(0, 0.1))  # so that it dies anywhere within a write
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        promised |= {line.strip() for line in rest.splitlines(keepends=True) if line.endswith("\n")}
        now = whole_documents(folder)
        assert held | promised <= now  # what was there before is still there, and what was acknowledged
        held = now
    assert held


def test_killed_while_writing_every_document_is_whole_or_absent(tmp_path: Path) -> None:
    kill_while_writing(tmp_path, times=4, seed=1)


@pytest.mark.slow
def test_killed_fifty_times_nothing_is_damaged(tmp_path: Path) -> None:
    kill_while_writing(tmp_path, times=50, seed=2)


SHIM = r"""
// What a file holds on the disk when the power goes: what it held when it was last synced.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int keep(int fd) {
    char link[64], path[4096], copy[4200], buffer[65536];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1), got;
    if (length <= 0) return 0;
    path[length] = 0;
    snprintf(copy, sizeof copy, "%s.synced", path);
    FILE *in = fopen(path, "rb"), *out = fopen(copy, "wb");
    while (in && out && (got = fread(buffer, 1, sizeof buffer, in)) > 0) fwrite(buffer, 1, got, out);
    if (in) fclose(in);
    if (out) fclose(out);
    return 0;
}
int fsync(int fd) { return keep(fd); }
int fdatasync(int fd) { return keep(fd); }
"""


@pytest.fixture(scope="module")
def power_cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that remembers what each file held when it was last synced."""
    folder = tmp_path_factory.mktemp("shim")
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("a power cut is acted out with a C compiler")
    (folder / "shim.c").write_text(SHIM)
    command = [compiler, "-shared", "-fPIC", "-O1", "-w", "-o", str(folder / "shim.so"), str(folder / "shim.c"), "-ldl"]
    subprocess.run(command, check=True)
    return folder / "shim.so"


def test_a_power_cut_loses_nothing_that_was_acknowledged(tmp_path: Path, power_cut: Path) -> None:
    """Everything that was never synced is taken away, as the power cut would: the documents must be in the rest."""
    command = [sys.executable, str(CROWD), "write", str(tmp_path / "live"), "p", "10000"]
    environment = {**os.environ, "LD_PRELOAD": str(power_cut)}
    writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    promised = {writer.stdout.readline().strip() for _ in range(3)}
    writer.send_signal(signal.SIGSTOP)  # nothing is synced from here on
    after = tmp_path / "after"
    after.mkdir()
    for name in ("default.db", "default.db-wal", "default.head.part"):
        shutil.copy(tmp_path / "live" / f"{name}.synced", after / name.removesuffix(".part"))
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert promised <= whole_documents(after)


def damage_log(log: Path, chance: random.Random) -> None:
    data = bytearray(log.read_bytes())
    at = chance.randrange(len(data))
    match chance.randrange(3):
        case 0:
            del data[at:]
        case 1:
            data[at : at + 4096] = bytes(len(data[at : at + 4096]))
        case _:
            data[at] ^= 1 << chance.randrange(8)
    log.write_bytes(data)


def test_a_damaged_log_never_shortens_a_memory_unseen(tmp_path: Path) -> None:
    live = tmp_path / "live"
    writer = start("write", live, "w", 10_000)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    promised = {writer.stdout.readline().strip() for _ in range(4)}
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    chance, shortened = random.Random(25), 0
    for turn in range(12):
        folder = tmp_path / str(turn)
        shutil.copytree(live, folder)
        damage_log(folder / "default.db-wal", chance)
        said: list[str] = []
        with open_memory(folder, say=said.append) as memory:
            if promised <= {listing.id for listing in memory.documents()}:
                continue
            shortened += 1
            assert "may be lost" in "".join(said)
            memory.add(make_document("later", 1))  # what is written next must not hide it
            assert "may be lost" in "".join(memory.verify())
    assert shortened > 3


def test_two_writers_and_four_readers_lose_nothing(tmp_path: Path) -> None:
    open_memory(tmp_path).close()
    crowd = [start("write", tmp_path, name, 12) for name in ("a", "b")]
    crowd += [start("read", tmp_path, f"r{number}", 25) for number in range(4)]
    for process in crowd:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    assert whole_documents(tmp_path) == {f"{name}-{number}" for name in "ab" for number in range(12)}


def ingest(folder: Path, count: int = 5) -> None:
    with open_memory(folder) as memory:
        memory.add([make_document("x", number) for number in range(count)])


def tear(graph: Path) -> None:
    graph.write_bytes(graph.read_bytes()[: graph.stat().st_size // 2])


def flip(graph: Path) -> None:
    data = bytearray(graph.read_bytes())
    data[-100] ^= 0xFF
    graph.write_bytes(data)


def blank(graph: Path) -> None:
    graph.write_bytes(b"")


def scribble(graph: Path) -> None:
    graph.write_bytes(b"assay graph 1\nnot json\n" + bytes(500))


def drop(graph: Path) -> None:
    graph.unlink()


@pytest.mark.parametrize("damage", [tear, flip, blank, scribble, drop])
def test_a_damaged_index_file_is_made_again_with_a_message(tmp_path: Path, damage: object) -> None:
    ingest(tmp_path)
    graph = tmp_path / "default.graph"
    damage(graph)  # type: ignore[operator]
    said: list[str] = []
    with open_memory(tmp_path, say=said.append) as memory:
        assert memory.verify() == []
        assert memory.retrieve("Fact 3 of document x-2", k=3)
    assert "again from the database" in said[0]
    said.clear()
    open_memory(tmp_path, say=said.append).close()
    assert said == []


def test_a_stale_index_file_catches_up(tmp_path: Path) -> None:
    ingest(tmp_path, 3)
    graph = tmp_path / "default.graph"
    old = graph.read_bytes()
    with open_memory(tmp_path) as memory:
        memory.add([make_document("y", number) for number in range(3)])
        memory.remove("x-1")
    graph.write_bytes(old)
    with open_memory(tmp_path) as memory:
        assert memory.verify() == []
        assert len(memory.documents()) == 5


def test_an_index_file_of_another_memory_is_not_used(tmp_path: Path) -> None:
    ingest(tmp_path / "one", 2)
    ingest(tmp_path / "two", 4)
    (tmp_path / "one" / "default.graph").replace(tmp_path / "two" / "default.graph")
    said: list[str] = []
    with open_memory(tmp_path / "two", say=said.append) as memory:
        assert memory.verify() == []
    assert "another memory" in said[0]


def test_an_index_ahead_of_a_restored_database_is_not_used(tmp_path: Path) -> None:
    ingest(tmp_path, 2)
    copy = (tmp_path / "default.db").read_bytes()
    with open_memory(tmp_path) as memory:
        memory.add(make_document("later", 1))
    for leftover in tmp_path.glob("default.db-*"):
        leftover.unlink()
    (tmp_path / "default.db").write_bytes(copy)
    with open_memory(tmp_path) as memory:
        (problem,) = memory.verify()
        assert "change 2 missing" in problem  # the database is whole in itself, but it is an older one
        assert {listing.id for listing in memory.documents()} == {"x-0", "x-1"}
    (tmp_path / "default.head").unlink()  # as the message says, once somebody has looked
    with open_memory(tmp_path) as memory:
        memory.add(make_document("later", 2))
        assert memory.verify() == []


def test_a_full_disk_is_a_clear_error_and_does_no_damage(tmp_path: Path) -> None:
    ingest(tmp_path, 2)
    memory = open_memory(tmp_path)
    engine = memory._store.engine  # type: ignore[attr-defined]

    @event.listens_for(engine, "checkout")
    def no_more_pages(connection: object, *_: object) -> None:
        """SQLite answers exactly as on a full disk once the file may not grow."""
        connection.execute("PRAGMA max_page_count = 1").fetchall()  # type: ignore[attr-defined]

    with pytest.raises(MemoryStoreError, match="disk is full"):
        memory.add([make_document("big", number) for number in range(50)])
    memory.close()
    assert whole_documents(tmp_path) == {"x-0", "x-1"}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes; only the superuser of a Linux machine can have one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(filler: Path) -> None:
    with filler.open("ab", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass


def test_a_disk_that_is_really_full_loses_nothing_and_goes_on_when_there_is_room(small_disk: Path) -> None:
    early = {f"early-{number}" for number in range(5)}
    filler = small_disk / "filler"
    with open_memory(small_disk) as memory:
        memory.add([make_document("early", number) for number in range(5)])
    fill(filler)
    with pytest.raises(MemoryStoreError, match=rf"{small_disk}.*disk is full"):  # SQLite needs some room to open it
        open_memory(small_disk)
    filler.unlink()
    with open_memory(small_disk) as memory:
        fill(filler)
        with pytest.raises(MemoryStoreError, match=rf"{small_disk}.*disk is full.*nothing"):
            memory.add([make_document("late", number) for number in range(200)])
        assert {listing.id for listing in memory.documents()} >= early
        assert memory.retrieve("Fact 3 of document early-2", k=3)  # what is open can be read on
    filler.unlink()
    assert whole_documents(small_disk) >= early
    with open_memory(small_disk) as memory:
        memory.add([make_document("late", number) for number in range(20)])
    assert whole_documents(small_disk) >= {f"late-{number}" for number in range(20)}


def test_an_index_file_that_cannot_be_written_loses_no_document(tmp_path: Path) -> None:
    """A limit on the size of files stops the index file, as a full disk would, while the database still fits."""
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.faults.crowd import make_document, open_memory\n"
        "from assay.errors import MemoryStoreError\n"
        "memory = open_memory(Path(sys.argv[1]))\n"
        "memory.add(make_document('x', 0))\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "store = memory._store\n"
        "store.put.__self__._catch_up()\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))\n"
        "store._graph.generation += 1\n"
        "try:\n"
        "    store._save()\n"
        "except MemoryStoreError as problem:\n"
        "    print(problem)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, cwd=ROOT)
    assert "the documents are safe" in done.stdout, done.stderr
    assert list(tmp_path.glob("*.part")) == []
    assert whole_documents(tmp_path) == {"x-0"}


def test_a_file_that_is_no_memory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "default.db").write_bytes(b"this is not a database, not at all" * 200)
    with pytest.raises(MemoryStoreError, match=r"default\.db|damaged"):
        open_memory(tmp_path)


def test_a_place_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MemoryStoreError, match="cannot be opened"):
        open_memory(tmp_path / "file" / "memory")


def test_a_memory_of_a_newer_assay_is_not_touched(tmp_path: Path) -> None:
    ingest(tmp_path, 1)
    import sqlite3

    with sqlite3.connect(tmp_path / "default.db") as connection:
        connection.execute("INSERT INTO migrations VALUES ('add_wings')")
    with pytest.raises(MemoryStoreError, match="newer Assay"):
        open_memory(tmp_path)


def test_a_memory_of_an_older_assay_is_moved_on(tmp_path: Path) -> None:
    """Links came with a step of their own: a memory from before it gets the column, and keeps what it held."""
    ingest(tmp_path, 2)
    import sqlite3

    with sqlite3.connect(tmp_path / "default.db") as connection:
        connection.execute("ALTER TABLE documents DROP COLUMN links")
        connection.execute("DELETE FROM migrations WHERE name = 'add_links'")
    assert whole_documents(tmp_path) == {"x-0", "x-1"}


def test_half_written_index_files_are_swept_away_later(tmp_path: Path) -> None:
    old, new = tmp_path / "default.graph.dead.part", tmp_path / "default.graph.busy.part"
    for leftover in (old, new):
        leftover.write_bytes(b"half")
    os.utime(old, (1, 1))
    ingest(tmp_path, 1)
    assert not old.exists()
    assert new.exists()  # somebody may be writing it right now
