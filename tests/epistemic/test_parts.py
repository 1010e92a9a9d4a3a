from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.defuse import defuse_text
from assay.epistemic.rows import choose_row, find_rows, says
from assay.epistemic.scrubbing import scrub
from assay.epistemic.similarity import cosine, similarity
from assay.types import Document, Span

NAMED = "Name: Ann Lee | Town: Rome | People: 1,200\nName: Bo Ray | Town: Oslo | People: 300"
MARKDOWN = "Towns:\n\n| Town | People |\n|---|---|\n| Rome | 1,200 |\n| Oslo | 300 |\n\nThat was it."


def test_rows_are_found_with_their_columns_and_places():
    for text, first in ((NAMED, ("Name", "Ann Lee")), (MARKDOWN, ("Town", "Rome"))):
        rows = find_rows(text)
        assert len(rows) == 2
        assert rows[0].cells[0] == first
        assert first[1] in rows[0].span.of(text)


def test_prose_with_a_colon_is_no_table():
    assert find_rows("He said: go. Then: stay; she said: no.\nOne thing: it rained.") == []


def test_a_row_must_stand_out():
    rows = find_rows(NAMED)
    assert choose_row(rows, "Ann Lee lives in Rome.").cells[0][1] == "Ann Lee"
    assert choose_row(rows, "Ann Lee and Bo Ray live in Rome and Oslo.") is None
    assert choose_row(rows, "Ann Lee is nice.") is None


def test_values_are_whole_words_and_numbers_lose_their_commas():
    assert says("It has 1200 people.", "1,200")
    assert not says("It has 12000 people.", "1,200")
    assert not says("Romeo left.", "Rome")


@given(st.text(max_size=200))
def test_taking_out_keeps_every_offset(text):
    assert len(defuse_text(text)) == len(text)


@given(st.text(max_size=60), st.lists(st.tuples(st.integers(0, 60), st.integers(0, 10)), max_size=3))
def test_scrubbing_takes_away_exactly_what_it_is_told(text, places):
    spans: list[Span] = []
    for start, length in sorted(places):
        if start + length <= len(text) and (not spans or spans[-1].end <= start):
            spans.append(Span(start, start + length))
    left = scrub(Document("d", text), spans).text
    assert len(left) == len(text) - sum(map(len, spans))


def ask(*answers):
    asked: list[tuple[str, str]] = []

    async def compare(one: str, other: str):
        asked.append((one, other))
        return answers[len(asked) - 1]

    return compare, asked


def test_the_judge_of_likeness_is_asked_only_where_vectors_leave_it_open(monkeypatch):
    near, far = ("The cat sat on the mat.", "The cat sat on the mat."), ("The cat sat.", "Bonds yielded 4 %.")
    for pair in (near, far):
        compare, asked = ask(0.5)
        value = asyncio.run(similarity(*pair, compare=compare, embedder="static"))
        assert asked == []
        assert value == pytest.approx(cosine(*pair, embedder="static"))
    monkeypatch.setattr("assay.epistemic.similarity.SIMILARITY_LOW", 0.0)
    compare, asked = ask(0.25)
    assert asyncio.run(similarity(*far, compare=compare, embedder="static")) == 0.25
    compare, asked = ask(None)
    value = asyncio.run(similarity(*far, compare=compare, embedder="static"))
    assert value == pytest.approx(cosine(*far, embedder="static"))


def test_an_empty_text_is_like_nothing():
    assert cosine("", "The cat sat.", "static") == 0.0
