"""The evaluation commands, on data as small as it can be."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assay.policy import Policy
from bench import aptness, asking, repairing

TOWNS = ("Albury Olm", "Brixton Perl", "Corfe Quen", "Dover Rast", "Epsom Sill", "Frome Tavo")


def make_row(number: int, town: str, river: str) -> dict[str, object]:
    text = (
        f"{town} is a town with {number},500 inhabitants. "
        f"The river {river}, {number} km long, flows through the town of {town}. "
        f"It was founded by John {river}er in {1200 + number}."
    )
    other = {"title": f"Cheese {number}", "text": f"Cheese number {number} is made of milk.", "gold": False}
    question = f"Which river flows through the town of {town}?"
    return {"question": question, "answer": river, "passages": [{"title": town, "text": text, "gold": True}, other]}


ROWS = [make_row(number, *town.split()) for number, town in enumerate(TOWNS, 11)]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in ROWS)
    return path


def test_questions_are_answered_where_the_gold_is_there(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    questions, documents = asking.load_questions(data, 2)
    assert [question.answerable for question in questions] == [True, True, False, False]
    robbed = {question.expected for question in questions if not question.answerable}
    assert not any(river in document.text for river in robbed for document in documents)
    lines = tmp_path / "out.jsonl"
    arguments = ["--data", str(data), "--memory", str(tmp_path / "memory"), "--questions", "2", "--judge", "lexical"]
    assert asking.main([*arguments, "--embedder", "static", "--output", str(lines), "--show", "1"]) == 0
    shown = capsys.readouterr().out
    assert "| answered | 2 | 0 |" in shown
    assert "| unverified shown | 0 | 0 |" in shown
    assert len(lines.read_text().splitlines()) == 4


def test_a_writer_that_errs_is_corrected(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--data", str(data), "--memory", str(tmp_path / "m"), "--questions", "2", "--judge", "lexical"]
    arguments += ["--embedder", "static", "--record", str(tmp_path / "said.jsonl"), "--model"]
    assert asking.main([*arguments, "erring:1"]) == 0
    shown = capsys.readouterr().out
    assert "| correction triggered | 1.000 | 0.000 |" in shown
    assert "| correction improved | 1.000 | – |" in shown
    assert asking.main([*arguments, "erring:0.5", "--strategies", "branch"]) == 0
    assert asking.main([*arguments, "erring:often"]) == 2


def test_the_weights_of_the_extractive_writer_can_be_fitted_again(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = aptness.read_rows(data, 6, 0, Policy())
    assert [row.answerable for row in rows] == [True, False] * 6
    weights, _ = aptness.fit(rows)
    assert weights.topics > 0
    assert aptness.main(["--data", str(data), "--skip", "0", "--questions", "6"]) == 0
    assert "not fitted on" in capsys.readouterr().out


def test_too_few_questions_are_an_error_that_says_so(data: Path, tmp_path: Path) -> None:
    assert asking.main(["--data", str(data), "--memory", str(tmp_path / "m"), "--questions", "9"]) == 2


def test_changed_answers_are_mended_and_none_is_made_worse(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = repairing.make_answers(data, 4)
    assert answers
    assert all(wrong.answer != wrong.truth and wrong.sentence in wrong.answer for wrong in answers)
    assert repairing.main(["--data", str(data), "--answers", "4", "--judge", "lexical", "--show", "left"]) == 0
    shown = capsys.readouterr().out
    row = next(line for line in shown.splitlines() if line.startswith("| all"))
    assert row.split("|")[-2].strip() == "0.000"
