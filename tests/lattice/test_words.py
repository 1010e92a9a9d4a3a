"""The small readers of words, names, numbers, dates and questions that the warrants rest on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.lattice.features import content_stems, content_tokens, find_counts
from assay.lattice.questions import QuestionType, parse_question
from assay.text.dates import find_calendar_mentions
from assay.text.names import find_names, is_bare_name


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("The cat sat", set()),
        ("Glass towers, Towers!", {"glass", "tower"}),
        ("with_under_scores 1234 123", {"score", "1234"}),
        ("Zürich Zu\u0308rich", {"zürich"}),
        ("ﬁnal ＦＩＮＡＬ", {"final"}),
        ("gas bus buses", {"buse"}),
    ],
)
def test_content_stems(text, stems):
    assert content_stems(text) == stems


@given(st.text())
def test_tokens_are_content_whatever_the_text(text):
    assert all(len(token) >= 3 for token in content_tokens(text))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("twelve", [12]),
        ("12 and twelve", [12]),
        ("twenty-one of two hundred and five", [21, 205]),
        ("three thousand four hundred", [3400]),
        ("a dozen eggs, two dozen", [12, 24]),
        ("1,234,567 or 12.5 million", [1234567, 12500000]),
        ("the twenty-first and the 3rd", [21, 3]),
        ("two three", [2, 3]),
        ("in 1953 and 2024", []),
        ("29 May, May 30, the 3rd of June", []),
        ("no one, one of them, the one", []),
        ("one moon", [1]),
        ("a second, per second", []),
        ("the second man", [2]),
        ("G7 3d 12ab", []),
        ("9" * 5000, []),
        ("Section 31 was read", [31]),
    ],
)
def test_counts(text, counts):
    assert sorted(find_counts(text).counts) == sorted(counts)


@given(st.integers(0, 999_999))
def test_digits_with_and_without_commas_are_the_same_number(number):
    assert find_counts(f"{number:,}").numbers == find_counts(str(number)).numbers == {number}


@pytest.mark.parametrize(
    ("text", "years", "months"),
    [
        ("29 May 1953", {1953}, {5}),
        ("1953-05-29", {1953}, {5}),
        ("29/05/1953 or 05/29/1953", {1953}, {5}),
        ("in May, of March, by August", set(), {3, 5, 8}),
        ("It may march; an august man", set(), set()),
        ("Sept. 3 and 4 Dec", set(), {9, 12}),
        ("Mar is a name; Jan too", set(), set()),
        ("1499 1500 2199 2200", {1500, 2199}, set()),
        ("2,000 1953,000 19530 2000m", set(), set()),
        ("between 1914–1918", {1914, 1918}, set()),
        ("January and february", set(), {1, 2}),
    ],
)
def test_years_and_months(text, years, months):
    assert find_calendar_mentions(text).years == years
    assert find_calendar_mentions(text).months == months


def test_an_ambiguous_date_may_be_either_month_and_asserts_neither():
    mentions = find_calendar_mentions("05/06/1953")
    assert (mentions.months, mentions.possible_months) == (frozenset(), {5, 6})


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("The river was named by Jean-Paul Marat", ["marat"]),
        ("J. R. R. Tolkien's home", ["tolkien"]),
        ("On Monday in May the Bank of England", ["bank", "england"]),
        ("Microsoft Corporation", ["microsoft"]),
        ("lower case only", []),
    ],
)
def test_names(text, keys):
    assert [name.key for name in find_names(text)] == keys


@pytest.mark.parametrize(
    "text", ["Marie Curie", "Marie Curie and Pierre Curie.", "Ludwig van Beethoven", "Mount Everest!"]
)
def test_bare_names(text):
    assert is_bare_name(text)


@pytest.mark.parametrize(
    "text", ["Everest", "Paris Is The Capital", "Marie Curie won", "Founded 1976", "", "中文字中文字 中文字", "IBM SAP"]
)
def test_what_is_no_bare_name(text):
    assert not is_bare_name(text)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Who wrote Hamlet?", QuestionType.RELATION),
        ("Which company built it?", QuestionType.RELATION),
        ("What city is it in?", QuestionType.RELATION),
        ("Where is it?", QuestionType.RELATION),
        ("Which year was it?", QuestionType.TIME),
        ("Do you know when it began?", QuestionType.TIME),
        ("Who reigned when it began?", QuestionType.RELATION),
        ("How many are there?", QuestionType.COUNT),
        ("And how much is it?", QuestionType.COUNT),
        ("Why did it fall?", QuestionType.CAUSE),
        ("Explain why it fell", QuestionType.CAUSE),
        ("Name the planets", QuestionType.LIST),
        ("List all the planets", QuestionType.LIST),
        ("Who were the members of the band?", QuestionType.LIST),
        ("What is the name of the ship?", QuestionType.RELATION),
        ("What is the capital of France?", QuestionType.RELATION),
        ("Who were the founders?", QuestionType.LIST),
        ("Could you name all planets?", QuestionType.LIST),
        ("What is it?", QuestionType.OTHER),
        ("How does it work?", QuestionType.OTHER),
        ("Is it so?", QuestionType.OTHER),
        ("The listing of whoever", QuestionType.OTHER),
    ],
)
def test_what_a_question_asks_for(question, asks):
    assert parse_question(question).asks is asks


def test_the_subject_is_the_last_content_word():
    assert parse_question("Who wrote the plays about kings?").subject == "king"
    assert parse_question("Who is it?").subject == ""
    assert parse_question(" ") is None
    assert parse_question(None) is None
