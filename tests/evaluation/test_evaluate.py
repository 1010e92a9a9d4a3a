from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from assay.cli.app import app
from assay.encoder.scores import Scores
from assay.errors import SourceError, UsageError
from assay.evaluation.evaluate import Journal, measure
from assay.evaluation.judges import JUDGES, MeasuredJudge, Prediction, find_judge, register_judge
from assay.evaluation.results import EITHER, THREE_WAY, TWO_WAY, Result, find_task, pool_sure
from assay.evaluation.rows import LabelledFile, LabelledRow
from assay.types import Verdict

SAYS = {
    "yes": Scores(0.8, 0.1, 0.1),
    "no": Scores(0.1, 0.7, 0.2),
    "perhaps": Scores(0.3, 0.1, 0.6),
    "hardly": Scores(0.1, 0.3, 0.6),
    "never": Scores(0.0, 0.9, 0.1),
}


def speak(evidence: str, claim: str) -> Prediction:
    """A judge that says what the claim tells it to."""
    if claim == "fail":
        raise RuntimeError("cannot read this")
    if claim == "what":
        return Prediction(Verdict.NOT_CHECKABLE, Scores(0.0, 0.0, 1.0))
    if claim == "broken":
        return Prediction(Verdict.ERROR, Scores(0.0, 0.0, 1.0))
    return Prediction(SAYS[claim].verdict, SAYS[claim])


PARROT = MeasuredJudge.of_pairs("parrot", "parrot 1", speak)


def evaluate(judge: MeasuredJudge, file: LabelledFile, journal: Journal | None = None) -> Result:
    return measure(judge, file, journal=journal).result


def rows(*pairs: tuple[str, str]) -> LabelledFile:
    return LabelledFile(
        Path("rows.jsonl"), tuple(LabelledRow(n, "e", claim, label) for n, (claim, label) in enumerate(pairs, 1))
    )


@pytest.mark.parametrize(
    ("labels", "task"),
    [
        ({"SUPPORTED", "REFUTED"}, TWO_WAY),
        ({"SUPPORTED", "NOT_SUPPORTED"}, EITHER),
        ({"SUPPORTED", "INSUFFICIENT"}, EITHER),
        ({"SUPPORTED", "REFUTED", "NOT_SUPPORTED"}, EITHER),
        ({"SUPPORTED", "REFUTED", "INSUFFICIENT"}, THREE_WAY),
        ({"REFUTED", "INSUFFICIENT"}, THREE_WAY),
    ],
)
def test_the_labels_decide_what_is_asked(labels: set[str], task: object) -> None:
    assert find_task(labels) is task


def test_three_ways_by_hand() -> None:
    file = rows(("yes", "SUPPORTED"), ("no", "REFUTED"), ("perhaps", "INSUFFICIENT"), ("yes", "REFUTED"))
    found = evaluate(PARROT, file).to_dict()
    assert found["measure"] == "accuracy"
    assert found["accuracy"] == 0.75
    assert found["macro_f1"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 3, abs=1e-6)
    assert found["auc"] == pytest.approx(2.5 / 3, abs=1e-6)
    assert found["ece"] == pytest.approx((2 * 0.3 + 0.3 + 0.4) / 4, abs=1e-6)
    assert found["confusion"]["REFUTED"] == {"SUPPORTED": 1, "REFUTED": 1, "INSUFFICIENT": 0}
    assert found["intervals"]["accuracy"][0] <= 0.75 <= found["intervals"]["accuracy"][1]


def test_two_ways_go_by_the_larger_of_the_two() -> None:
    file = rows(("perhaps", "SUPPORTED"), ("hardly", "REFUTED"), ("no", "SUPPORTED"), ("no", "REFUTED"))
    found = evaluate(PARROT, file).to_dict()
    assert found["accuracy"] == 0.75
    assert "best_threshold_on_these_rows" not in found


def test_supported_or_not_goes_by_the_verdict_and_names_the_best_cut_apart() -> None:
    file = rows(("yes", "SUPPORTED"), ("perhaps", "SUPPORTED"), ("no", "NOT_SUPPORTED"), ("hardly", "NOT_SUPPORTED"))
    found = evaluate(PARROT, file).to_dict()
    assert found["measure"] == "balanced_accuracy"
    assert found["balanced_accuracy"] == 0.75
    assert found["f1_not_supported"] == pytest.approx(0.8)
    assert found["best_threshold_on_these_rows"] == pytest.approx(0.3)
    assert found["balanced_accuracy_at_best_threshold_on_these_rows"] == 1.0


def test_sure_verdicts_are_counted_apart_for_each_file_and_over_all() -> None:
    one = evaluate(PARROT, rows(("yes", "SUPPORTED"), ("yes", "REFUTED"), ("no", "REFUTED"), ("hardly", "REFUTED")))
    two = evaluate(PARROT, rows(("never", "REFUTED"), ("yes", "SUPPORTED"), ("never", "SUPPORTED")))
    assert one.sure == {"SUPPORTED": (0.5, 2), "REFUTED": (None, 0)}  # "no" is said with 0.7
    assert two.sure == {"SUPPORTED": (1.0, 1), "REFUTED": (0.5, 2)}
    assert pool_sure([one, two]) == {"SUPPORTED": (pytest.approx(2 / 3), 3), "REFUTED": (0.5, 2)}
    assert pool_sure([]) == {}


def test_no_row_is_forgotten() -> None:
    file = rows(
        ("yes", "SUPPORTED"), ("fail", "SUPPORTED"), ("what", "REFUTED"), ("broken", "REFUTED"), ("no", "REFUTED")
    )
    found = evaluate(PARROT, file)
    assert (found.n, found.n_not_checkable, found.n_error) == (2, 1, 2)
    assert found.problems == ("line 2: RuntimeError: cannot read this", "line 4: the judge reports an error")


def test_a_judge_that_always_fails_has_no_figures_and_no_nan() -> None:
    found = evaluate(PARROT, rows(("fail", "SUPPORTED"), ("fail", "REFUTED"))).to_dict()
    assert found["n"] == 0
    assert found["accuracy"] is None
    assert found["p50_ms"] is None
    assert "NaN" not in json.dumps(found)


def test_a_stopped_evaluation_goes_on_where_it_was(tmp_path: Path) -> None:
    calls = []

    def count(evidence: str, claim: str) -> Prediction:
        calls.append(claim)
        return speak(evidence, claim)

    judge = MeasuredJudge.of_pairs("counting", "counting 1", count)
    kept = tmp_path / "kept.jsonl"
    first = evaluate(judge, rows(("yes", "SUPPORTED"), ("fail", "REFUTED")), journal=Journal(kept))
    with kept.open("a") as file:
        file.write('{"key": "cut in the mid')
    second = evaluate(judge, rows(("yes", "SUPPORTED"), ("fail", "REFUTED"), ("no", "REFUTED")), journal=Journal(kept))
    assert calls == ["yes", "fail", "fail", "no"]
    assert first.n == 1
    assert second.n == 2
    other = MeasuredJudge.of_pairs("counting", "counting 2", count)  # another model: nothing is taken over
    evaluate(other, rows(("yes", "SUPPORTED")), journal=Journal(kept))
    assert calls[-1] == "yes"


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("hello\nworld\n")
    with pytest.raises(SourceError, match="line 1, is no entry"):
        Journal(path)


def test_an_unknown_judge_lists_the_known() -> None:
    with pytest.raises(UsageError, match="no judge 'psychic'; there are small, base, lexical"):
        find_judge("psychic")


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    monkeypatch.setattr("assay.evaluation.judges.JUDGES", dict(JUDGES))
    register_judge("parrot", lambda name, threads: PARROT)
    monkeypatch.setitem(JUDGES, "parrot", lambda name, threads: PARROT)
    return app


def write(path: Path, *pairs: tuple[str, str]) -> Path:
    lines = [json.dumps({"premise": "e", "hypothesis": claim, "label": label}) for claim, label in pairs]
    path.write_text("\n".join([*lines, "{bad"]))
    return path


def test_the_command_prints_json_and_nothing_else(command: typer.Typer, tmp_path: Path) -> None:
    one = write(tmp_path / "one.jsonl", ("yes", "SUPPORTED"), ("no", "REFUTED"))
    two = write(tmp_path / "two.jsonl", ("yes", "SUPPORTED"), ("no", "NOT_SUPPORTED"))
    done = CliRunner().invoke(command, ["eval", str(one), str(two), "--judge", "parrot", "--format", "json"])
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["judge"] == "parrot"
    assert [file["n"] for file in found["files"]] == [2, 2]
    assert [file["n_error"] for file in found["files"]] == [1, 1]
    assert found["files"][1]["balanced_accuracy"] == 1.0
    for name in ("accuracy", "macro_f1", "auc", "ece", "brier", "p50_ms", "p99_ms", "rows_per_second"):
        assert name in found["files"][0]
    assert found["right_when_sure"]["SUPPORTED"] == {"share": 1.0, "n": 2}


def test_the_command_prints_a_table_and_the_bad_lines(command: typer.Typer, tmp_path: Path) -> None:
    path = write(tmp_path / "one.jsonl", ("yes", "SUPPORTED"), ("no", "REFUTED"), ("what", "REFUTED"))
    done = CliRunner().invoke(command, ["eval", str(path), "--judge", "parrot"])
    assert done.exit_code == 0
    assert "one.jsonl" in done.stdout
    assert "1.000" in done.stdout
    assert "right where p ≥ 0.8" in done.stdout
    assert "100.0% of 1" in done.stdout
    assert "all together" not in done.stdout
    assert "line 4: no valid JSON" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "does not exist"),
        (["--judge", "psychic"], "no judge 'psychic'"),
        (["--format", "yaml"], "unknown format 'yaml'; choose text, json or html"),
    ],
)
def test_the_command_says_what_is_wrong(
    command: typer.Typer, tmp_path: Path, arguments: list[str], message: str
) -> None:
    path = write(tmp_path / "one.jsonl", ("yes", "SUPPORTED"))
    given = arguments if arguments[0].endswith(".jsonl") else [str(path), *arguments]
    done = CliRunner().invoke(command, ["eval", *given])
    assert isinstance(done.exception, UsageError)
    assert message in str(done.exception)


def test_a_limit_takes_that_many_rows(command: typer.Typer, tmp_path: Path) -> None:
    path = write(tmp_path / "one.jsonl", *[("yes", "SUPPORTED")] * 9, ("no", "REFUTED"))
    done = CliRunner().invoke(command, ["eval", str(path), "--judge", "parrot", "--limit", "4", "--format", "json"])
    assert json.loads(done.stdout)["files"][0]["n"] == 4
