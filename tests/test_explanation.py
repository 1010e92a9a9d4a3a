import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.explanation import fit
from assay.text.tokens import count_tokens


@given(st.text(max_size=500), st.integers(8, 40))
def test_a_text_that_fits_is_left_alone_and_a_longer_one_is_cut(text, most):
    shown = fit(text, most)
    if count_tokens(text) <= most:
        assert shown == text
    else:
        assert count_tokens(shown) <= most
        assert shown.endswith("…")
        assert text.startswith(shown[:-1])


def test_a_text_is_cut_at_a_word():
    assert fit("one two three four five six seven eight nine ten", 8) == "one two three four five six seven…"


@pytest.mark.parametrize("text", ["x" * 10_000, "…" * 10_000, "a-" * 5_000, "漢" * 5_000])
def test_one_endless_word_is_cut_too(text):
    assert 0 < count_tokens(fit(text, 16)) <= 16
