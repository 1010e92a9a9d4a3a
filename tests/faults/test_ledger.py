"""What a ledger survives: being killed, a full disk, a crowd, a clock that jumps back."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from assay.engine import Engine, Request, Run
from assay.errors import LedgerError
from assay.ledger import Ledger
from assay.types import Document

WRITER = Path(__file__).with_name("ledger_writer.py")
ROOT = Path(__file__).parents[2]


def start(place: Path | str, count: int, name: str = "w") -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(place), str(count), name]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT)


def kill_while_writing(place: Path | str, times: int, seed: int) -> None:
    chance = random.Random(seed)
    promised: list[str] = []
    for turn in range(times):
        writer = start(place, 100_000, f"t{turn}")
        assert writer.stdout is not None
        assert writer.stdout.readline() == "open\n"
        for _ in range(chance.randrange(1, 5)):
            promised.append(writer.stdout.readline().strip())
        time.sleep(chance.uniform(0, 0.02))  # so that it dies anywhere within a write
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        promised += [line for line in rest.splitlines(keepends=True) if line.endswith("\n")]
    with Ledger(place) as ledger:
        assert ledger.verify() is None
        held = {summary.id for summary in ledger.runs(1_000_000)}
        assert {line.strip() for line in promised} <= held
        assert len(held) - len(promised) <= times  # what was written and not yet acknowledged
        assert ledger.replay(ledger.runs(1)[0].id).identical
    assert promised


def test_killed_while_writing_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    kill_while_writing(tmp_path / "ledger.db", times=2, seed=1)


def test_killed_while_writing_to_postgres_nothing_acknowledged_is_lost(postgres_url: str) -> None:
    kill_while_writing(postgres_url, times=1, seed=2)


@pytest.mark.slow
def test_killed_fifty_times_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    kill_while_writing(tmp_path / "ledger.db", times=50, seed=3)


def test_two_processes_write_one_chain(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    writers = [start(place, 20, name) for name in "ab"]
    for writer in writers:
        _, errors = writer.communicate(timeout=300)
        assert writer.returncode == 0, errors
    with Ledger(place) as ledger:
        assert ledger.verify() is None
        runs = ledger.runs(100)
        assert sorted((run.user, int(run.session)) for run in runs) == [(n, s) for n in "ab" for s in range(20)]


def damage_log(log: Path, chance: random.Random) -> None:
    """What a failing disk or a bad copy does to a write-ahead log: cut off, gone, zeroed, or a few bytes changed."""
    data = bytearray(log.read_bytes())
    at = chance.randrange(len(data))
    match chance.randrange(4):
        case 0:
            del data[at:]
        case 1:
            data.clear()
        case 2:
            data[at : at + 4096] = bytes(len(data[at : at + 4096]))
        case _:
            for _ in range(3):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    log.write_bytes(data)


def test_a_damaged_log_never_shortens_a_chain_unseen(tmp_path: Path) -> None:
    """Records in the log of a killed process are lost with it; the head outside the database tells how many."""
    place = tmp_path / "kept" / "ledger.db"
    writer = start(place, 100_000)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "open\n"
    promised = [writer.stdout.readline().strip() for _ in range(6)]
    writer.send_signal(signal.SIGKILL)
    promised += writer.communicate()[0].split()
    assert Path(f"{place}-wal").stat().st_size
    chance, shortened = random.Random(25), 0
    for turn in range(40):
        folder = tmp_path / str(turn)
        shutil.copytree(place.parent, folder)
        damage_log(folder / "ledger.db-wal", chance)
        with Ledger(folder / "ledger.db") as ledger:
            held = {run.id for run in ledger.runs(1_000)}
            broken = ledger.verify()
            if not set(promised) <= held:
                shortened += 1
                assert broken is not None
                assert "head file" in broken.reason
                assert "default" in ledger.workspaces()  # even where nothing is left of it
                ledger.record(small_run(1))  # what is written next must not hide it
                assert ledger.verify() is not None
            elif broken is not None:
                raise AssertionError(f"nothing was lost, but {broken}")
    assert shortened > 20


def test_an_end_lost_in_postgres_is_seen(postgres_url: str) -> None:
    from sqlalchemy import text

    with Ledger(postgres_url) as ledger:
        for number in range(4):
            ledger.record(small_run(number))
        with ledger._store.engine.begin() as connection:  # as a restored backup would: whole in itself
            for table in ("records", "uses", "leanings"):
                connection.execute(text(f"DELETE FROM ledger_{table} WHERE sequence > 2"))
            connection.execute(
                text(
                    "UPDATE ledger_heads SET sequence = 2, hash = (SELECT hash FROM ledger_records WHERE sequence = 2)"
                )
            )
        broken = ledger.verify()
    assert broken is not None
    assert (broken.sequence, "up to 4" in broken.reason) == (3, True)


def small_run(number: int) -> Run:
    text = f"Fact {number} is written here."
    return Engine(judge="lexical").run(Request(text, sources=[Document(f"d{number}", text)]))


def write_until_full(ledger: Ledger) -> tuple[list[str], LedgerError]:
    written: list[str] = []
    run = small_run(1)
    try:
        for number in range(1_000):
            written.append(ledger.record(run, rendering=f"{number} " * 20_000))
    except LedgerError as problem:
        return written, problem
    raise AssertionError("the disk never filled up")


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of two megabytes; only root can make one."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a small disk")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], check=False)
    if mounted.returncode != 0:
        pytest.skip("this machine does not let us mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=False)


def check_full_disk(ledger: Ledger, place: Path) -> None:
    written, problem = write_until_full(ledger)
    assert "full" in str(problem)
    assert "free some space" in str(problem)
    assert written
    assert ledger.verify() is None  # still readable, still whole
    assert [run.id for run in ledger.runs(10_000)] == written[::-1]
    ledger.close()
    with Ledger(place) as again:
        assert again.verify() is None
        assert len(again) == len(written)


def test_a_full_disk_is_a_clear_error_and_does_no_damage(tiny_disk: Path) -> None:
    place = tiny_disk / "ledger.db"
    check_full_disk(Ledger(place), place)
    with Ledger(place) as ledger:
        assert ledger.verify() is None


def test_a_file_that_may_not_grow_is_a_clear_error_and_does_no_damage(tmp_path: Path) -> None:
    """The same without a disk of our own: SQLite answers as on a full disk once the file may not grow."""
    place = tmp_path / "ledger.db"
    ledger = Ledger(place)

    @event.listens_for(ledger._store.engine, "checkout")
    def no_more_pages(connection: object, *_: object) -> None:
        connection.execute("PRAGMA max_page_count = 200").fetchall()  # type: ignore[attr-defined]

    check_full_disk(ledger, place)
    with Ledger(place) as roomy:  # there is room again
        roomy.record(small_run(1))
        assert roomy.verify() is None


def test_a_clock_that_jumps_back_changes_neither_order_nor_what_is_kept(tmp_path: Path) -> None:
    times = iter(
        [
            datetime(2026, 5, 1, tzinfo=UTC),
            datetime(2019, 1, 1, tzinfo=UTC),
            datetime(2026, 5, 2, tzinfo=UTC),
        ]
    )
    now = datetime(2026, 5, 2, tzinfo=UTC)
    with Ledger(tmp_path, clock=lambda: next(times, now)) as ledger:
        ids = [ledger.record(small_run(number)) for number in range(3)]
        assert ledger.verify() is None
        assert [run.id for run in ledger.runs()] == ids[::-1]
        assert ledger.runs()[1].time.startswith("2019-01-01")  # as the clock said
        assert ledger.purge() == 0  # nothing is ninety days old
        now += timedelta(days=91)
        assert ledger.purge() == 3
        assert ledger.verify() is None


def test_a_time_zone_does_not_matter(tmp_path: Path) -> None:
    from datetime import timezone

    east = timezone(timedelta(hours=9))
    with Ledger(tmp_path, clock=lambda: datetime(2026, 5, 1, 3, tzinfo=east)) as ledger:
        ledger.record(small_run(1))
        assert ledger.runs()[0].time == "2026-04-30T18:00:00.000000Z"
