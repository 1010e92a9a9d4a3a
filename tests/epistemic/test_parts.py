from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.defuse import defuse_text
from assay.epistemic.copying import find_miscopied
from assay.epistemic.rows import choose_row, find_mismatch, find_rows, says
from assay.epistemic.scrubbing import scrub
from assay.epistemic.similarity import cosine, similarity
from assay.epistemic.stretch import find_stretch, limit_lost
from assay.policy import Policy
from assay.types import Document, Evidence, Span

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


def test_a_value_of_another_row_is_a_mismatch_and_an_unknown_value_is_not():
    rows = find_rows(NAMED)
    assert find_mismatch(rows, "Ann Lee lives in Oslo.").stated == "Rome"
    assert find_mismatch(rows, "Ann Lee lives in Lima.") is None
    assert find_mismatch(rows, "Ann Lee lives in Rome with 1200 people.") is None


def test_values_are_whole_words_and_numbers_lose_their_commas():
    assert says("It has 1200 people.", "1,200")
    assert not says("It has 12000 people.", "1,200")
    assert not says("Romeo left.", "Rome")


def quote(text: str) -> Evidence:
    return Evidence.cite(Document("d", text), 0, len(text))


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("All patients recovered.", "Some patients recovered."),
        ("It always rains in May.", "It often rains in May."),
        ("The drug will certainly help.", "The drug may help."),
        ("She is president of the club.", "She is vice president of the club."),
        ("It is the only bridge there.", "It is one of the bridges there."),
        ("The study proves the effect.", "The study suggests the effect."),
    ],
)
def test_what_goes_too_far_is_found(claim, source):
    assert find_stretch(claim, [quote(source)], source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("All patients recovered.", "Every patient recovered; all of them went home."),
        ("It often rains in May.", "It frequently rains in May."),
        ("The count remains unknown.", "The count remains unknown, and could be higher."),
        ("She is most famous for her songs.", "She is best known for her songs."),
        ("She is vice president.", "She is vice president."),
    ],
)
def test_what_does_not_is_not(claim, source):
    assert find_stretch(claim, [quote(source)], source) is None


def test_a_limit_must_stand_before_a_word_of_the_claim():
    assert limit_lost("He is a captain.", "He is a former captain.") == "former captain"
    assert limit_lost("He is a captain.", "He is a captain and a former sailor.") is None


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Rome has 1,300 people.", "1,200"),
        ("Anna Bell lives in Madrid.", "Madrid"),
        ("Rome lost people.", "gained"),
        ("Rome has 1,200 people.", None),
    ],
)
def test_a_value_must_stand_in_the_evidence(claim, said):
    text = "Rome has 1,200 people. Rome gained people. Anna Bell lives in Rome."
    found = find_miscopied(claim, [Document("d", text)], [quote("Rome gained people.")], Policy())
    assert (found is None) if said is None else said in found


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


def test_the_judge_of_likeness_is_asked_only_where_vectors_leave_it_open():
    near, far = ("The cat sat on the mat.", "The cat sat on the mat."), ("The cat sat.", "Bonds yielded 4 %.")
    for pair in (near, far):
        compare, asked = ask(0.5)
        value = asyncio.run(similarity(*pair, compare=compare, embedder="static"))
        assert asked == []
        assert value == pytest.approx(cosine(*pair, embedder="static"))
    open_band = Policy(similarity_low=0.0, similarity_high=1.0)
    compare, asked = ask(0.25)
    assert asyncio.run(similarity(*far, compare=compare, policy=open_band, embedder="static")) == 0.25
    compare, asked = ask(None)
    value = asyncio.run(similarity(*far, compare=compare, policy=open_band, embedder="static"))
    assert value == pytest.approx(cosine(*far, embedder="static"))


def test_an_empty_text_is_like_nothing():
    assert cosine("", "The cat sat.", "static") == 0.0
