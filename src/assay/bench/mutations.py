"""True sentences made false, one fact at a time: what `assay selftest` feeds to a judge.

Each kind of change is a function of a scene (the sentence, its company and the dice) in `assay.bench.changes`, for
values, or `assay.bench.turns`, for words. What comes out must no longer follow from what went in: 1,000 m is never
changed into 1 km, and "more than 300" never into "more than 200".

>>> for made in mutate("Mount Everest is 8,849 m high.", seed=1):
...     print(made.kind, "|", made.text)
number | Mount Everest is 4,424 m high.
unit | Mount Everest is 8,849 cm high.
negation | Mount Everest is not 8,849 m high.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.types import Span


@dataclass(frozen=True, slots=True)
class Mutation:
    """A sentence that no longer holds: what kind of change, the new text, where it differs and what stood there.

    `changed` is empty where words were only taken away.
    """

    kind: str
    text: str
    changed: Span
    original: str

    def __post_init__(self) -> None:
        if self.changed.end > len(self.text):
            raise ValueError(f"the change at {self.changed} lies outside {self.text!r}")


@dataclass(frozen=True)
class Scene:
    """A sentence about to be changed, other true sentences of the same sources, and how many sources there are."""

    text: str
    dice: random.Random
    others: Sequence[str] = ()
    sources: int = 0

    def replaced(self, kind: str, start: int, end: int, new: str) -> Mutation:
        """The scene's sentence with one stretch of it replaced, the article before it made to fit."""
        before, after = self.text[:start], self.text[end:]
        article = _ARTICLE.search(before)
        following = (new or after.lstrip())[:1]
        if article and following.isalpha():
            before = f"{before[: article.start()]}{article[1]}{'n' if following.lower() in 'aeiou' else ''} "
        if not new:
            before, after = _closed(before, after)
        if not before.strip():
            opening = new or after.lstrip()
            capital = opening[:1].upper() + opening[1:]
            new, after = (capital, after) if new else ("", capital)
        return Mutation(kind, before + new + after, Span(len(before), len(before) + len(new)), self.text[start:end])


_ARTICLE = re.compile(r"\b([Aa])n? $")
Change = Callable[[Scene], Mutation | None]


def _closed(before: str, after: str) -> tuple[str, str]:
    """The two sides of a gap with one space between them, and none before a stop."""
    kept = after.lstrip()
    gap = "" if not kept or kept[0] in ".,;:!?)" or not before.strip() else " "
    return before.rstrip() + gap, kept


def kinds() -> dict[str, Change]:
    """Every kind of change, in the order in which results are shown."""
    from assay.bench import changes, turns

    return {
        "number": changes.change_number,
        "unit": changes.change_unit,
        "date": changes.change_date,
        "name": turns.change_name,
        "negation": turns.change_sign,
        "quantifier": turns.change_quantifier,
        "dropped qualifier": turns.drop_qualifier,
        "swapped roles": turns.swap_roles,
        "merged facts": turns.merge_facts,
        "swapped citation": turns.swap_citation,
        "invented citation": turns.invent_citation,
    }


def mutate(sentence: str, seed: int = 0, *, others: Sequence[str] = (), sources: int = 0) -> list[Mutation]:
    """At most one mutation of each kind, the same for the same seed.

    `others` are further true sentences of the same sources: other names come from them, and facts to be merged.
    `sources` is how many sources a numbered anchor may name; citations change only where the sentence has one.
    """
    made: list[Mutation] = []
    for kind, change in kinds().items():
        scene = Scene(sentence, random.Random(f"{seed}:{kind}:{sentence}"), tuple(others), sources)
        found = change(scene)
        if found is not None and found.text != sentence:
            made.append(found)
    return made
