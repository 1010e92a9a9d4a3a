from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.engine import Engine
from assay.errors import SourceError
from assay.evaluation.cases import CONTROLS, KINDS, make_cases
from assay.evaluation.metrics import MeanRate, Rate
from assay.evaluation.selftest import Selftest, run_selftest
from assay.judges.lexical import LexicalJudge
from assay.mutations.paraphrases import reword
from assay.types import Document, Judgement, Verdict

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
# Every sentence here has a counterpart, so that a swap keeps all words of the document.
PLANS = Document(
    "plans",
    "The Basic plan is $19 per month. The Pro plan is $49 per month. Invoices are sent by e-mail. Contracts are sent "
    "by post. The Berlin office opened on 3 May 2019. The Oslo office opened on 9 June 2021. Pellar replaced Nordlys "
    "as supplier. In 2016, Acme was acquired by Borealis. The deposit is returned if the room is clean. Places are "
    "kept until 31 March.\n\n"
    "| City | Inhabitants |\n|---|---|\n| Berlin | 3,700,000 |\n| Hamburg | 1,800,000 |\n| Kiel | 246,000 |\n",
)


_WORD = re.compile(r"[$€£]?[\w,.:-]*\w")


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(judge=LexicalJudge())


def kind_rate(found: Selftest, kind: str) -> float:
    value = next(result for result in found.kinds if result.kind == kind).caught.value
    assert value is not None
    return value


def test_only_sentences_that_stand_alone_are_taken() -> None:
    found = {(case.text, case.source) for case in make_cases([HEIGHT, AIR], 9, 0, anchored=False)}
    assert ("Mount Everest is 8,849 m high.", 1) in found
    assert ("John Hunt led the ninth British expedition to the mountain.", 2) in found
    assert all(not text.startswith(("It ", "What")) for text, _ in found)


def test_the_same_seed_makes_the_same_cases() -> None:
    first = make_cases([HEIGHT, AIR, PLANS], 4, 7, anchored=True)
    assert first == make_cases([HEIGHT, AIR, PLANS], 4, 7, anchored=True)
    assert first != make_cases([HEIGHT, AIR, PLANS], 4, 8, anchored=True)
    for kind in (*KINDS, *CONTROLS):
        for true in (True, False):
            assert sum(case.kind == kind and case.true is true for case in first) <= 4


def test_a_change_that_another_sentence_makes_true_is_left_out() -> None:
    same = Document("d", "Ann Lee wrote the long book. Bob Fox wrote the long book. Cid Roe sold the car to us.")
    wrong = {case.text for case in make_cases([same], 9, 0, anchored=False) if not case.true}
    assert "Ann Lee wrote the long book." not in wrong
    assert "Bob Fox wrote the long book." not in wrong


def test_a_swap_that_another_document_makes_true_is_left_out() -> None:
    older = Document("older", "In May the Pro plan was $19.")
    wrong = {case.text for case in make_cases([PLANS], 40, 0, anchored=False) if case.kind == "attribute"}
    assert "The Pro plan is $19 per month." in wrong
    wrong = {case.text for case in make_cases([PLANS, older], 40, 0, anchored=False) if case.kind == "attribute"}
    assert "The Pro plan is $19 per month." not in wrong


def test_the_lexical_judge_notices_changed_values_and_passes_the_sources_own_words(engine: Engine) -> None:
    found = run_selftest(engine, [HEIGHT, AIR], sentences=20)
    token = next(kind for kind in found.kinds if kind.kind == "token")
    for change in ("number", "unit", "date"):
        assert token.changes[change].hits == token.changes[change].of > 0, change
    citation = next(kind for kind in found.kinds if kind.kind == "citation")
    assert citation.changes["invented citation"].value == 1.0
    verbatim = found.controls[0].caught
    assert (verbatim.hits, verbatim.of) == (0, found.sentences)
    shown = found.to_dict()
    assert shown["kinds"]["token"]["made"] == token.made
    assert shown["kinds"]["token"]["caught"]["range"][0] <= 1.0
    assert shown["catch_rate"]["kinds"] == len(found.kinds)
    assert shown["judge"] == "lexical"


class Yes:
    """A judge that says yes to everything."""

    name = "yes"

    def judge(self, claims, passages, question=None):  # type: ignore[no-untyped-def]
        return [Judgement(Verdict.SUPPORTED, 1.0, "yes") for _ in claims]


class No(Yes):
    """A judge that says no to everything."""

    name = "no"

    def judge(self, claims, passages, question=None):  # type: ignore[no-untyped-def]
        return [Judgement(Verdict.REFUTED, 1.0, "no") for _ in claims]


class BagOfWords(Yes):
    """A judge that looks for the words of a claim and not at how they are joined."""

    name = "words"

    def judge(self, claims, passages, question=None):  # type: ignore[no-untyped-def]
        return [self._judge(claim.text, given) for claim, given in zip(claims, passages, strict=True)]

    def _judge(self, claim, passages):  # type: ignore[no-untyped-def]
        told = set(_WORD.findall(" ".join(passage.text for passage in passages).lower()))
        known = set(_WORD.findall(claim.lower())) - {"for", "is"} <= told
        return Judgement(Verdict.SUPPORTED if known else Verdict.INSUFFICIENT, 1.0, "words")


def test_a_judge_that_ignores_how_words_are_joined_catches_tokens_and_misses_swaps() -> None:
    found = run_selftest(Engine(judge=BagOfWords()), [PLANS], sentences=20)
    assert kind_rate(found, "token") > 0.8
    for kind in ("attribute", "role", "table"):
        assert kind_rate(found, kind) < 0.6, kind
    assert found.catch_rate.value is not None
    assert found.caught.value is not None
    assert found.catch_rate.value < found.caught.value < kind_rate(found, "token")
    missed = [outcome.to_dict() for outcome in found.missed(9) if outcome.case.kind == "attribute"]
    assert {"text", "change", "old", "new", "original", "sources"} <= set(missed[0])


def test_a_judge_that_says_yes_to_everything_catches_nothing_and_alarms_nobody() -> None:
    found = run_selftest(Engine(judge=Yes()), [PLANS], sentences=20)
    assert found.catch_rate.value == 0.0
    assert found.false_alarm_rate.value == 0.0
    assert {outcome.case.kind for outcome in found.missed(1)} == {kind.kind for kind in found.kinds}


def test_a_judge_that_says_no_to_everything_is_shown_by_its_false_alarms() -> None:
    found = run_selftest(Engine(judge=No()), [PLANS], sentences=20)
    assert found.catch_rate.value == 1.0
    assert found.false_alarm_rate.value == 1.0
    assert found.kinds[0].refuted.value == 1.0
    assert all(outcome.case.true for outcome in found.alarms(2))


def test_one_source_has_no_anchor_to_swap() -> None:
    assert {case.kind for case in make_cases([HEIGHT], 9, 0, anchored=False)}.isdisjoint({"cited", "citation"})


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


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=6))
def test_every_rate_counts_once_in_the_mean(counts: list[tuple[int, int]]) -> None:
    mean = MeanRate(tuple(Rate(hits, hits + more) for hits, more in counts))
    shares = [hits / (hits + more) for hits, more in counts if hits + more]
    if not shares:
        assert mean.value is None
        assert mean.range is None
        return
    assert mean.value == pytest.approx(sum(shares) / len(shares))
    assert mean.range is not None
    assert 0 <= mean.range[0] <= mean.value + 1e-9
    assert mean.value - 1e-9 <= mean.range[1] <= 1
