"""A process that reads files for this one, so that a reader can be stopped: limits on its time and memory.

A file made for it can keep a parser busy for minutes or fill the memory. In a process of its own it costs no more than
the limits allow, and the program that asked for it goes on. The process is kept for the next file.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import select
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from assay.errors import SourceError, UsageError
from assay.memory.readers.parsed import ParsedDocument, Refusal

SECONDS = 30.0
"""Of processor time for one file, whatever its size."""
SECONDS_PER_BYTE = 20e-6
"""More for large files: a long PDF takes this much."""
MEMORY = 3 * 1024**3
"""Bytes that the process may use."""
_LEAST = 1.0  # seconds: a library has to be loaded first
# Other programs want the processor too: so much may pass by the clock, and so many times the processor time.
_STARTING, _WAITING = 60.0, 10.0
_KEPT = 2  # idle processes
_LENGTH = struct.Struct("!Q")
_PROGRAM = "from assay.memory.readers.worker import serve; serve()"

_idle: list[Worker] = []
_lock = Lock()


def read_apart(path: Path, data: bytes, seconds: float | None = None) -> Iterator[ParsedDocument | Refusal]:
    """What the reader of a file yields, read in another process.

    `seconds` caps its processor time; SourceError tells that a limit was reached, or what is wrong with the file.
    """
    limit = SECONDS + SECONDS_PER_BYTE * len(data)
    worker, whole = _take(), False
    try:
        yield from worker.read(path, data, limit if seconds is None else min(limit, max(_LEAST, seconds)))
        whole = True
    except UsageError:
        whole = worker.alive
        raise
    finally:
        if whole:
            _give_back(worker)
        else:
            worker.stop()


def _take() -> Worker:
    with _lock:
        while _idle:
            if (worker := _idle.pop()).alive:
                return worker
    return Worker()


def _give_back(worker: Worker) -> None:
    with _lock:
        if len(_idle) < _KEPT:
            _idle.append(worker)
            return
    worker.stop()


@atexit.register
def _stop_idle() -> None:
    with _lock:
        while _idle:
            _idle.pop().stop()


def _forget() -> None:
    """After a fork: the processes belong to the parent, and another thread may have held the lock."""
    global _lock
    _lock = Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class Worker:
    """One process that reads a file at a time; it ends with the program that started it."""

    def __init__(self) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM],
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            env=environment,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._order, self._answers = self._process.stdin, self._process.stdout

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        return self._process.pid

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._order, self._answers):
            with contextlib.suppress(OSError):
                stream.close()

    def read(self, path: Path, data: bytes, seconds: float) -> Iterator[ParsedDocument | Refusal]:
        left = _STARTING + _WAITING * seconds
        try:
            order = pickle.dumps((str(path), seconds, MEMORY, len(data)))
            for part in (_LENGTH.pack(len(order)) + order, data):
                _write(self._order.fileno(), part)
            while True:
                began = monotonic()
                kind, value = pickle.loads(_receive(self._answers.fileno(), began + left))
                left -= monotonic() - began
                if kind == "end":
                    return
                if kind == "wrong":
                    raise value
                yield value
        except (EOFError, BrokenPipeError) as problem:
            raise SourceError(self._how_it_ended(seconds)) from problem
        except TimeoutError as problem:
            self.stop()
            raise SourceError(_too_long(seconds)) from problem

    def _how_it_ended(self, seconds: float) -> str:
        import signal

        code = self._process.wait()
        if code == -getattr(signal, "SIGPROF", 0):
            return _too_long(seconds)
        return (
            f"its reader ended with code {code}: it is damaged, or takes more than the {MEMORY / 1024**3:.3g} GB of "
            "memory that reading may take"
        )


def _too_long(seconds: float) -> str:
    return f"reading it takes longer than {seconds:.3g} s and was stopped; split it or save it as text"


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _receive(descriptor: int, until: float) -> bytes:
    (length,) = _LENGTH.unpack(_exactly(descriptor, _LENGTH.size, until))
    return _exactly(descriptor, length, until)


def _exactly(descriptor: int, length: int, until: float) -> bytes:
    """So many bytes from a pipe, waited for until a moment of `monotonic`; on Windows no pipe can be waited for."""
    parts: list[bytes] = []
    waits = os.name != "nt" and until < math.inf
    while length:
        if waits and not select.select([descriptor], [], [], max(0.0, until - monotonic()))[0]:
            raise TimeoutError
        part = os.read(descriptor, min(length, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def serve() -> None:
    """Reads files for the program at the other end of standard input, until it is closed."""
    import assay.memory.readers.formats  # noqa: F401  (its loading is not to be counted)

    asked, said = 0, os.dup(1)
    os.dup2(2, 1)  # what a library prints must not get between the messages
    while True:
        try:
            name, seconds, memory, size = pickle.loads(_receive(asked, math.inf))
            data = _exactly(asked, size, math.inf)
        except EOFError:
            return
        _limit(seconds, memory)
        for message in _answers(Path(name), data):
            packed = pickle.dumps(message)
            _write(said, _LENGTH.pack(len(packed)) + packed)
        _limit(0, memory)


def _answers(path: Path, data: bytes) -> Iterator[tuple[str, Any]]:
    from assay.memory.readers.formats import HEAD, choose_reader

    try:
        for item in choose_reader(path.suffix, data[:HEAD])(path, data):
            yield "item", item
    except UsageError as problem:
        yield "wrong", problem
        return
    except (RecursionError, MemoryError) as problem:
        yield "wrong", SourceError(f"too large or too deeply nested to read ({type(problem).__name__})")
        return
    yield "end", None


def _limit(seconds: float, memory: int) -> None:
    """Ends this process after so much processor time; 0 for no end. The system does it, even inside one long call."""
    import signal

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        import resource

        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (memory, resource.getrlimit(resource.RLIMIT_DATA)[1]))
