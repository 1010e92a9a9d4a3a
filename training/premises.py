"""Premises as real evidence looks: long, noisy, titled, with the deciding sentences anywhere in it."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from training.lexicon import word_list
from training.rows import Row

BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])|\n+")
# "Dr. Smith" and "U.S. Army" do not end a sentence.
NO_BREAK_AFTER = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Jr|Sr|Prof|Gen|Col|Lt|Sgt|No|vs|etc|Inc|Ltd|Co|e\.g|i\.e|approx|Fig|al)|\b[A-Z])\.$"
)
WORD = re.compile(r"[a-z0-9]+")
COMMON = frozenset(word_list("common"))


@dataclass(frozen=True)
class Passage:
    """One titled text, and whether the row it belongs to needs it."""

    title: str
    text: str
    gold: bool = False


def sentences(text: str) -> list[str]:
    """The sentences of a text, by punctuation.

    >>> sentences("Dr. Smith left. He came back in 1999. Why?")
    ['Dr. Smith left.', 'He came back in 1999.', 'Why?']
    """
    found: list[str] = []
    start = 0
    for match in BREAK.finditer(text):
        piece = text[start : match.end()].strip()
        if "\n" not in match.group() and NO_BREAK_AFTER.search(piece):
            continue
        if piece:
            found.append(piece)
        start = match.end()
    if tail := text[start:].strip():
        found.append(tail)
    return found


def words(text: str) -> set[str]:
    """The content words of a text."""
    return set(WORD.findall(text.lower())) - COMMON


def focus(premise: str, hypothesis: str, budget: int) -> str:
    """The sentences of a long premise that share most with the hypothesis, in order, within a budget of words."""
    if len(premise.split()) <= budget:
        return premise
    asked = words(hypothesis)
    pieces = [short for sentence in sentences(premise) for short in _cut(sentence, budget // 2)]
    # The first sentence says what a text is about; the small penalty for distance keeps neighbours together.
    scores = [
        len(asked & words(piece)) / (4 + len(words(piece))) ** 0.5 + (0.5 if number == 0 else 0)
        for number, piece in enumerate(pieces)
    ]
    kept: set[int] = set()
    used = 0
    for number in sorted(range(len(pieces)), key=lambda n: (-scores[n], n)):
        size = len(pieces[number].split())
        if used + size <= budget:
            kept.add(number)
            used += size
    return " ".join(pieces[number] for number in sorted(kept))


def _cut(sentence: str, most: int) -> list[str]:
    pieces = sentence.split()
    return [" ".join(pieces[start : start + most]) for start in range(0, len(pieces), most)]


TITLED = (
    "{title}. {text}",
    "Title: {title}\n\n{text}",
    "{title} -- {text}",
    "{title}: {text}",
    "{text}",
    "{text}",
    "{title}\n{text}",
)


def lay_out(passages: Sequence[Passage], dice: random.Random) -> str:
    """The passages as one evidence text, in one of the ways such texts are written."""
    form = dice.choice(TITLED)
    joint = dice.choice(("\n\n", "\n", " "))
    numbered = len(passages) > 1 and dice.random() < 0.15
    texts = [form.format(title=passage.title, text=passage.text) for passage in passages]
    if numbered:
        texts = [f"[{number}] {text}" for number, text in enumerate(texts, 1)]
    return joint.join(texts)


def surround(gold: str, others: Sequence[str], most_words: int, dice: random.Random) -> str:
    """The gold text with other texts before and after it, the gold whole and the result within `most_words`.

    >>> surround("It rained.", ["The sun is far away."], 3, random.Random(0))
    'It rained.'
    """
    room = most_words - len(gold.split())
    chosen: list[str] = []
    for other in others:
        size = len(other.split())
        if size <= room:
            chosen.append(other)
            room -= size
    place = dice.randint(0, len(chosen))
    joint = dice.choice((" ", " ", "\n", "\n\n"))
    return joint.join([*chosen[:place], gold, *chosen[place:]])


def lengthen(rows: Sequence[Row], share: float, most_words: int, seed: str) -> list[Row]:
    """The rows with a share of the short premises put among premises of other rows of the same set; labels stay.

    Only for sets whose premises are about many subjects: among captions of photographs every caption is about "a man".
    """
    dice = random.Random(seed)
    result = []
    for row in rows:
        size = len(row.premise.split())
        if size < most_words // 2 and dice.random() < share:
            others = {dice.choice(rows).premise for _ in range(dice.randint(1, 4))} - {row.premise}
            usable = [other for other in sorted(others) if len(words(other) & words(row.hypothesis)) <= 1]
            premise = surround(row.premise, usable, dice.randint(size, most_words), dice)
            row = Row(premise, row.hypothesis, row.label, row.source)
        result.append(row)
    return result
