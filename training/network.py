"""The verifier of the second generation: evidence is read once, every claim looks at all of it in every layer.

One sequence holds the passages and the claims of a block. Positions begin anew in each passage and each claim; a mask
lets a passage's tokens see their own passage only and a claim's tokens see themselves and the evidence. So the states
of the evidence do not depend on the claims, and a run time may keep them.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from training.batches import Batch
from training.model import MARKS, Layer, Verifier, load_start
from training.shape import Shape

POINTER_WIDTH = 128
FAR = 15  # MPNet's bucket of the farthest words before a token: what evidence is to a claim


class SharedReader(nn.Module):
    """Logits of each claim, a score for each sentence it may see, a score for each of its tokens."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.positions, shape.width)
        self.role = nn.Parameter(torch.zeros(2, shape.width))  # evidence, claim
        self.shared = nn.Parameter(torch.zeros(MARKS, shape.width))
        self.norm = nn.LayerNorm(shape.width, eps=shape.epsilon)
        self.bias = nn.Embedding(shape.relative_buckets, shape.heads) if shape.relative_buckets else None
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.ask = nn.Linear(2 * shape.width, POINTER_WIDTH)
        self.offer = nn.Linear(shape.width, POINTER_WIDTH)
        self.hidden = nn.Linear(3 * shape.width, shape.width)
        self.out = nn.Linear(shape.width, 3)
        self.wording = nn.Linear(shape.width, 1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        x = self.read(batch)
        flat = x.reshape(-1, self.shape.width)
        claim = flat[batch.claim_tokens]  # tokens of all claims, end to end
        mean = pooled(claim, batch.claim_of, len(batch.claim_first))
        said = torch.cat([flat[batch.claim_first], mean], -1)
        sentences = pooled(flat[batch.sentence_tokens], batch.sentence_of, batch.sentences)
        scores = (self.ask(said) @ self.offer(sentences).T).float() * POINTER_WIDTH**-0.5
        scores = scores.masked_fill(~batch.visible, -1e4)
        pointed = scores.softmax(-1).to(sentences.dtype) @ sentences
        bent = self.dropout(F.gelu(self.hidden(torch.cat([said, pointed], -1))))
        return self.out(bent).float(), scores, self.wording(claim)[:, 0].float()

    def read(self, batch: Batch) -> Tensor:
        offset = 2 if self.shape.kind == "mpnet" else 0
        x = self.words(batch.ids) + self.places(batch.places + offset)
        x = x + F.embedding(batch.is_claim.long(), self.role) + F.embedding(batch.marks, self.shared)
        x = self.dropout(self.norm(x))
        mask = self.mask(batch)
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def mask(self, batch: Batch) -> Tensor:
        """Added to attention scores: MPNet's bias inside a text, its farthest bias towards evidence, and walls."""
        kind = self.words.weight.dtype
        walls = torch.zeros(batch.sees.shape, dtype=kind).masked_fill(~batch.sees, -1e4)[:, None]
        if self.bias is None:
            return walls
        with torch.no_grad():
            table = self.bias.weight.detach()
            near = bucket_bias(table, batch.ids.shape[1], self.shape.relative_buckets)
            far = table[FAR][None, :, None, None]
            same = (batch.segment[:, :, None] == batch.segment[:, None, :])[:, None]
            return walls + torch.where(same, near, far)


def pooled(tokens: Tensor, owner: Tensor, count: int) -> Tensor:
    """The mean of the tokens of each owner."""
    sums = torch.zeros(count, tokens.shape[-1], dtype=torch.float32).index_add(0, owner, tokens.float())
    sizes = torch.zeros(count).index_add(0, owner, torch.ones(len(owner)))
    return (sums / sizes.clamp(min=1)[:, None]).to(tokens.dtype)


def bucket_bias(table: Tensor, length: int, buckets: int) -> Tensor:
    from training.model import relative_bias

    return relative_bias(table, length, buckets)


def from_start(folder: Path, dropout: float = 0.0) -> SharedReader:
    """The published weights with new heads."""
    return from_verifier(load_start(folder, dropout), dropout)


def from_verifier(old: Verifier, dropout: float = 0.0) -> SharedReader:
    """A first-generation network as the beginning of a second-generation one."""
    new = SharedReader(old.shape, dropout)
    width = old.shape.width
    own = old.state_dict()
    state = {name: value for name, value in own.items() if name in new.state_dict() and not name.startswith("hidden")}
    if "segments.weight" in own:
        state["role"] = own["segments.weight"]
    new.load_state_dict(state, strict=False)
    with torch.no_grad():
        new.hidden.weight[:, : 2 * width] = own["hidden.weight"]
        new.hidden.weight[:, 2 * width :] = 0
        new.hidden.bias.copy_(own["hidden.bias"])
    return new
