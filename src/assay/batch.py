"""Checks a file of many answers, here or on a cluster; finished rows are kept, so that a stopped run can go on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.errors import SourceError, UsageError, missing_extra
from assay.evaluation.layouts import ANSWER, EVIDENCE, QUESTION
from assay.evaluation.rows import read_records, texts
from assay.policy import Policy
from assay.render.rows import CheckedRow, name_row
from assay.types import Document, Report, Verdict

Task = dict[str, Any]
ENGINES = ("local", "ray")


@dataclass
class BatchResult:
    """The answers of a file by verdict, the verdicts of their claims, and the lines that could not be used."""

    checked: int = 0
    resumed: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    claims: Counter[str] = field(default_factory=Counter)
    problems: list[tuple[int, str]] = field(default_factory=list)
    entries: list[Task] = field(default_factory=list)  # the reports, where they are written to no file

    def rows(self, shared: Iterable[Document] = ()) -> list[CheckedRow]:
        """The reports and the problems in the order of the file, for the formats of `assay.render.POINTING`."""
        found = [CheckedRow(line, problem=problem) for line, problem in self.problems]
        for entry in self.entries:
            id = None if entry["id"] is None else str(entry["id"])
            found.append(CheckedRow(entry["line"], id, Report.from_dict(entry["report"], shared)))
        return sorted(found, key=lambda row: row.line)

    def note(self, entry: Task) -> None:
        if "error" in entry:
            self.problems.append((entry["line"], entry["error"]))
            return
        self.checked += 1
        self.verdicts[entry["report"]["verdict"]] += 1
        self.claims.update(claim["verdict"] for claim in entry["report"]["claims"])


def check_file(
    path: Path,
    output: Path | None = None,
    *,
    judge: str = "cascade",
    policy: Policy | None = None,
    engine: str = "local",
    shared: Sequence[Document] = (),
    step: Callable[[str, int, int], None] | None = None,
) -> BatchResult:
    """Checks every row that has no report yet; `output` is JSON Lines, or Parquet made at the end.

    `shared` are the sources of rows that bring none. Without an output the reports are entries of the result.
    """
    if engine not in ENGINES:
        raise UsageError(f"unknown engine {engine!r}; choose {' or '.join(ENGINES)}")
    if output is not None and output.suffix not in (".jsonl", ".parquet"):
        raise UsageError(f"{output}: reports are written as .jsonl or .parquet")
    rules = policy or Policy()
    examined = " ".join([judge, rules.sha256, *(document.sha256 for document in shared)])
    tasks, problems = read_tasks(path, examined, bool(shared))
    done = BatchResult()
    for line, problem in problems:
        done.note({"line": line, "error": problem})
    settings = {"judge": judge, "policy": rules, "shared": tuple(shared)}

    def check(waiting: Sequence[Task]) -> Iterator[Task]:
        for number, entry in enumerate(_results(waiting, settings, engine), 1):
            done.note(entry)
            if step is not None:
                step("answers", number, len(waiting))
            yield entry

    if output is None:
        done.entries = [entry for entry in check(tasks) if "report" in entry]
        return done
    kept = output if output.suffix == ".jsonl" else output.with_suffix(".part.jsonl")
    known = _read_kept(kept)
    for task in tasks:
        if task["key"] in known:
            done.note(known[task["key"]])
            done.resumed += 1
    try:
        with kept.open("a", encoding="utf-8") as file:
            for entry in check([task for task in tasks if task["key"] not in known]):
                file.write(json.dumps(entry) + "\n")
                file.flush()
    except OSError as problem:
        raise UsageError(f"cannot write {kept}: {problem.strerror or problem}") from problem
    if output.suffix == ".parquet":
        _write_parquet(output, [entry for entry in _read_kept(kept).values() if "report" in entry])
    return done


def holds_answers(path: Path) -> bool:
    """Whether a file is one of many answers by its name: JSON Lines or Parquet."""
    return path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson", ".parquet")) and path.is_file()


def read_tasks(path: Path, examined: str, shared: bool = False) -> tuple[list[Task], list[tuple[int, str]]]:
    """The rows that hold an answer and, unless sources are `shared`, its own; and what is wrong with the others."""
    tasks: list[Task] = []
    problems: list[tuple[int, str]] = []
    for line, record in read_records(path):
        if isinstance(record, str):
            problems.append((line, record))
            continue
        answer, sources = texts(record, ANSWER), texts(record, EVIDENCE)
        if not answer or not (sources or shared):
            lacking, names = ("answer", ANSWER) if not answer else ("sources", EVIDENCE)
            others = "; or give --sources for all rows" if answer else ""
            problems.append((line, f"no {lacking}: a field such as {' or '.join(names[:3])} is needed{others}"))
            continue
        task = {"answer": answer[0], "question": "".join(texts(record, QUESTION)[:1]), "sources": list(sources)}
        told = json.dumps([examined, line, task], sort_keys=True)
        key = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        tasks.append({**task, "line": line, "id": record.get("id"), "key": key})
    return tasks, problems


def open_engine(judge: str, policy: Policy, shared: Sequence[Document] = ()) -> Callable[[Task], Task]:
    """What is done with a row, once the engine is open; a row that fails says why, and the others go on."""
    from assay.engine import Engine

    engine = Engine(policy, judge)

    def work(task: Task) -> Task:
        told = {name: task[name] for name in ("line", "id", "key")}
        documents = [Document(str(n), text) for n, text in enumerate(task["sources"], 1)] or list(shared)
        try:
            report = engine.check(task["answer"], sources=documents, question=task["question"] or None)
        except Exception as problem:  # one answer that cannot be checked must not end the others
            return {**told, "error": f"{type(problem).__name__}: {problem}"}
        return {**told, "report": report.to_dict()}

    return work


def _results(tasks: Sequence[Task], settings: Task, engine: str) -> Iterator[Task]:
    if not tasks:
        return
    if engine == "local":
        yield from map(open_engine(**settings), tasks)
        return
    from assay.integrations.cluster import ActorSpec, run_on_cluster

    for _, entry in run_on_cluster(ActorSpec(open_engine, settings), tasks):
        yield entry


def _read_kept(path: Path) -> dict[str, Task]:
    """The reports of an earlier run by their key, without a last line that a stop cut off; errors are tried again."""
    if not path.exists():
        return {}
    whole = path.read_bytes().rpartition(b"\n")[0]
    known = {}
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            entry = json.loads(line)
            if "error" not in entry:
                known[entry["key"]] = entry
        except (ValueError, KeyError, TypeError) as problem:
            raise SourceError(f"{path}, line {number}, is no report of `assay check --engine`: {problem}") from problem
    # Written anew without what is to be tried again: a row has one line.
    fresh = path.with_name(path.name + ".new")
    fresh.write_text("".join(json.dumps(entry) + "\n" for entry in known.values()), encoding="utf-8")
    fresh.replace(path)
    return known


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """A claim whose verdict differs between two runs; None where one of them does not have it."""

    answer: str
    text: str
    before: str | None
    after: str | None
    explanation: str = ""

    @property
    def kind(self) -> str:
        """`new problem`, `solved` (also by taking it out) or `changed` (one problem for another)."""
        if self.after in _PROBLEMS:
            return "changed" if self.before in _PROBLEMS else "new problem"
        return "solved"


_PROBLEMS = {Verdict.REFUTED.value, Verdict.INSUFFICIENT.value, Verdict.ERROR.value}


def read_run(path: Path) -> list[Task]:
    """The reports of a run: a file that `assay check` wrote for many answers, or one JSON report."""
    found: list[Task] = []
    for line, record in read_records(path):
        if isinstance(record, dict) and "claims" in record and "verdict" in record:
            record = {"line": line, "id": None, "report": record}
        if not isinstance(record, dict) or not isinstance(record.get("report"), dict | str):
            raise SourceError(f"{path}, line {line}: no report of `assay check --format json` or of a file of answers")
        report = record["report"]
        found.append({**record, "report": json.loads(report) if isinstance(report, str) else report})
    return found


def compare_runs(old_run: Sequence[Task], new_run: Sequence[Task]) -> list[ClaimChange]:
    """What changed between two runs over the same answers, matched by id, else by line; claims by their words."""
    from assay.text.normalise import fold

    def claims_of(entries: Sequence[Task]) -> dict[tuple[str, str], dict[str, Any]]:
        return {
            (name_answer(entry), fold(claim["text"]).text): claim
            for entry in entries
            for claim in entry["report"]["claims"]
        }

    old, new = claims_of(old_run), claims_of(new_run)
    changes = []
    for key in dict.fromkeys([*old, *new]):
        was, now = old.get(key), new.get(key)
        before, after = (None if claim is None else str(claim["verdict"]) for claim in (was, now))
        if before != after and _PROBLEMS & {before, after}:
            told = now or was or {}
            changes.append(ClaimChange(key[0], told["text"], before, after, told.get("explanation", "")))
    return changes


def name_answer(entry: Task) -> str:
    """What an answer of a run is called: its id, else its line."""
    return name_row(entry["line"], entry.get("id"))


def _write_parquet(path: Path, entries: Sequence[Task]) -> None:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as problem:
        raise missing_extra("Parquet", "parquet") from problem
    rows = [
        {
            "line": entry["line"],
            "id": None if entry["id"] is None else str(entry["id"]),
            **{name: entry["report"][name] for name in ("verdict", "action", "confidence", "coverage")},
            "report": json.dumps(entry["report"], ensure_ascii=False),
        }
        for entry in sorted(entries, key=lambda entry: int(entry["line"]))
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), path)
