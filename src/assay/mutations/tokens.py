"""Single words and values changed in a sentence: number, unit, date, name, negation, quantifier, qualifier.

What comes out must no longer follow from what went in: 1,000 m is never changed into 1 km, and "more than 300" never
into "more than 200".

>>> for made in mutate("Mount Everest is 8,849 m high.", seed=1):
...     print(made.kind, "|", made.text)
number | Mount Everest is 4,424 m high.
unit | Mount Everest is 8,849 cm high.
negation | Mount Everest is not 8,849 m high.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from assay.mutations.edits import Mutation, MutationInput
from assay.mutations.scope import change_quantifier, drop_qualifier
from assay.mutations.values import change_date, change_number, change_unit
from assay.mutations.words import change_name, change_negation

Change = Callable[[MutationInput], Mutation | None]

TOKENS = ("number", "unit", "date", "name", "negation")
CHANGES: dict[str, Change] = {
    "number": change_number,
    "unit": change_unit,
    "date": change_date,
    "name": change_name,
    "negation": change_negation,
    "quantifier": change_quantifier,
    "dropped qualifier": drop_qualifier,
}


def mutate(sentence: str, seed: int = 0, *, others: Sequence[str] = ()) -> list[Mutation]:
    """At most one mutation of each kind, the same for the same seed.

    `others` are further true sentences of the same sources: other names come from them.
    """
    made: list[Mutation] = []
    for kind, change in CHANGES.items():
        found = change(MutationInput(sentence, random.Random(f"{seed}:{kind}:{sentence}"), tuple(others)))
        if found is not None and found.text != sentence:
            made.append(found)
    return made
