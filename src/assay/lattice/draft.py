"""What a reader makes of an answer before anything is verified."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.lattice.kinds import Form
from assay.types import Span


@dataclass(frozen=True, slots=True)
class DraftClaim:
    """A claim as written: its words, the pointers it cites, and where it stands in the answer."""

    text: str
    pointers: tuple[str, ...]
    span: Span
    problem: str = ""  # what makes it unreadable as a claim, e.g. "text is a number"


@dataclass(frozen=True, slots=True)
class Draft:
    """The claims of an answer, the repairs it took to read them, or why it cannot be read."""

    form: Form
    answer: str
    claims: tuple[DraftClaim, ...] = ()
    fixups: tuple[str, ...] = ()
    unreadable: str = ""


def collapse(pointers: Iterable[str]) -> tuple[str, ...]:
    """The pointers in upper case, each once, in the order of first mention."""
    return tuple(dict.fromkeys(pointer.strip().upper() for pointer in pointers))
