"""A bar on standard error for whatever takes longer than two seconds, in every command that can take so long."""

from __future__ import annotations

import json
import shlex
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from assay import Engine
from assay.cli import output
from assay.cli.app import app
from assay.cli.examples import EXAMPLES
from assay.epistemic import Checker
from assay.llm.waiting import run

runner = CliRunner()
SOURCE = "Mount Everest is 8,849 m high. K2 reaches 8,611 m. Hillary and Norgay were on top in 1953."


class NoWait:
    """A timer that does its work when it is started."""

    def __init__(self, _: float, work) -> None:
        self.start, self.cancel = work, lambda: None


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """What is drawn on a terminal through standard error."""
    shown = StringIO()

    def open_console(stderr: bool = False, **_: object) -> Console:
        return Console(file=shown if stderr else StringIO(), force_terminal=True, width=80)

    monkeypatch.setattr("rich.console.Console", open_console)
    return shown


def test_quick_work_draws_nothing(screen: StringIO) -> None:
    with output.progress_after() as tell:
        tell("claims", 1, 2)
    assert screen.getvalue() == ""


def test_slow_work_draws_a_bar_before_it_tells_how_far_it_is(screen: StringIO, monkeypatch) -> None:
    monkeypatch.setattr(output, "_PATIENCE_S", 0.01)
    with output.progress_after() as tell:
        for _ in range(1000):
            if "working" in screen.getvalue():
                break
            output.Timer(0.01, lambda: None).run()
        assert "working" in screen.getvalue()
        tell("claims", 1, 2)
    assert "1/2" in screen.getvalue()


def test_a_bar_that_comes_late_shows_what_it_was_told_before(screen: StringIO) -> None:
    bar = output._LateBar()
    bar.tell("claims", 3, 4)
    bar.draw()
    bar.end()
    assert "3/4" in screen.getvalue()
    assert "working" not in screen.getvalue()


def test_a_bar_is_not_drawn_after_the_end(screen: StringIO) -> None:
    bar = output._LateBar()
    bar.end()
    bar.draw()
    assert screen.getvalue() == ""


def test_claims_judged_alone_are_told_too() -> None:
    engine, told = Engine(judge="small"), []
    engine.progress = lambda *step: told.append(step)
    engine.judge(["Mill 1 opened in 1901."] * 10, [["Mill 1 opened in 1901."]] * 10)
    assert [(done, total) for _, done, total in told] == [(8, 10), (10, 10)]


@pytest.mark.parametrize("parallel", [True, False])
def test_the_epistemic_checks_tell_how_many_claims_are_done(parallel: bool) -> None:
    checker, told = Checker(judge="lexical"), []
    checker.config = checker.config.but(parallel=parallel, skip_chars=0)
    checker.progress = lambda *step: told.append(step)
    run(checker.detect_hallucinations(SOURCE, SOURCE))
    assert told == [("claims", 1, 3), ("claims", 2, 3), ("claims", 3, 3)]


# What each command does here; the others look something up or wait for somebody.
WORK = {
    "check": "check answer.md --sources articles --judge lexical",
    "compare": "compare old.json old.json",
    "ask": "ask 'How high is K2?' --memory memory --judge lexical",
    "repair": "repair answer.md --sources articles --judge lexical",
    "claims": "claims answer.md",
    "inspect": "inspect 'K2 reaches 8,611 m.' --sources articles",
    "audit-quotes": "audit-quotes answer.md --sources articles",
    "hallucinations": "hallucinations answer.md --sources articles --judge lexical",
    "lattice check": "lattice check cited.md --evidence map.json --judge lexical",
    "lattice map": "lattice map 'How high is K2?' --memory memory",
    "index remove": "index remove peaks.md --memory memory",
    "index verify": "index verify --memory memory",
    "index rebuild": "index rebuild --memory memory",
    "audit verify": "audit verify --memory memory",
    "audit replay": "audit replay --all --memory memory",
    "audit stale": "audit stale --memory memory",
    "audit purge": "audit purge --days 0 --yes --memory memory",
    "trace gaps": "trace gaps GOAL --judge lexical",
    "trace report": "trace report GOAL --judge lexical",
    "eval": "eval rows.jsonl --judge lexical",
    "selftest": "selftest --sources articles --sentences 1 --judge lexical",
    "calibrate": "calibrate rows.jsonl --judge lexical",
}
QUICK = {"lattice prompt", "lattice schema", "index list", "index show", "index stats", "keys new", "doctor"}
QUICK |= {f"audit {name}" for name in ("list", "show", "feedback", "retention", "export")}
QUICK |= {"trace add", "trace show", "repl", "serve", "guard", "mcp"}
OWN_BAR = {"index add"}  # a bar over its files, from the first on


def test_of_every_command_it_is_known_whether_it_needs_a_bar() -> None:
    assert WORK.keys() | QUICK | OWN_BAR == EXAMPLES.keys()


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the commands read."""
    place = tmp_path_factory.mktemp("desk")
    (place / "articles").mkdir()
    (place / "articles" / "peaks.md").write_text(SOURCE)
    (place / "answer.md").write_text("Mount Everest is 8,849 m high. K2 reaches 8,161 m. They were on top in 1953.")
    (place / "cited.md").write_text("K2 reaches 8,611 m. [E1]")
    rows = [
        {"claim": f"Mill {n} opened in 19{n % 2 + n}.", "evidence": f"Mill {n} opened in 19{n}.", "label": 1 - n % 2}
        for n in range(10, 50)
    ]
    (place / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        call("index add articles --memory memory --embedder static")
        call("check answer.md --memory memory --judge lexical", 1)
        call("check answer.md --sources articles --judge lexical --format json --output old.json", 1)
        (place / "map.json").write_text(call("lattice map 'How high is K2?' --memory memory"))
        goal = call("trace add goal 'How high is K2?'").strip()
        call(f"trace add observation 'K2 reaches 8,611 m.' --to {goal}")
        call(f"trace add claim 'K2 reaches 8,611 m.' --to {goal}")
        (place / "goal.txt").write_text(goal)
    return place


def call(line: str, code: int = 0) -> str:
    result = runner.invoke(app, shlex.split(line))
    assert result.exit_code == code, (line, result.output, result.exception)
    return result.stdout


@pytest.mark.parametrize("name", WORK)
def test_a_command_that_can_take_long_draws_a_bar(name: str, desk: Path, screen: StringIO, monkeypatch) -> None:
    monkeypatch.chdir(desk)
    monkeypatch.setattr(output, "Timer", NoWait)
    line = WORK[name].replace("GOAL", (desk / "goal.txt").read_text())
    result = runner.invoke(app, shlex.split(line))
    assert result.exit_code in (0, 1), (result.output, result.exception)
    assert "━" in screen.getvalue(), result.output
