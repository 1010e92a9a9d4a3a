import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges.statement import Statement
from assay.types import Claim, Document, Passage, Span


def state(text, source="", context=""):
    shown = [Passage(Document("d", source), 0, len(source))] if source else []
    return Statement.of(Claim(text, (Span(0, len(text)),), context=context), shown)


@pytest.mark.parametrize(
    ("text", "context", "said"),
    [
        ("It opened in 1889.", "The Eiffel Tower stands in Paris.", "Eiffel Tower opened in 1889."),
        ("Its height is 330 m.", "The Eiffel Tower stands in Paris.", "Eiffel Tower’s height is 330 m."),
        ("She was born in Warsaw.", "In 1903 Marie Curie won a prize.", "Marie Curie was born in Warsaw."),
        ("He left.", "the man came in.", "He left."),
        ("This treaty ended the war.", "The Treaty of Paris was signed.", "This treaty ended the war."),
        ("Paris is large.", "The Eiffel Tower stands in Paris.", "Paris is large."),
        ("It opened in 1889.", "", "It opened in 1889."),
    ],
)
def test_a_pronoun_is_replaced_by_the_name_it_points_back_to(text, context, said):
    assert state(text, context=context).text == said


@pytest.mark.parametrize(
    ("text", "source", "said"),
    [
        ("Doors open at 3 pm.", "Doors open at 15:00.", "Doors open at 15:00."),
        ("The top is 29,032 ft high.", "The top is 8,849 m high.", "The top is 8,849 m high."),
        ("Up to a third of it is paid.", "Up to 33 percent of it is paid.", "Up to 33 percent of it is paid."),
        ("It takes 14 days.", "It takes two weeks.", "It takes two weeks."),
        ("The limit is 30s.", "The limit is 30 seconds.", "The limit is 30 seconds."),
        ("Doors open at 5 pm.", "Doors open at 15:00.", "Doors open at 5 pm."),
        ("Pro costs $228 a year.", "Pro costs $19 per month.", "Pro costs $228 a year."),
        ("Doors open at 3 pm.", "Doors open at 3 pm, the bar at 15:00.", "Doors open at 3 pm."),
        ("Order 1234-56 has 12 items.", "Order 1234-56 has a dozen items.", "Order 1234-56 has a dozen items."),
    ],
)
def test_a_value_is_read_as_the_source_writes_it_where_both_are_equal(text, source, said):
    assert state(text, source).text == said


def test_words_put_in_stand_for_the_words_of_the_claim():
    text = "It opens at 3 pm every day."
    found = state(text, "The hall opens at 15:00.", context="The Grand Hall is old.")
    assert found.text == "Grand Hall opens at 15:00 every day."
    words = {word: found.text.index(word) for word in ("Grand", "opens", "15:00", "every")}
    placed = {word: found.in_claim(Span(at, at + len(word))).of(text) for word, at in words.items()}
    assert placed == {"Grand": "It", "opens": "opens", "15:00": "3 pm", "every": "every"}


PARTS = ["It ", "is ", "3 pm ", "14 days ", "a third ", "5 km ", "and ", "8,849 m", ". ", "Ünï "]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=12).map("".join), st.data())
def test_every_stretch_of_a_statement_lies_in_the_claim(text, data):
    found = state(text, "At 15:00, for two weeks, 33 percent, 5000 m, 29,032 ft.", "The Old Mill.")
    start = data.draw(st.integers(0, len(found.text)))
    end = data.draw(st.integers(start, len(found.text)))
    place = found.in_claim(Span(start, end)) if start < end else Span(0, 0)
    assert 0 <= place.start <= place.end <= len(text)
