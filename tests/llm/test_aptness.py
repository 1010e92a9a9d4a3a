"""Whether sources answer a question: the signs one by one, and what they come to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ModelError
from assay.llm import choosing
from assay.llm.choosing import Pointed, Signs, choose_sentences, is_answered, likelihood, point_sentences, read_signs
from assay.llm.delimit import Block

OPRY = Block("source", "Opry Mills is a shopping mall in Nashville, Tennessee. It opened in 2000.", "E1", "Opry Mills")
GRAND = Block(
    "source",
    "The Grand Ole Opry is a stage concert in Nashville, Tennessee. It was founded by George D. Hay.",
    "E2",
    "Grand Ole Opry",
)
HANDBOOK = Block("source", "Mount Everest is 8,849 m high. Yaks live nearby.", "E1", "handbook.md")
LIBRARY = Block(
    "source",
    "# Reading room\n\nThe reading room is open from nine to five. Laptops may be used at the long tables.\n\n"
    "## Fees\n\nA card costs 5 euros a year, and copies are 10 cents a page.",
    "E1",
    "library.md",
)


def signs_of(question: str, *sources: Block) -> Signs:
    found = point_sentences(question, sources)
    assert found is not None
    return read_signs(question, sources, found)


def test_a_source_about_what_is_named_is_told_from_one_that_mentions_its_parts() -> None:
    question = "What is Opry Mills in Nashville, Tennessee?"
    about, beside = signs_of(question, OPRY), signs_of(question, GRAND)
    assert (about.topics, beside.topics) == (0.5, 0.0)
    assert likelihood(about) > likelihood(beside)


def test_both_sides_of_a_comparison_count() -> None:
    assert signs_of("Is Opry Mills older than the Grand Ole Opry?", OPRY, GRAND).topics == 1.0


def test_where_the_title_says_nothing_the_sentences_tell_what_a_source_is_about() -> None:
    assert signs_of("How high is Mount Everest?", HANDBOOK).topics == 0.5


@pytest.mark.parametrize(
    ("asked", "beside"),
    [
        ("How much do I pay for a card?", "How much do I pay for parking?"),
        ("Until when can I sit in the reading room?", "Who painted the portraits?"),
        ("Can I bring my laptop?", "Can I bring my dog?"),
    ],
)
def test_the_verifier_tells_whether_a_question_in_other_words_is_answered(asked: str, beside: str) -> None:
    assert is_answered(asked, [LIBRARY])
    assert not is_answered(beside, [LIBRARY])
    assert signs_of(asked, LIBRARY).bears > signs_of(beside, LIBRARY).bears


def test_without_the_weights_the_words_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ModelError("not installed")

    monkeypatch.setattr(choosing, "_load_pointer", missing)
    leave = Block("source", "New employees get 25 days of vacation.", "E1", "handbook.md")
    assert choose_sentences("How many days of vacation do new employees get?", [leave])
    assert not choose_sentences("How many offices do new employees get to see?", [leave])


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3), st.text(max_size=30), st.floats(0, 1))
def test_all_signs_and_the_likelihood_are_shares(question: str, texts: list[str], title: str, bears: float) -> None:
    sources = [Block("source", text, f"E{number}", title) for number, text in enumerate(texts, 1)]
    found = Pointed({(0, 0): 1.0}, bears)
    signs = read_signs(question, sources, found)
    values = (signs.bears, signs.held, signs.topics, likelihood(signs))
    assert all(0.0 <= value <= 1.0 for value in values)
