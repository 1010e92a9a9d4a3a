"""The verifier's network: evidence is read once, every claim looks at all of it in every layer.

One sequence holds the passages and the claims of a block. Positions begin anew in each passage and each claim; a mask
lets a passage's tokens see their own passage only and a claim's tokens see themselves and the evidence. So the states
of the evidence do not depend on the claims, and a run time may keep them.
"""

from __future__ import annotations

import math
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from training.batches import Batch
from training.shape import FAR, FARTHEST, MARKS, POINTER_WIDTH, SHARPNESS, Shape

REST = {"up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
PARTS = {  # of a layer: ours, and as the published weights name them
    "mpnet": {**{part: f"attention.attn.{part}" for part in "qkvo"}, "norm1": "attention.LayerNorm", **REST},
    "bert": {
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "o": "attention.output.dense",
        "norm1": "attention.output.LayerNorm",
        **REST,
    },
}


class Layer(nn.Module):
    """The weights of a layer: self-attention and a feed-forward part, each followed by a layer norm."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
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

    def finish(self, x: Tensor, mixed: Tensor) -> Tensor:
        """What follows attention."""
        x = self.norm1(x + self.dropout(self.o(mixed)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class ReaderLayer(Layer):
    """A layer in which passages look at themselves and claims at the evidence and themselves."""

    def forward(self, x: Tensor, batch: Batch, masks: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        count, width, heads, evidence = x.shape[0], x.shape[-1], self.heads, batch.evidence
        inside, across, among = masks
        q, k, v = self.q(x) * (width // heads) ** -0.5, self.k(x), self.v(x)

        def split(y: Tensor) -> Tensor:
            return y.reshape(y.shape[0], -1, heads, width // heads).transpose(1, 2)

        def gathered(rows: Tensor) -> list[Tensor]:
            index = rows.clamp(min=0).reshape(-1)
            return [split(y.reshape(-1, width)[index].view(len(rows), -1, width)) for y in (q, k, v)]

        # Written out: on a CPU the fused attention's backward pass costs more than all products together.
        own = gathered(batch.passages)
        seen = ((own[0] @ own[1].transpose(-1, -2) + inside).softmax(-1) @ own[2]).transpose(1, 2)
        # A claim's tokens look at the evidence of the sequence and at their own claim, in one softmax; scores against
        # the other claims are never computed.
        own = gathered(batch.claims)
        real, slots, longest = batch.claims >= 0, batch.claim_slots, batch.claims.shape[1]
        near = (own[0] @ own[1].transpose(-1, -2) + among).transpose(1, 2)[real]  # [token, head, token of its claim]
        room = x.shape[1] - evidence
        blank = near.new_full((count * room, heads, longest), -1e4)
        near = blank.index_copy(0, slots, near).view(count, room, heads, longest).transpose(1, 2)
        far = split(q[:, evidence:]) @ split(k[:, :evidence]).transpose(-1, -2) + across
        shares = torch.cat([far, near], -1).softmax(-1)
        said = (shares[..., :evidence] @ split(v[:, :evidence])).transpose(1, 2).reshape(-1, width)
        kept = shares[..., evidence:].transpose(1, 2).reshape(count * room, heads, longest)[slots]
        kept = near.new_zeros(len(real), longest, heads, longest).index_put((real,), kept).transpose(1, 2)
        heard = (kept @ own[2]).transpose(1, 2).reshape(len(real), longest, width)[real]
        said = said.index_add(0, slots, heard).view(count, room, width)
        mixed = torch.cat([x.new_zeros(count, evidence, width), said], 1).reshape(-1, width)
        rows = batch.passages
        mixed = mixed.index_copy(0, rows[rows >= 0], seen.reshape(len(rows), -1, width)[rows >= 0]).view(x.shape)
        return self.finish(x, mixed)


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
    def masks(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Added to attention scores inside passages, from claims to evidence, inside claims: MPNet's bias, walls."""
        kind = self.words.weight.dtype

        def walls(allowed: Tensor) -> Tensor:
            return torch.zeros(allowed.shape, dtype=kind).masked_fill(~allowed, -1e4)

        inside = walls(batch.passages >= 0)[:, None, None]
        across = walls(batch.sees)[:, None]
        among = walls(batch.claims >= 0)[:, None, None]
        if self.bias is None:
            return inside, across, among
        table, buckets = self.bias.weight.detach(), self.shape.relative_buckets
        size, longest = batch.passages.shape[1], batch.claims.shape[1]
        near = relative_bias(table, max(size, longest), buckets)
        # Claims see evidence as MPNet sees what lies far before; of each other they see nothing.
        far = table[FAR][None, :, None, None]
        return inside + near[:, :, :size, :size], across + far, among + near[:, :, :longest, :longest]


def pooled(tokens: Tensor, owner: Tensor, count: int) -> Tensor:
    """The mean of the tokens of each owner."""
    sums = torch.zeros(count, tokens.shape[-1], dtype=torch.float32).index_add(0, owner, tokens.float())
    sizes = torch.zeros(count).index_add(0, owner, torch.ones(len(owner)))
    return (sums / sizes.clamp(min=1)[:, None]).to(tokens.dtype)


def relative_bias(weight: Tensor, length: int, buckets: int) -> Tensor:
    """MPNet's bias per (query, key) distance, shared by all layers."""
    place = torch.arange(length)
    distance = place[:, None] - place[None, :]
    half = buckets // 2
    bucket = (distance < 0).long() * half
    distance = distance.abs()
    exact = half // 2
    spread = torch.log(distance.clamp(min=1).float() / exact) / math.log(FARTHEST / exact) * (half - exact)
    far = (exact + spread.long()).clamp(max=half - 1)
    bucket = bucket + torch.where(distance < exact, distance, far)
    return F.embedding(bucket, weight).permute(2, 0, 1)[None]


def published_names(shape: Shape) -> dict[str, str]:
    """What the published weights call each of ours; `segments.weight` is BERT's alone."""
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "places.weight": "embeddings.position_embeddings.weight",
        "norm.weight": "embeddings.LayerNorm.weight",
        "norm.bias": "embeddings.LayerNorm.bias",
    }
    if shape.kind == "bert":
        names["segments.weight"] = "embeddings.token_type_embeddings.weight"
    else:
        names["bias.weight"] = "encoder.relative_attention_bias.weight"
    for number in range(shape.layers):
        for ours, theirs in PARTS[shape.kind].items():
            for kind in ("weight", "bias"):
                names[f"layers.{number}.{ours}.{kind}"] = f"encoder.layer.{number}.{theirs}.{kind}"
    return names


def start_weights(folder: Path) -> dict[str, Tensor]:
    """The published weights under our names."""
    raw = {
        name.removeprefix("mpnet.").removeprefix("bert."): tensor
        for name, tensor in load_file(folder / "model.safetensors").items()
    }
    names = published_names(Shape.read(folder))
    missing = sorted(set(names.values()) - set(raw))
    if missing:
        raise SystemExit(f"{folder}: model.safetensors lacks {missing[0]}; fetch the start again")
    return {ours: raw[theirs] for ours, theirs in names.items()}


def from_start(folder: Path, dropout: float = 0.0) -> SharedReader:
    """The published weights with new heads."""
    model, state = SharedReader(Shape.read(folder), dropout), start_weights(folder)
    if "segments.weight" in state:
        state["role"] = state.pop("segments.weight")
    model.load_state_dict(state, strict=False)
    with torch.no_grad():
        # One projection for both sides at first: tokens that mean the same are alike from the beginning.
        nn.init.orthogonal_(model.ask.weight)
        model.offer.weight.copy_(model.ask.weight)
        nn.init.zeros_(model.ask.bias)
        nn.init.zeros_(model.offer.bias)
        model.hidden.weight[:, 2 * model.shape.width :] = 0  # what is pointed to counts nothing at first
    return model
