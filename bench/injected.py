"""Errors of a writer who had the evidence and did not use it, made by program, and how many of them are found.

    python -m bench.injected --data FOLDER [--judge cascade] [--half report] [--format text|json]

FOLDER holds `hotpotqa_dev.jsonl.gz` and `squad2_dev.jsonl.gz`. Only articles that the verifier was not trained on are
used. Half of them is for tuning; the figures to report come from the other half.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.mutations import mutate
from assay.mutations.paraphrases import reword
from assay.text.sentences import split_sentences

if TYPE_CHECKING:
    from assay.epistemic.results import ClaimVerification
    from assay.evaluation.metrics import Interval

KINDS = ("wrong count", "wrong copy", "swapped rows", "phantom citation", "decorative citation", "over-extrapolation")
HELD_OUT_BELOW = 0x33  # the share of articles that training leaves out, by the first byte of their hash
_SUBJECT = re.compile(r"(?:The |A |An )?[A-Z][\w'’.-]+")
_POINTS_BACK = re.compile(r"\b(?:He|She|It|They|This|These|His|Her|Its|Their|Such|Both|However|Also)\b")
_ASKED = re.compile(
    r"^(?:Who|What) (?=(?:is|was|were|are|has|had|led|wrote|made|became|built|caused|founded|won|used|gave|took|began"
    r"|ruled|invented|discovered|developed|created|introduced|proposed|published|designed|defeated|signed|established"
    r"|causes?|makes?|provides?|produces?)\b)"
)
# "Black earth is terra preta called." is no sentence, and says nothing about how sentences are judged.
_UNFINISHED = re.compile(r"\b(?:as|for|of|by|in|to|from|with|on|at|about|into|called|named|known|termed|considered)\.$")
_ASIDE = re.compile(r"\s*\([^()]*\)")
_BORN = re.compile(r"^(?P<name>[A-Z][^(),]{4,40}) \((?:[^()]*?)born (?P<value>(?:\w+ \d{1,2}, |\d{1,2} \w+ )\d{4})\)")
_FILM = re.compile(r"^(?:\"|“)?(?P<name>[A-Z][^(),\"]{2,40}?)(?:\"|”)? is an? (?P<value>(?:19|20)\d\d) [^.]*\bfilm\b")
_STRETCHES = (
    (r"\bone of the\b", "the only one of the"),
    (r"\b(?:some|many|several|most|a number of|various) (?=\w+s\b)", "all "),
    (r"\b(?:often|usually|sometimes|generally|commonly|typically|mainly|primarily|mostly|largely)\b", "always"),
    (r"\b(?:may|might|could) (?=be\b)", "will certainly "),
    (r"\b(?:may|might|could) (?=[a-z]+\b)", "will always "),
    (r"\b(?:suggests?|indicates?)\b", "proves"),
    (r"\b(?:is|are) (?:thought|believed|considered|said|estimated) to be\b", "is without doubt"),
    (r"\bin parts? of\b", "everywhere in"),
    (r"\bin (?:the United States|England|Europe|America|Germany|France|Canada|Australia)\b", "everywhere in the world"),
)


@dataclass(frozen=True)
class Case:
    """One step of reasoning with the sources it was given; `kind` is empty for one that is right."""

    claim: str
    cites: tuple[str, ...]
    sources: Mapping[str, str]
    kind: str = ""
    free: bool = False  # said in other words than the source's


@dataclass(frozen=True)
class Fact:
    """A true sentence, the passage it stands in, and others beside it."""

    sentence: str
    home: str
    sources: Mapping[str, str]
    others: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    """A case and what was said about it."""

    case: Case
    found: ClaimVerification

    @property
    def right(self) -> bool:
        return self.found.is_flagged == bool(self.case.kind)


def make_cases(folder: Path, half: str = "report", each: int = 60, seed: int = 0) -> list[Case]:
    """`each` errors of every kind and as many right steps, from one half of the held-out articles."""
    facts = [fact for fact in _facts(folder, seed) if half == "all" or _half(fact.home) == half]
    dice = random.Random(f"{seed}:{half}")
    dice.shuffle(facts)
    rows = _rows(facts)
    makers: dict[str, Iterator[Case]] = {
        "wrong count": _mutated(facts, "wrong count", ("number",), seed),
        "wrong copy": _mutated(reversed(facts), "wrong copy", ("name", "date"), seed),
        "swapped rows": _swapped(rows, dice),
        "phantom citation": _phantoms(facts[::3], dice),
        "decorative citation": _decorations(facts[1::3], dice),
        "over-extrapolation": _stretched(facts, seed),
    }
    bad = [case for kind in KINDS for case in _first(makers[kind], each)]
    told = sum(case.kind == "swapped rows" for case in bad)
    right = [*_first(_true_rows(rows, dice), told), *_first(_clean(facts[2::3], seed), len(bad) - told)]
    free = _first(_paraphrases(folder, half), each)
    return [*bad, *right, *free]


def judge_cases(cases: Sequence[Case], judge: str, progress: bool = False) -> list[Outcome]:
    """What the audit of reasoning says about each case."""
    from assay.epistemic import audit_reasoning

    outcomes = []
    for number, case in enumerate(cases, 1):
        step = {"claim": case.claim, "cites": list(case.cites)}
        outcomes.append(Outcome(case, audit_reasoning([step], case.sources, judge=judge)[0]))
        if progress and number % 20 == 0:
            sys.stderr.write(f"\r{number}/{len(cases)}")
            sys.stderr.flush()
    return outcomes


def summarise(outcomes: Sequence[Outcome]) -> list[tuple[str, int, Interval]]:
    """For each kind, for all errors and for the right steps: how many, and the share that was flagged."""
    groups = {kind: [one for one in outcomes if one.case.kind == kind] for kind in KINDS}
    groups["all errors"] = [one for one in outcomes if one.case.kind]
    groups["right steps (false flags)"] = [one for one in outcomes if not one.case.kind and not one.case.free]
    groups["free paraphrases (false flags)"] = [one for one in outcomes if one.case.free]
    rows = []
    for name, group in groups.items():
        interval = _share_of([one.found.is_flagged for one in group])
        if interval is not None:
            rows.append((name, len(group), interval))
    return rows


def _share_of(flags: Sequence[bool]) -> Interval | None:
    from assay.evaluation.metrics import bootstrap

    return bootstrap(len(flags), lambda at: sum(flags[n] for n in at) / len(at)) if flags else None


# From articles to facts


def _facts(folder: Path, seed: int) -> Iterator[Fact]:
    for record in _read(folder / "hotpotqa_dev.jsonl.gz"):
        if _held_out(record["question"]):
            passages = {one["title"]: one["text"] for one in record["passages"]}
            chosen = [one["title"] for one in record["passages"] if one["gold"]]
            yield from _from_passages(passages, chosen, seed)
    articles: dict[str, list[str]] = {}
    for record in _read(folder / "squad2_dev.jsonl.gz"):
        if _held_out(record["title"]):
            articles.setdefault(record["title"].replace("_", " "), []).append(record["text"])
    for title, texts in articles.items():
        for start in range(0, len(texts) - 3, 4):
            passages = {f"{title} {start + n + 1}": text for n, text in enumerate(texts[start : start + 4])}
            yield from _from_passages(passages, list(passages), seed)


def _from_passages(passages: Mapping[str, str], chosen: Sequence[str], seed: int) -> Iterator[Fact]:
    """One fact of each chosen passage, with three other passages of the same company."""
    dice = random.Random(f"{seed}:{'|'.join(passages)}")
    for home in chosen:
        spans = [sentence.span.of(passages[home]) for sentence in split_sentences(passages[home])]
        fitting = [said for said in spans if _stands_alone(said)]
        if not fitting:
            continue
        beside = dice.sample([name for name in passages if name != home], min(3, len(passages) - 1))
        names = [home, *beside]
        dice.shuffle(names)
        others = tuple(said for name in names for said in _sentences(passages[name]) if said not in fitting)
        yield Fact(dice.choice(fitting[:3]), home, {name: passages[name] for name in names}, others[:12])


def _sentences(text: str) -> list[str]:
    return [sentence.span.of(text) for sentence in split_sentences(text)]


def _stands_alone(said: str) -> bool:
    """A sentence of a middling length that names its own subject."""
    words = said.split()
    return 7 <= len(words) <= 32 and bool(_SUBJECT.match(said)) and not _POINTS_BACK.search(said) and said[-1] == "."


# From facts to cases


def _clean(facts: Iterable[Fact], seed: int) -> Iterator[Case]:
    """Right steps: copied, said a little differently, or without an aside."""
    for number, fact in enumerate(facts):
        said = fact.sentence
        if number % 3:
            said = reword(said, seed) or _ASIDE.sub("", said)
        yield Case(said, (fact.home,), fact.sources)


def _paraphrases(folder: Path, half: str) -> Iterator[Case]:
    """Statements made from a question and its answer: right, crude, and far from the words of the source."""
    for record in _read(folder / "squad2_dev.jsonl.gz"):
        title = record["title"].replace("_", " ")
        if not _held_out(record["title"]) or (half != "all" and _half(record["text"]) != half):
            continue
        for one in record["questions"]:
            if one["answerable"] and _ASKED.match(one["question"]) and one["question"].endswith("?"):
                answer = min(one["answers"], key=len)
                said = f"{answer[0].upper()}{answer[1:]} {_ASKED.sub('', one['question'])[:-1].strip()}."
                if _UNFINISHED.search(said):
                    continue
                yield Case(said, (title,), {title: record["text"]}, free=True)
                break


def _mutated(facts: Iterable[Fact], kind: str, changes: Sequence[str], seed: int) -> Iterator[Case]:
    for fact in facts:
        made = [one for one in mutate(fact.sentence, seed, others=fact.others) if one.kind in changes]
        for one in made[:1]:
            # A name that the passage also gives to the subject would not be an error.
            if one.text not in fact.sources[fact.home]:
                yield Case(one.text, (fact.home,), fact.sources, kind)


def _phantoms(facts: Iterable[Fact], dice: random.Random) -> Iterator[Case]:
    for fact in facts:
        invented = f"{dice.choice(('Annual Report', 'Appendix', 'Source', 'Archive'))} {dice.randint(11, 99)}"
        yield Case(fact.sentence, (invented,), fact.sources, "phantom citation")


def _decorations(facts: Iterable[Fact], dice: random.Random) -> Iterator[Case]:
    """The citation points to a source that does not carry the claim; in every third case beside the one that does."""
    for number, fact in enumerate(facts):
        others = [name for name in fact.sources if name != fact.home and fact.sentence not in fact.sources[name]]
        if others:
            idle = dice.choice(others)
            cites = (fact.home, idle) if number % 3 == 2 else (idle,)
            yield Case(fact.sentence, cites, fact.sources, "decorative citation")


def _stretched(facts: Iterable[Fact], seed: int) -> Iterator[Case]:
    for fact in facts:
        for pattern, stronger in _STRETCHES:
            said = re.sub(pattern, stronger, fact.sentence, count=1)
            if said != fact.sentence:
                yield Case(said[0].upper() + said[1:], (fact.home,), fact.sources, "over-extrapolation")
                break
        else:
            made = [one for one in mutate(fact.sentence, seed) if one.kind in ("quantifier", "dropped qualifier")]
            for one in made[:1]:
                yield Case(one.text, (fact.home,), fact.sources, "over-extrapolation")


@dataclass(frozen=True)
class _Table:
    head: str
    wording: str
    rows: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        lines = [f"| {self.head} |", "| --- | --- |", *(f"| {name} | {value} |" for name, value in self.rows)]
        return "\n".join(lines)


def _rows(facts: Sequence[Fact], size: int = 6) -> list[_Table]:
    """Tables of birthdays and of film years, from the first sentences of the passages."""
    tables = []
    for pattern, head, wording in (
        (_BORN, "Name | Born", "{} was born on {}."),
        (_FILM, "Film | Year", "The film {} came out in {}."),
    ):
        found: dict[str, str] = {}
        for fact in facts:
            for text in fact.sources.values():
                if match := pattern.match(text):
                    found[match["name"].strip()] = match["value"]
        listed = list(found.items())
        tables += [
            _Table(head, wording, tuple(listed[start : start + size]))
            for start in range(0, len(listed) - size + 1, size)
        ]
    return tables


def _swapped(tables: Sequence[_Table], dice: random.Random) -> Iterator[Case]:
    for table in tables:
        for name, value in table.rows[::2]:
            others = [other for _, other in table.rows if other != value]
            if others:
                said = table.wording.format(name, dice.choice(others))
                yield Case(said, ("table",), {"table": table.text}, "swapped rows")


def _true_rows(tables: Sequence[_Table], dice: random.Random) -> Iterator[Case]:
    for table in tables:
        for name, value in table.rows[1::2]:
            yield Case(table.wording.format(name, value), ("table",), {"table": table.text})


def _first(cases: Iterator[Case], most: int) -> list[Case]:
    return [case for _, case in zip(range(most), cases, strict=False)]


def _half(name: str) -> str:
    return "report" if hashlib.sha256(f"half:{name}".encode()).digest()[0] % 2 else "tune"


def _held_out(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] < HELD_OUT_BELOW


def _read(path: Path) -> Iterator[dict[str, Any]]:
    from assay.errors import UsageError

    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, ValueError) as problem:
        raise UsageError(f"cannot read {path}: {problem}; --data names the folder of the two corpora") from problem


def main(given: Sequence[str] | None = None) -> int:
    """Prints the table; exit code 1 where fewer than 80 % are found or 5 % or more are flagged falsely."""
    parser = argparse.ArgumentParser(prog="python -m bench.injected", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the corpora")
    parser.add_argument("--judge", default="cascade", help="cascade, small, base or lexical")
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--each", type=int, default=60, help="errors of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--misses", type=Path, help="file for the cases that were judged wrongly, one JSON a line")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    options = parser.parse_args(given)
    cases = make_cases(options.data, options.half, options.each, options.seed)
    outcomes = judge_cases(cases, options.judge, progress=sys.stderr.isatty())
    if options.misses:
        lines = (_line(outcome) for outcome in outcomes if not outcome.right)
        options.misses.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = summarise(outcomes)
    if options.format == "json":
        shown = [{"kind": k, "n": n, "flagged": i.value, "low": i.low, "high": i.high} for k, n, i in rows]
        sys.stdout.write(json.dumps({"judge": options.judge, "half": options.half, "rows": shown}, indent=2) + "\n")
    else:
        sys.stdout.write(f"judge {options.judge}, half {options.half}\n| kind | n | flagged | 95 % range |\n")
        sys.stdout.write("| --- | --- | --- | --- |\n")
        for name, count, interval in rows:
            sys.stdout.write(f"| {name} | {count} | {interval.value:.1%} | {interval.low:.1%}–{interval.high:.1%} |\n")
    shares = {name: interval.value for name, _, interval in rows}
    return 0 if shares["all errors"] > 0.8 and shares["right steps (false flags)"] < 0.05 else 1


def _line(outcome: Outcome) -> str:
    case, found = outcome.case, outcome.found
    return json.dumps(
        {
            "kind": case.kind or "right",
            "claim": case.claim,
            "cites": case.cites,
            "evidence": {name: case.sources[name] for name in case.cites if name in case.sources},
            "said": found.to_dict(),
        }
    )


if __name__ == "__main__":
    from assay.errors import AssayError

    try:
        sys.exit(main())
    except AssayError as problem:
        sys.exit(f"assay: {problem}")
