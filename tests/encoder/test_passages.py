"""Passages as token ids: every sentence keeps its place in the text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from assay.encoder.passages import encode_claim, encode_passages, encode_question, special_ids, split_passages
from tests.encoder.tiny import TOKENIZER

TEXTS = st.lists(
    st.sampled_from(
        ["Prices rose. ", "It opened in 1900! ", "| a | b |\n", "- item one\n", "\n\n", "# Head\n", "x" * 40, "Ω? "]
    ),
    max_size=30,
).map("".join)


@given(TEXTS, st.sampled_from(["", "A title"]))
def test_every_sentence_has_its_place_and_its_tokens(text: str, title: str) -> None:
    last = 0
    for passage in encode_passages(text, title, TOKENIZER, most=32):
        assert len(passage.ids) <= 32
        covered = 1 + passage.title
        for sentence in passage.sentences:
            assert sentence.span.of(text).strip() == sentence.span.of(text) != ""
            assert sentence.span.start >= last
            assert sentence.start == covered < sentence.end
            covered, last = sentence.end, sentence.span.start
        assert covered == len(passage.ids) - 1


def test_a_long_text_is_read_in_several_passages_with_the_title_in_each() -> None:
    text = "The mill opened in 1900. " * 40
    passages = encode_passages(text, "Old mill", TOKENIZER, most=64)
    assert len(passages) > 1
    heads = {passage.ids[: 1 + passage.title] for passage in passages}
    assert len(heads) == 1
    assert sum(len(passage.sentences) for passage in passages) == 40


def test_a_table_row_is_read_with_its_headers() -> None:
    text = "| Plan | Price |\n|---|---|\n| Basic | 19 |\n| Pro | 49 |"
    (passage,) = encode_passages(text, "", TOKENIZER)
    rows = [passage.ids[s.start : s.end] for s in passage.sentences]
    (plain,) = encode_passages("Plan: Pro; Price: 49.", "", TOKENIZER)
    assert list(rows[2]) == list(plain.ids[1:-1])
    assert [s.span.of(text) for s in passage.sentences][2] == "| Pro | 49 |"


def test_a_table_without_rows_of_the_same_width_is_read_as_it_stands() -> None:
    text = "| Plan | Price |\n|---|---|\n| all plans |"
    (passage,) = encode_passages(text, "", TOKENIZER)
    assert [s.span.of(text) for s in passage.sentences][-1] == "| all plans |"


def test_a_sentence_longer_than_a_passage_is_cut_but_never_lost() -> None:
    text = "word " * 100
    passages = encode_passages(text, "", TOKENIZER, most=32)
    read = sum(s.end - s.start for p in passages for s in p.sentences)
    (whole,) = encode_passages(text, "", TOKENIZER, most=4096)
    assert read == len(whole.ids) - 2
    assert {s.span for p in passages for s in p.sentences} == {whole.sentences[0].span}


def test_nothing_can_be_quoted_from_a_question() -> None:
    assert encode_question("When did it open?", TOKENIZER).sentences == ()


def test_a_claim_is_cut_at_its_limit() -> None:
    begin, stop = special_ids(TOKENIZER)
    ids = encode_claim("word " * 50, TOKENIZER, 16)
    assert (len(ids), ids[0], ids[-1]) == (16, begin, stop)


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    from tokenizers.models import WordLevel

    with pytest.raises(ValueError, match="does not belong to a verifier"):
        special_ids(Tokenizer(WordLevel({"a": 0}, unk_token="a")))


def split(text: str) -> list[tuple[str, str]]:
    return [(title, text[start:end].strip()) for title, start, end in split_passages(text)]


def test_a_text_is_split_where_a_title_begins() -> None:
    text = "Before.\n\n# Old mill\nIt opened.\n\nIt closed.\n\n# Plans\n\nPro is $49.\n"
    assert split(text) == [("", "Before."), ("Old mill", "It opened.\n\nIt closed."), ("Plans", "Pro is $49.")]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("", []),
        (" \n\n ", []),
        ("# Title alone", []),
        ("# First\n\n# Second\nWords.", [("Second", "Words.")]),
        ("One.\n\nTwo.", [("", "One.\n\nTwo.")]),
        ("One.\n# No blank line before\nTwo.", [("", "One.\n# No blank line before\nTwo.")]),
        ("## Deeper\nWords.", [("", "## Deeper\nWords.")]),
        ("#hashtag is no title", [("", "#hashtag is no title")]),
    ],
)
def test_what_is_a_title_and_what_is_not(text: str, passages: list[tuple[str, str]]) -> None:
    assert split(text) == passages


@given(
    st.lists(st.sampled_from(["Prices rose.", "\n", "\n\n", "# Head", "# ", " ", "#", "Ω"]), max_size=30).map("".join)
)
def test_only_titles_and_white_space_are_left_out_of_passages(text: str) -> None:
    last = 0
    for title, start, end in split_passages(text):
        assert last <= start < end <= len(text)
        assert "\n" not in title
        assert all(not line.strip() or line.startswith("# ") for line in text[last:start].split("\n"))
        last = end
    assert all(not line.strip() or line.startswith("# ") for line in text[last:].split("\n"))
