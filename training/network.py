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
from training.model import MARKS, Layer, Verifier, load_start, relative_bias
from training.shape import FAR, POINTER_WIDTH, SHARPNESS, Shape


class ReaderLayer(Layer):
    """A layer in which passages look at themselves and claims at the evidence and themselves."""

    def forward(self, x: Tensor, batch: Batch, masks: tuple[Tensor, Tensor]) -> Tensor:
        rows, width = batch.passages, x.shape[-1]
        count, _, heads, evidence = x.shape[0], x.shape[1], self.heads, batch.evidence
        inside, across = masks
        q, k, v = self.q(x) * (width // heads) ** -0.5, self.k(x), self.v(x)

        def split(y: Tensor) -> Tensor:
            return y.reshape(y.shape[0], -1, heads, width // heads).transpose(1, 2)

        # Written out: on a CPU in bfloat16 the fused attention's backward pass costs more than all products together.
        real = rows >= 0
        index = rows.clamp(min=0).reshape(-1)
        own = [split(y.reshape(-1, width)[index].view(len(rows), -1, width)) for y in (q, k, v)]
        seen = ((own[0] @ own[1].transpose(-1, -2) + inside).softmax(-1) @ own[2]).transpose(1, 2)
        keys, values = split(k), split(v)
        said = (split(q[:, evidence:]) @ keys.transpose(-1, -2) + across).softmax(-1) @ values
        said = said.transpose(1, 2).reshape(count, -1, width)
        mixed = torch.cat([torch.zeros(count, evidence, width, dtype=x.dtype), said], 1).reshape(-1, width)
        mixed = mixed.index_copy(0, rows[real], seen.reshape(len(rows), -1, width)[real]).view(x.shape)
        x = self.norm1(x + self.dropout(self.o(mixed)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


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
        self.layers = nn.ModuleList(ReaderLayer(shape, dropout) for _ in range(shape.layers))
        self.ask = nn.Linear(shape.width, POINTER_WIDTH)
        self.offer = nn.Linear(shape.width, POINTER_WIDTH)
        self.sharpness = nn.Parameter(torch.tensor([SHARPNESS]))
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
        scores = self.point(claim, flat[batch.sentence_tokens], batch).masked_fill(~batch.visible, -1e4)
        pointed = scores.softmax(-1).to(sentences.dtype) @ sentences
        bent = self.dropout(F.gelu(self.hidden(torch.cat([said, pointed], -1))))
        return self.out(bent).float(), scores, self.wording(claim)[:, 0].float()

    def point(self, claim: Tensor, evidence: Tensor, batch: Batch) -> Tensor:
        """For each claim and sentence how well, on average, the claim's tokens find a match in the sentence."""
        asked = F.normalize(self.ask(claim).float(), dim=-1)
        offered = F.normalize(self.offer(evidence).float(), dim=-1)
        alike = asked @ offered.T
        best = torch.full((len(asked), batch.sentences), -1.0)
        best = best.scatter_reduce(1, batch.sentence_of.expand(len(asked), -1), alike, "amax")
        sizes = torch.bincount(batch.claim_of, minlength=len(batch.claim_first)).float()[:, None]
        sums = torch.zeros(len(batch.claim_first), batch.sentences).index_add(0, batch.claim_of, best)
        return sums / sizes * self.sharpness.float()

    def read(self, batch: Batch) -> Tensor:
        offset = 2 if self.shape.kind == "mpnet" else 0
        x = self.words(batch.ids) + self.places(batch.places + offset)
        x = x + F.embedding(batch.is_claim.long(), self.role) + F.embedding(batch.marks, self.shared)
        x = self.dropout(self.norm(x))
        masks = self.masks(batch)
        for layer in self.layers:
            x = layer(x, batch, masks)
        return x

    @torch.no_grad()
    def masks(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """Added to attention scores inside passages, and of claims: MPNet's bias, and walls."""
        kind = self.words.weight.dtype
        inside = torch.zeros(batch.passages.shape, dtype=kind).masked_fill(batch.passages < 0, -1e4)[:, None, None]
        across = torch.zeros(batch.sees.shape, dtype=kind).masked_fill(~batch.sees, -1e4)[:, None]
        if self.bias is None:
            return inside, across
        table, buckets = self.bias.weight.detach(), self.shape.relative_buckets
        near = relative_bias(table, max(batch.passages.shape[1], batch.sees.shape[1]), buckets)
        size, claims = batch.passages.shape[1], batch.sees.shape[1]
        # Claims see evidence as MPNet sees what lies far before; of each other they see nothing.
        far = table[FAR][None, :, None, None].expand(1, -1, claims, batch.evidence)
        return inside + near[:, :, :size, :size], across + torch.cat([far, near[:, :, :claims, :claims]], -1)


def pooled(tokens: Tensor, owner: Tensor, count: int) -> Tensor:
    """The mean of the tokens of each owner."""
    sums = torch.zeros(count, tokens.shape[-1], dtype=torch.float32).index_add(0, owner, tokens.float())
    sizes = torch.zeros(count).index_add(0, owner, torch.ones(len(owner)))
    return (sums / sizes.clamp(min=1)[:, None]).to(tokens.dtype)


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
        # One projection for both sides at first: tokens that mean the same are alike from the beginning.
        nn.init.orthogonal_(new.ask.weight)
        new.offer.weight.copy_(new.ask.weight)
        nn.init.zeros_(new.ask.bias)
        nn.init.zeros_(new.offer.bias)
        new.hidden.weight[:, : 2 * width] = own["hidden.weight"]
        new.hidden.weight[:, 2 * width :] = 0
        new.hidden.bias.copy_(own["hidden.bias"])
    return new
