from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.inline.growing_text import GrowingText
from assay.text.sentences import split_sentences


def grow(*pieces: str) -> GrowingText:
    growth = GrowingText()
    for piece in pieces:
        growth.add(piece)
    return growth


def test_a_sentence_is_complete_once_the_next_word_is_whole():
    growth = grow("It rose.", " Then")
    assert growth.ended == 8
    assert growth.complete == 0
    growth.add(" it")
    assert growth.complete == 8


@pytest.mark.parametrize(
    "pieces",
    [
        ("It is 3", ".", "5 m"),
        ("Dr.", " Li"),
        ("the U.S.", " Army", " went"),
        ("John F.", " Kennedy", " spoke"),
        ("It rose", " quickly", " and"),
    ],
)
def test_a_stop_inside_a_sentence_completes_nothing(pieces):
    assert grow(*pieces).complete == 0


def test_an_anchor_behind_the_stop_belongs_to_the_sentence():
    growth = grow("It rose.", " [", "1", "]", " Then", " it", " fell.")
    assert growth.text[: growth.complete] == "It rose. [1]"


def test_a_blank_line_ends_a_paragraph_without_a_stop():
    assert grow("A heading", "\n\n").ended == len("A heading")


def test_nothing_ends_inside_a_block_of_code():
    assert grow("```\n", "a. B", "\n\n", "c. D e").complete == 0


def test_the_end_completes_everything():
    growth = grow("It rose")
    growth.finish()
    assert growth.complete == len("It rose")


@given(st.lists(st.text(alphabet='ab AB.?\n[1]"', max_size=6), max_size=30))
def test_complete_only_moves_forward_and_never_past_the_end(pieces):
    growth = GrowingText()
    before = 0
    for piece in pieces:
        growth.add(piece)
        assert before <= growth.complete <= growth.ended <= len(growth.text)
        before = growth.complete
    assert growth.text == "".join(pieces)


@given(st.lists(st.sampled_from(["Ann ran.", "Was it so?", "Bob sat", "It is 3.5 m.", "Dr. Li left."]), max_size=6))
def test_what_is_complete_is_whole_sentences_of_the_final_text(sentences):
    text = " ".join(sentences)
    ends = {sentence.span.end for sentence in split_sentences(text)} | {0}
    growth = GrowingText()
    for character in text:
        growth.add(character)
        assert growth.complete in ends
