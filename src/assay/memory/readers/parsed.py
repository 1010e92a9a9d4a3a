"""What a format reader gives back: documents not yet named, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Protocol

from assay.types import Mark

HEADING_SEPARATOR = " › "


def name_set(text: str) -> frozenset[str]:
    """A set of names written as one line."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Refusal:
    """A source that could not be read, and why."""

    path: str
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The readable text of a source with its marks; `key` tells several drafts of one file apart."""

    text: str
    title: str = ""
    markup: str = "plain"
    date: date | None = None
    date_inferred: bool = False
    role: str = "unclassified"
    pages: tuple[Mark, ...] = ()
    headings: tuple[Mark, ...] = ()
    links: tuple[Mark, ...] = ()
    key: str = ""
    uri: str = ""
    warnings: tuple[str, ...] = ()


class FormatReader(Protocol):
    """Turns a file into drafts; an unreadable part is yielded as a refusal, an unreadable file raises SourceError."""

    def __call__(self, path: Path, data: bytes) -> Iterator[ParsedDocument | Refusal]: ...


class Outline:
    """The path of headings that holds at a point of a document being read.

    >>> outline = Outline()
    >>> outline.enter(1, "Guide"), outline.enter(2, "Install"), outline.enter(2, "Use")
    ('Guide', 'Guide › Install', 'Guide › Use')
    """

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> str:
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title))
        return HEADING_SEPARATOR.join(name for _, name in self._open)


class TextLayout:
    """Text laid out block by block, with the headings and pages met on the way."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._outline = Outline()
        self.headings: list[Mark] = []
        self.pages: list[Mark] = []
        self.links: list[Mark] = []

    def add_block(self, text: str, gap: str = "\n\n") -> int:
        """Adds a block; blocks are set apart by `gap`. Returns where it begins."""
        text = text.strip("\n")
        if not text.strip():
            return self._length
        if self._parts:
            self._write(gap)
        start = self._length
        self._write(text)
        return start

    def add_heading(self, level: int, text: str) -> int:
        title = " ".join(text.split())
        if not title:
            return self._length
        self.headings.append(Mark(self._next_start("\n\n"), self._outline.enter(level, title)))
        return self.add_block(title)

    def start_page(self, page: int) -> None:
        """Whatever is added from here on stands on this page."""
        self.pages.append(Mark(self._next_start("\n\n"), str(page)))

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def _next_start(self, gap: str) -> int:
        return self._length + (len(gap) if self._parts else 0)

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
