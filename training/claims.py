"""Self-standing claims taken from a passage's own sentences, and evidence in which they do or do not hold."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from training.contrast import MONTHS, NAME, NUMBER, change_name, change_premise, contrast
from training.lexicon import pair_list
from training.premises import Passage, lay_out, sentences, words
from training.rows import INSUFFICIENT, REFUTED, SUPPORTED, Row

PERSONAL = re.compile(r"^(He|She|It|They)\b(?! is (?:also )?(?:possible|likely|said|known that))")
OWNED = re.compile(r"^(His|Her|Its|Their)\b")
GENERIC = re.compile(
    r"^(?:The|This) (?:film|band|album|song|series|show|novel|book|company|group|team|school|university|town|city"
    r"|village|club|game|magazine|station|building|airport|river|event|single|movie|play|term|program|district|organization)\b"
    r"(?! of| in )"
)
BORN = re.compile(
    r"^([^()]{3,60}) \((?:[^()]*; )?born (?:[^()]*? )?((?:[A-Z][a-z]+ \d{1,2}, |\d{1,2} [A-Z][a-z]+ )\d{4})\)"
)
DANGLING = re.compile(r"\b(?:he|she|they|his|her|their|this|these|those|former|latter|such|him|them)\b", re.IGNORECASE)
REWORDINGS = pair_list("rewordings")
AMERICAN_DATE = re.compile(rf"\b({'|'.join(MONTHS)}) (\d{{1,2}}), (\d{{4}})")


@dataclass(frozen=True)
class Taken:
    """A claim and the sentence of the passage it says again."""

    claim: str
    sentence: str


def reword(claim: str, dice: random.Random) -> str:
    """The claim with one or two phrases said otherwise, the meaning kept."""
    for old, new in dice.sample(REWORDINGS, len(REWORDINGS)):
        if new and f" {old} " in claim and dice.random() < 0.6:
            claim = claim.replace(f" {old} ", f" {new} ", 1)
    if dice.random() < 0.25:
        moved = re.match(r"^((?:In|On|During|After|Since) [^,]{3,30}), (.+)\.$", claim)
        if moved:
            claim = f"{moved.group(2)[0].upper()}{moved.group(2)[1:]} {moved.group(1)[0].lower()}{moved.group(1)[1:]}."
    if dice.random() < 0.2:
        claim = AMERICAN_DATE.sub(r"\2 \1 \3", claim)
    return claim


def take_claim(passage: Passage, dice: random.Random) -> Taken | None:
    """One sentence of the passage made to stand alone; None when it leans on what came before."""
    found = sentences(passage.text)
    sentence = dice.choice(found)
    title = re.sub(r"\s*\([^)]*\)$", "", passage.title)
    born = BORN.match(sentence)
    if born and dice.random() < 0.4:
        return Taken(f"{title} was born on {born.group(2)}.", sentence)
    claim = re.sub(r"\s*[(\[][^()\[\]]*[)\]]", "", sentence)
    if PERSONAL.match(claim):
        claim = PERSONAL.sub(title.replace("\\", ""), claim, count=1)
    elif OWNED.match(claim):
        claim = OWNED.sub(f"{title}'s".replace("\\", ""), claim, count=1)
    elif GENERIC.match(claim):
        claim = GENERIC.sub(title.replace("\\", ""), claim, count=1)
    elif sentence != found[0] and not set(title.lower().split()) & set(claim.lower().split()):
        return None
    for cut in (
        r", (?:which|who|whose|where|as well as|including|although|though|while|but) .*",
        r"; .*",
        r", and (?:he|she|it|they|was|is|has) .*",
    ):
        if dice.random() < 0.5:
            claim = re.sub(cut + r"$", ".", claim)
    listed = re.match(r"^(.+? (?:is|was) an? (?:[A-Z][\w-]+ )?)(\w+), (\w+),? and (\w+)\.$", claim)
    if listed and dice.random() < 0.6:
        claim = f"{listed.group(1)}{dice.choice(listed.group(2, 3, 4))}."
    claim = claim.strip()
    if not claim.endswith("."):
        claim += "."
    if not 5 <= len(claim.split()) <= 40 or (DANGLING.search(claim) and sentence != found[0]) or claim.count('"') % 2:
        return None
    return Taken(reword(claim[0].upper() + claim[1:], dice), sentence)


def without(passage: Passage, sentence: str) -> Passage:
    left = [other for other in sentences(passage.text) if other != sentence]
    return Passage(passage.title, " ".join(left))


def still_told(claim: str, evidence: str) -> bool:
    """Whether evidence meant to lack the claim's facts has them all the same."""
    facts = set(NUMBER.findall(claim)) | set(NAME.findall(claim))
    missing = [fact for fact in facts if fact not in evidence]
    asked = words(claim)
    return not missing and len(asked & words(evidence)) > 0.6 * len(asked)


def evidence(gold: Sequence[Passage], others: Sequence[Passage], most_words: int, dice: random.Random) -> str:
    """Gold passages among others, in any order, no longer than asked unless the gold alone is."""
    room = most_words - sum(len(passage.text.split()) for passage in gold)
    chosen = list(gold)
    for other in others:
        size = len(other.text.split())
        if size <= room:
            chosen.append(other)
            room -= size
    dice.shuffle(chosen)
    return lay_out(chosen, dice)


LENGTHS = (40, 60, 60, 90, 90, 120, 160, 240)  # words of evidence: mostly one passage, at times several


def claim_rows(
    passage: Passage, others: Sequence[Passage], dice: random.Random, source: str = "passage_claims"
) -> Iterator[Row]:
    """What one passage teaches: its claim holds, a changed one does not, and without its sentence nothing is known."""
    taken = take_claim(passage, dice)
    if taken is None:
        return

    def told(gold: Sequence[Passage]) -> str:
        return evidence(gold, dice.sample(others, min(3, len(others))), dice.choice(LENGTHS), dice)

    short = Passage(passage.title, taken.sentence) if dice.random() < 0.3 else passage
    yield Row(told([short]), taken.claim, SUPPORTED, source)
    kind = dice.random()
    if kind < 0.45:
        changed = contrast(taken.claim, passage.text, dice)
        if changed:
            yield Row(told([short]), changed.text, changed.label, source)
    elif kind < 0.6:
        edited = change_premise(passage.text, taken.claim, dice)
        if edited:
            yield Row(told([Passage(passage.title, edited[0])]), taken.claim, REFUTED, source)
    else:
        rest = without(passage, taken.sentence)
        lacking = told([rest]) if rest.text else told(list(others[:1]))
        if not still_told(taken.claim, lacking):
            yield Row(lacking, taken.claim, INSUFFICIENT, source)


def changed_pair(passage: Passage, dice: random.Random) -> tuple[Row, ...]:
    """A claim as it stands and the same with one fact changed, beside the same short evidence, where that can be made.

    Two rows that differ in one fact leave nothing else to learn from. Names come first: a small network reads over them
    more than over anything else.
    """
    taken = take_claim(passage, dice)
    if taken is None:
        return ()
    name = change_name(taken.claim, passage.text, dice) if dice.random() < 0.6 else None
    changed = name or contrast(taken.claim, passage.text, dice)
    if changed is None:
        return ()
    short = taken.sentence if changed.new in taken.sentence or dice.random() < 0.5 else passage.text
    told = evidence([Passage(passage.title, short)], [], 0, dice)
    return (
        Row(told, taken.claim, SUPPORTED, "fact_pairs"),
        Row(told, changed.text, changed.label, "fact_pairs"),
    )
