"""What the commands write: text to a file or standard output, and progress bars to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Timer
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PATIENCE_S = 2.0  # without a bar


def write_output(text: str, path: Path | None = None) -> None:
    """Writes a text, with a line end, to a file or to standard output; a lone surrogate in it is shown escaped."""
    encoded = (text if not text or text.endswith("\n") else text + "\n").encode("utf-8", "backslashreplace")
    if path is None:
        sys.stdout.buffer.write(encoded)
        sys.stdout.buffer.flush()
        return
    try:
        path.write_bytes(encoded)
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {problem.strerror or problem}") from problem


def progress_bar() -> Progress:
    """A bar with counts and the time left on standard error; nothing where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=screen, transient=True, redirect_stdout=False, disable=not screen.is_terminal)


@contextmanager
def progress_after() -> Iterator[Callable[[str, int, int], None]]:
    """A function of (what, done, total) for the bar that is drawn once the work has taken two seconds.

    A bar that was told nothing yet moves without a count, so that its reader sees that the work goes on.
    """
    bar = _LateBar()
    timer = Timer(_PATIENCE_S, bar.draw)
    timer.daemon = True
    timer.start()
    try:
        yield bar.tell
    finally:
        timer.cancel()
        bar.end()


class _LateBar:
    """A bar for work that may be over before it is drawn; a timer draws it, the work tells how far it is."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._told: dict[str, tuple[int, int]] = {}
        self._tasks: dict[str, TaskID] = {}
        self._ended = False
        self._lock = Lock()

    def tell(self, what: str, done: int, total: int) -> None:
        with self._lock:
            self._told[what] = done, total
            self._show()

    def draw(self) -> None:
        from rich.console import Console

        with self._lock:
            if not self._ended and Console(stderr=True).is_terminal:
                self._bar = progress_bar()
                self._tasks["working"] = self._bar.add_task("working", total=None)
                self._show()
                self._bar.start()

    def end(self) -> None:
        with self._lock:
            self._ended = True
            if self._bar is not None:
                self._bar.stop()

    def _show(self) -> None:
        if self._bar is None:
            return
        if self._told and "working" in self._tasks:
            self._bar.remove_task(self._tasks.pop("working"))
        for what, (done, total) in self._told.items():
            if what not in self._tasks:
                self._tasks[what] = self._bar.add_task(what, total=total)
            self._bar.update(self._tasks[what], completed=done, total=total)
