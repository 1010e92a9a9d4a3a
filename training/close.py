"""The close reading, which is what is shipped: python -m training close RUN --begin WEIGHTS --finder WEIGHTS …

A claim and the sentences that fit it best are read as one sequence in which every token sees all others
(`docs/decisions/0017-claim-and-sentences-that-see-each-other.md`). The finder ranks the sentences as it does at run
time; without one, shared words rank them, and rows whose deciding sentences are unknown often lack them.
"""

from __future__ import annotations

import argparse
import json
import math
import pickle
import random
import signal
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from assay.encoder.close import EVIDENCE_TOKENS, CloseInput, close_input
from assay.encoder.network import shared_marks
from training import tiles
from training.batches import Arrangement, Batch, plain, rectangle
from training.blocks import EncodedClaim
from training.calibrate import figures, fit
from training.fetch import START_OF
from training.fit import Data, load, rate_factor, scores_of, written_files
from training.lanes import Lanes
from training.losses import losses_of
from training.masters import Masters
from training.network import ReaderLayer, SharedReader, from_start, relative_bias

ROOMS = (32, 48, 64, 96, 160)  # tokens of evidence in a reading of training, where the deciding sentences are known
WIDE_ROOMS = (128, EVIDENCE_TOKENS)  # and where they are not, so that they are hardly ever left out
RECTANGLE_TOKENS = 480  # small, so that the lanes of an update end at about the same time
BATCHES_A_POOL = 16  # whose claims are mixed before they are learnt from
SAID = "said.pickle"  # in the folder of a run: what the network said of each claim before learning from it
SAVE_EVERY, SAY_EVERY = 300.0, 60.0  # seconds
BERT_NAMES = {"<s>": "[CLS]", "</s>": "[SEP]", "<pad>": "[PAD]", "<unk>": "[UNK]", "<mask>": "[MASK]"}
Key = tuple[str, int, tuple[int, ...]]
Said = dict[Key, tuple[float, float, float]]  # verdict logits


def translation(read_by: Path, start: Path) -> Tensor:
    """For each token id of one start the id of the same word of another: they order the same words otherwise."""
    own, other = (json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"] for folder in (start, read_by))
    table = torch.zeros(max(other.values()) + 1, dtype=torch.long)
    for word, number in other.items():
        table[number] = own[word if word in own else BERT_NAMES[word]]
    return table


class Finder:
    """Scores each sentence for each claim with the pointer of a shared reader, as the run time does.

    Token ids are translated instead of encoding texts again.
    """

    def __init__(self, weights: Path, start: Path, read_by: Path) -> None:
        self.table = translation(read_by, start)
        self.pad = from_start(read_by).shape.pad
        self.model = from_start(start)
        self.model.load_state_dict(torch.load(weights, weights_only=True)["weights"], strict=False)
        self.model.to(tiles.working_type()).eval()

    @torch.no_grad()
    def scores(self, arrangement: Arrangement) -> np.ndarray:
        batch = rectangle([arrangement], self.pad)
        return self.model(replace(batch, ids=self.table[batch.ids]))[1].numpy()


class Teacher:
    """What another run said of claims before it learnt from them, for a student with the same rows."""

    def __init__(self, run: Path, start: Path, starts: Path) -> None:
        name, self.said = pickle.loads((run / SAID).read_bytes())
        self.table = translation(start, starts / name).tolist()

    def said_of(self, claims: Sequence[CloseClaim]) -> Tensor:
        """A row of logits a claim; NaN where the teacher has not met it."""
        unknown = (math.nan,) * 3
        keys = (
            (block, label, tuple(self.table[number] for number in ids))
            for block, label, ids in (one.key for one in claims)
        )
        return torch.tensor([self.said.get(key, unknown) for key in keys])


def shared_words(arrangement: Arrangement) -> np.ndarray:
    """For each claim and sentence how much of the claim the sentence repeats, rare words counting more.

    It stands in for the pointer of the shared reading where there is no finder.
    """
    sentences = [
        set(passage.ids[sentence.start : sentence.end])
        for block in arrangement.blocks
        for passage in block.passages
        for sentence in passage.sentences
    ]
    counts = Counter(word for sentence in sentences for word in sentence)
    return np.asarray(
        [
            [sum(1 / counts[word] for word in sentence.intersection(placed.claim.ids)) for sentence in sentences]
            for placed in arrangement.claims
        ]
    )


@dataclass(frozen=True)
class CloseClaim:
    """A claim with the sentences it is read with, and which of those decide it, where that is known."""

    block: str  # its name
    claim: EncodedClaim
    read: CloseInput
    deciding: frozenset[int]  # among the sentences of `read`

    @property
    def key(self) -> Key:
        """What tells a claim from others: its block and words, and its label, as it may have lost its evidence."""
        return self.block, self.claim.label, self.claim.ids[1:-1]


def close_claims(
    arrangement: Arrangement, finder: Finder | None = None, dice: random.Random | None = None
) -> list[CloseClaim]:
    """The claims of an arrangement with the sentences that the finder ranks highest for them.

    In training (with `dice`) known deciding sentences are always among them, and the room varies.
    """
    scores = finder.scores(arrangement) if finder else shared_words(arrangement)
    firsts = np.cumsum([0, *(sum(len(p.sentences) for p in b.passages) for b in arrangement.blocks)])
    found = []
    for placed, row in zip(arrangement.claims, scores, strict=True):
        seen = sorted(placed.sees)
        passages = [p for number in seen for p in arrangement.blocks[number].passages if p.sentences]
        own = np.concatenate([row[firsts[number] : firsts[number + 1]] for number in seen])
        offset = sum(firsts[number + 1] - firsts[number] for number in seen if number < placed.block)
        gold = [offset + n for n in placed.claim.deciding or ()] if placed.block in placed.sees else []
        asked = next((p for p in arrangement.blocks[placed.block].passages if not p.sentences), None)
        room = dice.choice(ROOMS if gold else WIDE_ROOMS) if dice else EVIDENCE_TOKENS
        read = close_input(placed.claim.ids, passages, own, asked, room, gold if dice else ())
        starts = np.cumsum([0, *(len(p.sentences) for p in passages)])
        numbers = [starts[number] + at for (number, at), _, _ in read.sentences]
        deciding = frozenset(n for n, number in enumerate(numbers) if number in gold)
        found.append(CloseClaim(arrangement.blocks[placed.block].name, placed.claim, read, deciding))
    return found


def close_rectangle(items: Sequence[CloseClaim], pad: int) -> Batch:
    """Sequences of one claim and its sentences each, padded to the longest."""
    count, width = len(items), max(len(item.read.ids) for item in items)
    ids = np.full((count, width), pad, dtype=np.int64)
    segment, is_claim = np.full((count, width), -1), np.zeros((count, width), dtype=bool)
    marks = np.zeros((count, width), dtype=np.int64)
    first, claim_tokens, claim_of, sentence_tokens, sentence_of, wrong = [], [], [], [], [], []
    visible, deciding = [], []
    sentences = 0
    for row, item in enumerate(items):
        size, at = len(item.read.ids), item.read.claim
        ids[row, :size], segment[row, :size], is_claim[row, at:size] = item.read.ids, 0, True
        shown = [n for _, start, end in item.read.sentences for n in range(start, end)]
        marks[row, at:size] = shared_marks(ids[row, at:size], ids[row, shown])
        marks[row, :at] = shared_marks(ids[row, :at], ids[row, at:size])
        first.append(row * width + at)
        claim_tokens += range(row * width + at, row * width + size)
        claim_of += [row] * (size - at)
        wrong += item.claim.wrong if item.claim.wrong is not None else (-1,) * (size - at)
        for number, (_, start, end) in enumerate(item.read.sentences):
            sentence_tokens += range(row * width + start, row * width + end)
            sentence_of += [sentences] * (end - start)
            visible.append((row, sentences))
            if number in item.deciding:
                deciding.append((row, sentences))
            sentences += 1
    may_point, marked = torch.zeros(count, sentences, dtype=torch.bool), torch.zeros(count, sentences)
    may_point[tuple(zip(*visible, strict=True))] = True
    if deciding:
        marked[tuple(zip(*deciding, strict=True))] = 1.0
    nothing = torch.empty(0)
    return Batch(
        torch.from_numpy(ids),
        torch.arange(width).expand(count, -1),
        *(torch.from_numpy(part) for part in (segment, is_claim, marks)),
        0,
        nothing,
        nothing,
        nothing,
        nothing,
        *(torch.tensor(part) for part in (first, claim_tokens, claim_of, sentence_tokens, sentence_of)),
        sentences,
        may_point,
        marked,
        marked.sum(-1) > 0,
        torch.tensor([item.claim.label for item in items]),
        torch.tensor(wrong),
    )


def read_layer(layer: ReaderLayer, x: Tensor, real: Tensor, mask: Tensor) -> Tensor:
    """Tokens end to end, without padding; those of a sequence look at each other. `real` is their place in it."""
    count, length, width = mask.shape[0], mask.shape[-1], x.shape[-1]
    qkv = torch.cat([layer.q(x) * (width // layer.heads) ** -0.5, layer.k(x), layer.v(x)], -1)
    qkv = x.new_zeros(count * length, 3 * width).index_copy(0, real, qkv)
    q, k, v = qkv.view(count, length, 3, layer.heads, -1).permute(2, 0, 3, 1, 4)
    mixed = ((q @ k.transpose(-1, -2) + mask).softmax(-1) @ v).transpose(1, 2).reshape(-1, width)
    return layer.finish(x, mixed[real])


class CloseReader(SharedReader):
    """The same weights and heads as the shared reader; a sequence is a claim with its sentences, or shared evidence."""

    def read(self, batch: Batch) -> Tensor:
        if batch.evidence:  # a rectangle of the shared reading
            return super().read(batch)
        offset = 2 if self.shape.kind == "mpnet" else 0
        x = self.words(batch.ids) + self.places(batch.places + offset)
        x = x + F.embedding(batch.is_claim.long(), self.role) + F.embedding(batch.marks, self.shared)
        x = self.dropout(self.norm(x))
        mask = torch.zeros(batch.segment.shape, dtype=x.dtype).masked_fill(batch.segment < 0, -1e4)[:, None, None]
        if self.bias is not None:
            near = relative_bias(self.bias.weight.detach(), batch.ids.shape[1], self.shape.relative_buckets)
            mask = mask + near
        real = (batch.segment >= 0).flatten().nonzero()[:, 0]
        flat = x.reshape(-1, x.shape[-1])[real]
        for layer in self.layers:
            flat = read_layer(layer, flat, real, mask)
        return torch.zeros_like(x).view(-1, x.shape[-1]).index_copy(0, real, flat).view(x.shape)


def in_rectangles(claims: Sequence[CloseClaim], most: int) -> list[list[CloseClaim]]:
    """Claims of like length together, at most `most` padded tokens a rectangle."""
    found: list[list[CloseClaim]] = []
    for claim in sorted(claims, key=lambda claim: len(claim.read.ids)):
        if found and len(claim.read.ids) * (len(found[-1]) + 1) <= most:
            found[-1].append(claim)
        else:
            found.append([claim])
    return found


def pointer_loss(scores: torch.Tensor, batch: Batch) -> torch.Tensor:
    """Summed over the claims whose deciding sentences are known."""
    pointed = batch.pointed
    target = batch.deciding / batch.deciding.sum(-1, keepdim=True).clamp(min=1)
    return -(target[pointed] * scores[pointed].log_softmax(-1)).sum()


def read_said(run: Path) -> Said:
    """What a run that is going on has said so far."""
    return pickle.loads((run / SAID).read_bytes())[1] if (run / SAID).exists() else {}


def own_losses(logits: Tensor, batch: Batch, weights: dict) -> Tensor:
    """Of each claim's verdict: from its label and, where a teacher has judged the claim, from what the teacher said."""
    own = losses_of(logits, batch.labels, weights["smoothing"])
    if batch.taught is None:
        return own
    known = batch.taught.isfinite().all(-1)
    apart = -(batch.taught.nan_to_num().softmax(-1) * logits.log_softmax(-1)).sum(-1)
    return torch.where(known, (1 - weights["taught"]) * own + weights["taught"] * apart, own)


def loss_of(model: CloseReader, batch: Batch, weights: dict) -> tuple[Tensor, Tensor]:
    """Summed over claims; and the logits."""
    logits, scores, wrong = model(batch)
    loss = own_losses(logits, batch, weights).sum() + weights["pointer"] * pointer_loss(scores, batch)
    known = batch.wrong >= 0
    if known.any():
        truth = batch.wrong[known].float()
        each = F.binary_cross_entropy_with_logits(wrong[known], truth, reduction="none") * (1 + 2 * truth)
        sizes = torch.bincount(batch.claim_of, minlength=len(batch.labels)).float()
        loss = loss + weights["words"] * (each / sizes[batch.claim_of[known]]).sum()
    return loss, logits.detach()


def judged(
    lanes: Lanes, items: Sequence[Arrangement], finder: Finder | None = None
) -> Iterator[tuple[int, np.ndarray, int]]:
    """Label, probabilities and (where marked) whether the first sentence pointed to is a deciding one."""
    parts = in_rectangles([claim for item in items for claim in close_claims(item, finder)], 3000)

    @torch.no_grad()  # of the lane's own thread
    def work(model: CloseReader, part: Sequence[CloseClaim]):
        batch = close_rectangle(part, model.shape.pad)
        logits, scores, _ = model(batch)
        first = scores.argmax(-1)
        hit = batch.deciding[torch.arange(len(first)), first].int()
        marked = torch.tensor([bool(item.claim.deciding) for item in part])
        return batch.labels.tolist(), logits.softmax(-1).numpy(), torch.where(marked, hit, -1).tolist()

    for labels, shares, hits in lanes.each(work, parts):
        yield from zip(labels, shares, hits, strict=True)


def dev_scores(results: Iterator[tuple[int, np.ndarray, int]]) -> dict[str, float]:
    """Scores of the most likely verdicts; and as if calibrated: training rows have more REFUTED among them than dev."""
    read = list(results)
    known = [(label, share) for label, share, _ in read if label < 3]
    labels, logits = np.asarray([label for label, _ in known]), np.log([np.maximum(share, 1e-9) for _, share in known])
    told = figures(fit(logits, labels), logits, labels)
    return scores_of(read) | {"calibrated": told["accuracy"], "likeliest": told["likeliest"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--size", default="base")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--written", type=Path, nargs="+", required=True)
    parser.add_argument("--dev", type=Path, nargs="+", required=True)
    parser.add_argument("--dev-part", type=int, default=1, help="every how many-th dev block is scored")
    parser.add_argument("--starts", type=Path, required=True)
    parser.add_argument("--begin", type=Path, required=True, help="weights of a shared reader: `adopt`, or a run")
    parser.add_argument("--finder", type=Path, help="weights of a shared reader of size small that ranks the sentences")
    parser.add_argument("--taught", type=Path, help="another run of this command, whose verdicts are learnt from too")
    parser.add_argument("--config", type=Path, default=Path(__file__).with_name("reader.toml"))
    parser.add_argument("--claims", type=int, default=20000)
    parser.add_argument(
        "--shared", type=float, default=0.0, help="of the batches: read in the shared way, for a finder"
    )
    parser.add_argument("--still-layers", type=int, default=0)
    parser.add_argument("--evaluate-every", type=int, default=5000)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    tiles.enable()
    torch.set_num_threads(1)
    config = tomllib.loads(args.config.read_text())
    plain_recipe = config.pop(args.size)
    recipe = SimpleNamespace(**plain_recipe | plain_recipe["close"])
    recipe.still_layers = args.still_layers
    config |= {"batch_tokens": recipe.batch_tokens, "batches_a_step": recipe.batches_a_step}
    start = args.starts / recipe.start
    model = CloseReader(from_start(start).shape)
    model.load_state_dict(from_start(start).state_dict())
    model.load_state_dict(torch.load(args.begin, weights_only=True)["weights"], strict=False)
    finder = Finder(args.finder, args.starts / START_OF["small"], start) if args.finder else None
    lanes = Lanes(model.to(tiles.working_type()), args.threads)
    masters = Masters(lanes.replicas, recipe)
    args.run.mkdir(parents=True, exist_ok=True)
    checkpoint = args.run / "checkpoint.pt"
    place = {"pass": 0, "batch": 0, "seen": 0}
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        masters.restore(saved)
        place = saved["place"]
    said = read_said(args.run)
    teacher = Teacher(args.taught, start, args.starts) if args.taught else None

    def say(**fields: object) -> None:
        with (args.run / "log.jsonl").open("a") as log:
            log.write(json.dumps({"time": time.strftime("%H:%M:%S"), "seen": place["seen"], **fields}) + "\n")

    def save() -> None:
        torch.save({**masters.state(), "place": place}, args.run / "checkpoint.part")
        (args.run / "checkpoint.part").replace(checkpoint)
        (args.run / SAID).write_bytes(pickle.dumps((recipe.start, dict(said))))

    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))  # saved before it ends
    cache = args.run.parent / "encoded"
    data = Data(config, args.data, written_files(args.written), start, cache)
    dev = [plain(block) for path in args.dev for block in load([path], start, cache)[:: args.dev_part]]

    def found(_: CloseReader, task: tuple[int, Sequence[Arrangement]]) -> list[CloseClaim] | Batch:
        """The claims of a batch with their sentences; or the batch as it is, to be read in the shared way."""
        number, items = task
        dice = random.Random(f"{config['seed']} {place['pass']} {number}")
        if dice.random() < args.shared:
            return rectangle(items, model.shape.pad)
        return [claim for item in items for claim in close_claims(item, finder, dice)]

    def updates_of(chosen: Sequence[tuple[int, Sequence[Arrangement]]]) -> list[list[Sequence[CloseClaim] | Batch]]:
        """What is learnt from between two updates: claims of many blocks, as those of one block are much alike."""
        parts = lanes.each(found, chosen)
        claims = [claim for part in parts if not isinstance(part, Batch) for claim in part]
        dice = random.Random(f"{config['seed']} {place['pass']} {place['batch']} updates")
        dice.shuffle(claims)
        each = recipe.claims_a_update
        updates: list[list[Sequence[CloseClaim] | Batch]] = [  # the longest first: the rest fills the lanes
            in_rectangles(claims[at : at + each], RECTANGLE_TOKENS)[::-1] for at in range(0, len(claims), each)
        ]
        updates += [[part] for part in parts if isinstance(part, Batch)]
        dice.shuffle(updates)
        return updates

    def learn(replica: CloseReader, part: Sequence[CloseClaim] | Batch) -> tuple[float, int, int]:
        batch = part if isinstance(part, Batch) else close_rectangle(part, replica.shape.pad)
        if teacher and not isinstance(part, Batch):
            batch = replace(batch, taught=teacher.said_of(part))
        loss, logits = loss_of(replica, batch, config["losses"])
        (loss / size).backward()
        if not isinstance(part, Batch):
            said.update((one.key, tuple(row)) for one, row in zip(part, logits.tolist(), strict=True))
        known = batch.labels < 3
        return float(loss.detach()), int((logits.argmax(-1) == batch.labels)[known].sum()), int(known.sum())

    told_at = saved_at = time.monotonic()
    losses, right, since = [], [], place["seen"]
    while place["seen"] < args.claims and not stopping:
        plan = list(enumerate(data.one_pass(place["pass"])))
        while place["batch"] < len(plan) and place["seen"] < args.claims and not stopping:
            chosen = plan[place["batch"] : place["batch"] + BATCHES_A_POOL]
            before = place["seen"]
            for update in updates_of(chosen):
                size = sum(len(part.labels) if isinstance(part, Batch) else len(part) for part in update)
                done = lanes.each(learn, update)
                torch.set_num_threads(args.threads)  # of this thread alone: lanes have set theirs to one
                masters.step(rate_factor(place["seen"], args.claims, recipe), recipe.clip)
                losses.append(sum(d[0] for d in done) / size)
                right.append((sum(d[1] for d in done), sum(d[2] for d in done)))
                place["seen"] += size
            place["batch"] += len(chosen)
            now = time.monotonic()
            if now - told_at > SAY_EVERY:
                rate = sum(hits for hits, _ in right) / max(1, sum(count for _, count in right))
                claims_s = (place["seen"] - since) / (now - told_at)
                say(loss=round(float(np.mean(losses)), 4), right=round(rate, 3), claims_s=round(claims_s, 1))
                losses, right, since, told_at = [], [], place["seen"], now
            if now - saved_at > SAVE_EVERY:
                save()
                saved_at = now
            if before // args.evaluate_every != place["seen"] // args.evaluate_every:
                say(event="dev", **dev_scores(judged(lanes, dev, finder)))
                losses, right, since, told_at = [], [], place["seen"], time.monotonic()
        if place["batch"] >= len(plan):
            place["pass"], place["batch"] = place["pass"] + 1, 0
    save()
    if not stopping:
        say(event="dev", **dev_scores(judged(lanes, dev, finder)))


if __name__ == "__main__":
    main()
