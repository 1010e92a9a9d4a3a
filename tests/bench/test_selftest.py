from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.bench.rewordings import reword
from assay.bench.selftest import Rate, find_sentences, make_cases, run_selftest
from assay.engine import Engine
from assay.errors import SourceError
from assay.judges.lexical import LexicalJudge
from assay.types import Document, Verdict

HEIGHT = Document(
    "height",
    "Mount Everest is 8,849 m high. It stands on a border. The figure was announced by Nepal and China on 8 December "
    "2020. K2 is 8,611 m high. What about it?",
)
AIR = Document(
    "air",
    "Most climbers carry bottled oxygen on the mountain. Reinhold Messner climbed the mountain alone in August 1980. "
    "John Hunt led the ninth British expedition to the mountain.",
)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(judge=LexicalJudge())


def test_only_sentences_that_stand_alone_are_taken() -> None:
    found = [(sentence.text, sentence.source) for sentence in find_sentences([HEIGHT, AIR])]
    assert ("Mount Everest is 8,849 m high.", 1) in found
    assert ("John Hunt led the ninth British expedition to the mountain.", 2) in found
    assert all(not text.startswith(("It ", "What")) for text, _ in found)


def test_the_same_seed_makes_the_same_cases() -> None:
    first = make_cases([HEIGHT, AIR], 4, 7, anchored=True)
    assert first == make_cases([HEIGHT, AIR], 4, 7, anchored=True)
    assert first != make_cases([HEIGHT, AIR], 4, 8, anchored=True)
    assert len({case.sentence for case in first}) == 4


def test_a_change_that_another_sentence_makes_true_is_left_out() -> None:
    same = Document("d", "Ann Lee wrote the long book. Bob Fox wrote the long book. Cid Roe sold the car to us.")
    changed = {case.text for case in make_cases([same], 9, 0, anchored=False) if case.kind == "name"}
    assert "Ann Lee wrote the long book." not in changed
    assert "Bob Fox wrote the long book." not in changed


def test_the_lexical_judge_notices_changed_values_and_passes_the_sources_own_words(engine: Engine) -> None:
    found = run_selftest(engine, [HEIGHT, AIR], sentences=20)
    rates = {kind.kind: kind.caught for kind in found.kinds}
    for kind in ("number", "unit", "date", "invented citation"):
        assert rates[kind].hits == rates[kind].of > 0, kind
    assert found.controls("verbatim").hits == 0
    assert found.controls("verbatim").of == found.sentences
    assert found.caught.of == sum(not outcome.case.true for outcome in found.outcomes)
    shown = found.to_dict()
    assert shown["kinds"]["number"]["caught"]["range"][0] <= 1.0
    assert shown["judge"] == "lexical"


class Yes:
    """A judge that says yes to everything."""

    name = "yes"

    def judge(self, claims, passages, question=None):  # type: ignore[no-untyped-def]
        from assay.types import Judgement

        return [Judgement(Verdict.SUPPORTED, 1.0, "yes") for _ in claims]


class No(Yes):
    """A judge that says no to everything."""

    name = "no"

    def judge(self, claims, passages, question=None):  # type: ignore[no-untyped-def]
        from assay.types import Judgement

        return [Judgement(Verdict.REFUTED, 1.0, "no") for _ in claims]


def test_a_judge_that_says_yes_to_everything_catches_nothing_and_alarms_nobody() -> None:
    found = run_selftest(Engine(judge=Yes()), [HEIGHT], sentences=20)
    assert found.caught.hits == 0
    assert found.false_alarms.hits == 0
    assert len(found.missed(3)) == 3


def test_a_judge_that_says_no_to_everything_is_shown_by_its_false_alarms() -> None:
    found = run_selftest(Engine(judge=No()), [HEIGHT], sentences=20)
    assert found.caught.value == 1.0
    assert found.false_alarms.value == 1.0
    assert found.kinds[0].refuted.value == 1.0
    assert found.alarms(2)[0].case.true


def test_one_source_has_no_anchor_to_swap(engine: Engine) -> None:
    assert {case.kind for case in make_cases([HEIGHT], 9, 0, anchored=False)}.isdisjoint({"cited", "swapped citation"})


def test_sources_without_a_sentence_are_refused() -> None:
    with pytest.raises(SourceError, match="no plain sentence"):
        make_cases([Document("d", "Hm? It is.")], 5, 0, anchored=False)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("It was found on May 8, 1978.", "It was found on 8 May 1978."),
        ("The road is 12 km long.", "The road is 12 kilometres long."),
        ("In 1990, the old town burned.", "The old town burned in 1990."),
        ("The tower (a landmark) fell.", "The tower fell."),
        ("Nothing here can change.", None),
    ],
)
def test_the_same_is_said_differently(sentence: str, said: str | None) -> None:
    assert reword(sentence) == said


@given(st.text(max_size=80), st.integers(0, 3))
def test_any_text_can_be_reworded_or_not(text: str, seed: int) -> None:
    assert reword(text, seed) != text
    assert reword(text, seed) == reword(text, seed)


@given(st.integers(0, 50), st.integers(1, 50))
@example(0, 11)
def test_a_rate_lies_in_its_range(hits: int, more: int) -> None:
    rate = Rate(hits, hits + more)
    assert rate.range is not None
    assert rate.value is not None
    assert 0 <= rate.range[0] <= rate.value <= rate.range[1] <= 1
    assert Rate(0, 0).value is None
    assert Rate(0, 0).range is None
