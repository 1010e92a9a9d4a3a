from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluation.evaluate import (
    ClusterRunner,
    EvaluatedRow,
    Journal,
    evaluate_row,
    evaluate_rows,
    measure,
    open_worker,
    read_row,
)
from assay.evaluation.judges import find_judge
from assay.evaluation.layouts import read_rows
from assay.evaluation.rows import LabelledRow
from assay.types import Span

SPANS = st.none() | st.lists(st.builds(Span, st.integers(0, 5), st.integers(5, 9)), max_size=3).map(tuple)


@given(
    st.builds(
        LabelledRow, st.integers(1, 9), st.text(), st.text(), st.sampled_from(("SUPPORTED", "REFUTED")), spans=SPANS
    )
)
def test_a_row_survives_the_wire(row: LabelledRow) -> None:
    assert read_row(json.loads(json.dumps(asdict(row)))) == row


def test_a_trial_survives_the_wire_and_keeps_its_row() -> None:
    row = LabelledRow(3, "The tower is 300 m high.", "The tower is 200 m high.", "REFUTED")
    told = open_worker("lexical", "judge", None)(json.loads(json.dumps(asdict(row))))
    trial = EvaluatedRow.from_dict(row, json.loads(json.dumps(told)))
    here = evaluate_row(find_judge("lexical"), row)
    assert (trial.row, trial.prediction, trial.problem) == (row, here.prediction, "")
    assert trial.to_dict() == told


@pytest.mark.slow
def test_a_cluster_measures_the_same_and_resumes(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    path = tmp_path / "rows.jsonl"
    rows = [
        {
            "premise": f"Hill {n} is {n + 100} m high.",
            "hypothesis": f"Hill {n} is {n + 100 + n % 2} m high.",
            "label": label,
        }
        for n, label in zip(range(12), ["SUPPORTED", "REFUTED"] * 6, strict=True)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    file, judge = read_rows(path), find_judge("lexical")
    journal = Journal(tmp_path / "journal.jsonl")
    there = measure(judge, file, journal=journal, run=ClusterRunner("lexical", actors=1))
    here = evaluate_rows(judge, file.rows, Journal())
    assert [trial.prediction for trial in there.rows] == [trial.prediction for trial in here]
    again = measure(judge, file, journal=Journal(tmp_path / "journal.jsonl"), run=ClusterRunner("lexical", actors=1))
    assert not any(trial.fresh for trial in again.rows)
