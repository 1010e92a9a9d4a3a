"""Disguised words are read as they look, and every offset stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.claims import extract_claims
from assay.claims.prose import locate
from assay.confusables import as_seen, find_disguises
from assay.lexical.negation import negated_around
from assay.text.comparable import words_of
from assay.text.normalise import normalise, reveal
from assay.types import Document, Evidence, Passage, Span
from tests.hostile import grows_linearly

DISGUISED = [
    "Bats are n\u200bot birds.",
    "Bats are n\u00adot birds.",
    "Bats are \u2060not\ufeff birds.",
    "B\u200ba\u200bt\u200bs \u200bare n\u200do\u200ct birds.",
    "Bats are nоt birds.",
    "Bаts аrе not bіrds.",
    "Βats are not birds.",
    "Ｂａｔｓ are ｎｏｔ birds.",
    "𝐁𝐚𝐭𝐬 are 𝓃𝑜𝓉 birds.",
    "Bats are \u202eton\u202c birds.",
    "Bats are \u202a\u2066not\u2069\u202c birds.",
    "Bats are n\U000e0061ot birds.",
    "Bats are no\ufe0et birds.",
    "Bats are n\u034fot birds.",
    "Bats are not\u2800birds.",
]
PLAIN = [
    "Москва — столица России.",
    "Η Αθήνα είναι πρωτεύουσα.",
    "The α-particle, 5 μm and 3 Ω are physics.",
    "می\u200cخواهم بروم",
    "I ❤\ufe0f 👩\u200d🚀 space",
    "x² + H₂O is ½ of 20 ℃, № 5™",
    "İstanbul ısı, naïve café, Straße",
    "The ship Москва sank.",
    "שלום עולם",
]
TRICKY = st.text(alphabet="aotnАоеі αν.\n \u200b\u200d\u00ad\u202e\u202c\u202a\ufe0f\u0301\uff41𝐚שم\u2800")


@pytest.mark.parametrize("text", DISGUISED)
def test_disguised_words_are_compared_as_they_look(text: str) -> None:
    assert words_of(text) == ["bats", "are", "not", "birds"]
    shown = as_seen(text)
    assert len(shown) == len(text)
    assert shown.split() == ["Bats", "are", "not", "birds."]


@pytest.mark.parametrize("text", PLAIN)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert find_disguises(text) == []
    assert as_seen(text) is text


@pytest.mark.parametrize("text", DISGUISED)
def test_judges_read_what_a_reader_sees_and_receipts_quote_the_source(text: str) -> None:
    document = Document("d", f"First. {text} Last.")
    passage = Passage(document, 7, 7 + len(text))
    assert passage.text.split() == ["Bats", "are", "not", "birds."]
    evidence = Evidence.cite(document, passage.start, passage.end)
    assert evidence.quote == document.text[evidence.start : evidence.end] == text


@pytest.mark.parametrize("text", DISGUISED[:9])
def test_claims_say_what_a_reader_sees_and_stand_where_it_stands(text: str) -> None:
    (claim,) = extract_claims(text)
    assert claim.text.rstrip(".").split() == ["Bats", "are", "not", "birds"]
    assert claim.span.of(text).strip(".") == text.strip(".")


def test_a_word_of_a_claim_is_found_where_hidden_characters_stand() -> None:
    answer = "\xadThe m\u200bill opened in 1\u200b900 and cl\u00adosed in 1950."
    opened, closed = extract_claims(answer)
    at = opened.text.index("1900")
    assert [place.of(answer) for place in locate(opened, Span(at, at + 4))] == ["1\u200b900"]
    at = closed.text.index("closed")
    assert [place.of(answer) for place in locate(closed, Span(at, at + 6))] == ["cl\u00adosed"]
    assert closed.span.of(answer) == "and cl\u00adosed in 1950."


def test_a_disguised_denial_denies() -> None:
    text = "Critics wr\u200bongly cla\u0456m that the earth is flat."
    assert negated_around(text, Span(text.index("the earth"), len(text) - 1)) == "wrongly claim that"


@settings(max_examples=300, deadline=None)
@given(st.one_of(TRICKY, st.text()))
def test_lengths_stay_and_every_stretch_maps_back(text: str) -> None:
    assert len(as_seen(text)) == len(text)
    shown = reveal(text)
    assert as_seen(text).split() == shown.text.split() or "\u202e" in text
    mapped = normalise(text)
    for at in range(len(mapped.text)):
        span = mapped.to_original(at, at + 1)
        assert 0 <= span.start < span.end <= len(text)


@pytest.mark.parametrize(
    "unit", ["\u200b", "a\u200b", "о", "оa", "\u202e", "\u202ea\u202c", "\u202e\u202c", "a" * 50 + "о", "𝐚", "\ufe0f"]
)
def test_disguises_are_undone_in_linear_time(unit: str) -> None:
    assert grows_linearly(as_seen, unit, 80_000)
    assert grows_linearly(as_seen, f"{unit} ", 80_000)
