"""The shipped set of written claims, and the answers put together from it."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.cli.app import app
from assay.engine.pipeline import Engine
from assay.errors import UsageError
from assay.evaluation.written import (
    JudgedClaim,
    LabelledClaim,
    WrittenFigures,
    first_quote_decides,
    judge_answers,
    judge_claims,
    read_written,
    split_passages,
    whole_answers,
)
from assay.types import Evidence, Verdict

BLOCKS = read_written()


def test_every_block_has_passages_and_claims_of_every_verdict() -> None:
    assert len(BLOCKS) > 150
    for block in BLOCKS:
        assert block.documents
        assert {claim.verdict for claim in block.claims} == {
            Verdict.SUPPORTED,
            Verdict.REFUTED,
            Verdict.INSUFFICIENT,
        }


def test_deciding_stretches_are_sentences_of_their_passage() -> None:
    marked = [(b, c) for b in BLOCKS for c in b.claims if c.deciding]
    assert len(marked) > 500
    for block, claim in marked:
        for number, span in claim.deciding or ():
            words = span.of(block.documents[number].text)
            assert words.strip() == words
            assert words


def test_passages_keep_their_titles_and_lose_no_text() -> None:
    text = "Opening words.\n\n# First\nOne. Two.\n\nThree.\n\n# Second\nFour."
    found = [(title, text[start:end]) for title, start, end in split_passages(text)]
    assert found == [("", "Opening words."), ("First", "One. Two.\n\nThree."), ("Second", "Four.")]


def test_whole_answers_are_long_mostly_true_and_over_several_passages() -> None:
    answers = whole_answers(BLOCKS)
    assert len(answers) >= 150
    assert answers == whole_answers(BLOCKS)
    labels = [claim.verdict for answer in answers for _, claim in answer.places]
    assert 0.5 < labels.count(Verdict.SUPPORTED) / len(labels) < 0.65
    for answer in answers:
        assert 6 <= len(answer.places) <= 12
        assert len(answer.documents) >= 3
        assert len({document.id for document in answer.documents}) == len(answer.documents)
        for span, claim in answer.places:
            assert span.of(answer.text) == claim.text


def claim_of(verdict: Verdict) -> LabelledClaim:
    return LabelledClaim("x", verdict, "kind", None)


def test_rates_count_what_they_say() -> None:
    true, wrong = claim_of(Verdict.SUPPORTED), claim_of(Verdict.REFUTED)
    judged = [
        JudgedClaim(true, Verdict.SUPPORTED, 0.9, True, 0),
        JudgedClaim(true, Verdict.REFUTED, 0.9, False, 0),
        JudgedClaim(wrong, Verdict.SUPPORTED, 0.9, None, 1),
        JudgedClaim(wrong, Verdict.NOT_CHECKABLE, 0.0, None, 1),
    ]
    figures = WrittenFigures.of(judged)
    assert (figures.claims, figures.answers, figures.accuracy) == (4, 2, 0.25)
    assert (figures.false_refuted, figures.false_supported, figures.not_checked) == (0.5, 0.5, 0.25)
    assert (figures.answers_with_false_refuted, figures.first_quote) == (0.5, 0.5)
    assert figures.by_kind == {"SUPPORTED kind": (0.5, 2), "REFUTED kind": (0.0, 2)}


def test_a_quote_counts_only_where_a_deciding_sentence_is_marked() -> None:
    block, claim = next((b, c) for b in BLOCKS for c in b.claims if c.deciding and c.verdict is Verdict.SUPPORTED)
    number, span = claim.deciding[0]  # type: ignore[index]
    document = block.documents[number]
    right = Evidence.cite(document, span.start, span.end)
    assert first_quote_decides(block, claim, [[right]]) is True
    assert first_quote_decides(block, claim, [[]]) is False
    unmarked = LabelledClaim(claim.text, claim.verdict, claim.kind, None)
    assert first_quote_decides(block, unmarked, [[right]]) is None


def test_the_lexical_judge_can_be_measured_both_ways() -> None:
    engine = Engine(judge="lexical")
    claims = judge_claims(engine, BLOCKS[:2])
    assert len(claims) == sum(len(block.claims) for block in BLOCKS[:2])
    answers = whole_answers(BLOCKS)[:2]
    sentences = judge_answers(engine, answers)
    assert len(sentences) == sum(len(answer.places) for answer in answers)


def test_the_command_reports_the_set_by_its_name(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(app, ["eval", "written", "--judge", "lexical", "--limit", "3"])
    assert run.exit_code == 0
    assert "true, called REFUTED" in run.stdout
    told = CliRunner().invoke(app, ["eval", "written", "--judge", "lexical", "--limit", "3", "--format", "json"])
    assert set(json.loads(told.stdout)) == {"judge", "preset", "model", "claims", "answers"}


def test_parts_of_the_set_are_chosen_by_name(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["eval", "written", "--judge", "lexical", "--limit", "2", "--format", "json", "--part", "answers-3"]
    told = CliRunner().invoke(app, command)
    assert set(json.loads(told.stdout)["claims"]["by_part"]) == {"answers-3"}
    wrong = CliRunner().invoke(app, [*command[:-1], "answer"])
    assert isinstance(wrong.exception, UsageError)
    parts = "first, answers, short, answers-2, short-2, answers-3, answers-4, short-3"
    assert f"its parts are {parts}" in str(wrong.exception)


def test_the_set_that_ships_is_the_dev_rows_of_the_repository() -> None:
    folder = Path(__file__).parents[2] / "training" / "data" / "written" / "dev"
    rows = {path.name: len(gzip.decompress(path.read_bytes()).splitlines()) for path in folder.glob("*.jsonl.gz")}
    shipped = Counter(block.part for block in BLOCKS for _ in block.claims)
    assert {f"{part}.jsonl.gz": count for part, count in shipped.items()} == rows
