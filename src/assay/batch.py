"""Checks a file of many answers, here or on a cluster; finished rows are kept, so that a stopped run can go on."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from assay.errors import SourceError, UsageError, missing_extra
from assay.evaluation.layouts import ANSWER, EVIDENCE, QUESTION
from assay.evaluation.records import read_records, texts
from assay.policy import Policy

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

    def note(self, entry: Task) -> None:
        if "error" in entry:
            self.problems.append((entry["line"], entry["error"]))
            return
        self.checked += 1
        self.verdicts[entry["report"]["verdict"]] += 1
        self.claims.update(claim["verdict"] for claim in entry["report"]["claims"])


def check_file(
    path: Path, output: Path, *, judge: str = "cascade", policy: Policy | None = None, engine: str = "local"
) -> BatchResult:
    """Checks every row that has no report yet; `output` is JSON Lines, or Parquet made at the end."""
    if engine not in ENGINES:
        raise UsageError(f"unknown engine {engine!r}; choose {' or '.join(ENGINES)}")
    if output.suffix not in (".jsonl", ".parquet"):
        raise UsageError(f"{output}: reports are written as .jsonl or .parquet")
    rules = policy or Policy()
    tasks, problems = read_tasks(path, f"{judge} {rules.sha256}")
    kept = output if output.suffix == ".jsonl" else output.with_suffix(".part.jsonl")
    known = _read_kept(kept)
    done = BatchResult()
    for line, problem in problems:
        done.note({"line": line, "error": problem})
    for task in tasks:
        if task["key"] in known:
            done.note(known[task["key"]])
            done.resumed += 1
    waiting = [task for task in tasks if task["key"] not in known]
    settings = {"judge": judge, "policy": rules}
    try:
        with kept.open("a", encoding="utf-8") as file:
            for entry in _results(waiting, settings, engine):
                file.write(json.dumps(entry) + "\n")
                file.flush()
                done.note(entry)
    except OSError as problem:
        raise UsageError(f"cannot write {kept}: {problem.strerror or problem}") from problem
    if output.suffix == ".parquet":
        _write_parquet(output, [entry for entry in _read_kept(kept).values() if "report" in entry])
    return done


def read_tasks(path: Path, examined: str) -> tuple[list[Task], list[tuple[int, str]]]:
    """The rows that hold an answer and its sources, and what is wrong with the others."""
    tasks: list[Task] = []
    problems: list[tuple[int, str]] = []
    for line, record in read_records(path):
        if isinstance(record, str):
            problems.append((line, record))
            continue
        answer, sources = texts(record, ANSWER), texts(record, EVIDENCE)
        if not answer or not sources:
            lacking, names = ("answer", ANSWER) if not answer else ("sources", EVIDENCE)
            problems.append((line, f"no {lacking}: a field such as {' or '.join(names[:3])} is needed"))
            continue
        task = {"answer": answer[0], "question": "".join(texts(record, QUESTION)[:1]), "sources": list(sources)}
        told = json.dumps([examined, line, task], sort_keys=True)
        key = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        tasks.append({**task, "line": line, "id": record.get("id"), "key": key})
    return tasks, problems


def open_engine(judge: str, policy: Policy) -> Callable[[Task], Task]:
    """What is done with a row, once the engine is open; a row that fails says why, and the others go on."""
    from assay.engine import Engine
    from assay.types import Document

    engine = Engine(policy, judge)

    def work(task: Task) -> Task:
        told = {name: task[name] for name in ("line", "id", "key")}
        documents = [Document(str(number), text) for number, text in enumerate(task["sources"], 1)]
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
