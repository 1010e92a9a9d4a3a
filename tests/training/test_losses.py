"""What a network is blamed for: run where torch is installed, which only training needs."""

import pytest

torch = pytest.importorskip("torch")

from training.losses import losses_of  # noqa: E402

SUPPORTED, REFUTED, INSUFFICIENT, NOT_SUPPORTED = range(4)


def loss(chances, label, smoothing=0.0):
    return float(losses_of(torch.tensor([chances]).log(), torch.tensor([label]), smoothing))


@pytest.mark.parametrize("label", [SUPPORTED, REFUTED, INSUFFICIENT])
def test_a_named_label_wants_its_own_verdict(label):
    sure = [0.05, 0.05, 0.05]
    sure[label] = 0.9
    assert loss(sure, label) < loss([0.4, 0.3, 0.3], label)


def test_not_supported_does_not_ask_which_of_the_other_two():
    assert loss([0.1, 0.8, 0.1], NOT_SUPPORTED) == pytest.approx(loss([0.1, 0.1, 0.8], NOT_SUPPORTED))
