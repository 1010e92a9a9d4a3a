"""A claim made from a document, and the check that no other statement of the sources makes it true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.mutations.edits import Mutation
from assay.mutations.source import Source, Statement, content_stems
from assay.types import Span


@dataclass(frozen=True, slots=True)
class MadeClaim:
    """A claim made from a document by rule.

    `kind` is the kind of mutation or paraphrase, `change` what was changed, `old` and `new` the words that were
    exchanged. `places` are the stretches of the document it was made from, the one it speaks about first. `telling`
    are the stems that, together in another statement, would make it true; without them its own words decide.
    """

    kind: str
    change: str
    text: str
    places: tuple[Span, ...]
    old: str = ""
    new: str = ""
    telling: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.places:
            raise ValueError(f"{self.text!r} names no place of its document")

    @classmethod
    def of(cls, kind: str, made: Mutation, statement: Statement) -> MadeClaim:
        """The claim of an edited sentence; the mutation's own kind says what was changed."""
        return cls(kind, made.kind, made.text, (statement.span,), made.original, made.changed.of(made.text))


class StatementIndex:
    """The statements of all sources by their stems, to find out whether one of them tells what a claim says."""

    _SAME, _NEARLY_ALL = 0.6, 0.8  # share of a claim's stems in another statement, with and without its new words

    def __init__(self, sources: Sequence[Source]) -> None:
        self._stems: list[frozenset[str]] = []
        self._places: list[tuple[int, Span]] = []
        self._with: dict[str, set[int]] = {}
        for number, source in enumerate(sources):
            for statement in source.statements:
                stems = content_stems(statement.text) | content_stems(statement.heading)
                for one in stems:
                    self._with.setdefault(one, set()).add(len(self._stems))
                self._stems.append(stems)
                self._places.append((number, statement.span))

    def tells(self, claim: MadeClaim, source: int, origin: str) -> bool:
        """Whether a statement other than the ones it was made from may make the claim true."""
        if claim.telling:
            return any(self._holding(claim.telling, claim, source))
        words = content_stems(claim.text)
        new = words - content_stems(origin)
        least = self._SAME if new else self._NEARLY_ALL
        candidates = self._holding(new, claim, source) if new else self._sharing(words, claim, source)
        return any(len(words & self._stems[at]) >= least * len(words) for at in candidates)

    def _holding(self, stems: frozenset[str], claim: MadeClaim, source: int) -> Iterator[int]:
        sets = [self._with.get(one, set()) for one in stems]
        for at in set.intersection(*sets) if sets else set():
            if not self._is_own(at, claim, source):
                yield at

    def _sharing(self, stems: frozenset[str], claim: MadeClaim, source: int) -> Iterator[int]:
        for at in set().union(*(self._with.get(one, set()) for one in stems)):
            if not self._is_own(at, claim, source):
                yield at

    def _is_own(self, at: int, claim: MadeClaim, source: int) -> bool:
        number, span = self._places[at]
        return number == source and any(span.overlaps(place) for place in claim.places)
