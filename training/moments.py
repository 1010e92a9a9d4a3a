"""What the big matrices are given: the moments that guide their rounding to few bits."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import torch

from training.encode import Batch

READER = re.compile(r"layers\.\d+\.(?:q|o|up|down)")  # the key and the value read what the query reads


def input_moments(model: torch.nn.Module, batches: Iterable[Batch]) -> dict[str, np.ndarray]:
    """The mean of x xᵀ over some batches, under the name of the first matrix that reads x."""
    sums: dict[str, torch.Tensor] = {}
    counts: dict[str, int] = {}
    present: list[torch.Tensor] = []

    def watch(name: str):
        def hook(module, given) -> None:
            x = given[0].detach().float()
            x = x[present[0][:, : x.shape[1]]]  # a lean last layer is given the first token alone
            sums[name] = sums.get(name, 0) + x.T @ x
            counts[name] = counts.get(name, 0) + len(x)

        return hook

    parts = [(name, part) for name, part in model.named_modules() if READER.fullmatch(name)]
    handles = [part.register_forward_pre_hook(watch(name)) for name, part in parts]
    with torch.inference_mode():
        for batch in batches:
            present[:] = [torch.from_numpy(batch.present)]
            model(torch.from_numpy(batch.ids), present[0], torch.from_numpy(batch.segments))
    for handle in handles:
        handle.remove()
    return {name: (total / counts[name]).numpy() for name, total in sums.items()}
