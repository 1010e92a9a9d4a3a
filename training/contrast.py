"""Contrast pairs: a supported claim with one fact changed, so that it no longer is."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from training.rows import NOT_SUPPORTED, REFUTED

NUMBER = re.compile(r"(?<![\w.,/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?![\w/]|[.,-]\d)")
NAME = re.compile(r"(?<=[\w,;:)] )(?:[A-Z][\w'’.-]*[\w](?:(?: of| de| the| von| van)? [A-Z][\w'’-]*\w)*)")
LEXICON = tomllib.loads(Path(__file__).with_name("lexicon.toml").read_text(encoding="utf-8"))
MONTHS, DAYS, COUNTS, ORDINALS, NATIONS, TRADES, OPPOSITES = (
    LEXICON[name].split() for name in ("months", "days", "counts", "ordinals", "nations", "trades", "opposites")
)
FLIPS = {a: b for pair in OPPOSITES for a, b in (pair.split("/"), pair.split("/")[::-1])}
AUXILIARY = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|has|have|had|does|did|do|may|might|must)\b(?! not|n't)",
    re.IGNORECASE,
)
DIRECTED = re.compile(
    r"\b(than|before|after|defeated|beat|by|succeeded|preceded|caused|led to|influenced|killed|founded|wrote|directed"
    r"|owns|acquired|north of|south of)\b"
)


@dataclass(frozen=True)
class Contrast:
    """A changed claim: what kind of change, the new text, what was replaced by what, and the label it earns."""

    kind: str
    text: str
    old: str
    new: str
    label: str


def _replace(text: str, start: int, end: int, new: str) -> str:
    before, after = text[:start], text[end:]
    article = re.search(r"\b([Aa])n? $", before)
    if article and new[:1].isalpha():
        vowel = new[0].lower() in "aeiou"
        before = before[: article.start()] + article.group(1) + ("n " if vowel else " ")
    return before + new + after


def _like(old: str, new: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() else new


def change_number(claim: str, premise: str, dice: random.Random) -> Contrast | None:
    """Another number in the place of one: from the premise itself, or near to the old one."""
    found = list(NUMBER.finditer(claim))
    if not found:
        return None
    match = dice.choice(found)
    old = match.group()
    plain = old.replace(",", "")
    year = "." not in plain and "," not in old and len(plain) == 4 and 1000 <= int(plain) <= 2099
    rivals = []
    for other in NUMBER.findall(premise):
        bare = other.replace(",", "")
        is_year = "." not in bare and "," not in other and len(bare) == 4 and 1000 <= int(bare) <= 2099
        if is_year == year and bare != plain and other not in claim and abs(len(bare) - len(plain)) <= 1:
            rivals.append(other)
    if rivals and dice.random() < 0.4:
        new = dice.choice(rivals)
    elif year:
        new = str(int(plain) + dice.choice((-1, 1)) * dice.choice((1, 2, 3, 5, 7, 10, 20, 33, 100)))
    elif "." in plain:
        new = f"{float(plain) * dice.choice((0.3, 0.5, 0.8, 1.3, 2, 3)):.{len(plain.split('.')[1])}f}"
    else:
        value = int(plain)
        value = (
            value + dice.choice((1, 2, 3, 4))
            if value < 15
            else int(value * dice.choice((0.4, 0.7, 0.9, 1.2, 1.5, 2.5))) + 1
        )
        new = f"{value:,}" if "," in old else str(value)
    if new.replace(",", "") == plain or float(new.replace(",", "")) == float(plain):
        return None
    return Contrast("number", claim[: match.start()] + new + claim[match.end() :], old, new, REFUTED)


def _from_list(kind: str, words: Sequence[str], label: str) -> Callable[[str, str, random.Random], Contrast | None]:
    pattern = re.compile(r"\b(" + "|".join(words) + r")\b")

    def change(claim: str, premise: str, dice: random.Random) -> Contrast | None:
        found = list(pattern.finditer(claim))
        if not found:
            return None
        match = dice.choice(found)
        # "March" may be a verb at the start of a claim, so only places after another word count.
        if match.start() == 0:
            return None
        new = dice.choice([word for word in words if word not in claim])
        return Contrast(kind, _replace(claim, *match.span(), new), match.group(), new, label)

    return change


change_month = _from_list("date", MONTHS, REFUTED)
change_day = _from_list("date", DAYS, REFUTED)
change_count = _from_list("number", COUNTS, REFUTED)
change_ordinal = _from_list("number", ORDINALS, REFUTED)
change_nation = _from_list("name", NATIONS, REFUTED)
change_trade = _from_list("name", TRADES, NOT_SUPPORTED)


def names_in(text: str) -> list[tuple[str, str]]:
    """Names that do not open a sentence, each with the word before it."""
    result = []
    for match in NAME.finditer(text):
        name = match.group()
        if name.split()[0] not in MONTHS and name.split()[0] not in DAYS and name not in NATIONS and len(name) > 2:
            result.append((name, text[: match.start()].split()[-1].lower()))
    return result


def change_name(claim: str, premise: str, dice: random.Random) -> Contrast | None:
    """Another name that the premise mentions, standing after the same word where there is one."""
    own = [(name, before) for name, before in names_in(claim) if name in premise]
    if not own:
        return None
    old, before = dice.choice(own)
    rivals = [
        (name, word)
        for name, word in names_in(premise)
        if not (set(name.split()) & set(claim.split())) and name not in old
    ]
    alike = [
        name
        for name, word in rivals
        if word == before and before in ("in", "of", "by", "at", "with", "from", "for", "and")
    ]
    pool = alike or [name for name, _ in rivals if len(name.split()) == len(old.split())]
    if not pool:
        return None
    new = dice.choice(pool)
    sure = before in ("by", "in") and re.search(
        r"\b(born|died|located|based|founded|directed|written|published|released|held)\b", claim
    )
    return Contrast("name", claim.replace(old, new), old, new, REFUTED if sure else NOT_SUPPORTED)


def _from_pairs(kind: str, pairs: Sequence[tuple[str, str]]) -> Callable[[str, str, random.Random], Contrast | None]:
    table = dict(pairs)
    pattern = re.compile(r"\b(" + "|".join(sorted(table, key=len, reverse=True)) + r")\b", re.IGNORECASE)

    def change(claim: str, premise: str, dice: random.Random) -> Contrast | None:
        found = list(pattern.finditer(claim))
        if not found:
            return None
        match = dice.choice(found)
        old = match.group()
        new = _like(old, table[old.lower()])
        return Contrast(kind, _replace(claim, *match.span(), new), old, new, REFUTED)

    return change


change_unit = _from_pairs("unit", LEXICON["units"])
change_quantifier = _from_pairs("quantifier", LEXICON["quantifiers"])
change_opposite = _from_pairs("comparative", tuple(FLIPS.items()))


def change_negation(claim: str, premise: str, dice: random.Random) -> Contrast | None:
    """A denial added to a plain statement, or taken away from a denied one."""
    denied = re.search(
        r"\b(is|are|was|were|can|could|will|would|should|has|have|had|may|might|must)( not|n't)\b", claim
    )
    if denied:
        return Contrast(
            "negation", claim[: denied.end(1)] + claim[denied.end(2) :], denied.group(2).strip(), "", REFUTED
        )
    if re.search(r"\b(not|never|no|n't|neither|nor|without)\b", claim):
        return None
    match = AUXILIARY.search(claim)
    if not match or claim.endswith("?") or re.search(r"\b(?:who|which|that|whose)\b", claim[: match.start()]):
        return None
    # "has not origins" is no English; "has not been seen" is.
    if match.group().lower() in ("has", "have", "had") and not re.match(r" (?:been|\w+ed)\b", claim[match.end() :]):
        return None
    word = dice.choice((" not", " not", " never")) if match.group().lower() not in ("do", "does", "did") else " not"
    return Contrast("negation", claim[: match.end()] + word + claim[match.end() :], "", word.strip(), REFUTED)


def change_direction(claim: str, premise: str, dice: random.Random) -> Contrast | None:
    """The two ends of a one-way relation exchanged: who defeated whom, which came before which."""
    found = list(re.finditer(r"\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*", claim))
    for left, right in pairwise(found):
        between = claim[left.end() : right.start()]
        if DIRECTED.search(between) and len(between.split()) <= 8 and left.group() != right.group():
            swapped = claim[: left.start()] + right.group() + between + left.group() + claim[right.end() :]
            return Contrast("direction", swapped, left.group(), right.group(), NOT_SUPPORTED)
    return None


CHANGES: tuple[Callable[[str, str, random.Random], Contrast | None], ...] = (
    change_number, change_number, change_month, change_day, change_count, change_ordinal, change_nation, change_trade,
    change_name, change_name, change_unit, change_quantifier, change_opposite, change_negation, change_direction,
)  # fmt: skip


def contrast(claim: str, premise: str, dice: random.Random, skip: Sequence[str] = ()) -> Contrast | None:
    """One change of a kind that applies, chosen by the dice; None when nothing in the claim can be changed."""
    for change in dice.sample(CHANGES, len(CHANGES)):
        made = change(claim, premise, dice)
        if made and made.kind not in skip and made.text != claim:
            return made
    return None
