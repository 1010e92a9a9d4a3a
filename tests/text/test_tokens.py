"""Words, stems and counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.text import STOP_WORDS, content_words, count_tokens, stem, tokenize


def words(text: str) -> list[str]:
    return [token.text for token in tokenize(text)]


def test_apostrophes_hyphens_and_decimals_stay_inside_a_word() -> None:
    assert words("Curie's well-known dose: 3.5 mg, 1,000 €.") == ["Curie's", "well-known", "dose", "3.5", "mg", "1,000"]


def test_marks_belong_to_their_word_and_signs_stand_alone() -> None:
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert words("cafe\u0301 noir") == ["cafe\u0301", "noir"]
    assert words("東京 Tower") == ["東", "京", "Tower"]


@pytest.mark.parametrize(
    "forms",
    [
        ("city", "cities"),
        ("run", "running", "runs"),
        ("make", "makes", "making"),
        ("study", "studies", "studied", "studying"),
        ("stop", "stopped", "stopping"),
        ("church", "churches"),
        ("class", "classes"),
        ("increase", "increases", "increased", "increasing"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


def test_short_words_and_words_that_only_look_like_forms_stay() -> None:
    assert [stem(word) for word in ("is", "bus", "red", "bring", "during", "news")] == [
        "is",
        "bus",
        "red",
        "bring",
        "during",
        "new",
    ]
    assert stem("polar") != stem("bipolar")


def test_content_words_are_long_and_mean_something() -> None:
    assert [token.text for token in content_words("They were not in the Eiffel Tower, which isn’t old.")] == [
        "Eiffel",
        "Tower",
    ]
    assert "they" in STOP_WORDS


def test_tokens_are_counted_for_text_without_spaces_too() -> None:
    assert count_tokens("") == 0
    assert 8 <= count_tokens("The quick brown fox jumps over the lazy dog.") <= 14
    assert count_tokens("1" * 3000) >= 1000


@settings(deadline=None)
@given(st.text())
def test_every_token_stands_where_it_says(text: str) -> None:
    end = 0
    for token in tokenize(text):
        assert end <= token.start < token.end
        assert text[token.start : token.end] == token.text
        end = token.end
    assert count_tokens(text) <= len(text)


@settings(deadline=None)
@given(st.text())
def test_a_stem_is_never_longer_than_its_word(word: str) -> None:
    assert len(stem(word)) <= len(word)
