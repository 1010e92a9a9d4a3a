"""Content words and counts, which the lattice rules compare."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.lattice.features import content_stems, content_tokens, find_counts


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
