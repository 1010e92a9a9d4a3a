"""Words that hold a claim back (may, often, about, if): a claim without them says more than its source does."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

from training.claims import DANGLING, evidence, take_claim
from training.contrast import Contrast
from training.lexicon import LEXICON
from training.premises import Passage
from training.rows import NOT_SUPPORTED, SUPPORTED, Row

SMALL = "one|two|three|four|five|six|seven|eight|nine|ten|half|a (?:hundred|thousand|million)"
AMOUNT = rf"(?!1\d{{3}}\b|20\d\d\b)(?=\d|\$|(?:{SMALL}) )"  # "about 1859" is a time
SAID = (
    r"said|claimed|claims|argued|argues|believed|believes|suggested|suggests|alleged|thought|speculated|proposed|hoped"
)


@dataclass(frozen=True)
class Qualifier:
    """One way to hold a claim back: how it is seen, how it is dropped, and how the same may be said otherwise."""

    kind: str
    seen: re.Pattern[str]
    dropped: tuple[str, ...]
    reworded: tuple[str, ...] = ()


QUALIFIERS = tuple(
    Qualifier(
        entry["kind"],
        re.compile(entry["seen"].replace("AMOUNT", AMOUNT)),
        tuple(entry["dropped"]),
        tuple(entry.get("reworded", ())),
    )
    for entry in LEXICON["qualifiers"]
)
CONDITION = re.compile(r"^(?:If|Unless|Provided that|As long as) [^,]{5,90}, (?:then )?(.{15,})$")
REPORTED = re.compile(rf"^[^,]{{3,80}}? (?:{SAID}) that ((?:(?! and that ).){{20,}})$")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _alone(text: str) -> str | None:
    """A clause as a claim of its own, unless it leans on the one before it."""
    return None if DANGLING.search(text) or re.search(r"\b[Ii]ts?\b", text) else _capital(text)


def _without_clause(claim: str) -> list[Contrast]:
    made = []
    for kind, pattern in (("condition", CONDITION), ("report", REPORTED)):
        found = pattern.match(claim)
        rest = _alone(found.group(1)) if found else None
        if found and rest:
            made.append(Contrast(kind, rest, claim[: found.start(1)].strip(), "", NOT_SUPPORTED))
    return made


def drop_qualifier(claim: str, dice: random.Random) -> Contrast | None:
    """The claim saying more than it did, in one place; None where nothing holds it back."""
    made = _without_clause(claim)
    for qualifier in QUALIFIERS:
        for found in qualifier.seen.finditer(claim):
            new = found.expand(dice.choice(qualifier.dropped))
            text = _capital(claim[: found.start()] + new + claim[found.end() :])
            made.append(Contrast(qualifier.kind, text, found.group().strip(), new.strip(), NOT_SUPPORTED))
    return dice.choice(made) if made else None


def reword_qualifier(claim: str, dice: random.Random) -> str | None:
    """The claim held back in other words; None where no qualifier with another wording stands in it."""
    places = [(q, found) for q in QUALIFIERS if q.reworded for found in q.seen.finditer(claim)]
    if not places:
        return None
    qualifier, found = dice.choice(places)
    return _capital(claim[: found.start()] + found.expand(dice.choice(qualifier.reworded)) + claim[found.end() :])


def qualified_rows(passage: Passage, dice: random.Random) -> tuple[str, tuple[Row, ...]]:
    """A claim as its source has it, the same with a qualifier dropped, and now and then with it said otherwise.

    The third row is there so that a changed qualifier by itself is no sign of anything. With the rows comes the kind of
    qualifier; both are empty when the passage has none.
    """
    taken = take_claim(passage, dice)
    dropped = drop_qualifier(taken.claim, dice) if taken else None
    if taken is None or dropped is None:
        return "", ()
    short = taken.sentence if dice.random() < 0.7 else passage.text
    told = evidence([Passage(passage.title, short)], [], 0, dice)
    other = reword_qualifier(taken.claim, dice) if dice.random() < 0.5 else None
    claims = [(taken.claim, SUPPORTED), (dropped.text, dropped.label), *([(other, SUPPORTED)] if other else [])]
    return dropped.kind, tuple(Row(told, claim, label, "qualified") for claim, label in claims)
