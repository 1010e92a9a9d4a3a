"""Files are read in a process of their own, which a file cannot keep or fill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay.errors import SourceError
from assay.memory.readers import read_sources, worker
from assay.memory.readers.parsed import ParsedDocument
from assay.memory.readers.worker import Worker, read_apart
from tests.memory.files import FACT

HUGE = b"<html><body>" + b"<p>A line of <b>text</b>.</p>\n" * 300_000
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of the system")


@pytest.fixture(autouse=True)
def nobody_waits():
    worker._stop_idle()
    yield
    worker._stop_idle()


def texts(name: str, data: bytes, seconds: float | None = None) -> list[str]:
    return [item.text for item in read_apart(Path(name), data, seconds) if isinstance(item, ParsedDocument)]


def test_one_process_reads_file_after_file(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    make = Worker.__init__
    monkeypatch.setattr(Worker, "__init__", lambda self: (make(self), started.append(self.pid))[0])
    assert texts("a.md", f"# Title\n\n{FACT}".encode())[0].endswith(FACT)
    assert texts("a.jsonl", b'{"text": "one"}\n{"text": "two"}') == ["one", "two"]
    with pytest.raises(SourceError, match="damaged PDF"):
        texts("a.pdf", b"%PDF-1.4 nothing")
    assert texts("b.html", f"<p>{FACT}</p>".encode()) == [FACT]
    assert len(started) == 1
    assert started[0] != os.getpid()


def test_a_file_that_takes_too_long_is_refused_and_the_rest_is_read(tmp_path: Path) -> None:
    (tmp_path / "huge.html").write_bytes(HUGE)
    (tmp_path / "small.md").write_text(FACT)
    result = read_sources([tmp_path], seconds=1)
    assert [document.text for document in result.documents] == [FACT]
    assert [item.reason for item in result.refused] == [
        "reading it takes longer than 1 s and was stopped; split it or save it as text"
    ]


@linux
def test_a_file_that_fills_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MEMORY", 120_000_000)
    with pytest.raises(SourceError, match=r"MemoryError|of memory that reading may take"):
        texts("huge.html", HUGE)
    assert texts("small.html", f"<p>{FACT}</p>".encode()) == [FACT]


@linux
@pytest.mark.parametrize(
    ("work", "ended"),
    [("import re; re.match('(a|a)+b', 'a' * 60)", -signal.SIGPROF), ("x = bytearray(1 << 30)", 1)],
)
def test_the_system_ends_even_one_long_call(work: str, ended: int) -> None:
    program = f"from assay.memory.readers.worker import _limit; _limit(0.5, 1 << 28); {work}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == ended, done.stderr


def test_a_process_whose_answers_nobody_waits_for_is_stopped() -> None:
    rows = b'{"text": "one"}\n' * 50_000
    items = read_apart(Path("a.jsonl"), rows)
    next(items)
    items.close()
    assert worker._idle == []
    assert texts("a.md", FACT.encode()) == [FACT]


def test_a_process_that_died_meanwhile_is_replaced() -> None:
    assert texts("a.md", FACT.encode()) == [FACT]
    os.kill(worker._idle[0].pid, signal.SIGKILL)
    worker._idle[0]._process.wait()
    assert texts("a.md", FACT.encode()) == [FACT]
