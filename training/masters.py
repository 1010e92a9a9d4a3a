"""Full-precision copies of the trained weights beside half-precision networks, with their optimiser."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import torch
from torch import nn

FROZEN = ("words.", "places.", "bias.", "norm.")
# What no start has: it learns faster.
NEW = ("hidden.", "out.", "shared", "role", "ask.", "offer.", "sharpness", "wording.")


class Masters:
    """The weights that count: gradients of all replicas come in, rounded weights go out."""

    def __init__(self, replicas: Sequence[nn.Module], recipe: SimpleNamespace) -> None:
        still = tuple(f"layers.{number}." for number in range(recipe.still_layers))
        if still:  # what is added to the words lies below them
            still += ("role", "shared")
        self.names = [name for name, _ in replicas[0].named_parameters() if not name.startswith((*FROZEN, *still))]
        owned = [dict(replica.named_parameters()) for replica in replicas]
        for own in owned:
            for name, parameter in own.items():
                parameter.requires_grad_(name in self.names)
        self.still = {name: own for name, own in owned[0].items() if still and name.startswith(still)}
        self.working = [[own[name] for own in owned] for name in self.names]
        self.full = [copies[0].detach().float().clone() for copies in self.working]
        groups = []
        for is_new in (False, True):
            for is_flat in (False, True):
                chosen = [
                    weight
                    for name, weight in zip(self.names, self.full, strict=True)
                    if name.startswith(NEW) == is_new and (weight.dim() < 2) == is_flat
                ]
                rate = recipe.head_rate if is_new else recipe.body_rate
                groups.append({"params": chosen, "lr": rate, "weight_decay": 0.0 if is_flat else recipe.weight_decay})
        self.peaks = [group["lr"] for group in groups]
        self.optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-6, fused=True)

    def step(self, factor: float, clip: float) -> None:
        """One update at this factor of the peak rates."""
        taken = []
        for full, copies in zip(self.full, self.working, strict=True):
            grads = [copy.grad for copy in copies if copy.grad is not None]
            if grads:
                full.grad = grads[0].float()
                for grad in grads[1:]:
                    full.grad.add_(grad)
                taken.append((full, copies))
        torch.nn.utils.clip_grad_norm_([full for full, _ in taken], clip)
        for group, peak in zip(self.optimiser.param_groups, self.peaks, strict=True):
            group["lr"] = peak * factor
        self.optimiser.step()
        with torch.no_grad():
            for full, copies in taken:
                full.grad = None
                for copy in copies:
                    copy.copy_(full)
                    copy.grad = None

    def state(self) -> dict:
        trained = dict(zip(self.names, self.full, strict=True))
        still = {name: own.detach().float() for name, own in self.still.items()}
        return {"weights": trained | still, "optimiser": self.optimiser.state_dict()}

    def restore(self, state: dict) -> None:
        with torch.no_grad():
            for name, full, copies in zip(self.names, self.full, self.working, strict=True):
                full.copy_(state["weights"][name])
                for copy in copies:
                    copy.copy_(full)
        if "optimiser" in state:  # a run begun from shipped weights has none
            self.optimiser.load_state_dict(state["optimiser"])
