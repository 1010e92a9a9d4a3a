"""What a network is blamed for: its distance from the labels."""

from __future__ import annotations

import torch
from torch import Tensor


def losses_of(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Each row's cross-entropy with smoothing.

    Code 3 says only "not supported": there the loss is that of supported against the rest.
    """
    log_p = logits.log_softmax(-1)
    log_not = log_p[:, 1:].logsumexp(-1)
    safe = labels.clamp(max=2).long()
    named = -(1 - smoothing) * log_p.gather(1, safe[:, None])[:, 0] - smoothing * log_p.mean(-1)
    either = -(1 - smoothing) * log_not - smoothing * (log_p[:, 0] + log_not) / 2
    return torch.where(labels < 3, named, either)
