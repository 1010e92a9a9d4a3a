from __future__ import annotations

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.epistemic.bits import bernoulli_kl, gap_bits, observed_bits, required_bits

chances = st.floats(0, 1)


def test_the_worked_example_of_the_docs():
    """By hand: required = 0.95·log2(0.95/0.05) + 0.05·log2(0.05/0.95) = 0.9·log2(19) = 0.9·4.24793 = 3.82313.

    Observed = 0.7·log2(0.7/0.05) + 0.3·log2(0.3/0.95) = 0.7·3.80735 − 0.3·1.66297 = 2.66515 − 0.49889 = 2.16626.
    The gap is 1.65688 bits, below the threshold of 2.
    """
    assert required_bits(0.05) == pytest.approx(3.82313, abs=1e-4)
    assert observed_bits(0.7, 0.05) == pytest.approx(2.16626, abs=1e-4)
    assert gap_bits(0.7, 0.05) == pytest.approx(1.65688, abs=1e-4)


def test_full_support_without_which_nothing_was_known_lacks_next_to_nothing():
    assert gap_bits(0.95, 0.05) == 0.0
    assert gap_bits(0.5, 0.5) == pytest.approx(1 + 0.95 * log2(0.95) + 0.05 * log2(0.05))


def test_probabilities_are_clipped_so_that_no_bit_is_infinite():
    assert bernoulli_kl(1.0, 0.0) == bernoulli_kl(0.999, 0.001)
    assert gap_bits(0.0, 0.0) < 10


@given(chances, chances, st.floats(0.01, 0.99), st.floats(0, 10))
def test_a_gap_lies_between_nothing_and_the_cap(p1, p0, target, cap):
    assert 0.0 <= gap_bits(p1, p0, target, cap) <= cap


@given(chances, chances)
def test_divergence_is_never_negative_and_zero_for_equals(p, q):
    assert bernoulli_kl(p, q) >= 0
    assert bernoulli_kl(p, p) == 0
