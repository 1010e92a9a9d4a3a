"""The whole engine on answers built from HotpotQA passages it has never seen: what it catches, what it cries wolf at.

    python -m training.pipeline --data DATA --judge cascade [--judge small …] [--answers 200] [--memory] [--show 10]

An answer is two or three sentences. In a true one each is a sentence of the sources, made to stand alone and reworded;
in a changed one a number, date, name or sign of one sentence is another; in an unanswerable one the sources that told
it are taken away. Passages and questions are those that training keeps out.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from assay.bench.mutations import mutate
from assay.engine import Engine
from assay.memory import Memory
from assay.types import Document, Report, Span, Verdict
from training.claims import still_told, take_claim
from training.premises import Passage
from training.rows import held_out, read_json

KINDS = ("number", "date", "name", "negation")
MIX = ("true", "true", "changed", "changed", "unanswerable")
LEANING = re.compile(r"\b(?:he|she|his|her|they|their|this|these|it|its)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """One sentence of an answer: whether it holds, and what kind of change it underwent."""

    text: str
    true: bool
    kind: str = ""


@dataclass(frozen=True)
class Answer:
    """An answer, its question and the sources it is checked against."""

    kind: str
    question: str
    sentences: tuple[Sentence, ...]
    sources: tuple[Document, ...]

    @property
    def text(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)

    def spans(self) -> Iterator[tuple[Sentence, Span]]:
        at = 0
        for sentence in self.sentences:
            yield sentence, Span(at, at + len(sentence.text))
            at += len(sentence.text) + 1


def build_answers(data: Path, count: int, seed: int = 0) -> list[Answer]:
    """The same answers for the same seed."""
    questions = [
        raw
        for raw in read_json(data / "corpora" / "hotpotqa_dev.jsonl.gz")
        if held_out(raw["question"]) and sum(held_out(passage["title"]) for passage in raw["passages"]) >= 2
    ]
    dice = random.Random(seed)
    dice.shuffle(questions)
    answers: list[Answer] = []
    for raw in questions:
        kind = MIX[len(answers) % len(MIX)]
        made = build_answer(raw, kind, dice)
        if made is not None:
            answers.append(made)
        if len(answers) == count:
            break
    return answers


def build_answer(raw: dict, kind: str, dice: random.Random) -> Answer | None:
    passages = [Passage(passage["title"], passage["text"]) for passage in raw["passages"] if passage["text"]]
    usable = [passage for passage in passages if held_out(passage.title)]
    taken = [(passage, claim) for passage in usable for claim in [stand_alone(passage, dice)] if claim]
    dice.shuffle(taken)
    taken = taken[: dice.choice((2, 3))]
    if len(taken) < 2:
        return None
    told = " ".join(passage.text for passage in passages)
    sentences = [Sentence(claim, True) for _, claim in taken]
    kept = passages
    if kind == "changed":
        changed = change(sentences[0].text, told, [passage.text for passage in passages], dice)
        if changed is None:
            return None
        sentences[0] = changed
        dice.shuffle(sentences)
    elif kind == "unanswerable":
        gone = {passage.title for passage, _ in taken}
        kept = [passage for passage in passages if passage.title not in gone]
        left = " ".join(f"{passage.title}. {passage.text}" for passage in kept)
        sentences = [Sentence(s.text, False, "removed") for s in sentences if not still_told(s.text, left)]
        if not sentences:
            return None
    documents = tuple(Document(passage.title, passage.text, title=passage.title) for passage in kept)
    return Answer(kind, raw["question"], tuple(sentences), documents)


def stand_alone(passage: Passage, dice: random.Random) -> str | None:
    """A sentence of the passage said so that it needs no other; None where that cannot be made sure."""
    taken = take_claim(passage, dice)
    if taken is None or LEANING.search(taken.claim) or len(taken.claim.split()) > 30:
        return None
    return taken.claim


def change(sentence: str, told: str, others: Sequence[str], dice: random.Random) -> Sentence | None:
    """The sentence with one fact changed into something that the sources do not say either."""
    made = [item for item in mutate(sentence, dice.randrange(1 << 30), others=others) if item.kind in KINDS]
    dice.shuffle(made)
    for mutation in made:
        if mutation.text not in told:
            return Sentence(mutation.text, False, mutation.kind)
    return None


@dataclass(frozen=True)
class Outcome:
    """What became of one sentence: the verdicts of its claims, and whether any of them was not supported."""

    answer: Answer
    sentence: Sentence
    verdicts: tuple[Verdict, ...]
    explanation: str

    @property
    def flagged(self) -> bool:
        return any(verdict in (Verdict.REFUTED, Verdict.INSUFFICIENT, Verdict.ERROR) for verdict in self.verdicts)


def read_report(answer: Answer, report: Report) -> list[Outcome]:
    outcomes = []
    for sentence, span in answer.spans():
        own = [f for f in report.findings if any(span.overlaps(place) for place in f.spans)]
        worst = sorted(own, key=lambda finding: finding.verdict is Verdict.SUPPORTED)
        verdicts = tuple(finding.verdict for finding in own)
        said = f"{worst[0].method} {worst[0].confidence:.2f}: {worst[0].explanation}" if worst else ""
        outcomes.append(Outcome(answer, sentence, verdicts, said))
    return outcomes


def run(answers: Sequence[Answer], judge: str, memory: Memory | None = None) -> tuple[list[Outcome], float]:
    """Every sentence of every answer, and the seconds it took."""
    engine = Engine(judge=judge)
    engine.warm()
    started = perf_counter()
    outcomes = []
    for answer in answers:
        sources = [memory] if memory is not None and answer.kind != "unanswerable" else list(answer.sources)
        outcomes += read_report(answer, engine.verify(answer.text, sources=sources, question=answer.question))
    return outcomes, perf_counter() - started


def interval(hits: int, total: int) -> str:
    """A share with its 95 % range (Wilson)."""
    if not total:
        return "–"
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    reach = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return f"{share:.1%} ({max(0.0, middle - reach):.1%}–{min(1.0, middle + reach):.1%}, n={total})"


def table(judge: str, outcomes: Sequence[Outcome], seconds: float) -> str:
    changed = [o for o in outcomes if o.sentence.kind in KINDS]
    removed = [o for o in outcomes if o.sentence.kind == "removed"]
    true = [o for o in outcomes if o.sentence.true]
    refuted = sum(Verdict.REFUTED in o.verdicts for o in true)
    lines = [
        f"| changed facts caught | {interval(sum(o.flagged for o in changed), len(changed))} |",
        *(
            f"| – {kind} | {interval(sum(o.flagged for o in changed if o.sentence.kind == kind), n)} |"
            for kind in KINDS
            if (n := sum(o.sentence.kind == kind for o in changed))
        ),
        f"| – called refuted | {interval(sum(Verdict.REFUTED in o.verdicts for o in changed), len(changed))} |",
        f"| sentences without their source, caught | {interval(sum(o.flagged for o in removed), len(removed))} |",
        f"| false alarms on true sentences | {interval(sum(o.flagged for o in true), len(true))} |",
        f"| – called refuted | {interval(refuted, len(true))} |",
        f"| seconds for all answers | {seconds:.1f} |",
    ]
    return "\n".join([f"| {judge} | |", "| --- | --- |", *lines])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m training.pipeline", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with corpora/hotpotqa_dev.jsonl.gz")
    parser.add_argument("--judge", action="append", help="lexical, small, base, cascade; repeatable")
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", action="store_true", help="one evidence memory of all passages, not ten at hand")
    parser.add_argument("--show", type=int, default=0, help="so many mistakes of each sort")
    given = parser.parse_args(arguments)
    answers = build_answers(given.data, given.answers, given.seed)
    counts = {kind: sum(answer.kind == kind for answer in answers) for kind in dict.fromkeys(MIX)}
    print(f"{len(answers)} answers ({', '.join(f'{n} {kind}' for kind, n in counts.items())})\n", flush=True)
    with tempfile.TemporaryDirectory() as folder, Memory(folder) if given.memory else nullcontext() as memory:
        if memory is not None:
            memory.add({document.id: document for answer in answers for document in answer.sources}.values())
        for judge in given.judge or ["cascade"]:
            outcomes, seconds = run(answers, judge, memory)
            print(table(judge, outcomes, seconds), flush=True)
            show(outcomes, given.show)


def show(outcomes: Sequence[Outcome], most: int) -> None:
    missed = [o for o in outcomes if not o.sentence.true and not o.flagged]
    alarms = [o for o in outcomes if o.sentence.true and o.flagged]
    for name, found in (("missed", missed), ("false alarm", alarms)):
        for outcome in found[:most]:
            print(f"\n{name} [{outcome.sentence.kind}] {outcome.sentence.text}\n    {outcome.explanation}", flush=True)


if __name__ == "__main__":
    main()
