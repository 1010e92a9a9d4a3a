"""Written blocks: from text to rows, without labels for a blind reader, and what the reader agreed with."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.written import agreed, blind, blind_order, numbered, parse, rows_of

TEXT = """=== saas | price list
Q: What does Pro cost?
# Plans
[1] Basic is $19. [2] Pro is $49.
~~~
# Seats
| Plan | Seats |
|---|---|
| [3] Basic | 3 |
| [4] Pro | 10 |
---
A
S table @4 | Pro comes with ten seats.
R swap @1,2 | Pro costs [[$19]].
---
B
I near @2 | Pro is [[cheaper if paid yearly]].
"""


def test_numbers_are_taken_out_and_places_kept() -> None:
    text, places = numbered("# T\n[1] One. [2] Two.\n| [3] a | b |")
    assert text == "# T\nOne. Two.\n| a | b |"
    assert [text[start:end] for start, end in places.values()] == ["One.", "Two.", "a | b |"]


def test_a_block_becomes_rows_with_deciding_sentences_and_wrong_words() -> None:
    (block,) = parse(TEXT)
    rows = list(rows_of(block))
    assert [row["label"] for row in rows] == ["SUPPORTED", "REFUTED", "INSUFFICIENT"]
    assert [row["draft"] for row in rows] == ["A", "A", "B"]
    assert rows[0]["question"] == "What does Pro cost?"
    wrong = rows[1]
    assert wrong["hypothesis"] == "Pro costs $19."
    assert [wrong["hypothesis"][start:end] for start, end in wrong["wrong"]] == ["$19"]
    assert [wrong["premise"][start:end] for start, end in wrong["evidence"]] == ["Basic is $19.", "Pro is $49."]
    assert "wrong" not in rows[0]
    assert "[1]" not in wrong["premise"]


def test_a_blind_reader_sees_no_label_and_no_mark() -> None:
    shown = "\n".join(blind(parse(TEXT)))
    assert "[[" not in shown
    assert "SUPPORTED" not in shown
    assert "Pro costs $19." in shown


def test_only_claims_the_blind_reader_agreed_with_are_kept(tmp_path: Path) -> None:
    (block,) = parse(TEXT)
    letters = {"SUPPORTED": "S", "REFUTED": "R", "INSUFFICIENT": "I"}
    lines = []
    for place, claim in enumerate(blind_order(block), 1):
        given = letters[block.claims[claim].label] if claim != 2 else "R"
        lines.append(f"1.{place} {given}?" if claim == 1 else f"1.{place} {given}")
    (tmp_path / "01.txt").write_text("\n".join(lines))
    (same,) = agreed([block], tmp_path, "01.txt")
    assert same == [True, True, False]
    assert [row["label"] for row in rows_of(block, same)] == ["SUPPORTED", "REFUTED"]


def test_what_has_not_the_form_is_refused_with_its_place() -> None:
    with pytest.raises(SystemExit, match="block 1: not a claim line"):
        list(parse(TEXT.replace("S table @4 |", "S table 4")))
    with pytest.raises(SystemExit, match=r"no sentence \[9\]"):
        list(parse(TEXT.replace("@4", "@9")))
