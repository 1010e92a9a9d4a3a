"""What a network is blamed for: its distance from labels, and from a teacher where there is one."""

from __future__ import annotations

import torch
from torch import Tensor

from training.config import Lesson


def losses_of(logits: Tensor, labels: Tensor, smoothing: float) -> Tensor:
    """Each row's cross-entropy with smoothing.

    Code 3 says only "not supported": there the loss is that of supported against the rest. Code 4 is undecided between
    supported and insufficient: half of each is wanted.
    """
    log_p = logits.log_softmax(-1)
    log_not = log_p[:, 1:].logsumexp(-1)
    known = labels < 3
    safe = labels.clamp(max=2).long()
    named = -(1 - smoothing) * log_p.gather(1, safe[:, None])[:, 0] - smoothing * log_p.mean(-1)
    either = -(1 - smoothing) * log_not - smoothing * (log_p[:, 0] + log_not) / 2
    halves = -(1 - smoothing) * (log_p[:, 0] + log_p[:, 2]) / 2 - smoothing * log_p.mean(-1)
    return torch.where(known, named, torch.where(labels == 3, either, halves))


def taught_losses(logits: Tensor, labels: Tensor, teacher: Tensor, lesson: Lesson, smoothing: float) -> Tensor:
    """Each row's loss against its label and, where the teacher has spoken, against the teacher's softened scores."""
    own = losses_of(logits, labels, smoothing)
    heard = torch.isfinite(teacher).all(-1)
    target = (torch.nan_to_num(teacher) / lesson.temperature).softmax(-1)
    said = (logits / lesson.temperature).log_softmax(-1)
    apart = torch.nn.functional.kl_div(said, target, reduction="none").sum(-1)
    blended = (1 - lesson.share) * own + lesson.share * lesson.temperature**2 * apart
    return torch.where(heard, blended, own)
