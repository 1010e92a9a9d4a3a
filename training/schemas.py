"""Rows made from sentence patterns: python -m training schemas OUT.jsonl.gz [--blocks N] [--seed N]

Written claims are subtle; a reader that has met only those still confuses which of two things a value belongs to. Here
the patterns of `schemas.toml` are filled with made-up things and values, several things side by side, and the label of
a claim follows from how it was filled:

- **attribute**: a thing and its own value, in another form of the same value (SUPPORTED); with the value of the thing
  beside it, or with a new one (REFUTED); of a thing that is not mentioned, or about something that is not said of it
  (INSUFFICIENT); two things compared by their values. The evidence is sentences, a list or a table.
- **relation**: who stands to whom, said from either side (SUPPORTED) or the wrong way round (REFUTED).
- **state**: which of several states that exclude each other a thing is in (planned or finished, allowed or forbidden,
  what to do or its opposite): the same (SUPPORTED), another (REFUTED), of a case that is open (INSUFFICIENT).
- **scope**: for what a rule holds (only, except, up to, from, all, none): what follows for one case.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from training.fillings import PATTERNS, SMALL, THINGS, VALUES, Forms, amount, distinct
from training.rows import INSUFFICIENT, REFUTED, SUPPORTED

CLAIMS = 8  # of a block, about
Places = list[list[int]]


@dataclass
class Made:
    """The evidence of a block so far, and claims with the stretches that decide them."""

    text: str = ""
    rows: list[dict] = field(default_factory=list)
    names: set[str] = field(default_factory=set)  # of all things that evidence or claims speak of

    def say(self, sentence: str, end: str = " ") -> Places:
        start = len(self.text)
        self.text += sentence
        place = [start, len(self.text)]
        self.text += end
        return [place]

    def claim(self, text: str, label: str, kind: str, evidence: Places, wrong: str | None = None) -> None:
        row = {"hypothesis": text, "label": label, "kind": kind, "evidence": evidence}
        at = text.lower().find(wrong.lower()) if wrong else -1
        if at >= 0:
            row["wrong"] = [[at, at + len(wrong or "")]]
        self.rows.append(row)


def filled(pattern: str, **parts: str) -> str:
    said = pattern.format(**parts)
    return said[0].upper() + said[1:]


def joined(dice: random.Random, pairs: list[tuple[str, dict[str, str]]]) -> str:
    """Several filled patterns as one sentence."""
    (first, parts), *rest = pairs
    plain = all(pattern.startswith(("{", "The ")) and not set(":;,") & set(pattern) for pattern, _ in pairs)
    said = filled(first, **parts).rstrip(".")
    for pattern, more in rest:
        start = pattern if pattern.startswith("{") else pattern[0].lower() + pattern[1:]
        said += dice.choice([", while ", ", whereas ", ", but ", " and "] if plain else ["; "])
        said += start.format(**more).rstrip(".")
    return said + "."


def contrast(dice: random.Random, one: dict, values: list[Forms], at: int) -> tuple[str, str] | None:
    """A pattern that says a value by how it stands to those before it, and what fills it."""
    amounts = [amount(forms) for forms in values[: at + 1]]
    if not at or None in amounts or len({unit for unit, _ in amounts}) > 1:
        return None
    *before, last = [number for _, number in amounts]
    gap = last - before[-1]
    if "later" in one and 0 < gap <= 12:
        return dice.choice(one["later"]), f"{SMALL[int(gap)]} year{'s' if gap > 1 else ''}"
    side = "up" if last > max(before) else "down" if last < min(before) else ""
    return (dice.choice(one[side]), dice.choice(values[at])) if side in one else None


def say_values(made: Made, dice: random.Random, one: dict, things: list[str], values: list[Forms]) -> list[Places]:
    """Sentences that give each thing its value; the places that say so, for each thing."""
    where: list[Places] = []
    while (at := len(where)) < len(things):
        parts = [{"a": thing, "x": dice.choice(forms)} for thing, forms in zip(things, values, strict=True)][
            at : at + 2
        ]
        style, turned = dice.random(), contrast(dice, one, values, at)
        if len(parts) == 2 and "both" in one and style < 0.4:
            pattern = dice.choice(one["both"])
            where += [made.say(filled(pattern, **parts[0], b=parts[1]["a"], y=parts[1]["x"]))] * 2
        elif len(parts) == 2 and style < 0.6:
            where += [made.say(joined(dice, [(dice.choice(one["says"]), some) for some in parts]))] * 2
        elif turned:
            where.append(where[-1][-1:] + made.say(filled(turned[0], a=things[at], x=turned[1])))
        else:
            where.append(made.say(filled(dice.choice(one["says"]), **parts[0])))
    return where


def say_table(
    made: Made, dice: random.Random, taken: list[dict], things: list[str], values: list
) -> list[list[Places]]:
    heads = [one["column"] for one in taken]
    cells = [[forms[0] for forms in some] for some in values]
    if dice.random() < 0.35:  # a column for each thing
        made.say(f"# Overview\n| | {' | '.join(things)} |\n|{'---|' * (len(things) + 1)}", "\n")
        rows = [made.say(f"| {head} | {' | '.join(some)} |", "\n") for head, some in zip(heads, cells, strict=True)]
        return [[row] * len(things) for row in rows]
    made.say(
        f"# Overview\n| {taken[0]['things'].capitalize()} | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}", "\n"
    )
    rows = [made.say(f"| {thing} | {' | '.join(c)} |", "\n") for thing, *c in zip(things, *cells, strict=True)]
    return [rows] * len(taken)


def say_list(made: Made, dice: random.Random, one: dict, things: list[str], values: list[Forms]) -> list[Places]:
    made.say(f"{one['column']}:", "\n")
    dash = dice.choice([": ", " – "])
    return [made.say(f"- {thing}{dash}{dice.choice(forms)}", "\n") for thing, forms in zip(things, values, strict=True)]


def attribute_block(dice: random.Random) -> Made:
    first = dice.choice(PATTERNS["attribute"])
    others = [other for other in PATTERNS["attribute"] if other["things"] == first["things"] and other is not first]
    taken = [first, *dice.sample(others, min(len(others), dice.choice([0, 0, 1, 2])))]
    unsaid = [other for other in others if other not in taken]
    things = distinct(THINGS[first["things"]], dice, dice.choice([2, 2, 3, 4]))
    values = [distinct(VALUES[one["values"]], dice, len(things)) for one in taken]
    if len(things) < 2 or any(len(some) < len(things) for some in values):
        return attribute_block(dice)
    made = Made(names={*things})
    form = dice.random()
    if form < 0.2 and all("column" in one for one in taken):
        where = say_table(made, dice, taken, things, values)
    elif form < 0.28 and all("column" in one for one in taken):
        where = [say_list(made, dice, one, things, some) for one, some in zip(taken, values, strict=True)]
    elif form < 0.5 and len(taken) > 1:  # everything about a thing, then the next
        where = [[] for _ in taken]
        for row, thing in enumerate(things):
            for n, one in enumerate(taken):
                where[n].append(made.say(filled(dice.choice(one["says"]), a=thing, x=dice.choice(values[n][row]))))
    else:
        where = [say_values(made, dice, one, things, some) for one, some in zip(taken, values, strict=True)]
    for _ in range(CLAIMS):
        n = dice.randrange(len(taken))
        row, beside = dice.sample(range(len(things)), 2)
        one, thing, place = taken[n], things[row], where[n][row]
        pattern, own = dice.choice(one["claims"]), values[n][row]
        fate = dice.choices(["own", "other", "new", "stranger", "unsaid", "two"], [4, 4, 1, 3, 3, 4])[0]
        stranger = distinct(THINGS[first["things"]], dice, 1, tuple(things))
        if fate == "own":
            made.claim(filled(pattern, a=thing, x=dice.choice(own)), SUPPORTED, "schema", place)
        elif fate == "other":
            wrong = dice.choice(values[n][beside])
            made.claim(filled(pattern, a=thing, x=wrong), REFUTED, "schema_swap", place, wrong)
        elif fate == "new":
            if fresh := distinct(VALUES[one["values"]], dice, 1, tuple(values[n])):
                wrong = dice.choice(fresh[0])
                made.claim(filled(pattern, a=thing, x=wrong), REFUTED, "schema_value", place, wrong)
        elif fate == "stranger" and stranger:
            made.names.add(stranger[0])
            said = filled(pattern, a=stranger[0], x=dice.choice(own))
            made.claim(said, INSUFFICIENT, "schema_stranger", place, stranger[0])
        elif fate == "unsaid" and unsaid:
            other = dice.choice(unsaid)
            said = filled(dice.choice(other["claims"]), a=thing, x=dice.choice(VALUES[other["values"]](dice)))
            made.claim(said, INSUFFICIENT, "schema_unsaid", place)
        elif fate == "two":
            both = [*place, *(some for some in where[n][beside] if some not in place)]
            claim_two(made, dice, one, (thing, own), (things[beside], values[n][beside]), stranger, both)
    return made


def claim_two(made: Made, dice: random.Random, one: dict, left: tuple, right: tuple, stranger: list, place: Places):
    """A claim about two things: which value is the larger, or the value of each."""
    a, b, x, y = left[0], right[0], dice.choice(left[1]), dice.choice(right[1])
    p, q = amount(left[1]), amount(right[1])
    fate = dice.choice(["right", "right", "wrong", "wrong", "open"] if stranger else ["right", "wrong"])
    if fate == "open":
        made.names.add(stranger[0])
    if "more" in one and p and q and p[0] == q[0] and p[1] != q[1]:
        pattern = dice.choice(one["more"])
        high, low = (a, b) if p[1] > q[1] else (b, a)
        if fate == "right":
            made.claim(filled(pattern, a=high, b=low), SUPPORTED, "schema_compared", place)
        elif fate == "wrong":
            made.claim(filled(pattern, a=low, b=high), REFUTED, "schema_compared", place)
        else:
            pair = dice.choice([(a, stranger[0]), (stranger[0], a)])
            made.claim(filled(pattern, a=pair[0], b=pair[1]), INSUFFICIENT, "schema_stranger", place, stranger[0])
    elif "both" in one:
        pattern = dice.choice(one["both"])
        if fate == "right":
            made.claim(filled(pattern, a=a, x=x, b=b, y=y), SUPPORTED, "schema_both", place)
        elif fate == "wrong":
            made.claim(filled(pattern, a=a, x=y, b=b, y=x), REFUTED, "schema_both", place)
        else:
            said = filled(pattern, a=a, x=x, b=stranger[0], y=y)
            made.claim(said, INSUFFICIENT, "schema_stranger", place, stranger[0])


def relation_block(dice: random.Random) -> Made:
    one = dice.choice(PATTERNS["relation"])
    names = distinct(THINGS[one["things"]], dice, 5)
    if len(names) < 5:
        return relation_block(dice)
    a, b, c, d, stranger = names
    made = Made(names={*names})
    says = [(dice.choice(one["says"]), {"a": a, "b": b}), (dice.choice(one["says"]), {"a": c, "b": d})]
    style = dice.random()
    if style < 0.2:
        place = made.say(joined(dice, says))
        pairs = [((a, b), place), ((c, d), place)]
    else:
        pairs = [((some["a"], some["b"]), made.say(filled(say, **some))) for say, some in says[: 1 + (style < 0.6)]]
    for (left, right), place in pairs:
        for pattern in dice.sample(one["claims"], min(3, len(one["claims"]))):
            if dice.random() < 0.5:
                made.claim(filled(pattern, a=left, b=right), SUPPORTED, "schema_relation", place)
            else:
                made.claim(filled(pattern, a=right, b=left), REFUTED, "schema_turned", place)
    for pattern in dice.sample(one["claims"], 2):  # `a` cannot stand so to a second one in some relations; `b` can
        made.claim(filled(pattern, a=b, b=stranger), INSUFFICIENT, "schema_stranger", pairs[0][1], stranger)
    return made


def cases(one: dict, dice: random.Random, number: int) -> list[str]:
    return (
        dice.sample(one["fill"], min(number, len(one["fill"])))
        if "fill" in one
        else distinct(THINGS[one["things"]], dice, number)
    )


def state_block(dice: random.Random) -> Made:
    one = dice.choice(PATTERNS["state"])
    *things, stranger = cases(one, dice, dice.choice([2, 3, 3, 4]))
    made = Made(names={*things, stranger, *one.get("fill", ())})
    states = [dice.choice(one["of"]) for _ in things]
    says = [(dice.choice(state["says"]), {"a": thing}) for state, thing in zip(states, things, strict=True)]
    where: list[Places] = []
    while (at := len(where)) < len(things):
        number = 2 if dice.random() < 0.35 and at + 1 < len(things) else 1
        where += [made.say(joined(dice, says[at : at + number]))] * number
    if "open" in one and dice.random() < 0.5:  # mentioned, but not decided
        near = made.say(filled(dice.choice(one["open"]), a=stranger))
    else:
        near = where[-1]
    for _ in range(CLAIMS):
        n, claimed = dice.randrange(len(things)), dice.choice(one["of"])
        pattern = dice.choice(claimed["claims"])
        if dice.random() < 0.28:
            made.claim(filled(pattern, a=stranger), INSUFFICIENT, "schema_case", near, stranger)
        elif dice.random() < 0.5:
            said = filled(dice.choice(states[n]["claims"]), a=things[n])
            made.claim(said, SUPPORTED, "schema_state", where[n])
        else:
            other = dice.choice([state for state in one["of"] if state is not states[n]])
            said = filled(dice.choice(other["claims"]), a=things[n])
            made.claim(said, REFUTED, "schema_opposite", where[n])
    return made


def follows(rule: str, named: str, case: str) -> bool | None:
    """Whether a rule that names one case holds for a case; None where it leaves that open."""
    if rule in ("below", "from"):
        return None if named == case else (int(case) < int(named)) == (rule == "below")
    known = {"only": named == case, "except": named != case, "all": True, "none": False}
    return known.get(rule, rule == "named" if named == case else None)


def scope_block(dice: random.Random) -> Made:
    one = dice.choice(PATTERNS["scope"])
    rule = dice.choice(list(one["rules"]))
    named, *others = dice.sample(one["fill"], 5)
    made = Made(names={named, *others, *one["fill"]})
    place = made.say(filled(dice.choice(one["rules"][rule]), a=named))
    for case in [named, named, named, *others]:
        right, yes = follows(rule, named, case), dice.random() < 0.5
        said = filled(dice.choice(one["yes" if yes else "no"]), a=case)
        if right is not None:
            made.claim(said, SUPPORTED if right == yes else REFUTED, "schema_scope", place)
        elif rule not in ("below", "from"):
            made.claim(said, INSUFFICIENT, "schema_case", place, case)
    return made


MAKERS = [attribute_block, relation_block, state_block, scope_block]


def blocks(seed: int, number: int) -> Iterator[list[dict]]:
    """Rows of each block; every block follows from the seed and its number."""
    for at in range(number):
        dice = random.Random(f"{seed}:{at}")
        made = dice.choices(MAKERS, [6, 3, 4, 2])[0](dice)
        other = dice.choice(MAKERS)(dice)
        if dice.random() < 0.35 and not made.names & other.names:  # two texts side by side that share nothing
            made.text = made.text.rstrip() + "\n\n"
            shift = len(made.text)
            for row in other.rows:
                row["evidence"] = [[start + shift, end + shift] for start, end in row["evidence"]]
            made.text += other.text
            made.rows += other.rows
        seen: set[str] = set()
        rows = [row for row in made.rows if not (row["hypothesis"] in seen or seen.add(row["hypothesis"]))]
        yield [
            {"premise": made.text.rstrip(), "source": "schemas", "block": f"schemas/{seed}/{at}", **row} for row in rows
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--blocks", type=int, default=600)
    parser.add_argument("--seed", type=int, default=22)
    args = parser.parse_args()
    count = 0
    with args.out.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
        for rows in blocks(args.seed, args.blocks):
            for row in rows:
                count += 1
                file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
    print(f"{count} claims in {args.blocks} blocks")


if __name__ == "__main__":
    main()
