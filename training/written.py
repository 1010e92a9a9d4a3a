"""Written claims: from the text files that people write to the rows that networks learn from.

    python -m training written rows  OUT.jsonl.gz FILE... [--answers FOLDER]
    python -m training written blind OUT.txt FILE...
    python -m training written agree FILE... --answers FOLDER

`rows` writes a row a claim (with --answers only those whose label a blind reader agreed with), `blind` the claims
without their labels, `agree` how often the blind reader agreed. A file holds blocks as the GUIDE in
`training/data/written` describes them. A blind reader writes a line `block.claim LABEL` for each claim (S, R or I) into
a file of the same name in the answers' folder.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

LABELS = {"S": "SUPPORTED", "R": "REFUTED", "I": "INSUFFICIENT"}
_CLAIM = re.compile(r"([SRI]) ([a-z_]+) @(-|\d+(?:,\d+)*) \| (.+)")
_NUMBER = re.compile(r"\[(\d+)\] ")


@dataclass(frozen=True)
class WrittenClaim:
    """A claim with its label, its kind, the deciding stretches of the evidence and its own wrong words."""

    text: str
    label: str
    kind: str
    deciding: tuple[tuple[int, int], ...]
    wrong: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class WrittenBlock:
    """A question, its evidence without numbers, and the claims of each draft."""

    domain: str
    question: str
    evidence: str
    drafts: tuple[tuple[WrittenClaim, ...], ...]

    @property
    def name(self) -> str:
        return hashlib.sha256(self.evidence.encode()).hexdigest()[:10]

    @property
    def claims(self) -> tuple[WrittenClaim, ...]:
        return tuple(claim for draft in self.drafts for claim in draft)


def parse(text: str, where: str = "") -> Iterator[WrittenBlock]:
    """The blocks of a file; what does not have the form is an error that says where."""
    for number, raw in enumerate(filter(str.strip, re.split(r"(?m)^=== ", text)), 1):
        head, *drafts = re.split(r"(?m)^---[ \t]*$", raw)
        domain, _, body = head.partition("\n")
        question = ""
        if body.startswith("Q: "):
            question, _, body = body[3:].partition("\n")
        passages = [part.strip() for part in re.split(r"(?m)^~~~[ \t]*$", body)]
        evidence, places = numbered("\n\n".join(passages))
        if not drafts:
            raise SystemExit(f"{where} block {number}: no line '---' between evidence and claims")
        found = []
        for draft in drafts:
            lines = [line.strip() for line in draft.strip().splitlines() if line.strip()]
            if lines and lines[0] in ("A", "B"):
                lines = lines[1:]
            found.append(tuple(parse_claim(line, places, f"{where} block {number}") for line in lines))
        yield WrittenBlock(domain.strip(), question.strip(), evidence, tuple(found))


def numbered(text: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """The text without its numbers, and where each numbered stretch stands: up to the next one or the end of the line.

    >>> numbered("# T\\n[1] One. [2] Two.")
    ('# T\\nOne. Two.', {1: (4, 8), 2: (9, 13)})
    """
    out: list[str] = []
    length = 0
    places: dict[int, tuple[int, int]] = {}
    for line in text.split("\n"):
        marks = list(_NUMBER.finditer(line))
        at = 0
        begun: list[tuple[int, int]] = []
        clean = ""
        for mark in marks:
            clean += line[at : mark.start()]
            begun.append((int(mark[1]), len(clean)))
            at = mark.end()
        clean += line[at:]
        for (number, start), (_, end) in zip(begun, [*begun[1:], (0, len(clean))], strict=False):
            places[number] = (length + start, length + start + len(clean[start:end].rstrip()))
        out.append(clean)
        length += len(clean) + 1
    return "\n".join(out), places


def parse_claim(line: str, places: dict[int, tuple[int, int]], where: str) -> WrittenClaim:
    found = _CLAIM.fullmatch(line)
    if not found:
        raise SystemExit(f"{where}: not a claim line: {line[:80]!r}")
    label, kind, at, marked = found.groups()
    numbers = [] if at == "-" else [int(n) for n in at.split(",")]
    if missing := [n for n in numbers if n not in places]:
        raise SystemExit(f"{where}: no sentence {missing} for {marked[:60]!r}")
    text, wrong = "", []
    for part in re.split(r"(\[\[.+?\]\])", marked):
        bare = part.removeprefix("[[").removesuffix("]]")
        if bare != part:
            wrong.append((len(text), len(text) + len(bare)))
        text += bare
    return WrittenClaim(text, LABELS[label], kind, tuple(sorted(places[n] for n in numbers)), tuple(wrong))


def rows_of(block: WrittenBlock, keep: Iterable[bool] | None = None, part: str = "answers") -> Iterator[dict]:
    """A row a claim, in the order of the drafts."""
    at = 0
    kept = list(keep) if keep is not None else [True] * len(block.claims)
    for draft, claims in enumerate(block.drafts):
        for claim in claims:
            if kept[at]:
                row = {
                    "premise": block.evidence,
                    "hypothesis": claim.text,
                    "label": claim.label,
                    "kind": claim.kind,
                    "source": f"written/{block.domain.split('|')[0].strip()}",
                    "block": block.name,
                    "part": part,
                    "evidence": [list(span) for span in claim.deciding],
                    "question": block.question,
                    "draft": "AB"[draft],
                }
                if claim.label != "SUPPORTED":
                    row["wrong"] = [list(span) for span in claim.wrong]
                yield row
            at += 1


def blind_order(block: WrittenBlock) -> list[int]:
    """The claims of a block in an order that says nothing about their labels."""
    order = list(range(len(block.claims)))
    random.Random(block.name).shuffle(order)
    return order


def blind(blocks: Iterable[WrittenBlock]) -> Iterator[str]:
    for number, block in enumerate(blocks, 1):
        yield f"=== block {number}\nQuestion: {block.question}\n\n{block.evidence}\n\nClaims:"
        for place, claim in enumerate(blind_order(block), 1):
            yield f"{number}.{place} {block.claims[claim].text}"
        yield ""


def answers_of(path: Path) -> dict[tuple[int, int], str]:
    found = {}
    for line in path.read_text().splitlines():
        if match := re.match(r"\s*(\d+)\.(\d+)\W+([SRI])\b", line):
            found[int(match[1]), int(match[2])] = match[3]
    return found


def agreed(blocks: list[WrittenBlock], answers: Path, name: str) -> list[list[bool]]:
    """For each block whether the blind reader gave each claim its label; a claim without an answer is not agreed on."""
    given = answers_of(answers / name)
    out = []
    for number, block in enumerate(blocks, 1):
        same = [False] * len(block.claims)
        for place, claim in enumerate(blind_order(block), 1):
            same[claim] = LABELS.get(given.get((number, place), "")) == block.claims[claim].label
        out.append(same)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=("rows", "blind", "agree"))
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--part", default="answers", help="what the rows are of: answers or short")
    args = parser.parse_args()
    if args.job == "agree":
        counts: Counter[tuple[str, bool]] = Counter()
        for path in args.files:
            blocks = list(parse(path.read_text(), str(path)))
            for block, same in zip(blocks, agreed(blocks, args.answers, path.name), strict=True):
                for claim, is_same in zip(block.claims, same, strict=True):
                    counts[f"{claim.label} {claim.kind}", is_same] += 1
                    if not is_same:
                        print(f"{path.name} {block.name} {claim.label} {claim.kind}: {claim.text}")
        total, right = sum(counts.values()), sum(n for (_, same), n in counts.items() if same)
        print(f"{right} of {total} agreed, {100 * right / total:.1f} %")
        return
    out, files = args.files[0], args.files[1:]
    if args.job == "blind":
        out.write_text("\n".join(blind(b for path in files for b in parse(path.read_text(), str(path)))) + "\n")
        return
    lines = []
    for path in files:
        blocks = list(parse(path.read_text(), str(path)))
        keep = agreed(blocks, args.answers, path.name) if args.answers else [None] * len(blocks)
        for block, kept in zip(blocks, keep, strict=True):
            lines += [json.dumps(row, ensure_ascii=False) for row in rows_of(block, kept, args.part)]
    with out.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as file:
        file.write(("\n".join(lines) + "\n").encode())
    print(f"{out}: {len(lines)} rows")


if __name__ == "__main__":
    main()
