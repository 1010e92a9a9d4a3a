"""Whether quotes answer a question: the signs one by one, and what they come to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.llm.choosing import Signs, choose_sentences, likelihood, pick_sentences, read_signs, weigh_question
from assay.llm.delimit import Block
from assay.policy import Policy

POLICY = Policy()
OPRY = Block("source", "Opry Mills is a shopping mall in Nashville, Tennessee. It opened in 2000.", "E1", "Opry Mills")
GRAND = Block(
    "source",
    "The Grand Ole Opry is a stage concert in Nashville, Tennessee. It was founded by George D. Hay.",
    "E2",
    "Grand Ole Opry",
)
HAY = Block("source", "George D. Hay was a radio announcer. He was born in Attica.", "E3", "George D. Hay")
HANDBOOK = Block("source", "Mount Everest is 8,849 m high. Yaks live nearby.", "E1", "handbook.md")


def signs_of(question: str, *sources: Block) -> Signs:
    wanted = weigh_question(question)
    found = read_signs(question, wanted, pick_sentences(wanted, sources), sources)
    assert found is not None
    return found


def test_a_source_about_what_is_named_is_told_from_one_that_mentions_its_parts() -> None:
    question = "What is Opry Mills in Nashville, Tennessee?"
    about, beside = signs_of(question, OPRY), signs_of(question, GRAND)
    assert (about.topics, beside.topics) == (0.5, 0.0)
    assert about.named > beside.named
    assert likelihood(about) > likelihood(beside)


def test_what_only_shares_words_is_no_answer() -> None:
    assert choose_sentences("When did the mall Opry Mills open in Nashville?", [OPRY])
    assert not choose_sentences("When did the mall Opry Mills open in Nashville?", [GRAND])


def test_both_sides_of_a_comparison_count() -> None:
    assert signs_of("Is Opry Mills older than the Grand Ole Opry?", OPRY, GRAND).topics == 1.0


def test_a_source_that_leads_on_to_another_is_a_second_step() -> None:
    question = "Where was the founder of the Grand Ole Opry born?"
    assert signs_of(question, GRAND, HAY).linked == 1.0
    assert signs_of(question, GRAND, OPRY).linked == 0.0


def test_where_the_title_says_nothing_the_sentences_tell_what_a_source_is_about() -> None:
    assert signs_of("How high is Mount Everest?", HANDBOOK).topics == 0.5


def test_a_question_without_names_goes_by_its_words() -> None:
    assert read_signs("how high is it?", {"high": 1.0}, [], [HANDBOOK]) is None
    leave = Block("source", "New employees get 25 days of vacation.", "E1", "handbook.md")
    assert choose_sentences("How many days of vacation do new employees get?", [leave])


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=3), st.text(max_size=30))
def test_all_signs_and_the_likelihood_are_shares(question: str, texts: list[str], title: str) -> None:
    sources = [Block("source", text, f"E{number}", title) for number, text in enumerate(texts, 1)]
    wanted = weigh_question(question)
    found = read_signs(question, wanted, pick_sentences(wanted, sources), sources)
    if found is not None:
        values = (found.coverage, found.closest, found.named, found.topics, found.linked, likelihood(found))
        assert all(0.0 <= value <= 1.0 for value in values)
