"""Blocks put together into sequences, with what makes them harder, and sequences into rectangles."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from assay.encoder.network import CLAIM_PLACE, shared_marks
from assay.encoder.passages import EncodedPassage, ReadSentence
from training.blocks import CODES, EncodedBlock, EncodedClaim

CROSS_PLACES = 512  # positions a cross-encoder of these starts has
INSUFFICIENT = CODES["INSUFFICIENT"]


@dataclass(frozen=True)
class Placed:
    """A claim of a sequence and which of its blocks' evidence it may see."""

    claim: EncodedClaim
    block: int
    sees: frozenset[int]


@dataclass(frozen=True)
class Arrangement:
    """Evidence of one or more blocks and the claims judged against it."""

    blocks: tuple[EncodedBlock, ...]
    claims: tuple[Placed, ...]

    @property
    def tokens(self) -> int:
        return sum(len(p.ids) for b in self.blocks for p in b.passages) + sum(len(p.claim.ids) for p in self.claims)


@dataclass(frozen=True)
class Batch:
    """Several sequences as a rectangle, and where their claims and sentences lie in it."""

    ids: Tensor
    places: Tensor
    segment: Tensor
    is_claim: Tensor
    marks: Tensor
    evidence: int  # tokens of a row that are kept for evidence; the claims lie behind them
    passages: Tensor  # [passage, token] into the flattened rectangle; -1 behind the end of a passage
    sees: Tensor  # [sequence, claim token, evidence token]
    claims: Tensor  # [claim, token] into the flattened rectangle; -1 behind the end of a claim
    claim_slots: Tensor  # of each claim token, end to end: its place among the claim tokens of all sequences
    claim_first: Tensor  # into the flattened rectangle
    claim_tokens: Tensor
    claim_of: Tensor
    sentence_tokens: Tensor
    sentence_of: Tensor
    sentences: int
    visible: Tensor  # [claim, sentence]
    deciding: Tensor  # [claim, sentence], 1 where marked
    pointed: Tensor  # [claim]: whether the deciding sentences are known and present
    labels: Tensor
    wrong: Tensor  # a token: 0, 1, or -1 where not known
    taught: Tensor | None = None


def without_sentences(passage: EncodedPassage, gone: frozenset[int]) -> EncodedPassage:
    """The passage less some of its sentences (by number within it)."""
    ids = list(passage.ids[: 1 + passage.title])
    kept: list[ReadSentence] = []
    for number, sentence in enumerate(passage.sentences):
        if number in gone:
            continue
        start = len(ids)
        ids += passage.ids[sentence.start : sentence.end]
        kept.append(replace(sentence, start=start, end=len(ids)))
    return EncodedPassage((*ids, passage.ids[-1]), passage.title, tuple(kept))


def without_title(passage: EncodedPassage) -> EncodedPassage:
    cut = passage.title
    moved = tuple(replace(s, start=s.start - cut, end=s.end - cut) for s in passage.sentences)
    return EncodedPassage((passage.ids[0], *passage.ids[1 + cut :]), 0, moved)


def lose_sentence(block: EncodedBlock, dice: random.Random) -> EncodedBlock:
    """The block without one deciding sentence: claims that rest on it alone become INSUFFICIENT.

    A claim that rests on it and others is left out: it may or may not still be decided.
    """
    alone = [next(iter(c.deciding)) for c in block.claims if c.deciding and len(c.deciding) == 1]
    if not alone:
        return block
    gone = dice.choice(alone)
    passages, first = [], 0
    for passage in block.passages:
        count = len(passage.sentences)
        passages.append(
            without_sentences(passage, frozenset({gone - first})) if first <= gone < first + count else passage
        )
        first += count
    claims = []
    for claim in block.claims:
        if claim.deciding is None:
            continue  # it may rest on what is gone
        if gone not in claim.deciding:
            moved = frozenset(n - (n > gone) for n in claim.deciding)
            claims.append(replace(claim, deciding=moved))
        elif len(claim.deciding) == 1:
            claims.append(EncodedClaim(claim.ids, INSUFFICIENT, None, None))
    return replace(block, passages=tuple(p for p in passages if p.sentences), claims=tuple(claims))


def plain(block: EncodedBlock) -> Arrangement:
    """The block as it is: every claim sees its own evidence."""
    return Arrangement((block,), tuple(Placed(claim, 0, frozenset({0})) for claim in block.claims))


def joined(blocks: Sequence[EncodedBlock], dice: random.Random, astray: float) -> Arrangement:
    """Blocks that are each other's distractors; a few claims see only another block's evidence: INSUFFICIENT."""
    everything = frozenset(range(len(blocks)))
    placed = []
    for number, block in enumerate(blocks):
        for claim in block.claims:
            if len(blocks) > 1 and dice.random() < astray:
                lost = EncodedClaim(claim.ids, INSUFFICIENT, None, None)
                placed.append(Placed(lost, number, everything - {number}))
            else:
                placed.append(Placed(claim, number, everything))
    return Arrangement(tuple(blocks), tuple(placed))


def one_by_one(arrangement: Arrangement) -> list[Arrangement]:
    """The same claims, each with a reading of the evidence of its own, as a cross-encoder needs it."""
    return [Arrangement(arrangement.blocks, (placed,)) for placed in arrangement.claims]


def rectangle(arrangements: Sequence[Arrangement], pad: int, *, cross: bool = False) -> Batch:
    """Everything the network needs to read some arrangements: evidence padded to the longest, then claims likewise.

    `cross`: evidence and its one claim see each other, for comparison with a cross-encoder.
    """
    count = len(arrangements)
    evidence = max(sum(len(p.ids) for b in a.blocks for p in b.passages) for a in arrangements)
    width = evidence + max(sum(len(p.claim.ids) for p in a.claims) for a in arrangements)
    ids = np.full((count, width), pad, dtype=np.int64)
    places, segment = np.zeros((count, width), dtype=np.int64), np.full((count, width), -1)
    is_claim, marks = np.zeros((count, width), dtype=bool), np.zeros((count, width), dtype=np.int64)
    sees = np.zeros((count, width - evidence, evidence), dtype=bool)
    grid: list[np.ndarray] = []
    whole: list[np.ndarray] = []
    first, claim_tokens, claim_of, labels, wrong = [], [], [], [], []
    claim_slots: list[int] = []
    tokens_of: list[np.ndarray] = []
    sentence_tokens, sentence_of, visible, deciding, pointed = [], [], [], [], []
    sentences = claims = 0
    for row, arrangement in enumerate(arrangements):
        at = number = 0
        owner = np.full(evidence, -1)
        of_block: list[list[int]] = []  # sentence numbers of each block
        for which, block in enumerate(arrangement.blocks):
            of_block.append([])
            for passage in block.passages:
                end = at + len(passage.ids)
                ids[row, at:end], segment[row, at:end], owner[at:end] = passage.ids, number, which
                places[row, at:end] = np.arange(end - at)
                grid.append(row * width + np.arange(at, end))
                for sentence in passage.sentences:
                    span = range(row * width + at + sentence.start, row * width + at + sentence.end)
                    sentence_tokens += span
                    sentence_of += [sentences] * len(span)
                    of_block[which].append(sentences)
                    sentences += 1
                at, number = end, number + 1
        at = evidence
        for placed in arrangement.claims:
            claim, end = placed.claim, at + len(placed.claim.ids)
            ids[row, at:end], segment[row, at:end], is_claim[row, at:end] = claim.ids, number, True
            places[row, at:end] = CLAIM_PLACE + np.arange(end - at)
            may = np.isin(owner, list(placed.sees))
            own = slice(at - evidence, end - evidence)
            sees[row, own] = may
            marks[row, at:end] = shared_marks(np.asarray(claim.ids), ids[row, :evidence][may])
            first.append(row * width + at)
            claim_tokens += range(row * width + at, row * width + end)
            claim_slots += range(row * (width - evidence) + at - evidence, row * (width - evidence) + end - evidence)
            tokens_of.append(row * width + np.arange(at, end))
            claim_of += [claims] * (end - at)
            labels.append(claim.label)
            wrong += claim.wrong if claim.wrong is not None else (-1,) * (end - at)
            visible.append([s for which in placed.sees for s in of_block[which]])
            gold = [of_block[placed.block][n] for n in claim.deciding or ()]
            deciding.append(gold)
            pointed.append(bool(gold))
            at, number, claims = end, number + 1, claims + 1
        if cross:
            real = np.flatnonzero(segment[row] >= 0)
            places[row, real] = np.minimum(np.arange(len(real)), CROSS_PLACES - 1)
            whole.append(row * width + real)
        sees[row, at - evidence :, 0] = True  # padding must see something
    if cross:  # one row for each arrangement, in the place of its passages
        grid = whole
    may_point, marked = torch.zeros(claims, sentences, dtype=torch.bool), torch.zeros(claims, sentences)
    for claim, (seen, gold) in enumerate(zip(visible, deciding, strict=True)):
        may_point[claim, seen], marked[claim, gold] = True, 1.0
    return Batch(
        *(torch.from_numpy(part) for part in (ids, places, segment, is_claim, marks)),
        evidence,
        *(torch.from_numpy(part) for part in (level(grid), sees, level(tokens_of))),
        torch.tensor(claim_slots),
        *(torch.tensor(part) for part in (first, claim_tokens, claim_of, sentence_tokens, sentence_of)),
        sentences,
        may_point,
        marked,
        torch.tensor(pointed),
        torch.tensor(labels),
        torch.tensor(wrong),
    )


def level(lines: Sequence[np.ndarray]) -> np.ndarray:
    """Lines of different length as one rectangle, filled up with -1."""
    longest = max(map(len, lines))
    return np.stack([np.pad(line, (0, longest - len(line)), constant_values=-1) for line in lines])
