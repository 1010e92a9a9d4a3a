"""What a claim is read with: the sentences that fit it best, in their order, and the claim behind them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.close import EVIDENCE_TOKENS, close_input
from assay.encoder.passages import encode_claim, encode_passages, encode_question
from tests.encoder.tiny import TOKENIZER

CLAIM = encode_claim("The mill opened in 1900.", TOKENIZER, 128)
FACTS = [f"Fact {n} stands in the text." for n in range(20)]
PASSAGES = [p for title in ("One", "Two") for p in encode_passages(" ".join(FACTS), title, TOKENIZER)]


def test_the_highest_sentences_stand_in_their_order_under_their_titles() -> None:
    scores = [0.0] * 40
    scores[25], scores[3], scores[27] = 9, 8, 7
    read = close_input(CLAIM, PASSAGES, scores, room=45)
    words = TOKENIZER.decode(list(read.ids), skip_special_tokens=True).replace(" ##", "")
    assert read.ids[read.claim :] == tuple(CLAIM)
    assert [place for place, _, _ in read.sentences][:3] == [(0, 3), (1, 4), (1, 5)]
    assert words.index("one") < words.index("fact 3") < words.index("two")


def test_the_sentence_before_the_highest_is_read_too() -> None:
    scores = [float(n == 13) for n in range(40)]
    places = [place for place, _, _ in close_input(CLAIM, PASSAGES, scores, room=40).sentences]
    assert {(0, 12), (0, 13)} <= set(places)


def test_a_sentence_longer_than_the_room_is_cut_and_stands_alone() -> None:
    (long,) = encode_passages("word " * 240 + "end.", "", TOKENIZER, 4000)
    read = close_input(CLAIM, [long], [1.0])
    assert len(read.sentences) == 1
    assert len(read.ids) <= len(CLAIM) + EVIDENCE_TOKENS + 2


def test_the_question_stands_between_evidence_and_claim() -> None:
    question = encode_question("When was it opened?", TOKENIZER)
    scores = [1.0] * 40
    plain, asked = close_input(CLAIM, PASSAGES, scores), close_input(CLAIM, PASSAGES, scores, question)
    assert asked.ids[: plain.claim] == plain.ids[: plain.claim]
    assert asked.ids[plain.claim : asked.claim] == question.ids[1:]


@given(st.lists(st.floats(-1, 1), min_size=40, max_size=40), st.integers(8, 200))
def test_every_chosen_sentence_lies_where_it_says(scores: list[float], room: int) -> None:
    read = close_input(CLAIM, PASSAGES, scores, room=room)
    assert read.sentences
    assert [place for place, _, _ in read.sentences] == sorted(place for place, _, _ in read.sentences)
    for (number, at), start, end in read.sentences:
        sentence = PASSAGES[number].sentences[at]
        assert read.ids[start:end] == PASSAGES[number].ids[sentence.start : sentence.end]
