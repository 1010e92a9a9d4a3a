"""What a network is blamed for: run where torch is installed, which only training needs."""

import pytest

torch = pytest.importorskip("torch")

from training.config import Lesson  # noqa: E402
from training.losses import losses_of, taught_losses  # noqa: E402

SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED, UNDECIDED = range(5)


def loss(chances, label, smoothing=0.0):
    return float(losses_of(torch.tensor([chances]).log(), torch.tensor([label]), smoothing))


@pytest.mark.parametrize("label", [SUPPORTED, REFUTED, INSUFFICIENT])
def test_a_named_label_wants_its_own_verdict(label):
    sure = [0.05, 0.05, 0.05]
    sure[label] = 0.9
    assert loss(sure, label) < loss([0.4, 0.3, 0.3], label)


def test_not_supported_does_not_ask_which_of_the_other_two():
    assert loss([0.1, 0.8, 0.1], NOT_SUPPORTED) == pytest.approx(loss([0.1, 0.1, 0.8], NOT_SUPPORTED))


def test_who_is_undecided_wants_half_of_each():
    even = loss([0.49, 0.02, 0.49], UNDECIDED)
    assert even < loss([0.9, 0.02, 0.08], UNDECIDED)
    assert even < loss([0.08, 0.02, 0.9], UNDECIDED)
    assert even < loss([0.3, 0.4, 0.3], UNDECIDED)


def test_a_row_without_a_teacher_counts_by_its_label():
    logits, label = torch.tensor([[0.3, 0.1, -0.2]]), torch.tensor([SUPPORTED])
    silent = torch.full((1, 3), float("nan"))
    assert torch.equal(taught_losses(logits, label, silent, Lesson(2.0, 0.6), 0.05), losses_of(logits, label, 0.05))
