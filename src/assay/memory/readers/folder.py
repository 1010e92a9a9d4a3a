"""Which files a source stands for: a string is a text, a path names a file, a folder, a glob or standard input."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.memory.readers.formats import FORMATS
from assay.memory.readers.parsed import Refusal
from assay.types import Document

Source = str | os.PathLike[str] | Document

_SKIPPED = frozenset(("CVS", "__pycache__", "node_modules"))
_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file to read, and the id wanted for its document."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text given as it is; `name` is its id."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class StdinSource:
    """Whatever stands on standard input."""

    name: str = "stdin"


SourceItem = FileSource | TextSource | StdinSource | Document | Refusal


def find_sources(sources: Iterable[Source], *, follow_links: bool = False) -> Iterator[SourceItem]:
    """Every file, text and document the sources stand for, each file once, in a stable order.

    A link inside a folder or glob that leads out of it is refused unless links are to be followed; a source that is
    itself a link has been asked for by name.
    """
    seen: set[str] = set()
    texts = 0
    for source in sources:
        if isinstance(source, Document):
            yield source
            continue
        if isinstance(source, str):
            texts += 1
            yield TextSource(source, f"text-{texts}")
            continue
        text = os.fspath(source)
        if text == "-":
            yield StdinSource()
            continue
        for place in list(_locate(text, follow_links)) or [Refusal(text, "no such file or folder")]:
            if isinstance(place, FileSource):
                real = os.path.realpath(place.path)
                if real in seen:
                    continue
                seen.add(real)
            yield place


def looks_like_path(text: str) -> bool:
    """Whether a text names a file or folder that exists, or spells a file name: a path meant as `Path`, most likely."""
    if not 0 < len(text) < _LONGEST_PATH or "\n" in text or "\0" in text:
        return False
    if not any(mark.isspace() for mark in text) and Path(text).suffix.lower() in FORMATS:
        return True
    try:
        return os.path.lexists(text)
    except (OSError, ValueError):  # a name too long or not encodable is no path
        return False


def _locate(text: str, follow_links: bool) -> Iterator[SourceItem]:
    path = Path(text)
    try:
        if path.is_dir():
            yield from _walk(path, follow_links)
        elif os.path.lexists(path):
            yield FileSource(path, path.name)
        elif glob.has_magic(text):
            root = _fixed_part(text)
            for match in sorted(glob.glob(text, recursive=True)):  # noqa: PTH207 (a pattern may be absolute)
                if Path(match).is_file():
                    leaves = not follow_links and not _lies_in(match, root)
                    yield _refuse_link(match) if leaves else FileSource(Path(match), Path(match).name)
    except (OSError, ValueError):  # a name too long or not encodable is no path
        return


def _fixed_part(pattern: str) -> str:
    """The folder a glob begins in: everything before its first wildcard."""
    parts = Path(pattern).parts
    fixed = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    return str(Path(*parts[:fixed]))


def _lies_in(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    root = os.path.realpath(folder)
    return os.path.commonpath([root, os.path.realpath(path)]) == root


def _refuse_link(path: str | os.PathLike[str]) -> Refusal:
    return Refusal(str(path), "a link that leads out of the folder: name its target, or ask for links to be followed")


def _walk(folder: Path, follow_links: bool) -> Iterator[SourceItem]:
    """The files of a folder and its subfolders, sorted; hidden ones are left out, link circles cut and named."""
    visited = set()
    empty = True
    refused: list[Refusal] = []
    walk = os.walk(folder, followlinks=True, onerror=lambda problem: refused.append(_unreadable(problem)))
    for here, folders, files in walk:
        status = Path(here).stat()
        if (status.st_dev, status.st_ino) in visited:
            folders.clear()
            if Path(os.path.realpath(here)) in Path(here).absolute().parents:
                yield Refusal(here, "a link to a folder it lies in: following it would never end")
            continue
        visited.add((status.st_dev, status.st_ino))
        if not follow_links and not _lies_in(here, folder):
            folders.clear()
            empty = False
            yield _refuse_link(here)
            continue
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if not name.startswith("."):
                empty = False
                path = Path(here, name)
                leaves = not follow_links and path.is_symlink() and path.exists() and not _lies_in(path, folder)
                yield _refuse_link(path) if leaves else FileSource(path, path.relative_to(folder).as_posix())
        yield from refused
        refused.clear()
    yield from refused
    if empty:
        yield Refusal(str(folder), "the folder holds no files")


def _unreadable(problem: OSError) -> Refusal:
    return Refusal(str(problem.filename), problem.strerror or str(problem))
