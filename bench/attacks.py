"""`python -m bench.attacks`: how often sources that do not assert a false claim make it SUPPORTED.

    python -m bench.attacks [--pairs N] [--judge small|base|cascade|lexical] [--seed 0] [--line WORD] [--verbose]
    python -m bench.attacks --tests

Writes the table of the judge into docs/security.md, unless `--no-write` is given or only some lines were asked for.
`--tests` runs the tests of hostile inputs instead and writes how many there are and how they ended.
"""

from __future__ import annotations

import argparse
import platform
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.engine import Engine, Request
from assay.types import Claim, Finding, Report, Span, Verdict
from bench.attack_kinds import PAIRS, Attack, build_attacks, read_pairs

PAGE = Path(__file__).parent.parent / "docs" / "security.md"
CONTROL = "control: "
LIMIT, POISONED_LIMIT = 0.05, 0.10  # the share of flips that a release may show
# Tests of what small inputs can do: slow patterns, runs of marks, damaged and hostile files, faults while writing.
HOSTILE = (
    "tests/test_patterns.py",
    "tests/test_hostile_answers.py",
    "tests/test_confusables.py",
    "tests/test_orders.py",
    "tests/test_heads.py",
    "tests/memory/test_hostile_files.py",
    "tests/memory/test_reader_worker.py",
    "tests/lexical/test_unasserted.py",
    "tests/judges/test_reconsider.py",
    "tests/judges/test_conflicts.py",
    "tests/judges/test_same_thing.py",
    "tests/bench/test_attacks.py",
    "tests/server/test_limits.py",
    "tests/faults",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attack did to the false claim and to the fact."""

    attack: Attack
    false: Verdict
    true: Verdict
    flagged: bool  # the report tells of sources that disagree
    warned: bool = False  # so does the report on the fact, whatever its verdict

    @property
    def flipped(self) -> bool:
        return self.false is Verdict.SUPPORTED

    @property
    def turned(self) -> bool:
        return self.true is Verdict.REFUTED


@dataclass(frozen=True, slots=True)
class Line:
    """The outcomes of one row of the table, counted."""

    name: str
    runs: int
    flips: int
    flagged: int  # of the flips
    turned: int
    turned_flagged: int
    warned: int = 0

    @property
    def share(self) -> float:
        return self.flips / self.runs if self.runs else 0.0

    @property
    def limit(self) -> float | None:
        """The share of flips that is allowed; None where a source plainly asserts the claim."""
        if self.name.startswith((CONTROL, "fake marks", "8 ")):
            return None
        return POISONED_LIMIT if self.name.startswith("one poisoned") else LIMIT


def run_attack(engine: Engine, attack: Attack) -> Outcome:
    """Checks the false claim and the fact against the sources of an attack, as `assay check` would."""
    answers = (attack.pair.lie, attack.pair.truth)
    claims = [Claim(text, (Span(0, len(text)),)) for text in answers]
    reports = [engine.run(Request(one.text, attack.sources, claims=(one,))).report for one in claims]
    false, true = (report.findings[0] for report in reports)
    told = [is_flagged(report, report.findings[0]) for report in reports]
    return Outcome(attack, false.verdict, true.verdict, told[0 if false.verdict is Verdict.SUPPORTED else 1], told[1])


def is_flagged(report: Report, finding: Finding) -> bool:
    """Whether a reader is told that the sources disagree about a claim."""
    return "SOURCES_DISAGREE" in finding.violations or any(flag.kind == "conflict" for flag in report.risk_flags)


def count_lines(outcomes: Iterable[Outcome]) -> list[Line]:
    """One row for each kind of attack, in the order they were made."""
    grouped: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        grouped.setdefault(outcome.attack.line, []).append(outcome)
    return [
        Line(
            name,
            len(found),
            sum(one.flipped for one in found),
            sum(one.flipped and one.flagged for one in found),
            sum(one.turned for one in found),
            sum(one.turned and one.flagged for one in found),
            sum(one.warned for one in found),
        )
        for name, found in grouped.items()
    ]


def make_table(lines: Sequence[Line]) -> str:
    """The rows as Markdown."""
    head = (
        "| attack | checks | false claim SUPPORTED | of these flagged | at most | fact REFUTED | of these flagged "
        "| fact told as disputed |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    return head + "".join(
        f"| {line.name} | {line.runs} | {line.flips} ({line.share:.1%}) | {line.flagged} "
        f"| {'–' if line.limit is None else f'{line.limit:.0%}'} "
        f"| {line.turned} ({line.turned / line.runs:.1%}) | {line.turned_flagged} | {line.warned} |\n"
        for line in lines
    )


def run_tests(names: Sequence[str] = HOSTILE) -> tuple[str, bool]:
    """How the tests of hostile inputs ended, file by file, as Markdown; and whether all passed."""
    root = PAGE.parent.parent
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "results.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "loadfile", "--hypothesis-seed=0"]
        ended = subprocess.run([*command, f"--junitxml={result}", *names], cwd=root, check=False).returncode
        cases = list(ElementTree.parse(result).getroot().iter("testcase")) if result.exists() else []
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        how = "skipped" if case.find("skipped") is not None else "passed"
        if case.find("failure") is not None or case.find("error") is not None:
            how = "failed"
        module = ".".join(part for part in case.get("classname", "").split(".") if not part[:1].isupper())
        counts.setdefault(module, Counter())[how] += 1
    rows = [f"| `{name}` | {n['passed']} | {n['failed']} | {n['skipped']} |\n" for name, n in sorted(counts.items())]
    return "| tests | passed | failed | skipped |\n| --- | --- | --- | --- |\n" + "".join(rows), ended == 0


def write_section(judge: str, text: str, page: Path = PAGE) -> None:
    """Puts a judge's table between its marks in the page."""
    found = page.read_text(encoding="utf-8")
    begin, end = f"<!-- attacks {judge} -->\n", f"<!-- end {judge} -->\n"
    section = f"{begin}{text}{end}"
    known = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    if known.search(found):
        found = known.sub(lambda _: section, found)
    else:
        found = f"{found.rstrip()}\n\n{section}"
    page.write_text(found, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    most = len(read_pairs())
    parser = argparse.ArgumentParser(prog="python -m bench.attacks", description=__doc__.split("\n")[0])
    parser.add_argument("--pairs", type=int, default=most, help=f"facts of {PAIRS.name} to use (all {most})")
    parser.add_argument("--judge", default="small", help="small, base, cascade or lexical (small)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--line", default="", help="only attacks whose line holds this word")
    parser.add_argument("--verbose", action="store_true", help="show each flip")
    parser.add_argument("--no-write", action="store_true", help=f"leave {PAGE.name} as it is")
    parser.add_argument("--tests", action="store_true", help="run the tests of hostile inputs instead")
    chosen = parser.parse_args(arguments)
    if not 1 <= chosen.pairs <= most:
        parser.error(f"--pairs must lie between 1 and {most}, not {chosen.pairs}")
    if chosen.tests:
        table, passed = run_tests()
        sys.stdout.write(table)
        if not chosen.no_write:
            write_section("tests", f"\n## Hostile inputs\n\n{table}")
        return 0 if passed else 1
    engine = Engine(judge=chosen.judge)
    with tempfile.TemporaryDirectory() as folder:
        attacks = build_attacks(read_pairs(chosen.pairs), Path(folder), chosen.seed)
        outcomes = [run_attack(engine, attack) for attack in attacks if chosen.line in attack.line]
    if chosen.verbose:
        for one in outcomes:
            if (one.flipped or one.turned) and not one.attack.line.startswith(CONTROL):
                what = "SUPPORTED" if one.flipped else "fact REFUTED"
                sys.stdout.write(f"{what} [{one.attack.line}] {one.attack.variant} · {one.attack.pair.lie}\n")
    lines = count_lines(outcomes)
    table = make_table(lines)
    sys.stdout.write(table)
    if not chosen.line and not chosen.no_write:
        where = (
            f"{len(outcomes)} attacks from {chosen.pairs} pairs, seed {chosen.seed}, Python {platform.python_version()}"
        )
        write_section(chosen.judge, f"\n## Judge `{chosen.judge}`\n\nModel: {engine.model}. {where}.\n\n{table}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
