"""Activations made even before they are rounded to eight bits.

Eight-bit products take one range for all channels of their input, and a few are far larger than the rest. Each
channel is divided by a factor that its column of weights is multiplied by: the product stays, the range shrinks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from training.encode import Batch

READERS = {"q": ("q", "k", "v"), "o": ("o",), "up": ("up",), "down": ("down",)}  # matrices that read the same input
OWNER = re.compile(r"(layers\.\d+)\.(q|o|up|down)")


@dataclass(frozen=True)
class Inputs:
    """What a matrix has been given: the mean of x xᵀ, and the largest size of each channel."""

    moment: np.ndarray
    peak: np.ndarray


def watch_inputs(model: torch.nn.Module, batches: Iterable[Batch]) -> dict[str, Inputs]:
    """The inputs of every big matrix over some batches, under the name of the first matrix that reads them."""
    sums: dict[str, torch.Tensor] = {}
    peaks: dict[str, torch.Tensor] = {}
    counts: dict[str, int] = {}
    present: list[torch.Tensor] = []

    def watch(name: str):
        def hook(module, given) -> None:
            x = given[0].detach().float()[present[0]]
            sums[name] = sums.get(name, 0) + x.T @ x
            peaks[name] = torch.maximum(peaks.get(name, torch.zeros(x.shape[1])), x.abs().amax(0))
            counts[name] = counts.get(name, 0) + len(x)

        return hook

    handles = [
        part.register_forward_pre_hook(watch(name)) for name, part in model.named_modules() if OWNER.fullmatch(name)
    ]
    with torch.inference_mode():
        for batch in batches:
            present[:] = [torch.from_numpy(batch.present)]
            model(torch.from_numpy(batch.ids), present[0], torch.from_numpy(batch.segments))
    for handle in handles:
        handle.remove()
    return {name: Inputs((sums[name] / counts[name]).numpy(), peaks[name].numpy()) for name in sums}


def smoothed(
    weights: Mapping[str, np.ndarray], inputs: Mapping[str, Inputs], strength: float
) -> tuple[dict[str, np.ndarray], dict[str, Inputs]]:
    """Weights with the factors multiplied in, and `….evener` vectors by which the graph multiplies activations."""
    made, seen = dict(weights), {}
    for owner, given in inputs.items():
        layer, part = OWNER.fullmatch(owner).groups()
        readers = [f"{layer}.{reader}.weight" for reader in READERS[part]]
        column = np.max([np.abs(weights[name]).max(0) for name in readers], axis=0)
        factor = np.maximum(given.peak, 1e-5) ** strength / np.maximum(column, 1e-5) ** (1 - strength)
        factor = np.clip(factor / np.exp(np.log(factor).mean()), 0.02, 50.0).astype(np.float32)
        for name in readers:
            made[name] = weights[name] * factor[None, :]
        made[f"{owner}.evener"] = 1 / factor
        seen[owner] = Inputs(given.moment / np.outer(factor, factor), given.peak / factor)
    return made, seen
