from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.defuse import defuse_text
from assay.epistemic.assessing import scrub
from assay.epistemic.free_answer import cosine, similarity
from assay.types import Document, Span


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
    monkeypatch.setattr("assay.epistemic.free_answer.DEFAULT_EMBEDDER", "static")
    near, far = ("The cat sat on the mat.", "The cat sat on the mat."), ("The cat sat.", "Bonds yielded 4 %.")
    for pair in (near, far):
        compare, asked = ask(0.5)
        value = asyncio.run(similarity(*pair, compare=compare))
        assert asked == []
        assert value == pytest.approx(cosine(*pair))
    monkeypatch.setattr("assay.epistemic.free_answer.SIMILARITY_LOW", 0.0)
    compare, asked = ask(0.25)
    assert asyncio.run(similarity(*far, compare=compare)) == 0.25
    compare, asked = ask(None)
    value = asyncio.run(similarity(*far, compare=compare))
    assert value == pytest.approx(cosine(*far))


def test_an_empty_text_is_like_nothing():
    assert cosine("", "The cat sat.") == 0.0
