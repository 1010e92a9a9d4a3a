"""How much the evidence says, and how much it would have to say, in bits.

A claim is taken to say "I am 95 % sure". Without its evidence it would be believed with probability p0, with the
evidence with p1. To get from p0 to 95 % takes `required` bits, the evidence supplies `observed`; what is missing is the
gap.

>>> round(required_bits(0.05), 2), round(observed_bits(0.7, 0.05), 2), round(gap_bits(0.7, 0.05), 2)
(3.82, 2.17, 1.66)
"""

from __future__ import annotations

from math import log2

LEAST, MOST = 0.001, 0.999
TARGET_CONFIDENCE = 0.95  # how sure a claim is taken to claim to be
GAP_CAP_BITS = 10.0  # the gap of a phantom citation, and the largest reported


def clip(probability: float) -> float:
    """A probability away from 0 and 1, where a single reading would be worth infinitely many bits."""
    return min(max(probability, LEAST), MOST)


def bernoulli_kl(p: float, q: float) -> float:
    """The Kullback–Leibler divergence of two coins, in bits.

    >>> bernoulli_kl(0.5, 0.5)
    0.0
    """
    p, q = clip(p), clip(q)
    return max(0.0, p * log2(p / q) + (1 - p) * log2((1 - p) / (1 - q)))


def required_bits(p0: float, target: float = TARGET_CONFIDENCE) -> float:
    """What it takes to bring a belief of p0 to the target."""
    return bernoulli_kl(target, p0)


def observed_bits(p1: float, p0: float) -> float:
    """What the evidence supplies: it moved the belief from p0 to p1."""
    return bernoulli_kl(p1, p0)


def gap_bits(p1: float, p0: float, target: float = TARGET_CONFIDENCE, cap: float = GAP_CAP_BITS) -> float:
    """What is missing, never below 0 and never above the cap; a phantom citation is the cap itself."""
    return min(cap, max(0.0, required_bits(p0, target) - observed_bits(p1, p0)))
