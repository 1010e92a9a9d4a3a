"""Which files a source stands for: a path, a folder, a glob, standard input, or the text itself."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.memory.readers.draft import Refusal
from assay.memory.readers.formats import FORMATS
from assay.types import Document

Source = str | os.PathLike[str] | Document

_SKIPPED = frozenset(("CVS", "__pycache__", "node_modules"))
_LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class File:
    """A file to read, and the name it goes by."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A text given as it is; `name` is its id."""

    text: str
    name: str


@dataclass(frozen=True, slots=True)
class Stdin:
    """Whatever stands on standard input."""

    name: str = "stdin"


Place = File | Literal | Stdin | Document | Refusal


def find_sources(sources: Iterable[Source]) -> Iterator[Place]:
    """Every file, text and document the sources stand for, each file once, in a stable order."""
    seen: set[str] = set()
    texts = 0
    for source in sources:
        if isinstance(source, Document):
            yield source
            continue
        if source == "-":
            yield Stdin()
            continue
        text = os.fspath(source)
        places = None if isinstance(source, str) and not _may_be_path(text) else list(_locate(text))
        if places is None or (not places and isinstance(source, str) and not _names_a_file(text)):
            texts += 1
            yield Literal(text, f"text-{texts}")
            continue
        if not places:
            yield Refusal(text, "no such file or folder")
        for place in places:
            if isinstance(place, File):
                real = os.path.realpath(place.path)
                if real in seen:
                    continue
                seen.add(real)
            yield place


def _may_be_path(text: str) -> bool:
    return 0 < len(text) < _LONGEST_PATH and "\n" not in text and "\0" not in text


def _names_a_file(text: str) -> bool:
    """'report.pdf' and 'docs/*.md' name files even when there are none; 'Paris is in France.' does not."""
    return not any(mark.isspace() for mark in text) and Path(text).suffix.lower() in FORMATS


def _locate(text: str) -> Iterator[Place]:
    path = Path(text)
    try:
        if path.is_dir():
            yield from _walk(path)
        elif os.path.lexists(path):
            yield File(path, path.name)
        elif glob.has_magic(text):
            for match in sorted(glob.glob(text, recursive=True)):  # noqa: PTH207 (a pattern may be absolute)
                if Path(match).is_file():
                    yield File(Path(match), Path(match).name)
    except (OSError, ValueError):  # a name too long or not encodable is no path
        return


def _walk(folder: Path) -> Iterator[Place]:
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
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            if not name.startswith("."):
                empty = False
                path = Path(here, name)
                yield File(path, path.relative_to(folder).as_posix())
        yield from refused
        refused.clear()
    yield from refused
    if empty:
        yield Refusal(str(folder), "the folder holds no files")


def _unreadable(problem: OSError) -> Refusal:
    return Refusal(str(problem.filename), problem.strerror or str(problem))
