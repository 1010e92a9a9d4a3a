"""`python -m bench.attacks`: how often sources that do not assert a false claim make it SUPPORTED.

    python -m bench.attacks [--pairs 24] [--judge small|base|cascade|lexical] [--seed 0] [--line WORD] [--verbose]

Writes the table of the judge into docs/security.md, unless only some lines or fewer than all pairs were asked for.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.engine import Engine
from assay.engine.sources import read
from assay.types import Claim, Finding, Report, Span, Verdict
from bench.attack_kinds import PAIRS, Attack, build_attacks, read_pairs

PAGE = Path(__file__).parent.parent / "docs" / "security.md"
MOST = {"flips": 0.05, "one poisoned passage": 0.10}  # what a release may show
CONTROL = "control: "


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an attack did to the false claim and to the fact."""

    attack: Attack
    false: Verdict
    true: Verdict
    flagged: bool  # the report tells of sources that disagree

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

    @property
    def share(self) -> float:
        return self.flips / self.runs if self.runs else 0.0


def run_attack(engine: Engine, attack: Attack) -> Outcome:
    """Checks the false claim and the fact against the sources of an attack, as `assay check` would."""
    documents, _, _ = read(attack.sources)
    answers = (attack.pair.lie, attack.pair.truth)
    reports = [engine.run_claims(text, [Claim(text, (Span(0, len(text)),))], documents).report for text in answers]
    false, true = (report.findings[0] for report in reports)
    wrong = reports[0] if false.verdict is Verdict.SUPPORTED else reports[1]
    return Outcome(attack, false.verdict, true.verdict, is_flagged(wrong, wrong.findings[0]))


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
        )
        for name, found in grouped.items()
    ]


def make_table(lines: Sequence[Line]) -> str:
    """The rows as Markdown."""
    head = (
        "| attack | checks | false claim SUPPORTED | of these flagged | fact REFUTED | of these flagged |\n"
        "| --- | --- | --- | --- | --- | --- |\n"
    )
    return head + "".join(
        f"| {line.name} | {line.runs} | {line.flips} ({line.share:.1%}) | {line.flagged} "
        f"| {line.turned} ({line.turned / line.runs:.1%}) | {line.turned_flagged} |\n"
        for line in lines
    )


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
    chosen = parser.parse_args(arguments)
    if not 1 <= chosen.pairs <= most:
        parser.error(f"--pairs must lie between 1 and {most}, not {chosen.pairs}")
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
    if chosen.pairs == most and not chosen.line:
        where = f"{len(outcomes)} attacks from {most} pairs, seed {chosen.seed}, Python {platform.python_version()}"
        write_section(chosen.judge, f"\n### Judge `{chosen.judge}` ({engine.model})\n\n{where}\n\n{table}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
