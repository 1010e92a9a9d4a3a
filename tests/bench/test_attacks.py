"""The attack command: every attack is built from a pair, and what it did is counted and written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from assay.engine import Engine
from assay.types import Document, Verdict
from bench.attack_kinds import Attack, build_attacks, read_pairs
from bench.attacks import Outcome, count_lines, main, make_table, run_attack, write_section

PAIRS = read_pairs()


def test_there_are_enough_pairs_and_each_is_whole() -> None:
    assert len(PAIRS) >= 24
    for pair in PAIRS:
        assert pair.true != pair.false
        assert len(pair.backing) == 3
        assert " not " in pair.denial
        assert pair.question.endswith("?")
        assert pair.lie[0].isupper()


def test_attacks_are_the_same_for_the_same_seed(tmp_path: Path) -> None:
    def texts(seed: int) -> list[str]:
        attacks = build_attacks(PAIRS[:2], tmp_path, seed)
        return [source.text for one in attacks for source in one.sources if isinstance(source, Document)]

    assert texts(0) == texts(0)
    assert texts(0) != texts(1)


def test_every_kind_of_the_table_is_there(tmp_path: Path) -> None:
    lines = Counter(attack.line for attack in build_attacks(PAIRS[:1], tmp_path))
    for kind in ("question", "myth", "lie", "hypothesis", "denied afterwards", "keyword soup", "disguised “not”"):
        assert lines[f"{kind}, alone"]
        assert lines[f"{kind}, beside the truth"]
    assert {"hidden in HTML", "hidden in DOCX", "hidden in PDF", "one poisoned passage among four"} <= set(lines)


@pytest.mark.parametrize("line", ["question, alone", "hidden in HTML", "control: the truth alone"])
def test_words_alone_are_not_fooled_and_believe_a_plain_source(tmp_path: Path, line: str) -> None:
    engine = Engine(judge="lexical")
    found = [run_attack(engine, one) for one in build_attacks(PAIRS[:1], tmp_path) if one.line == line]
    assert found
    assert not any(outcome.flipped for outcome in found)
    if line.startswith("control"):
        assert found[0].true is Verdict.SUPPORTED


def test_outcomes_are_counted_line_by_line() -> None:
    attack = Attack("question, alone", "x", PAIRS[0], ())
    outcomes = [
        Outcome(attack, Verdict.SUPPORTED, Verdict.REFUTED, True),
        Outcome(attack, Verdict.SUPPORTED, Verdict.SUPPORTED, False),
        Outcome(attack, Verdict.REFUTED, Verdict.SUPPORTED, False),
    ]
    (line,) = count_lines(outcomes)
    assert (line.runs, line.flips, line.flagged, line.turned, line.turned_flagged) == (3, 2, 1, 1, 1)
    assert "| question, alone | 3 | 2 (66.7%) | 1 | 5% | 1 (33.3%) | 1 |" in make_table([line])


def test_a_section_is_written_once_and_replaced(tmp_path: Path) -> None:
    page = tmp_path / "security.md"
    page.write_text("# Attacks\n", encoding="utf-8")
    write_section("small", "first\n", page)
    write_section("base", "other\n", page)
    write_section("small", "second\n", page)
    text = page.read_text("utf-8")
    assert text.startswith("# Attacks\n")
    assert "first" not in text
    assert text.count("second") == text.count("other") == 1


def test_a_number_of_pairs_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--pairs", "0"])
    assert "--pairs must lie between 1 and" in capsys.readouterr().err
