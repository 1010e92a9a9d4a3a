"""What `ask` makes of questions with a known answer: how many it answers, and how many it should not have.

    python -m bench.asking --data hotpotqa_dev.jsonl.gz --memory FOLDER --model extractive

Half of the questions can be answered from the memory; of the others the passages that hold the answer were left out.
A row of the data has a question, an answer and passages with a title, a text and whether they are gold.

`--model erring:0.3` is the extractive writer with one fact changed by program in three of ten drafts: with it the
correcting can be measured without a language model. `--strategies branch` leaves only that one to try.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.engine import Engine
from assay.errors import AssayError, UsageError
from assay.evaluation.rows import read_records
from assay.llm import Generator, make_generator
from assay.llm.values import Completion, Message, Schema
from assay.memory import Memory
from assay.mutations import mutate
from assay.policy import Policy
from assay.repair import Asked, Attempt, ask
from assay.repair.score import passes
from assay.text.normalise import fold
from assay.types import Document
from bench.recorded import Recorded

SEED = 7
CHANGED = ("number", "date", "name", "negation")  # the kinds of facts that a faulty draft gets wrong


@dataclass(frozen=True)
class Question:
    """A question, its expected answer, and whether the memory holds what is needed for it."""

    text: str
    expected: str
    answerable: bool


@dataclass(frozen=True)
class Outcome:
    """What became of one question."""

    question: Question
    asked: Asked

    @property
    def draft_passed(self) -> bool:
        """Whether there was a draft, and nothing in it to correct: what fails is at least edited."""
        return bool(self.asked.draft) and not self.asked.attempts

    @property
    def corrected(self) -> bool:
        """Whether a correction was tried."""
        return bool(self.asked.attempts)

    @property
    def bettered(self) -> bool:
        """Whether the engine thought better of what a correction made."""
        return any(attempt.improved for attempt in self.asked.attempts)

    def tried(self, strategy: str) -> list[Attempt]:
        return [attempt for attempt in self.asked.attempts if attempt.strategy == strategy]

    @property
    def right(self) -> bool:
        """Whether the answer holds the expected words; "yes" and "no" cannot be told this way."""
        return self.asked.answer is not None and fold(self.question.expected).text in fold(self.asked.answer).text


def read_shuffled(path: Path, rng: random.Random) -> list[dict[str, Any]]:
    """The records of a file of JSON lines, shuffled; a line that is none is an error."""
    records = []
    for number, record in read_records(path):
        if isinstance(record, str):
            raise UsageError(f"{path}, line {number}: {record}")
        records.append(record)
    rng.shuffle(records)
    return records


def load_questions(path: Path, count: int, skip: int = 0) -> tuple[list[Question], list[Document]]:
    """`count` questions with an answer in the documents and as many without, always the same ones."""
    rows = read_shuffled(path, random.Random(SEED))
    chosen = rows[skip : skip + 2 * count]
    if len(chosen) < 2 * count:
        raise UsageError(f"{path} has {len(rows)} questions; {skip + 2 * count} are needed")
    kept, robbed = chosen[:count], chosen[count:]
    left_out = {passage["title"] for row in robbed for passage in row["passages"] if passage["gold"]}
    documents = {
        passage["title"]: Document(passage["title"], passage["text"], passage["title"])
        for row in chosen
        for passage in row["passages"]
        if passage["title"] not in left_out
    }
    # A question that shares a gold passage with one of the others has lost its answer too, and is left aside.
    whole = [row for row in kept if all(p["title"] not in left_out for p in row["passages"] if p["gold"])]
    questions = [Question(row["question"], row["answer"], True) for row in whole]
    questions += [Question(row["question"], row["answer"], False) for row in robbed]
    return questions, list(documents.values())


def ask_all(
    questions: Sequence[Question],
    memory: Memory,
    generator: Generator,
    engine: Engine,
    strategies: Sequence[str] | None = None,
) -> Iterator[Outcome]:
    """The outcome of each question, as it comes; what a recorded model once took counts as taken."""
    for question in questions:
        before = getattr(generator, "replayed_s", 0.0)
        asked = ask(question.text, memory=memory, generator=generator, engine=engine, strategies=strategies)
        asked = replace(asked, seconds=asked.seconds + getattr(generator, "replayed_s", 0.0) - before)
        yield Outcome(question, asked)


def summarise(outcomes: Sequence[Outcome], policy: Policy) -> dict[str, Any]:
    """The figures of one group of questions."""
    answered = [o for o in outcomes if o.asked.answer is not None]
    covered = [c for o in answered if (c := o.asked.report.coverage) is not None]
    drafted = [o for o in outcomes if o.asked.draft]
    failed = [o for o in drafted if not o.draft_passed]
    corrected = [o for o in outcomes if o.corrected]
    branched = [o for o in outcomes if o.tried("branch")]
    return {
        "questions": len(outcomes),
        "answered": len(answered),
        "abstained": len(outcomes) - len(answered),
        "abstained_share": _share(len(outcomes) - len(answered), len(outcomes)),
        "holds_expected": _share(sum(o.right for o in answered), len(answered)),
        "coverage": sum(covered) / len(covered) if covered else None,
        "unverified_shown": sum(not passes(o.asked.report) for o in answered),
        "drafts": len(drafted),
        "drafts_failed": len(failed),
        "failed_then_repaired": sum(o.asked.answer is not None for o in failed),
        "failed_then_abstained": sum(o.asked.answer is None for o in failed),
        "correction_triggered": _share(len(corrected), len(outcomes)),
        "correction_improved": _share(sum(o.bettered for o in corrected), len(corrected)),
        "branch_tried": len(branched),
        "branch_improved": _share(sum(any(a.improved for a in o.tried("branch")) for o in branched), len(branched)),
        "seconds": sum(o.asked.seconds for o in outcomes) / len(outcomes) if outcomes else None,
    }


def tabulate(groups: dict[str, dict[str, Any]]) -> str:
    """The figures as a Markdown table, a column for each group."""
    names = list(next(iter(groups.values())))
    lines = ["| | " + " | ".join(groups) + " |", "| --- |" + " ---: |" * len(groups)]
    lines += [
        f"| {name.replace('_', ' ')} | " + " | ".join(_shown(g[name]) for g in groups.values()) + " |" for name in names
    ]
    return "\n".join(lines)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _shown(value: float | int | None) -> str:
    return "–" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.asking", description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="HotpotQA as JSON lines, may be gzipped")
    parser.add_argument("--memory", type=Path, required=True, help="where the memory is, or is to be made")
    parser.add_argument("--questions", type=int, default=200, help="how many of each kind the memory is made for")
    parser.add_argument("--most", type=int, help="ask at most so many of each kind; the memory stays the same")
    parser.add_argument("--model", default="extractive", help="a generator, or erring:SHARE")
    parser.add_argument("--strategies", nargs="+", help="the only ones that may correct")
    parser.add_argument("--judge", default="cascade")
    parser.add_argument("--embedder", help="for a new memory: minilm-claims or static")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first questions, those that are reported on")
    parser.add_argument("--record", type=Path, help="keep what the model says in this file, and do not ask it twice")
    parser.add_argument("--show", type=int, default=0, help="print so many outcomes in full")
    parser.add_argument("--output", type=Path, help="write every outcome as JSON lines")
    options = parser.parse_args(arguments)
    try:
        _run(options)
    except AssayError as problem:
        print(f"assay: {problem}", file=sys.stderr)
        return 2
    return 0


def _run(options: argparse.Namespace) -> None:
    policy = Policy.load()
    questions, documents = load_questions(options.data, options.questions, options.skip)
    most = options.most or len(questions)
    kinds = {
        True: [q for q in questions if q.answerable][:most],
        False: [q for q in questions if not q.answerable][:most],
    }
    engine, generator = Engine(policy, options.judge), _make_writer(options.model, policy)
    if options.record:
        generator = Recorded(generator, options.record)
    with Memory(options.memory, policy=policy, embedder=options.embedder) as memory:
        if not memory.documents():
            memory.add(documents)
        found = {kind: [] for kind in kinds}  # type: dict[bool, list[Outcome]]
        for kind, listed in kinds.items():
            for outcome in ask_all(listed, memory, generator, engine, options.strategies):
                found[kind].append(outcome)
                if len(found[kind]) <= options.show:
                    _print(outcome)
                if options.output:
                    with options.output.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(_row(outcome)) + "\n")
    groups = {"answerable": summarise(found[True], policy), "gold left out": summarise(found[False], policy)}
    print(f"\nmodel {generator.name}, judge {engine.judged_by.name}, {len(documents)} documents\n")
    print(tabulate(groups))


def _make_writer(spec: str, policy: Policy) -> Generator:
    kind, _, share = spec.partition(":")
    if kind != "erring":
        return make_generator(spec, policy=policy)
    try:
        return FaultyGenerator(make_generator("extractive", policy=policy), float(share))
    except ValueError:
        raise UsageError(f"erring:SHARE takes a share from 0 to 1, not {share!r}") from None


class FaultyGenerator:
    """Another generator's drafts, a share of them with one fact changed; which ones, follows from prompt and seed."""

    def __init__(self, generator: Generator, share: float) -> None:
        if not 0 <= share <= 1:
            raise ValueError(share)
        self.generator, self.share = generator, share
        self.name = f"erring:{share:g}"

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int | None = None,
        schema: Schema | None = None,
        logprobs: int = 0,
    ) -> Completion:
        said = await self.generator.complete(messages, max_tokens=max_tokens, schema=schema, logprobs=logprobs)
        dice = random.Random(f"{seed}:{messages[0].content}:{messages[-1].content}")
        return replace(
            said, model=self.name, text=insert_error(said.text, dice) if dice.random() < self.share else said.text
        )

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int | None = None,
    ) -> AsyncIterator[str]:
        yield (await self.complete(messages, max_tokens=max_tokens, seed=seed)).text

    def count_tokens(self, text: str) -> int:
        return self.generator.count_tokens(text)


def insert_error(text: str, dice: random.Random) -> str:
    """The text with one fact changed in one of its lines; as it was if there is none to change."""
    lines = text.splitlines()
    order = list(range(len(lines)))
    dice.shuffle(order)
    for number in order:
        said, bracket, pointer = lines[number].rpartition(" [")
        made = [one for one in mutate(said, dice.randrange(1 << 30), others=lines) if one.kind in CHANGED]
        if bracket and made:
            lines[number] = f"{dice.choice(made).text}{bracket}{pointer}"
            return "\n".join(lines)
    return text


def _row(outcome: Outcome) -> dict[str, Any]:
    asked = outcome.asked
    return {
        "question": asked.question,
        "expected": outcome.question.expected,
        "answerable": outcome.question.answerable,
        "draft": asked.draft,
        "draft_passed": outcome.draft_passed,
        "answer": asked.answer,
        "abstention": asked.abstention.text if asked.abstention else None,
        "attempts": [f"{a.strategy}{'+' if a.improved else '-'}" for a in asked.attempts],
        "seconds": round(asked.seconds, 3),
    }


def _print(outcome: Outcome) -> None:
    for name, value in _row(outcome).items():
        print(f"{name:12} {value}")
    print()


if __name__ == "__main__":
    sys.exit(main())
