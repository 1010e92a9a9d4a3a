from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.memory import RetrievedPassage
from assay.memory.passages import PASSAGE_TARGET_TOKENS, cut_passages, embedding_text, find_terms
from assay.policy import PASSAGE_MAX_TOKENS
from assay.text.tokens import count_tokens
from assay.types import Document, Mark, Passage, sha256_of

SENTENCE = "The quick brown fox number {n} jumps over a lazy dog near the river bank. "


def test_windows_are_whole_sentences_that_overlap_by_one() -> None:
    text = "".join(SENTENCE.format(n=n) for n in range(40))
    cuts = cut_passages(Document("d", text))
    assert len(cuts) > 3
    for cut in cuts:
        piece = text[cut.start : cut.end]
        assert piece.startswith("The quick")
        assert piece.endswith("bank.")
        assert count_tokens(piece) <= PASSAGE_TARGET_TOKENS
    for one, two in pairwise(cuts):
        assert one.start < two.start < one.end < two.end
        assert text[two.start : one.end].count("The quick") == 1


def test_no_passage_crosses_a_heading() -> None:
    text = "# A\nOne fact stands here.\n# B\nAnother fact stands there."
    document = Document("d", text, markup="markdown", headings=(Mark(0, "A"), Mark(text.index("# B"), "B")))
    cuts = cut_passages(document)
    assert [(cut.heading, "Another" in text[cut.start : cut.end]) for cut in cuts] == [("A", False), ("B", True)]


@pytest.mark.parametrize("text", ["word " * 5000, "x" * 20_000, "漢" * 3000, "1234567890" * 2000, "a,b;" * 5000])
def test_a_sentence_beyond_the_limit_is_cut_and_nothing_is_lost(text: str) -> None:
    cuts = cut_passages(Document("d", text))
    assert all(count_tokens(text[cut.start : cut.end]) <= PASSAGE_MAX_TOKENS for cut in cuts)
    covered = "".join(text[cut.start : cut.end] for cut in cuts)
    assert covered.replace(" ", "") == text.replace(" ", "")


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=600), st.lists(st.integers(0, 600), max_size=4))
def test_every_visible_character_is_in_a_passage(text: str, places: list[int]) -> None:
    marks = tuple(Mark(place, f"h{place}") for place in sorted({place for place in places if place <= len(text)}))
    cuts = cut_passages(Document("d", text, headings=marks))
    inside = set()
    for cut in cuts:
        assert 0 <= cut.start < cut.end <= len(text)
        inside.update(range(cut.start, cut.end))
    missing = {mark for index, mark in enumerate(text) if index not in inside and mark.isalnum()}
    # Numbers of a list ("1. x") are marks of the list, not prose.
    assert all(mark.isdigit() or mark.isspace() for mark in missing)


def test_the_embedder_is_told_what_a_passage_is_about() -> None:
    document = Document("d", "It opened in 1889.", "Eiffel Tower")
    (cut,) = cut_passages(document)
    assert embedding_text(document, cut) == "Eiffel Tower: It opened in 1889."
    table = Document("t", "Peak: Everest", "peaks", headings=(Mark(0, "row 1"),))
    assert embedding_text(table, cut_passages(table)[0]) == "peaks: Peak: Everest"


@given(st.text())
def test_terms_hold_only_letters_and_digits(text: str) -> None:
    assert all(term.isalnum() for term in find_terms(text))


def test_a_retrieved_passage_has_the_hash_of_its_own_words() -> None:
    found = RetrievedPassage(7, Passage(Document("d", "One is here. Two is here."), 13, 25))
    assert found.text == "Two is here."
    assert found.sha256 == sha256_of("Two is here.")
