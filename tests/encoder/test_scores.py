from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.scores import NOTHING, Scores, over_sentences, over_text, over_windows
from assay.types import Verdict


@st.composite
def any_scores(draw: st.DrawFn) -> Scores:
    a, b = sorted((draw(st.floats(0, 1)), draw(st.floats(0, 1))))
    return Scores(a, b - a, 1 - b)


windows = st.lists(st.tuples(any_scores(), st.booleans()), min_size=1, max_size=12)


def split(pairs: list[tuple[Scores, bool]]) -> tuple[list[Scores], list[bool]]:
    return [scores for scores, _ in pairs], [about for _, about in pairs]


@given(windows, st.integers(1, 100))
def test_windows_that_say_less_change_nothing(pairs: list[tuple[Scores, bool]], more: int) -> None:
    alone = over_windows(*split(pairs))
    weak = min(scores.supported for scores, _ in pairs)
    dull = Scores(weak, 0.0, 1 - weak)
    crowded = over_windows(*split([*pairs, *[(dull, True)] * more]))
    assert crowded == alone


@given(windows)
def test_windows_sum_to_one_and_name_a_window(pairs: list[tuple[Scores, bool]]) -> None:
    outcome = over_windows(*split(pairs))
    found = outcome.scores
    assert found.supported + found.refuted + found.insufficient == pytest.approx(1)
    assert min(found.supported, found.refuted, found.insufficient) >= 0
    assert outcome.decider in range(len(pairs))


@given(any_scores())
def test_one_window_about_the_subject_keeps_its_verdict_and_figures(scores: Scores) -> None:
    found = over_windows([scores], [True]).scores
    assert found.supported == pytest.approx(scores.supported)
    assert found.refuted == pytest.approx(scores.refuted)


@given(any_scores())
def test_a_window_about_something_else_never_refutes(scores: Scores) -> None:
    assert over_windows([scores], [False]).scores.refuted == 0


@given(windows)
def test_a_text_sums_to_one_and_is_no_surer_than_its_best_reading(pairs: list[tuple[Scores, bool]]) -> None:
    readings, about = split(pairs)
    found, best = over_text(readings, about), over_windows(readings, about).scores
    assert found.supported + found.refuted + found.insufficient == pytest.approx(1)
    assert min(found.supported, found.refuted, found.insufficient) >= 0
    assert max(found.supported, found.refuted) <= max(best.supported, best.refuted) + 1e-9


@given(any_scores(), st.booleans())
def test_a_text_read_at_once_says_what_its_only_reading_says(scores: Scores, about: bool) -> None:
    assert over_text([scores], [about]) == over_windows([scores], [about]).scores


def test_a_lucky_reading_that_no_other_bears_out_does_not_support() -> None:
    lucky, dull = Scores(0.7, 0.1, 0.2), Scores(0.1, 0.1, 0.8)
    assert over_text([lucky, dull, dull], [True] * 3).verdict is Verdict.INSUFFICIENT
    assert over_text([lucky, dull, lucky], [True] * 3).verdict is Verdict.SUPPORTED


def test_the_stronger_of_support_and_refutation_wins_and_the_other_shows() -> None:
    support, refutation = Scores(0.8, 0.1, 0.1), Scores(0.05, 0.9, 0.05)
    outcome = over_windows([support, refutation], [True, True])
    assert outcome.scores.verdict is Verdict.REFUTED
    assert outcome.decider == 1
    assert outcome.scores.supported == pytest.approx(0.1)
    assert over_windows([support, refutation], [True, False]).decider == 0


def test_nothing_to_read_is_insufficient() -> None:
    assert over_windows([], []).scores == NOTHING
    assert over_sentences([]).verdict is Verdict.INSUFFICIENT


def test_sentences_are_as_good_as_the_weakest() -> None:
    good, unknown, wrong = Scores(0.9, 0.05, 0.05), Scores(0.2, 0.1, 0.7), Scores(0.05, 0.9, 0.05)
    assert over_sentences([good, unknown]) == Scores(0.2, 0.1, pytest.approx(0.7))
    assert over_sentences([good, unknown, wrong]).verdict is Verdict.REFUTED


def test_a_tie_is_not_support() -> None:
    assert Scores(0.5, 0.0, 0.5).verdict is Verdict.INSUFFICIENT
    assert Scores(0.4, 0.4, 0.2).verdict is Verdict.INSUFFICIENT
