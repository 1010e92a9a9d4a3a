from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine import Engine
from assay.repair import repair
from assay.repair.corrections import find_corrections
from assay.repair.edit import cut, mark
from assay.repair.score import rank
from assay.repair.values import CAVEAT
from assay.types import Document, Span

ENGINE = Engine(judge="lexical")
SOURCE = Document(
    "everest",
    "Mount Everest is 8,849 m high. "
    "Mount Everest was first climbed on 29 May 1953 by Edmund Hillary and Tenzing Norgay. "
    "The peak stands on the border of Nepal and China. The drug may cause headaches in patients. "
    "The vaccine does not cause autism. Profits of the company fell in May.",
)


def mend(answer: str, **options: object):  # type: ignore[no-untyped-def]
    return repair(None, answer, sources=[SOURCE], engine=ENGINE, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "right", "kind"),
    [
        ("Mount Everest is 8,489 m high.", "Mount Everest is 8,849 m high.", "number"),
        (
            "Mount Everest was first climbed on 29 May 1963 by Edmund Hillary and Tenzing Norgay.",
            "Mount Everest was first climbed on 29 May 1953 by Edmund Hillary and Tenzing Norgay.",
            "date",
        ),
        (
            "Mount Everest was first climbed by George Mallory and Tenzing Norgay.",
            "Mount Everest was first climbed by Edmund Hillary and Tenzing Norgay.",
            "name",
        ),
        ("Mount Everest is not 8,849 m high.", "Mount Everest is 8,849 m high.", "negation"),
        ("The vaccine causes autism.", "The vaccine does not cause autism.", "negation"),
        ("The drug causes headaches in patients.", "The drug may cause headaches in patients.", "overstatement"),
        ("Profits of the company rose in May.", "Profits of the company fell in May.", "opposite"),
    ],
)
def test_a_wrong_fact_becomes_the_sources(wrong: str, right: str, kind: str) -> None:
    result = mend(wrong)
    assert result.answer == right
    assert [edit.kind for edit in result.edits] == [kind]
    evidence = result.edits[0].evidence
    assert evidence is not None
    assert evidence.holds_in(SOURCE)
    assert result.stopped == "success"


def test_what_is_asked_about_is_not_corrected_away() -> None:
    wrong = "Mount Everest was first climbed by George Mallory and Tenzing Norgay."

    def answer_to(question: str | None) -> str:
        return repair(question, wrong, sources=[SOURCE], engine=ENGINE).answer

    assert "Edmund Hillary" in answer_to("Who first climbed Mount Everest?")
    assert "Edmund Hillary" not in answer_to("Which mountain did George Mallory first climb?")


def test_an_anchor_behind_a_corrected_claim_stays() -> None:
    assert mend("Mount Everest is 8,489 m high [1].").answer == "Mount Everest is 8,849 m high [1]."


def test_a_list_keeps_its_form() -> None:
    result = mend("- Mount Everest is 8,849 m high.\n- Bananas are rich in potassium.\n- The vaccine causes autism.\n")
    assert result.answer == "- Mount Everest is 8,849 m high.\n- The vaccine does not cause autism.\n"


def test_what_nothing_supports_is_taken_out_and_the_rest_stays() -> None:
    result = mend("Mount Everest is 8,849 m high. Bananas are rich in potassium.")
    assert result.answer == "Mount Everest is 8,849 m high."
    assert [edit.kind for edit in result.edits] == ["dropped"]


def test_an_answer_of_which_nothing_would_be_left_is_marked_instead() -> None:
    result = mend("Bananas are rich in potassium.")
    assert result.answer == f"Bananas are rich in potassium{CAVEAT}."
    assert result.warnings[0] == "NO_IMPROVEMENT"
    assert result.warnings[1].startswith("UNSUPPORTED_CLAIMS: Bananas")
    assert mend(result.answer).answer == result.answer


def test_correcting_alone_takes_nothing_out() -> None:
    answer = "Mount Everest is 8,489 m high. Bananas are rich in potassium."
    result = mend(answer, strategies=["correct"])
    assert result.answer == "Mount Everest is 8,849 m high. Bananas are rich in potassium."


def test_a_good_answer_is_left_alone() -> None:
    result = mend("Mount Everest is 8,849 m high.")
    assert (result.stopped, result.attempts, result.changed) == ("nothing to do", (), False)


def test_a_value_is_not_exchanged_for_words_nor_for_that_of_another_thing() -> None:
    assert all(
        any(c.isdigit() for c in x.new) for x in find_corrections("It opened in 1998.", "It opened in Rome in 1937.")
    )
    assert not find_corrections("Bananas weigh 120 g.", "Mount Everest is 8,849 m high.")


def test_a_word_is_not_taken_out_where_the_sentence_would_break() -> None:
    found = find_corrections("Big Pig was active the longest, as a band.", "Big Pig was active as a band until 1991.")
    assert not any("the ," in correction.applied("Big Pig was active the longest, as a band.") for correction in found)


@pytest.mark.parametrize(
    ("claim", "sentence"),
    [
        ("The film was first aired on television.", "The film was aired on television in 1980."),
        ("The bus of the company is the TC/2000.", "The bus of the company was made from 1963 until 2009."),
    ],
)
def test_ordinals_and_numbers_inside_names_are_not_exchanged_for_years(claim: str, sentence: str) -> None:
    assert not [c for c in find_corrections(claim, sentence) if any(sign.isdigit() for sign in c.new)]


def test_a_change_is_kept_only_if_the_claim_is_then_supported() -> None:
    """The source gives a height for another mountain only."""
    other = Document("k2", "K2 is 8,611 m high.")
    result = repair(None, "Mount Everest is 8,489 m high.", sources=[other], engine=ENGINE)
    assert "8,611" not in result.answer


PIECES = "Mount Everest is 8,849 8,489 m high . It was not first climbed in 1953 1963 by Edmund Hillary [1] China"
WORDS = st.sampled_from([*PIECES.split(), "\n", "-"])


@settings(max_examples=30, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=25).map(" ".join))
def test_no_answer_is_ever_made_worse(answer: str) -> None:
    before = ENGINE.check(answer, sources=[SOURCE])
    result = repair(None, answer, before, sources=[SOURCE], engine=ENGINE)
    assert rank(result.report) >= rank(before)
    assert result.report.answer == result.answer
    assert not result.report.broken_receipts()


@given(st.text(max_size=60), st.data())
def test_cutting_removes_only_what_it_is_told_to(answer: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(answer)))
    end = data.draw(st.integers(start, len(answer)))
    left = cut(answer, Span(start, end))
    kept = (answer[:start] + answer[end:]).casefold()
    assert "".join(left.casefold().split()) == "".join(kept.split()) or not left.isascii()


def test_a_caveat_stands_before_the_stop_and_once() -> None:
    marked = mark("It rose. Fine.", Span(0, 8))
    assert marked == f"It rose{CAVEAT}. Fine."
    assert mark(marked, Span(0, 8)) is None


def test_a_caveat_makes_no_claim_pass() -> None:
    result = mend("Mount Everest is a popular destination for rich tourists.")
    assert CAVEAT in result.answer
    assert result.report.answer == result.answer
    assert result.stopped != "success"
    marked = [finding for finding in result.report.findings if finding.verdict.value == "INSUFFICIENT"]
    assert marked
    assert all(CAVEAT not in finding.text for finding in marked)
