"""The verifier network: a post-norm transformer (BERT or MPNet shaped) with a three-way head."""

from __future__ import annotations

import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from training.shape import Shape

MARKS = 4  # of a token: the other text lacks it, has it, has it with one of its neighbours, with both


class Layer(nn.Module):
    """Self-attention and a feed-forward part, each followed by a layer norm."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.q = nn.Linear(shape.width, shape.width)
        self.k = nn.Linear(shape.width, shape.width)
        self.v = nn.Linear(shape.width, shape.width)
        self.o = nn.Linear(shape.width, shape.width)
        self.norm1 = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)
        self.norm2 = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor, asking: int | None = None) -> Tensor:
        """Every token, or the first few (`asking`), after they have looked at all."""
        batch, _, width = x.shape
        asked = x[:, :asking]

        def split(y: Tensor) -> Tensor:
            return y.view(batch, -1, self.heads, width // self.heads).transpose(1, 2)

        # Written out: on a CPU in bfloat16 the fused attention's backward pass costs more than all products together.
        scale = (width // self.heads) ** -0.5  # on the queries: far fewer numbers than on the scores
        q, k, v = split(self.q(asked) * scale), split(self.k(x)), split(self.v(x))
        scores = q @ k.transpose(-1, -2) + mask[:, :, :asking]
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, -1, width)
        x = self.norm1(asked + self.dropout(self.o(mixed)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class Verifier(nn.Module):
    """Reads token ids of (evidence, claim) and returns logits for SUPPORTED, REFUTED, INSUFFICIENT.

    In a lean network the last layer works for the first token alone, and the mean is that of the layer before.
    """

    def __init__(self, shape: Shape, dropout: float = 0.1, lean: bool = False) -> None:
        super().__init__()
        self.shape, self.lean = shape, lean
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.segments = nn.Embedding(2, shape.width) if shape.kind == "bert" else None
        # Nothing at first: a start knows no marks, so a network that has just got them reads as it did without.
        self.shared = nn.Parameter(torch.zeros(MARKS, shape.width))
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.bias = nn.Embedding(shape.relative_buckets, shape.heads) if shape.relative_buckets else None
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.hidden = nn.Linear(2 * shape.width, shape.width)
        self.out = nn.Linear(shape.width, 3)
        self.dropout = nn.Dropout(dropout)

    def embed(self, ids: Tensor, segments: Tensor) -> Tensor:
        offset = 2 if self.shape.kind == "mpnet" else 0  # MPNet reserves two position rows for padding
        places = torch.arange(ids.shape[1], device=ids.device) + offset
        x = self.words(ids) + self.places(places)
        if self.segments is not None:
            x = x + self.segments(segments)
        x = x + F.embedding(shared_marks(ids, segments), self.shared)
        return self.dropout(self.norm(x))

    def attention_mask(self, ids: Tensor, present: Tensor) -> Tensor:
        kind = self.words.weight.dtype
        mask = torch.zeros(present.shape, dtype=kind).masked_fill(~present, -1e4)[:, None, None, :]
        if self.bias is None:
            return mask
        return mask + relative_bias(self.bias.weight, ids.shape[1], self.shape.relative_buckets)

    def forward(self, ids: Tensor, present: Tensor, segments: Tensor, *, first_layer: int = 0) -> Tensor:
        """Logits; layers below `first_layer` (and the embeddings) run without gradient."""
        with torch.set_grad_enabled(torch.is_grad_enabled() and first_layer == 0):
            x = self.embed(ids, segments)
        mask = self.attention_mask(ids, present)
        if first_layer:
            mask = mask.detach()
        for number, layer in enumerate(self.layers[:-1] if self.lean else self.layers):
            if number < first_layer:
                with torch.no_grad():
                    x = layer(x, mask)
            else:
                x = layer(x, mask)
        first = self.layers[-1](x, mask, asking=1) if self.lean else x
        return self.head(first[:, 0], x, present)

    def head(self, first: Tensor, x: Tensor, present: Tensor) -> Tensor:
        """First token and mean of all tokens together: the start was trained to put meaning in the mean."""
        weight = present.to(x.dtype)[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1)
        joined = torch.cat([first, mean], dim=-1)
        return self.out(self.dropout(F.gelu(self.hidden(joined)))).float()


def shared_marks(ids: Tensor, segments: Tensor) -> Tensor:
    """For each token 0, or 1 where the other text has it too, and 1 more for each neighbour it has there as well.

    Whether a name or a number of the claim stands in the evidence, and between the same words, is what six narrow
    layers find hardest to see by themselves.
    """
    same = ((ids[:, :, None] == ids[:, None, :]) & (segments[:, :, None] != segments[:, None, :])).float()
    before, after = F.pad(same, (1, 0, 1, 0))[:, :-1, :-1], F.pad(same, (0, 1, 0, 1))[:, 1:, 1:]
    return (same * (1 + before + after)).amax(-1).long()


def relative_bias(weight: Tensor, length: int, buckets: int, farthest: int = 128) -> Tensor:
    """MPNet's bias per (query, key) distance, shared by all layers."""
    place = torch.arange(length)
    distance = place[:, None] - place[None, :]
    half = buckets // 2
    bucket = (distance < 0).long() * half
    distance = distance.abs()
    exact = half // 2
    spread = torch.log(distance.clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)
    far = (exact + spread.long()).clamp(max=half - 1)
    bucket = bucket + torch.where(distance < exact, distance, far)
    return F.embedding(bucket, weight).permute(2, 0, 1)[None]


def load_start(folder: Path, dropout: float = 0.1, lean: bool = False) -> Verifier:
    """A verifier whose body carries published weights and whose head is new."""
    shape = Shape.read(folder)
    model = Verifier(shape, dropout, lean)
    raw = {
        name.removeprefix("mpnet.").removeprefix("bert."): t
        for name, t in load_file(folder / "model.safetensors").items()
    }
    attention = (
        {
            "q": "attention.attn.q",
            "k": "attention.attn.k",
            "v": "attention.attn.v",
            "o": "attention.attn.o",
            "norm1": "attention.LayerNorm",
        }
        if shape.kind == "mpnet"
        else {
            "q": "attention.self.query",
            "k": "attention.self.key",
            "v": "attention.self.value",
            "o": "attention.output.dense",
            "norm1": "attention.output.LayerNorm",
        }
    )
    parts = {**attention, "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
    state: dict[str, Tensor] = {
        "words.weight": raw["embeddings.word_embeddings.weight"],
        "places.weight": raw["embeddings.position_embeddings.weight"],
        "norm.weight": raw["embeddings.LayerNorm.weight"],
        "norm.bias": raw["embeddings.LayerNorm.bias"],
    }
    if shape.kind == "bert":
        state["segments.weight"] = raw["embeddings.token_type_embeddings.weight"]
    else:
        state["bias.weight"] = raw["encoder.relative_attention_bias.weight"]
    for number in range(shape.layers):
        for ours, theirs in parts.items():
            for kind in ("weight", "bias"):
                state[f"layers.{number}.{ours}.{kind}"] = raw[f"encoder.layer.{number}.{theirs}.{kind}"]
    missing, unexpected = model.load_state_dict(state, strict=False)
    new = {"hidden.weight", "hidden.bias", "out.weight", "out.bias", "shared"}
    if not set(missing) <= new or unexpected:
        raise SystemExit(f"{folder}: weights do not fit the network (missing {missing}, unexpected {unexpected})")
    return model
