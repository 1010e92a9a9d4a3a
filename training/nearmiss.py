"""Near misses: a claim beside evidence on the same subject that does not settle it.

Sets with only two labels teach that evidence always decides; their own claims beside each other's evidence teach that
it may not.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from training.premises import words
from training.rows import INSUFFICIENT, SUPPORTED, Row

COMMON_IN = 300  # rows; a word of more premises than this says nothing of the subject
RAREST = 5  # words of a claim by which evidence on its subject is looked for
TOLD = 0.75  # share of a claim's words from which evidence may well settle it


def near_misses(rows: Sequence[Row], take: int, seed: str) -> list[Row]:
    """Claims with the other premise that shares their rarest words and still leaves some unsaid."""
    dice = random.Random(seed)
    bags = [(words(row.premise), words(row.hypothesis)) for row in rows]
    holders: dict[str, list[int]] = defaultdict(list)
    for number, (told, _) in enumerate(bags):
        for word in told:
            holders[word].append(number)
    made: list[Row] = []
    for number in dice.sample(range(len(rows)), len(rows)):
        if len(made) >= take:
            break
        row, (own, asked) = rows[number], bags[number]
        if row.label != SUPPORTED:  # a false claim may well be refuted by other evidence on its subject
            continue
        rare = sorted((len(holders[word]), word) for word in asked if 1 < len(holders.get(word, ())) <= COMMON_IN)
        weights: Counter[int] = Counter()
        for count, word in rare[:RAREST]:
            for other in holders[word]:
                weights[other] += 1 / count**0.5
        for other, _ in weights.most_common(30):
            told, theirs = bags[other]
            alike = len(asked & theirs) > 0.5 * len(asked | theirs) or len(own & told) > 0.4 * len(own | told)
            if len(asked & told) < TOLD * len(asked) and not alike:
                made.append(Row(rows[other].premise, row.hypothesis, INSUFFICIENT, "near_miss"))
                break
    return made
