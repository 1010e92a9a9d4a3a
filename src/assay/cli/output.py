"""What the commands write: text to a file or standard output, and progress bars to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


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
    return Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal)


@contextmanager
def progress_after(seconds: float = 2.0) -> Iterator[Callable[[str, int, int], None]]:
    """A function of (what, done, total) that draws a bar once the work has taken longer than this."""
    started = perf_counter()
    bar: Progress | None = None
    tasks: dict[str, TaskID] = {}

    def show(what: str, done: int, total: int) -> None:
        nonlocal bar
        if bar is None and perf_counter() - started < seconds:
            return
        if bar is None:
            bar = progress_bar()
            bar.start()
        if what not in tasks:
            tasks[what] = bar.add_task(what, total=total)
        bar.update(tasks[what], completed=done, total=total)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()
