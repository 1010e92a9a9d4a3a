"""What the minimal edit makes of answers with one changed fact; no model is used.

    python -m bench.repairing --data hotpotqa_dev.jsonl.gz --answers 300

An answer is one to three true sentences of a passage, one of them changed in one number, date, name or sign.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from assay.engine import Engine
from assay.errors import AssayError
from assay.mutations import mutate
from assay.policy import Policy
from assay.repair import RepairResult, repair
from assay.repair.score import passes, rank
from assay.text.normalise import fold
from assay.text.sentences import split_sentences
from assay.types import Document, Report, Verdict
from bench.asking import CHANGED, read_shuffled

SEED = 11
OUTCOMES = ("not found", "exactly repaired", "otherwise repaired", "removed", "left", "made worse")


@dataclass(frozen=True)
class FaultyAnswer:
    """An answer with one changed fact, what it said before, and where it comes from."""

    kind: str
    answer: str
    truth: str
    sentence: str
    document: Document


@dataclass(frozen=True)
class RepairOutcome:
    """What became of it; `seconds` is the repair alone."""

    wrong: FaultyAnswer
    name: str
    result: RepairResult
    seconds: float


def make_answers(path: Path, count: int, seed: int = SEED) -> list[FaultyAnswer]:
    """Answers with one changed fact, as many of each kind as there are of the others."""
    dice = random.Random(seed)
    rows = read_shuffled(path, dice)
    made: list[FaultyAnswer] = []
    wanted = {kind: count // len(CHANGED) + (number < count % len(CHANGED)) for number, kind in enumerate(CHANGED)}
    for row in rows:
        passage = dice.choice(row["passages"])
        found = _change(Document(passage["title"], passage["text"], passage["title"]), wanted, dice)
        if found is not None:
            wanted[found.kind] -= 1
            made.append(found)
        if not any(wanted.values()):
            break
    return made


def _change(document: Document, wanted: dict[str, int], dice: random.Random) -> FaultyAnswer | None:
    sentences = [sentence.span.of(document.text) for sentence in split_sentences(document.text)]
    sentences = [text for text in sentences if text.endswith(".") and 5 < len(text.split()) < 40]
    if not sentences:
        return None
    at = dice.randrange(len(sentences))
    changes = [
        made
        for made in mutate(sentences[at], seed=dice.randrange(1 << 30), others=sentences)
        if wanted.get(made.kind, 0) > 0
    ]
    if not changes:
        return None
    change = max(changes, key=lambda made: wanted[made.kind])
    company = sentences[max(0, at - 1) : at + 2]
    answer = " ".join(change.text if text == sentences[at] else text for text in company)
    return FaultyAnswer(change.kind, answer, " ".join(company), change.text, document)


def repair_all(answers: Sequence[FaultyAnswer], engine: Engine) -> Iterator[RepairOutcome]:
    """The fate of each answer, as it comes."""
    for wrong in answers:
        before = engine.check(wrong.answer, sources=[wrong.document])
        started = perf_counter()
        result = repair(
            None, wrong.answer, before, sources=[wrong.document], engine=engine, strategies=["correct", "edit"]
        )
        yield RepairOutcome(wrong, name_outcome(wrong, before, result), result, perf_counter() - started)


def name_outcome(wrong: FaultyAnswer, before: Report, result: RepairResult) -> str:
    """Exactly repaired means: the answer says again what it said before the change."""
    if rank(result.report) < rank(before):
        return "made worse"
    if _same(result.answer, wrong.truth):
        return "exactly repaired"
    if not result.changed:
        return "not found" if passes(before) or not _failed(before, wrong.sentence) else "left"
    if not _holds(result.answer, wrong.sentence):
        kept = {edit.kind for edit in result.edits}
        return "removed" if "dropped" in kept and len(kept) == 1 else "otherwise repaired"
    return "left" if _failed(before, wrong.sentence) else "not found"


def _failed(report: Report, sentence: str) -> bool:
    at = report.answer.find(sentence)
    return any(
        f.verdict in (Verdict.REFUTED, Verdict.INSUFFICIENT)
        for f in report.findings
        if any(at <= span.start < at + len(sentence) for span in f.spans)
    )


def _same(one: str, two: str) -> bool:
    return fold(one).text.split() == fold(two).text.split()


def _holds(answer: str, sentence: str) -> bool:
    return " ".join(fold(sentence).text.split()) in " ".join(fold(answer).text.split())


def tabulate(fates: Sequence[RepairOutcome]) -> str:
    """A row for each kind of change, as a Markdown table."""
    kinds = [kind for kind in CHANGED if any(fate.wrong.kind == kind for fate in fates)]
    lines = ["| change | answers | " + " | ".join(OUTCOMES) + " |", "| --- |" + " ---: |" * (len(OUTCOMES) + 1)]
    for kind in (*kinds, "all"):
        chosen = [fate for fate in fates if kind in ("all", fate.wrong.kind)]
        counts = (sum(fate.name == name for fate in chosen) for name in OUTCOMES)
        lines.append(
            f"| {kind} | {len(chosen)} | " + " | ".join(f"{count / len(chosen):.3f}" for count in counts) + " |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.repairing", description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="HotpotQA as JSON lines, may be gzipped")
    parser.add_argument("--answers", type=int, default=300)
    parser.add_argument("--judge", default="cascade")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--show", default="", help="print the answers with this fate")
    options = parser.parse_args(arguments)
    try:
        engine = Engine(Policy.load(), options.judge)
        fates = []
        for fate in repair_all(make_answers(options.data, options.answers, options.seed), engine):
            fates.append(fate)
            if fate.name == options.show:
                _print(fate)
    except AssayError as problem:
        print(f"assay: {problem}", file=sys.stderr)
        return 2
    seconds = sum(fate.seconds for fate in fates) / len(fates)
    print(f"\njudge {engine.judged_by.name}, {len(fates)} answers, {seconds:.2f} s each\n\n{tabulate(fates)}")
    return 0


def _print(fate: RepairOutcome) -> None:
    print(f"{fate.wrong.kind}: {fate.wrong.answer}\n  was {fate.wrong.truth}\n  now {fate.result.answer}")
    for edit in fate.result.edits:
        quote = edit.evidence.quote if edit.evidence else ""
        print(f"  {edit.kind}: {edit.old!r} → {edit.new!r} ({quote})")
    print()


if __name__ == "__main__":
    sys.exit(main())
