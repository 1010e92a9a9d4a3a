from __future__ import annotations

import itertools
from functools import cache

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.pairing import Pairing, Tokens
from assay.encoder.subject import Subject, bearings, rank, roots
from assay.encoder.windows import Source, fill, split_windows
from tests.encoder.conftest import DATA

texts = st.one_of(
    st.text(max_size=200),
    st.lists(
        st.sampled_from(["Paris is big.", "A cat sat", "\n\n", "- one", "…", "3.5", "İ", "\ud800", "# Head\n"])
    ).map(" ".join),
)


@cache
def pairing() -> Pairing:
    return Pairing((DATA / "tokenizer.json").read_bytes())


@given(texts, st.integers(3, 20), st.integers(0, 5))
def test_windows_cover_every_character_and_none_is_too_large(text: str, room: int, overlap: int) -> None:
    tokens = pairing().tokens(text)
    spans = split_windows(tokens, room, overlap)
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    for one, two in itertools.pairwise(spans):
        assert one.start < two.start <= one.end < two.end
    assert all(len(tokens.between(span.start, span.end)) <= room for span in spans)


@given(texts, st.integers(3, 20))
def test_every_token_is_in_a_window(text: str, room: int) -> None:
    source = Source(pairing().tokens(text))
    read = [
        set(range(*np.searchsorted(source.tokens.starts, (w.span.start, w.span.end)))) for w in source.windows(room, 2)
    ]
    assert set().union(*read) == set(range(len(source.tokens)))


@given(st.lists(st.integers(0, 10), max_size=40), st.integers(10, 30), st.integers(0, 30))
def test_ranges_hold_every_unit_and_go_forward(sizes: list[int], room: int, overlap: int) -> None:
    ranges = fill(sizes, room, overlap)
    assert {n for first, last in ranges for n in range(first, last)} == set(range(len(sizes)))
    assert all(sum(sizes[first:last]) <= room for first, last in ranges)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in itertools.pairwise(ranges))


def test_windows_are_cut_between_sentences_and_overlap() -> None:
    text = "Paris is big. London is old. Rome is new. Berlin is red."
    spans = split_windows(pairing().tokens(text), room=9, overlap=4)
    assert [span.of(text).strip() for span in spans] == [
        "Paris is big. London is old.",
        "London is old. Rome is new.",
        "Rome is new. Berlin is red.",
    ]


def test_a_pair_is_encoded_as_the_tokenizer_itself_would() -> None:
    evidence, claim = "Paris is the capital of France.", "Paris, unheard, is a city"
    ours = pairing().join(pairing().tokens(evidence).ids, pairing().tokens(claim).ids)
    theirs = pairing()._tokenizer.encode(evidence, claim)
    assert ours.ids.tolist() == theirs.ids
    assert [int(n >= ours.claim_at) for n in range(len(ours.ids))] == theirs.type_ids


def test_a_tokenizer_that_cuts_is_told_not_to() -> None:
    assert len(pairing().tokens("the cat " * 500)) == 1000


def test_a_character_of_several_tokens_stays_whole() -> None:
    tokens = Tokens("a½b", np.arange(5), np.array([0, 1, 1, 1, 2]), np.array([1, 2, 2, 2, 3]))
    assert tokens.between(1, 2).tolist() == [1, 2, 3]


def test_the_subject_is_names_then_numbers_then_words() -> None:
    subject = Subject.of("Marie Curie won 2 prizes")
    assert subject.names == {"mari", "curi"} or subject.names == {"marie", "curie"}
    window = frozenset(root for _, root in roots("Curie was born in Poland."))
    assert subject.is_about(window)
    assert not subject.is_about(frozenset(root for _, root in roots("She won 2 prizes in 1911.")))
    assert Subject.of("it won 2 prizes").is_about(frozenset(root for _, root in roots("There were 2 of them.")))
    assert not Subject.of("cats sleep").is_about(frozenset(root for _, root in roots("Water boils.")))


def test_ranking_keeps_the_windows_with_the_rare_words() -> None:
    common = [frozenset({"city"})] * 50
    assert rank(Subject.of("city of Paris"), [*common, frozenset({"city", "pari", "paris"})], 1) == [50]


def test_company_settles_nothing_alone_and_the_nearest_is_about_the_subject() -> None:
    texts = ["The virus spreads through droplets in closed rooms.", "Rooms of the hotel are closed.", "Paris is big."]
    stems = [frozenset(root for _, root in roots(text)) for text in texts]
    found = bearings(Subject.of("COVID spreads through droplets in rooms."), stems, 24)
    assert [(one.number, one.about, one.alone) for one in found] == [
        (0, True, True),
        (1, False, False),
        (2, False, False),
    ]
    assert bearings(Subject.of("Zebras sleep."), stems[:1], 24)[0].about
    assert not any(one.about for one in bearings(Subject.of("Zebras sleep."), stems, 24))
