"""What the commands read: an answer from a file, standard input or the argument itself, sources, and memories."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay.errors import AnswerError, UsageError
from assay.types import Document

if TYPE_CHECKING:
    from assay.memory import Memory
    from assay.policy import Policy

TEXT_ENDINGS = {".md", ".markdown", ".txt", ".text", ".rst", ".html", ".json"}


def read_answer(given: str) -> tuple[str, str]:
    """The answer's text and its name: `-` is standard input, a path is read, anything else is the answer itself."""
    if given == "-":
        return _decode(sys.stdin.buffer.read(), "standard input"), "stdin"
    if not given.strip():
        raise AnswerError("the answer is empty; there is nothing to check")
    path = Path(given)
    try:
        if path.is_dir():
            raise AnswerError(f"{given} is a folder; give one answer file, '-' for standard input, or the text itself")
        if path.is_file():
            return _decode(path.read_bytes(), given), given
    except OSError as problem:
        if not _looks_like_text(given):
            raise AnswerError(f"cannot read the answer {given}: {problem.strerror or problem}") from problem
    except ValueError:  # a NUL in the argument: not a path
        return given, "argument"
    if not _looks_like_text(given):
        raise AnswerError(f"there is no answer file {given}")
    return given, "argument"


def named_sources(paths: Sequence[str] | None, texts: Sequence[str] | None = None) -> list[str | Path]:
    """What `--sources` and `--source-text` name; a path with nothing behind it is an error, never a text."""
    for given in paths or ():
        if "://" in given:
            raise UsageError(f"{given} is a URL and nothing is fetched; save the page and give the file")
        if not given or not _exists(given):
            raise UsageError(f"there is no source {given!r}; give a file, folder or glob, or a text with --source-text")
    if not all(text.strip() for text in texts or ()):
        raise UsageError("--source-text is empty; give the text itself")
    return [*map(Path, paths or ()), *(texts or ())]


def read_documents(paths: Sequence[str] | None, texts: Sequence[str] | None = None) -> list[Document]:
    """The documents of the sources named; what is left out is told on standard error."""
    from assay.engine.request import read_sources

    given = named_sources(paths, texts)
    if not given:
        raise UsageError("give the sources: --sources PATH or --source-text TEXT")
    documents, _, warnings = read_sources(given)
    for warning in warnings:
        typer.echo(warning, err=True)
    return documents


def open_memory(place: str, policy: Policy | None = None) -> Memory:
    """An existing memory: checking must not leave an empty one behind where the path was mistyped."""
    from assay.memory import Memory
    from assay.storage.database import is_postgres

    if not is_postgres(place) and not Path(place).is_dir():
        raise UsageError(f"there is no evidence memory at {place}; make one with: assay index add SOURCES --memory …")
    return Memory(place, policy=policy)


def open_workspace(place: str, workspace: str, **options: Any) -> Memory:
    """A workspace of a memory that exists; looking at one must not make one."""
    from assay.memory import Memory
    from assay.memory.stores import stored_embedder

    if stored_embedder(place, workspace) is None:
        raise UsageError(f"there is no memory {place} with a workspace {workspace!r}; assay index add makes one")
    return Memory(place, workspace=workspace, **options)


def _exists(given: str) -> bool:
    try:
        if given == "-" or os.path.lexists(given):
            return True
        return any(Path(match).is_file() for match in glob.iglob(given, recursive=True))  # noqa: PTH207
    except (OSError, ValueError):  # too long, or a NUL: no path
        return False


def _looks_like_text(given: str) -> bool:
    """A sentence has spaces; `answers/one.md` that does not exist is a mistake, not an answer."""
    return " " in given.strip() or "\n" in given or (Path(given).suffix not in TEXT_ENDINGS and "/" not in given)


def _decode(raw: bytes, name: str) -> str:
    if b"\0" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise AnswerError(f"{name} is binary, not text")
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        from assay.memory.readers.encoding import decode

        text, notices = decode(raw)
        typer.echo(f"{name}: {'; '.join(notices)}", err=True)
    if not text.strip():
        raise AnswerError(f"{name} is empty; there is no answer to check")
    return text
