from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.scores import NOTHING, Scores, over_sentences
from assay.types import Verdict


@st.composite
def any_scores(draw: st.DrawFn) -> Scores:
    a, b = sorted((draw(st.floats(0, 1)), draw(st.floats(0, 1))))
    return Scores(a, b - a, 1 - b)


@given(st.lists(any_scores(), min_size=1, max_size=8))
def test_sentences_sum_to_one_and_the_weakest_decides(sentences: list[Scores]) -> None:
    found = over_sentences(sentences)
    assert found.supported + found.refuted + found.insufficient == pytest.approx(1)
    assert min(found.supported, found.refuted, found.insufficient) >= 0
    assert found.supported == min(scores.supported for scores in sentences)


@given(any_scores())
def test_one_sentence_keeps_its_scores(scores: Scores) -> None:
    found = over_sentences([scores])
    assert (found.supported, found.refuted) == pytest.approx((scores.supported, scores.refuted))


def test_one_refuted_sentence_refutes_the_claim() -> None:
    backed, wrong = Scores(0.95, 0.02, 0.03), Scores(0.05, 0.9, 0.05)
    assert over_sentences([backed, wrong, backed]).verdict is Verdict.REFUTED


def test_no_sentences_settle_nothing() -> None:
    assert over_sentences([]) == NOTHING


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        (Scores(0.5, 0.3, 0.2), Verdict.SUPPORTED),
        (Scores(0.3, 0.5, 0.2), Verdict.REFUTED),
        (Scores(0.2, 0.3, 0.5), Verdict.INSUFFICIENT),
        (Scores(0.5, 0.5, 0.0), Verdict.INSUFFICIENT),
        (Scores(0.5, 0.0, 0.5), Verdict.INSUFFICIENT),
        (Scores(0.0, 0.5, 0.5), Verdict.INSUFFICIENT),
    ],
)
def test_the_likeliest_is_the_verdict_and_a_tie_is_none(scores: Scores, verdict: Verdict) -> None:
    assert scores.verdict is verdict
    assert scores.confidence == 0.5
