from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.scores import Scores
from assay.evaluation.evaluate import Evaluation, measure
from assay.evaluation.judges import MeasuredJudge, Prediction, make_pipeline
from assay.evaluation.metrics import reliability_bins
from assay.evaluation.page import find_mistakes, render_evaluation
from assay.evaluation.rows import LabelledFile, LabelledRow
from assay.render import plots
from assay.types import Span, Verdict

SAYS = {"yes": Scores(0.8, 0.1, 0.1), "no": Scores(0.1, 0.7, 0.2), "perhaps": Scores(0.3, 0.1, 0.6)}
EVEREST = "Mount Everest is 8,849 m high. It stands on the border between Nepal and China."


def speak(evidence: str, claim: str) -> Prediction:
    if claim == "what":
        return Prediction(Verdict.NOT_CHECKABLE, Scores(0.0, 0.0, 1.0))
    return Prediction(SAYS[claim].verdict, SAYS[claim])


PARROT = MeasuredJudge.of_pairs("parrot <1>", "parrot 1", speak)


def evaluation(name: str, *pairs: tuple[str, str]) -> Evaluation:
    rows = tuple(LabelledRow(n, "e & <f>", claim, label) for n, (claim, label) in enumerate(pairs, 1))
    return measure(PARROT, LabelledFile(Path(f"{name}.jsonl.gz"), rows))


def pictures(page: str) -> list[ET.Element]:
    return [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def test_the_page_has_every_plot_each_valid_and_loads_nothing() -> None:
    done = [
        evaluation("three", ("yes", "SUPPORTED"), ("no", "REFUTED"), ("perhaps", "REFUTED"), ("no", "INSUFFICIENT")),
        evaluation("two.dev", ("yes", "NOT_SUPPORTED"), ("yes", "SUPPORTED"), ("what", "SUPPORTED")),
    ]
    page = render_evaluation(done, find_mistakes(done, "parrot"), judge="parrot <1>", mode="judge")
    assert len(pictures(page)) == 5
    assert "parrot &lt;1&gt;" in page
    assert "6 rows scored, 1 not checkable, 0 in error" in page
    assert "two.dev" in page
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in page
    assert "e &amp; &lt;f&gt;" in page


def test_a_page_without_a_scored_row_says_so() -> None:
    done = [evaluation("none", ("what", "SUPPORTED"))]
    page = render_evaluation(done, find_mistakes(done, "parrot"), judge="parrot", mode="judge")
    assert "0 rows scored, 1 not checkable" in page
    assert pictures(page) == []


def test_mistakes_come_surest_first_and_at_most_so_many_of_a_set() -> None:
    done = [evaluation("a", *[("yes", "REFUTED")] * 5), evaluation("b", ("no", "SUPPORTED"), ("yes", "SUPPORTED"))]
    found = find_mistakes(done, "parrot", most=9, each=2)
    assert [one.set for one in found] == ["a", "a", "b"]
    assert [one.confidence for one in found] == sorted((one.confidence for one in found), reverse=True)
    assert found[0].said == "SUPPORTED"
    assert found[0].truth == "REFUTED"


def test_a_mistake_is_shown_with_the_words_it_leaned_on() -> None:
    row = LabelledRow(1, EVEREST, "Mount Everest is 8,489 m high.", "SUPPORTED", contexts=(EVEREST,))
    done = [measure(make_pipeline("lexical"), LabelledFile(Path("one.jsonl"), (row,)))]
    mistake = find_mistakes(done, "lexical")[0]
    assert mistake.quote == "Mount Everest is 8,849 m high."
    assert mistake.before + mistake.quote + mistake.after == EVEREST
    assert "8,849" in mistake.explanation
    # The same receipt where only a judge was measured: the engine is asked for it.
    judged = measure(
        MeasuredJudge.of_pairs("lexical", "1", lambda e, c: Prediction(Verdict.REFUTED, SAYS["no"])),
        LabelledFile(Path("x"), (row,)),
    )
    assert find_mistakes([judged], "lexical")[0].quote == mistake.quote


def test_the_whole_engine_is_measured_on_answers_and_their_marked_spans() -> None:
    answer = "Mount Everest is 8,489 m high. It stands on the border between Nepal and China."
    rows = (
        LabelledRow(1, EVEREST, answer, "NOT_SUPPORTED", "How high?", answer, (EVEREST,), (Span(0, 30),), "QA"),
        LabelledRow(2, EVEREST, EVEREST, "SUPPORTED", "", EVEREST, (EVEREST,), (), "Summary"),
        LabelledRow(3, EVEREST, "Really?", "SUPPORTED"),
    )
    result = measure(make_pipeline("lexical"), LabelledFile(Path("r.jsonl"), rows, (), "RAGTruth")).result
    found = result.to_dict()
    assert found["balanced_accuracy"] == 1.0
    assert found["n_not_checkable"] == 1
    assert found["spans"]["recall"] == 1.0
    assert found["spans"]["precision"] > 0.9
    assert found["by_kind"]["QA"] == {"balanced_accuracy": 1.0, "n": 1}
    assert found["layout"] == "RAGTruth"
    assert found["rates"]["false_called_supported"] == 0.0


def test_reliability_bins_hold_every_row() -> None:
    bins = reliability_bins([True, False, True, True], [0.95, 0.95, 1.0, 0.31])
    assert [(one.count, one.accuracy) for one in bins] == [(1, 1.0), (3, pytest.approx(2 / 3))]


@given(st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=40))
def test_any_latencies_can_be_drawn(values: list[float]) -> None:
    found = ET.fromstring(plots.draw_histogram(values, [("p50", values[0])], "x", "ms"))
    bars = [node for node in found.iter() if node.get("class") == "bar"]
    assert bars
    assert "nan" not in ET.tostring(found, encoding="unicode")


@given(st.lists(st.tuples(st.text(max_size=20), st.floats(0, 1), st.floats(0, 1)), max_size=5))
def test_any_names_can_be_drawn(named: list[tuple[str, float, float]]) -> None:
    legal = [(re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd]", "", name), a, b) for name, a, b in named]
    bars = [plots.Bar(name, a, min(a, b), max(a, b), 0.5) for name, a, b in legal]
    ET.fromstring(plots.draw_bars(bars, "x"))
