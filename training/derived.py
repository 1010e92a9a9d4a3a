"""Rows made from written rows without labels by hand: python -m training derive OUT.jsonl.gz FILE... [--seed N]

People write few claims that repeat their source, and few long ones, so a reader trained on written rows alone hesitates
over a copied sentence and over a sentence of several facts. Made here, block by block:

- **copy**: a sentence that alone supports some claim, as it stands or lightly shortened: SUPPORTED.
- **twin**: the same sentence with one number, date, unit, quantifier or negation changed: REFUTED.
- **compound**: two or three claims of a block in one. All hold: SUPPORTED; one is refuted: REFUTED; one is open and
  none refuted: INSUFFICIENT.
- **contrast**: a supported claim, a paraphrase as people write it, with one fact changed or with another value of its
  evidence in the place of its own. Without such twins the network judges by how well a claim sounds: in 40 to 50 of a
  hundred pairs it gave the twin more support than the claim.
- **denial**: "not" put into a plain claim or taken out of it, or "It is not true that" before it. Support and
  refutation change places; what was open stays open.

A derived row names the block it comes from: `cat first.jsonl.gz derived.jsonl.gz > both.jsonl.gz` lets both share one
reading of the evidence in training.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from assay.text.quantities import Quantity, find_quantities
from training.contrast import change_negation, contrast
from training.rows import INSUFFICIENT, REFUTED, SUPPORTED, read_json

CONTRASTS, DENIED, PREFIXED = 0.75, 0.35, 0.04  # of the claims that can be changed so
OPPOSITE = {SUPPORTED: REFUTED, REFUTED: SUPPORTED, INSUFFICIENT: INSUFFICIENT}
DENIALS = ("It is not true that", "It is not the case that", "It is false that", "It's wrong that")
LOWERED = frozenset(
    "The A An It You Your If In On At For There This That These Those They Their We Our No All Every".split()
)
SEVERAL = re.compile(r"[,;:–(]|\b(?:and|but|because|so|which|who|while|although|not only|only|until|unless|if)\b")
COPIES, COMPOUNDS = 4, 3  # of each kind at most a block
CHANGED = ("name", "direction")  # kinds of change that may leave a claim open rather than refuted
SMALL_WORDS = frozenset("the a an it its you your if in on at for there this that these those they their we".split())
LEADS = re.compile(r"^(?:However|Therefore|In addition|Moreover|Please note that|Also|Furthermore|Note that),? ")
ASIDE = re.compile(r" \([^()]{2,60}\)")


def derived_rows(rows: list[dict], dice: random.Random) -> Iterator[dict]:
    """The rows that one block gives."""
    yield from copies(rows, dice)
    yield from compounds(rows, dice)
    yield from contrasts(rows, dice)
    yield from denials(rows, dice)


def copies(rows: list[dict], dice: random.Random) -> Iterator[dict]:
    premise = rows[0]["premise"]
    alone = {
        tuple(row["evidence"][0]) for row in rows if row["label"] == SUPPORTED and len(row.get("evidence", ())) == 1
    }
    for start, end in dice.sample(sorted(alone), min(COPIES, len(alone))):
        sentence = premise[start:end].strip()
        if not 5 <= len(sentence.split()) <= 60 or sentence.endswith("?") or "|" in sentence or "\n" in sentence:
            continue
        said = shortened(sentence, dice)
        yield row_of(rows[0], said, SUPPORTED, "copy", [[start, end]])
        made = contrast(said, premise, dice, skip=CHANGED)
        if made is not None and made.label == REFUTED:
            place = changed_place(said, made.text)
            yield row_of(rows[0], made.text, REFUTED, "twin", [[start, end]], [list(place)])


def contrasts(rows: list[dict], dice: random.Random) -> Iterator[dict]:
    premise = rows[0]["premise"]
    values = find_quantities(premise)
    for row in rows:
        if row["label"] != SUPPORTED or dice.random() > CONTRASTS:
            continue
        said, made = row["hypothesis"], None
        if dice.random() < 0.4:
            made = other_value(said, values, dice)
        if made is None and (found := contrast(said, premise, dice)):
            made = found.text, found.label
        if made is not None:
            yield row_of(row, made[0], made[1], "contrast", row.get("evidence"), [changed_place(said, made[0])])


def other_value(claim: str, values: Sequence[Quantity], dice: random.Random) -> tuple[str, str] | None:
    """The claim with a value of its evidence in the place of one of its own: REFUTED, as the evidence has another."""
    pairs = [
        (own, other.text)
        for own in find_quantities(claim)
        for other in values
        if other.kind is own.kind and other.unit == own.unit and other.text.lower() not in claim.lower()
        if own.text[:1].isdigit() == other.text[:1].isdigit() and own.text.lower() not in other.text.lower()
    ]
    if not pairs:
        return None
    own, new = dice.choice(pairs)
    return claim[: own.span.start] + new + claim[own.span.end :], REFUTED


def denials(rows: list[dict], dice: random.Random) -> Iterator[dict]:
    for row in rows:
        said, label = row["hypothesis"], OPPOSITE.get(row["label"])
        if label is None or not said[:1].isalpha() or not said.endswith("."):
            continue
        roll = dice.random()
        if roll < PREFIXED:
            lead = said if said.split()[0] not in LOWERED else said[0].lower() + said[1:]
            yield row_of(row, f"{dice.choice(DENIALS)} {lead}", label, "denial", row.get("evidence"))
        elif roll < PREFIXED + DENIED and len(said.split()) <= 18 and not SEVERAL.search(said):
            made = change_negation(said, row["premise"], dice)
            if made is not None:
                yield row_of(row, made.text, label, "denial", row.get("evidence"))


def shortened(sentence: str, dice: random.Random) -> str:
    """The sentence as it stands, or without its opening word or an aside in brackets."""
    if dice.random() < 0.5:
        return sentence
    said = LEADS.sub("", ASIDE.sub("", sentence))
    return said[:1].upper() + said[1:]


def changed_place(old: str, new: str) -> tuple[int, int]:
    """Where `new` differs from `old`, to whole words; of a word taken out, the words on both sides."""
    first = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    start, end = new.rfind(" ", 0, first) + 1, len(new) - last
    stop = new.find(" ", end)
    return start, len(new) if stop < 0 else max(stop, start + 1)


def compounds(rows: list[dict], dice: random.Random) -> Iterator[dict]:
    by_label = defaultdict(list)
    for row in rows:
        if len(row["hypothesis"].split()) <= 30:
            by_label[row["label"]].append(row)
    true = by_label[SUPPORTED]
    for label in dice.sample((SUPPORTED, REFUTED, INSUFFICIENT), min(COMPOUNDS, 3)):
        others = by_label[label]
        count = dice.choice((2, 2, 3))
        if label == SUPPORTED:
            parts = dice.sample(true, count) if len(true) >= count else []
        else:
            parts = [dice.choice(others), *dice.sample(true, count - 1)] if others and len(true) >= count - 1 else []
        if len(parts) < 2 or len({part["hypothesis"] for part in parts}) < len(parts):
            continue
        dice.shuffle(parts)
        text, places = joined(parts, dice)
        deciding = [part for part in parts if part["label"] == label]
        evidence = None
        if all("evidence" in part for part in deciding):
            evidence = sorted({tuple(span) for part in deciding for span in part["evidence"]})
        wrong = None
        if label != SUPPORTED and all("wrong" in part for part in deciding):
            wrong = [
                [at + start, at + end]
                for part, at in zip(parts, places, strict=True)
                if part["label"] == label
                for start, end in part["wrong"]
            ]
        yield row_of(rows[0], text, label, "compound", evidence, wrong)


def joined(parts: list[dict], dice: random.Random) -> tuple[str, list[int]]:
    """One text of several claims, and where each begins in it; every claim keeps its length."""
    text, places = "", []
    for number, part in enumerate(parts):
        said = part["hypothesis"].strip()
        lead = part["hypothesis"].index(said) if said else 0
        if number and dice.random() < 0.7 and said.split()[0].lower() in SMALL_WORDS and text.endswith("."):
            text = text[:-1] + dice.choice((", and ", "; ", ", while "))
            said = said[0].lower() + said[1:]
        elif number:
            text += " "
        places.append(len(text) - lead)
        text += said
    return text, places


def row_of(
    block: dict, text: str, label: str, kind: str, evidence: Iterable | None, wrong: Iterable | None = None
) -> dict:
    """A row of the same block; what is not known is left out."""
    row = {"premise": block["premise"], "hypothesis": text, "label": label, "kind": kind, "source": block["source"]}
    row |= {"block": block["block"], "question": block.get("question", ""), "part": "derived"}
    if evidence is not None:
        row["evidence"] = [list(span) for span in evidence]
    if wrong is not None:
        row["wrong"] = [list(span) for span in wrong]
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--seed", type=int, default=22)
    args = parser.parse_args()
    blocks: dict[str, list[dict]] = defaultdict(list)
    for path in args.files:
        for row in read_json(path):
            blocks[row["block"]].append(row)
    counts: dict[tuple[str, str], int] = defaultdict(int)
    with args.out.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
        for name, rows in blocks.items():
            for row in derived_rows(rows, random.Random(f"{args.seed}:{name}")):
                counts[row["kind"], row["label"]] += 1
                file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())
    for (kind, label), count in sorted(counts.items()):
        print(f"{kind:9} {label:13} {count}")


if __name__ == "__main__":
    main()
