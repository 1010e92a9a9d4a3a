"""Rows made from sentence patterns: python -m training schemas OUT.jsonl.gz [--blocks N] [--seed N]

Written claims are subtle; a reader that has met only those still confuses which of two things a value belongs to. Here
the patterns of `schemas.toml` are filled with made-up things and values, several things side by side, and the label of
a claim follows from how it was filled:

- **attribute**: a thing and its own value, in another form of the same value (SUPPORTED); with the value of the thing
  beside it, or with a new one (REFUTED); of a thing that is not mentioned, or about something that is not said of it
  (INSUFFICIENT). The evidence is sentences, or a table.
- **relation**: who stands to whom, said from either side (SUPPORTED) or the wrong way round (REFUTED).
- **advice**: what to do, in other words (SUPPORTED) or its opposite (REFUTED), in another case (INSUFFICIENT).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from training.rows import INSUFFICIENT, REFUTED, SUPPORTED

PATTERNS = tomllib.loads(Path(__file__).with_name("schemas.toml").read_text(encoding="utf-8"))
CLAIMS = 7  # of a block, about
SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split()
Forms = tuple[str, ...]  # the same value as people write it, the usual form first

WORDS: dict[str, list[str]] = PATTERNS["words"]


def made_up(dice: random.Random) -> str:
    return (
        dice.choice(WORDS["begin"])
        + (dice.choice(WORDS["middle"]) if dice.random() < 0.4 else "")
        + dice.choice(WORDS["end"])
    )


def person(dice: random.Random) -> str:
    return f"{dice.choice(WORDS['first'])} {made_up(dice)}"


def version(dice: random.Random) -> str:
    return f"{dice.randint(1, 9)}.{dice.randint(0, 14)}" + (f".{dice.randint(0, 9)}" if dice.random() < 0.5 else "")


THINGS: dict[str, Callable[[random.Random], str]] = {
    "plan": lambda dice: dice.choice(
        ["Starter", "Plus", "Team", "Business", "Solo", "Family", "Studio", made_up(dice)]
    ),
    "document": lambda dice: dice.choice(WORDS["documents"]),
    "place": lambda dice: f"the {made_up(dice)} {dice.choice(WORDS['places'])}",
    "mountain": lambda dice: dice.choice(["Mount {}", "{}", "{} Peak", "Piz {}"]).format(made_up(dice)),
    "town": made_up,
    "firm": lambda dice: made_up(dice) + dice.choice(["", "", " Group", " Systems", " Foods", " Energy", " AG"]),
    "device": lambda dice: f"the {made_up(dice)} {dice.choice(WORDS['devices'])}",
    "group": lambda dice: dice.choice(WORDS["groups"]),
    "request": lambda dice: dice.choice(WORDS["requests"]),
    "role_name": lambda dice: dice.choice(WORDS["posts"]),
    "person": person,
    "version": version,
    "medicine": lambda dice: made_up(dice) + dice.choice(["ol", "ine", "ax", "um"]),
    "setting": lambda dice: f"`{dice.choice(WORDS['settings'])}`",
    "code": lambda dice: f"error {dice.choice('EFH')}{dice.randint(1, 60):02d}",
    "step": lambda dice: dice.choice(WORDS["steps"]),
    "club": lambda dice: f"{made_up(dice)} {dice.choice(['United', 'Rovers', 'City', 'Rangers'])}",
}


def grouped(number: int) -> str:
    return f"{number:,}"


def price(dice: random.Random) -> Forms:
    amount = dice.choice([dice.randint(3, 99), dice.randint(10, 60) * 10])
    return dice.choice(
        [(f"${amount}", f"{amount} dollars", f"${amount}.00"), (f"€{amount}", f"{amount} euros", f"EUR {amount}")]
    )


def clock(dice: random.Random) -> Forms:
    hour, minute = dice.randint(7, 22), dice.choice([0, 0, 15, 30])
    half = "am" if hour < 12 else "pm"
    short = f"{(hour - 1) % 12 + 1}" + (f":{minute:02d}" if minute else "")
    return (f"{hour:02d}:{minute:02d}", f"{short} {half}", f"{short} {half[0]}.m.")


def count(dice: random.Random) -> Forms:
    number = dice.choice([dice.randint(2, 12), dice.randint(13, 500)])
    return (str(number), SMALL[number]) if number <= 12 else (str(number),)


def duration(dice: random.Random) -> Forms:
    if dice.random() < 0.5:
        years = dice.randint(2, 6)
        return (f"{years * 12} months", f"{SMALL[years]} years", f"{years} years")
    weeks = dice.randint(2, 12)
    return (f"{weeks} weeks", f"{SMALL[weeks]} weeks") + ((f"{weeks * 7} days",) if weeks <= 4 else ())


def days(dice: random.Random) -> Forms:
    number = dice.randint(3, 40)
    return (
        (f"{number} days",)
        + ((f"{SMALL[number]} days",) if number <= 12 else ())
        + ((f"{SMALL[number // 7]} weeks",) if number % 7 == 0 and number > 7 else ())
    )


def inhabitants(dice: random.Random) -> Forms:
    if dice.random() < 0.4:
        tenths = dice.randint(11, 89)
        return (grouped(tenths * 100_000), f"{tenths / 10} million")
    return (grouped(dice.randint(20, 900) * 1000 + dice.choice([0, dice.randint(1, 999)])),)


def money(dice: random.Random) -> Forms:
    tenths = dice.randint(11, 990)
    return (f"${tenths / 10} million", f"{tenths / 10} million dollars", f"${grouped(tenths * 100_000)}")


def percent(dice: random.Random) -> Forms:
    number = dice.randint(2, 60)
    words = {5: "one in twenty", 10: "a tenth", 20: "a fifth", 25: "a quarter", 50: "half"}
    return (f"{number} %", f"{number} percent", f"{number} per cent") + ((words[number],) if number in words else ())


VALUES: dict[str, Callable[[random.Random], Forms]] = {
    "price": price,
    "clock": clock,
    "count": count,
    "duration": duration,
    "days": days,
    "inhabitants": inhabitants,
    "money": money,
    "percent": percent,
    "channel": lambda dice: (dice.choice(WORDS["channels"]),),
    "height": lambda dice: (lambda m: (f"{grouped(m)} m", f"{grouped(m)} metres", f"{m} m"))(dice.randint(1200, 8700)),
    "distance": lambda dice: (lambda km: (f"{km} km", f"{km} kilometres"))(dice.randint(3, 400)),
    "year": lambda dice: (str(dice.randint(1870, 2024)),),
    "staff": lambda dice: (grouped(dice.randint(20, 9000)),),
    "town_name": lambda dice: (made_up(dice),),
    "weight": lambda dice: (lambda g: (f"{g / 1000:g} kg", f"{grouped(g)} g"))(dice.randint(11, 90) * 100),
    "colour": lambda dice: (dice.choice(WORDS["colours"]),),
    "role": lambda dice: (dice.choice(WORDS["roles"]),),
    "person": lambda dice: (person(dice),),
    "subject": lambda dice: (dice.choice(WORDS["subjects"]),),
    "dose": lambda dice: (lambda mg: (f"{mg} mg", f"{mg} milligrams"))(dice.randint(1, 40) * 25),
    "temperature": lambda dice: (lambda c: (f"{c} °C", f"{c} degrees Celsius"))(dice.randint(2, 30)),
    "meaning": lambda dice: (dice.choice(WORDS["meanings"]),),
}


@dataclass
class Made:
    """The evidence of a block so far, and claims with the stretches that decide them."""

    text: str = ""
    rows: list[dict] = field(default_factory=list)
    names: set[str] = field(default_factory=set)  # of all things that evidence or claims speak of

    def say(self, sentence: str, end: str = " ") -> list[int]:
        start = len(self.text)
        self.text += sentence
        place = [start, len(self.text)]
        self.text += end
        return place

    def claim(self, text: str, label: str, kind: str, evidence: list[list[int]], wrong: str | None = None) -> None:
        row = {"hypothesis": text, "label": label, "kind": kind, "evidence": evidence}
        at = text.lower().find(wrong.lower()) if wrong else -1
        if at >= 0:
            row["wrong"] = [[at, at + len(wrong or "")]]
        self.rows.append(row)


def distinct(make: Callable, dice: random.Random, number: int, but: frozenset = frozenset()) -> list:
    """Different values of one kind; fewer where there are no more."""
    found: list = []
    for _ in range(60):
        made = make(dice)
        if made not in found and made not in but and len(found) < number:
            found.append(made)
    return found


def filled(pattern: str, **parts: str) -> str:
    said = pattern.format(**parts)
    return said[0].upper() + said[1:]


def attribute_block(dice: random.Random) -> Made:
    first = dice.choice(PATTERNS["attribute"])
    alike = [other for other in PATTERNS["attribute"] if other["things"] == first["things"] and other is not first]
    taken = [first, *dice.sample(alike, min(len(alike), dice.choice([0, 0, 1, 2])))]
    unsaid = [other for other in alike if other not in taken]
    things = distinct(THINGS[first["things"]], dice, dice.choice([2, 2, 3, 4]))
    if first["things"] in ("document", "group", "request", "role_name", "setting", "step", "code") and len(things) < 2:
        return attribute_block(dice)
    values = [distinct(VALUES[one["values"]], dice, len(things)) for one in taken]
    if any(len(some) < len(things) for some in values):
        return attribute_block(dice)
    made, where = Made(names={*things}), {}
    if dice.random() < 0.25 and all("column" in one for one in taken):
        heads = [first["things"].capitalize().replace("_name", ""), *(one["column"] for one in taken)]
        made.say(f"# Overview\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}", "\n")
        for row, thing in enumerate(things):
            place = made.say(f"| {thing} | {' | '.join(values[n][row][0] for n in range(len(taken)))} |", "\n")
            where.update({(row, n): place for n in range(len(taken))})
    else:
        pairs = [(row, n) for row in range(len(things)) for n in range(len(taken))]
        if dice.random() < 0.5:
            pairs.sort(key=lambda pair: (pair[1], pair[0]))
        one_way = [dice.choice(one["says"]) for one in taken] if dice.random() < 0.5 else None
        for row, n in pairs:
            pattern = one_way[n] if one_way else dice.choice(taken[n]["says"])
            where[row, n] = made.say(filled(pattern, a=things[row], x=dice.choice(values[n][row])))
    for _ in range(CLAIMS):
        row, n = dice.randrange(len(things)), dice.randrange(len(taken))
        one, thing, place = taken[n], things[row], where[row, n]
        pattern, own = dice.choice(one["claims"]), values[n][row]
        fate = dice.choice(["own", "own", "other", "other", "new", "stranger", "unsaid"])
        if fate == "own":
            made.claim(filled(pattern, a=thing, x=dice.choice(own)), SUPPORTED, "schema", [place])
        elif fate == "other":
            wrong = dice.choice(values[n][dice.choice([k for k in range(len(things)) if k != row])])
            made.claim(filled(pattern, a=thing, x=wrong), REFUTED, "schema_swap", [place], wrong)
        elif fate == "new":
            fresh = distinct(VALUES[one["values"]], dice, 1, frozenset(values[n]))
            if fresh:
                wrong = dice.choice(fresh[0])
                made.claim(filled(pattern, a=thing, x=wrong), REFUTED, "schema_value", [place], wrong)
        elif fate == "stranger":
            others = distinct(THINGS[first["things"]], dice, 1, frozenset(things))
            if others:
                made.names.add(others[0])
                made.claim(
                    filled(pattern, a=others[0], x=dice.choice(own)),
                    INSUFFICIENT,
                    "schema_stranger",
                    [place],
                    others[0],
                )
        elif unsaid:
            other = dice.choice(unsaid)
            said = filled(dice.choice(other["claims"]), a=thing, x=dice.choice(VALUES[other["values"]](dice)))
            made.claim(said, INSUFFICIENT, "schema_unsaid", [place])
    return made


def relation_block(dice: random.Random) -> Made:
    one = dice.choice(PATTERNS["relation"])
    names = distinct(THINGS[one["things"]], dice, 5)
    if len(names) < 5:
        return relation_block(dice)
    a, b, c, d, stranger = names
    made = Made(names={*names})
    first = made.say(filled(dice.choice(one["says"]), a=a, b=b))
    pairs = [((a, b), first)]
    if dice.random() < 0.5:
        pairs.append(((c, d), made.say(filled(dice.choice(one["says"]), a=c, b=d))))
    for (left, right), place in pairs:
        for pattern in dice.sample(one["claims"], min(3, len(one["claims"]))):
            if dice.random() < 0.5:
                made.claim(filled(pattern, a=left, b=right), SUPPORTED, "schema_relation", [place])
            else:
                made.claim(filled(pattern, a=right, b=left), REFUTED, "schema_turned", [place])
    pattern = dice.choice(one["claims"])
    made.claim(filled(pattern, a=a, b=stranger), INSUFFICIENT, "schema_stranger", [first], stranger)
    return made


def advice_block(dice: random.Random) -> Made:
    one = dice.choice(PATTERNS["advice"])
    when, other = dice.sample(one["when"], 2)
    made = Made(names={when, other})
    place = made.say(filled(dice.choice(one["do"]), w=when))
    for _ in range(2):
        made.claim(filled(dice.choice(one["same"]), w=when), SUPPORTED, "schema_advice", [place])
        made.claim(filled(dice.choice(one["opposite"]), w=when), REFUTED, "schema_opposite", [place])
    made.claim(
        filled(dice.choice([*one["same"], *one["opposite"]]), w=other), INSUFFICIENT, "schema_case", [place], other
    )
    return made


def blocks(seed: int, number: int) -> Iterator[list[dict]]:
    """Rows of each block; every block follows from the seed and its number."""
    for at in range(number):
        dice = random.Random(f"{seed}:{at}")
        make = dice.choices([attribute_block, relation_block, advice_block], [6, 3, 1])[0]
        made = make(dice)
        other = dice.choice([attribute_block, relation_block, advice_block])(dice)
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
