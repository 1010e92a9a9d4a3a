"""Calibration: a temperature for every pair, read off what the network has made of it, fitted on dev rows.

One temperature for all is right on the whole and wrong by kind: too low on medical claims, too high on answers to
questions. What the head reads (the first token and the mean) tells the kinds apart, so a line through it gives
the temperature. Verdicts stay as they are: all three logits are divided by the same number.

The run time also reads a temperature and a rising map per verdict from calibration.json, which `assay calibrate` fits
to a user's own labels. For the shipped weights they are idle: such maps, fitted on all dev sets but one, cost one to
two points of accuracy on the set left out and did not lower its error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from assay.bench.metrics import calibration_error
from training.config import Fit
from training.evaluate import Scored, answers, softmax
from training.losses import losses_of
from training.rows import LABELS, SUPPORTED

COLDEST, HOTTEST = -2.0, 3.0  # of the logarithm: a pair unlike any seen gets no absurd temperature
NO_ANSWER = -1e4  # a logit that leaves its verdict out
NOT_SUPPORTED_CODE = 3  # of `losses_of`


@dataclass(frozen=True)
class Doubt:
    """A line through what the head reads: the logarithm of a pair's temperature."""

    weight: np.ndarray
    bias: float

    def apply(self, scored: Scored) -> np.ndarray:
        """Calibrated probabilities of a set's rows."""
        heat = np.clip(scored.pooled @ self.weight + self.bias, COLDEST, HOTTEST)
        return softmax(scored.logits / np.exp(heat)[:, None])


def fit(sets: Sequence[Scored], how: Fit) -> Doubt:
    """The line at which rows are likeliest and each set, on the whole, is right as often as it is sure.

    The second part is what a likelihood alone neglects: of a set on which the network is no better than chance it
    learns less than of ten on which it is good.
    """
    pooled = np.concatenate([one.pooled for one in sets]).astype(np.float32)
    centre, spread = pooled.mean(0), pooled.std(0) + 1e-6
    features = torch.from_numpy((pooled - centre) / spread)
    logits = torch.cat([_asked(one) for one in sets])
    labels = torch.cat([_codes(one) for one in sets])
    balanced = torch.cat([torch.full((len(one.labels),), one.measure == "balanced") for one in sets])
    sizes = torch.tensor([len(one.labels) for one in sets])
    group = torch.repeat_interleave(torch.arange(len(sets)), sizes)
    right = torch.tensor([answers(one.measure, softmax(one.logits), one.labels)[0].mean() for one in sets]).float()

    weight, bias = torch.zeros(features.shape[1], requires_grad=True), torch.zeros((), requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=how.steps, line_search_fn="strong_wolfe")

    def blame() -> torch.Tensor:
        optimiser.zero_grad()
        heat = (features @ weight + bias).clamp(COLDEST, HOTTEST)
        cooled = logits / heat.exp()[:, None]
        sure = torch.zeros(len(sets)).index_add(0, group, _sureness(cooled, balanced)) / sizes
        gap = ((sure - right) ** 2).mean()
        loss = losses_of(cooled, labels, 0.0).mean() + how.gap * gap + how.ridge * (weight**2).sum()
        loss.backward()
        return loss

    optimiser.step(blame)
    line = weight.detach().numpy() / spread
    return Doubt(line, bias.item() - float(centre @ line))


def one_temperature(sets: Sequence[Scored]) -> Doubt:
    """The best that one temperature for all pairs can do, to compare with."""
    flat = np.zeros(sets[0].pooled.shape[1], np.float32)
    tried = [Doubt(flat, float(np.log(heat))) for heat in np.arange(0.5, 4.01, 0.05)]
    return min(tried, key=lambda doubt: error_over(sets, [doubt] * len(sets)))


def error_over(sets: Sequence[Scored], doubts: Sequence[Doubt]) -> float:
    """The expected calibration error over the rows of all sets, each with its own line."""
    found = [answers(one.measure, own.apply(one), one.labels) for one, own in zip(sets, doubts, strict=True)]
    return calibration_error(*(np.concatenate(part) for part in zip(*found, strict=True)))


def _asked(scored: Scored) -> torch.Tensor:
    """Logits of the verdicts that a set asks for."""
    logits = torch.from_numpy(scored.logits.astype(np.float32))
    if scored.measure == "two":
        logits[:, 2] = NO_ANSWER
    return logits


def _codes(scored: Scored) -> torch.Tensor:
    if scored.measure == "balanced":
        return torch.tensor([0 if label == SUPPORTED else NOT_SUPPORTED_CODE for label in scored.labels])
    return torch.tensor([LABELS.index(label) for label in scored.labels])


def _sureness(logits: torch.Tensor, balanced: torch.Tensor) -> torch.Tensor:
    """How sure each row's answer is, as `answers` has it."""
    chances = logits.softmax(-1)
    supported, most = chances[:, 0], chances.max(-1).values
    return torch.where(balanced, torch.where(supported == most, supported, 1 - supported), most)
