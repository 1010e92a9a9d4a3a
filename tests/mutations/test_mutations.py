from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.mutations import Mutation, mutate
from assay.mutations.source import replace
from assay.mutations.tokens import CHANGES
from assay.text.amounts import Match, compare
from assay.text.quantities import find_quantities
from assay.types import Span

COMPANY = (
    "Reinhold Messner climbed the mountain alone in August 1980.",
    "John Hunt led the ninth British expedition.",
    "K2 is 8,611 m high.",
)


def of(kind: str, sentence: str, seed: int = 0, **company: object) -> Mutation | None:
    made = {m.kind: m for m in mutate(sentence, seed, **company)}  # type: ignore[arg-type]
    return made.get(kind)


def texts(kind: str, sentence: str, **company: object) -> set[str]:
    """What twenty seeds make of a sentence."""
    return {m.text for seed in range(20) if (m := of(kind, sentence, seed, **company))}


def test_the_same_seed_makes_the_same_mutations_and_another_seed_others() -> None:
    sentence = "In 1955 Peter Habeler sold 1,250 tonnes of coal to France."
    assert mutate(sentence, 3) == mutate(sentence, 3)
    assert len({tuple(m.text for m in mutate(sentence, seed)) for seed in range(6)}) > 1


@pytest.mark.parametrize("sentence", ["It weighs 1,000 m.", "The tower is 1,000 m high.", "It costs $5 million."])
def test_a_new_number_is_another_number(sentence: str) -> None:
    old = find_quantities(sentence)[0]
    for text in texts("number", sentence) | texts("unit", sentence):
        new = find_quantities(text)[0]
        assert compare(new, old) is Match.DIFFERENT or new.unit != old.unit, text


def test_a_thousand_metres_never_become_a_kilometre() -> None:
    assert "The tower is 1 km high." not in texts("unit", "The tower is 1,000 m high.") | texts(
        "number", "The tower is 1,000 m high."
    )


def test_a_lower_bound_is_only_raised() -> None:
    for text in texts("number", "More than 300 people came."):
        assert find_quantities(text)[0].low > 300, text


def test_an_approximate_number_is_left_by_more_than_its_haze() -> None:
    for text in texts("number", "About 300 people came."):
        assert not 285 <= find_quantities(text)[0].low <= 315, text


def test_the_number_of_a_name_and_a_clock_time_are_left_alone() -> None:
    assert of("number", "Apollo 11 landed.") is None
    assert of("number", "They met at 11:30.") is None


def test_dates_change_in_one_part() -> None:
    for text in texts("date", "It was found on 8 December 2020."):
        new, old = find_quantities(text)[0], find_quantities("8 December 2020")[0]
        parts = [(new.year, old.year), (new.month, old.month), (new.day, old.day)]
        assert sum(a != b for a, b in parts) == 1, text


def test_names_come_from_the_same_sources() -> None:
    assert texts("name", "It was climbed by Peter Habeler.", others=COMPANY) == {
        "It was climbed by Reinhold Messner.",
        "It was climbed by John Hunt.",
    }
    assert of("name", "It was climbed by Peter Habeler.") is None


def test_a_country_is_exchanged_for_one_that_the_sentence_does_not_name() -> None:
    found = texts("name", "It stands between Nepal and China.")
    assert found
    for text in found:
        assert ("Nepal" in text) != ("China" in text)


@pytest.mark.parametrize(
    ("sentence", "turned"),
    [
        ("Paris is the capital.", "Paris is not the capital."),
        ("It is not the capital.", "It is the capital."),
        ("The shop wasn't open.", "The shop was open."),
        ("Messner came back alone.", "Messner never came back alone."),
        ("The tower has been sold.", "The tower has not been sold."),
        ("The village has two wells.", "The village never has two wells."),
    ],
)
def test_a_denial_is_put_in_or_taken_out(sentence: str, turned: str) -> None:
    made = of("negation", sentence)
    assert made is not None
    assert made.text == turned


@pytest.mark.parametrize(
    "sentence",
    ["Is it open?", "It may be open.", "He did not only win.", "Neither shop was never open."],
)
def test_no_denial_where_it_would_say_nothing(sentence: str) -> None:
    assert of("negation", sentence) is None


@pytest.mark.parametrize(
    ("kind", "sentence", "turned"),
    [
        ("quantifier", "Most climbers carry oxygen.", "Few climbers carry oxygen."),
        ("quantifier", "It always rains.", "It never rains."),
        ("quantifier", "Both countries agreed.", "Only one of the two countries agreed."),
        ("quantifier", "Over 300 came.", "Under 300 came."),
        ("dropped qualifier", "He is a former minister.", "He is a minister."),
        ("dropped qualifier", "He is an alleged thief.", "He is a thief."),
        ("dropped qualifier", "K2 is the second highest mountain.", "K2 is the highest mountain."),
        ("dropped qualifier", "It may be wet.", "It is wet."),
        ("dropped qualifier", "Pumps may be wet.", "Pumps are wet."),
    ],
)
def test_words_are_turned(kind: str, sentence: str, turned: str) -> None:
    made = of(kind, sentence)
    assert made is not None
    assert made.text == turned


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("quantifier", "It is the most beautiful of all."),
        ("quantifier", "They moved some 10,000 pounds."),
        ("quantifier", "It was nevertheless open."),
        ("quantifier", "Blood is tested every four weeks."),
        ("quantifier", "It is called the War to End All Wars."),
        ("dropped qualifier", "It is wet."),
    ],
)
def test_words_that_only_look_alike_stay(kind: str, sentence: str) -> None:
    assert of(kind, sentence) is None


def test_a_mutation_outside_its_text_is_refused() -> None:
    with pytest.raises(ValueError, match="lies outside"):
        Mutation("number", "abc", Span(2, 9), "x")


PIECES = st.sampled_from(
    "the Everest is was 8,849 m km 29 May 1953 not never all most some former may be Nepal China defeated [1] , . ? "
    "about more than 300 % $5 million said who had been 𝔘 “ \n".split(" ")
)


@given(st.lists(PIECES, max_size=25).map(" ".join) | st.text(max_size=60), st.integers(0, 5))
def test_whatever_the_text_the_change_is_where_it_says(sentence: str, seed: int) -> None:
    for made in mutate(sentence, seed, others=COMPANY):
        assert made.text != sentence
        assert made.kind in CHANGES
        start, end = made.changed.start, made.changed.end
        assert 0 <= start <= end <= len(made.text)
        rest = len(made.text) - end
        folded = made.text[:start] + made.original + made.text[len(made.text) - rest :]
        # Only an article, a capital or white space may differ beside the change itself.
        assert abs(len("".join(folded.split())) - len("".join(sentence.split()))) <= 1


def test_a_replaced_first_word_opens_with_a_capital() -> None:
    made = replace("quantifier", "Most came.", 0, 4, "few")
    assert made.text == "Few came."
    assert made.changed.of(made.text) == "Few"
