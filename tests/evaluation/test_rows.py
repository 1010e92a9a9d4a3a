from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from assay.errors import SourceError
from assay.evaluation.layouts import read_rows

GOOD = {"premise": "It rained.", "hypothesis": "It was wet.", "label": "SUPPORTED"}


def test_every_line_is_a_row_or_a_problem_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    lines = [
        json.dumps(GOOD),
        "{broken",
        "",
        "[1]",
        json.dumps(GOOD | {"label": "MAYBE"}),
        json.dumps({"premise": "x", "label": "REFUTED"}),
        json.dumps({"claim": "c", "evidence": "e", "label": "REFUTED", "more": 1}),
    ]
    path.write_text("\n".join(lines))
    found = read_rows(path)
    assert [(row.line, row.evidence, row.claim, row.label) for row in found.rows] == [
        (1, "It rained.", "It was wet.", "SUPPORTED"),
        (7, "e", "c", "REFUTED"),
    ]
    assert [bad.line for bad in found.bad] == [2, 4, 5, 6]
    assert "no valid JSON" in found.bad[0].problem
    assert "'hypothesis' is missing" in found.bad[3].problem


def test_packed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(GOOD).encode()))
    assert len(read_rows(path).rows) == 1


def test_a_cut_packed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(GOOD) + "\n").encode() * 5000)[:-20])
    with pytest.raises(SourceError, match="cannot be read"):
        read_rows(path)


def test_a_byte_that_is_no_utf8_is_a_problem_of_its_line(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b'\n{"premise": "\xff"}\n')
    found = read_rows(path)
    assert len(found.rows) == 1
    assert [bad.line for bad in found.bad] == [2]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.jsonl", None, "does not exist"),
        ("rows.txt", "a,b", "are read from"),
        ("rows.jsonl", "{}", "holds no labelled row; line 1: 'premise' is missing"),
        ("rows.jsonl", "", "holds no labelled row$"),
    ],
)
def test_a_file_of_no_use_says_why(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(SourceError, match=message):
        read_rows(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a folder"):
        read_rows(tmp_path)


def test_a_sample_is_chosen_by_the_seed_and_keeps_the_bad_lines(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join([json.dumps(GOOD | {"premise": str(n)}) for n in range(50)] + ["x"]))
    found = read_rows(path)
    small = found.sample(10, seed=1)
    assert len(small.rows) == 10
    assert small.bad == found.bad
    assert small == found.sample(10, seed=1)
    assert small != found.sample(10, seed=2)
    assert [row.line for row in small.rows] == sorted(row.line for row in small.rows)
    assert found.sample(None, 0) is found


def test_a_sample_is_asked_what_the_whole_file_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    labels = ["SUPPORTED", "INSUFFICIENT"] * 20 + ["REFUTED"]
    path.write_text("\n".join(json.dumps(GOOD | {"label": label}) for label in labels))
    samples = [read_rows(path).sample(4, seed) for seed in range(9)]
    small = next(sample for sample in samples if all(row.label != "REFUTED" for row in sample.rows))
    assert small.labels == {"SUPPORTED", "INSUFFICIENT", "REFUTED"}
