"""Training: python -m training fit RUN --size base --passes 2 (resumes where it was stopped)."""

from __future__ import annotations

import argparse
import json
import pickle
import random
import signal
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812

from training import tiles
from training.batches import (
    Arrangement,
    Batch,
    joined,
    lose_sentence,
    one_by_one,
    plain,
    rectangle,
    without_title,
)
from training.blocks import EncodedBlock, encode_block, read_blocks
from training.lanes import Lanes
from training.lessons import Lesson, read_lessons, write_lessons
from training.losses import losses_of
from training.masters import Masters
from training.network import SharedReader, from_start

SAVE_EVERY, SAY_EVERY = 300.0, 60.0  # seconds


def load(paths: Sequence[Path], start: Path, cache: Path, most_claims: int | None = None) -> list[EncodedBlock]:
    """Blocks of some files as token ids of this start, made once."""
    kept = cache / f"{'+'.join(p.parent.name + '-' + p.name.split('.')[0] for p in paths)}.{start.name}.pickle"
    stamp = [p.stat().st_mtime for p in paths]
    if kept.exists():
        made, blocks = pickle.loads(kept.read_bytes())
        if made == stamp:
            return blocks
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(start / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    blocks = [encode_block(block, tokenizer) for path in paths for block in read_blocks(path)]
    cache.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps((stamp, blocks)))
    return blocks


def written_files(paths: Sequence[Path]) -> list[Path]:
    """Files of written rows, those of a folder in the order of their names."""
    return [file for path in paths for file in (sorted(path.glob("*.jsonl.gz")) if path.is_dir() else [path])]


class Data:
    """What one pass goes through: every written block, and a fresh sample of each public set."""

    def __init__(self, config: dict, data: Path, written: Sequence[Path], start: Path, cache: Path) -> None:
        self.config = config
        self.written = [block for path in written for block in load([path], start, cache)]
        self.public = {name: load([data / "train" / f"{name}.jsonl.gz"], start, cache) for name in config["seasoning"]}

    def one_pass(self, number: int) -> list[list[Arrangement]]:
        """The pass as batches of arrangements of like length, the same for the same number."""
        how, dice = self.config["arranging"], random.Random(self.config["seed"] * 1000 + number)
        blocks = [self.varied(block, dice, how) for block in self.written]
        for name, most in self.config["seasoning"].items():
            pool = list(self.public[name])
            random.Random(f"{name}{self.config['seed']}").shuffle(pool)  # passes take turns through one order
            taken = claims = 0
            at = number * most  # claims of earlier passes, about
            while claims < most and pool:
                block = pool[(at + taken) % len(pool)]
                taken += 1
                if block.tokens <= how["longest"]:
                    blocks.append(block)
                    claims += len(block.claims)
        dice.shuffle(blocks)
        found = self.arranged(blocks, dice, how)
        if self.config.get("cross"):
            found = [one for arrangement in found for one in one_by_one(arrangement)]
            dice.shuffle(found)
        return batches_of(found, self.config["batch_tokens"], dice, self.config["batches_a_step"])

    def varied(self, block: EncodedBlock, dice: random.Random, how: dict) -> EncodedBlock:
        from dataclasses import replace

        if dice.random() < how["lose"]:
            block = lose_sentence(block, dice)
        passages = tuple(without_title(p) if dice.random() < how["untitled"] else p for p in block.passages)
        if block.question is not None and dice.random() < how["asked"]:
            passages = (*passages, block.question)
        return replace(block, passages=passages)

    def arranged(self, blocks: Sequence[EncodedBlock], dice: random.Random, how: dict) -> list[Arrangement]:
        """Blocks alone or a few together, as many as `join` says how often, at most `longest` tokens a sequence."""
        found: list[Arrangement] = []
        waiting: list[EncodedBlock] = []
        wanted = 1
        for block in (b for b in blocks if b.claims and b.passages):
            if waiting and sum(b.tokens for b in waiting) + block.tokens > how["longest"]:
                found.append(joined(waiting, dice, how["astray"]))
                waiting = []
            if not waiting:
                wanted = dice.choices(range(1, len(how["join"]) + 1), how["join"])[0]
            waiting.append(block)
            if len(waiting) == wanted:
                found.append(joined(waiting, dice, how["astray"]))
                waiting = []
        return found + ([joined(waiting, dice, how["astray"])] if waiting else [])


def batches_of(items: list[Arrangement], most: int, dice: random.Random, together: int = 1) -> list[list[Arrangement]]:
    """Arrangements of like length together, at most `most` padded tokens a batch, in random order.

    `together` batches of like length follow each other, so that no lane of a step waits long for another.
    """
    found: list[list[Arrangement]] = []
    for begin in range(0, len(items), 200):
        batch: list[Arrangement] = []
        for item in sorted(items[begin : begin + 200], key=lambda item: item.tokens):
            if batch and item.tokens * (len(batch) + 1) > most:
                found.append(batch)
                batch = []
            batch.append(item)
        found.append(batch)
    groups = [found[at : at + together] for at in range(0, len(found), together)]
    dice.shuffle(groups)
    return [batch for group in groups for batch in group]


def loss_of(
    model: SharedReader, batch: Batch, weights: dict, lesson: Lesson | None = None
) -> tuple[torch.Tensor, Lesson]:
    """Summed over claims; and what the network said. A teacher's lesson takes the place of part of the labels."""
    logits, scores, wrong = model(batch)
    own = losses_of(logits, batch.labels, weights["smoothing"]).sum()
    target, taught_words = batch.deciding / batch.deciding.sum(-1, keepdim=True).clamp(min=1), batch.wrong.float()
    pointed = batch.pointed
    if lesson is not None:
        said = lesson.logits.float().softmax(-1)
        apart = F.kl_div(logits.log_softmax(-1), said, reduction="sum")
        own = (1 - weights["taught"]) * own + weights["taught"] * apart
        # Where nobody has marked sentences or words, the teacher has.
        target = torch.where(pointed[:, None], target, lesson.pointer.float().softmax(-1))
        taught_words = torch.where(batch.wrong >= 0, taught_words, lesson.words.float().sigmoid())
        pointed = torch.ones_like(pointed)
    loss = own
    if pointed.any():
        loss = loss - weights["pointer"] * (target[pointed] * scores[pointed].log_softmax(-1)).sum()
    known = taught_words >= 0
    if known.any():
        # A claim counts once, however many tokens it has; wrong words are few and weigh more.
        truth = taught_words[known]
        each = F.binary_cross_entropy_with_logits(wrong[known], truth, reduction="none") * (1 + 2 * truth)
        sizes = torch.bincount(batch.claim_of, minlength=len(batch.labels)).float()
        loss = loss + weights["words"] * (each / sizes[batch.claim_of[known]]).sum()
    return loss, Lesson(*(said.detach().half() for said in (logits, scores, wrong)))


def judged(
    lanes: Lanes, items: Sequence[Arrangement], most: int = 3000, *, cross: bool = False
) -> Iterator[tuple[int, np.ndarray, int | None]]:
    """Label, probabilities and (where marked) whether the first sentence pointed to is a deciding one."""
    order = batches_of(list(items), most, random.Random(0))

    @torch.no_grad()  # of the lane's own thread
    def work(model, batch_items):
        batch = rectangle(batch_items, model.shape.pad, cross=cross)
        logits, scores, _ = model(batch)
        first = scores.argmax(-1)
        hit = batch.deciding[torch.arange(len(first)), first].int()
        return batch.labels.numpy(), logits.softmax(-1).numpy(), torch.where(batch.pointed, hit, -1).numpy()

    for labels, shares, hits in lanes.each(work, order):
        yield from zip(labels.tolist(), shares, hits.tolist(), strict=True)


def scores_of(results) -> dict[str, float]:
    """Accuracy, true claims called REFUTED, others called SUPPORTED, deciding sentence pointed to first (S and R)."""
    results = list(results)
    labels = np.array([label for label, _, _ in results])
    called = np.array([share.argmax() for _, share, _ in results])
    hits = np.array([hit for _, _, hit in results])
    three = labels < 3
    pointed = (hits >= 0) & (labels < 2)
    out = {"rows": len(labels), "accuracy": float((called == labels)[three].mean()) if three.any() else 0.0}
    out["false_refuted"] = float((called[labels == 0] == 1).mean())
    out["false_supported"] = float((called[labels > 0] == 0).mean())
    out["balanced"] = float(((called[labels == 0] == 0).mean() + (called[labels > 0] > 0).mean()) / 2)
    if pointed.any():
        out["pointer"] = float(hits[pointed].mean())
    return {name: round(value, 4) for name, value in out.items()}


def rate_factor(seen: int, total: int, recipe: SimpleNamespace) -> float:
    """Of the peak rate: a rise, a plateau, and a fall over the last part."""
    return max(0.0, min(1.0, (seen + 1) / recipe.warm_up, (total - seen) / (recipe.decay * total)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path)
    parser.add_argument("--size", default="base")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--written", type=Path, nargs="+", required=True)
    parser.add_argument("--dev", type=Path, required=True)
    parser.add_argument("--starts", type=Path, required=True)
    parser.add_argument("--begin", type=Path, help="weights of another run")
    parser.add_argument("--taught", type=Path, help="folder of lessons: those of a run, or what `teach` wrote")
    parser.add_argument("--skip", type=int, default=0, help="batches of a pass whose lessons came too early to count")
    parser.add_argument("--config", type=Path, default=Path(__file__).with_name("reader.toml"))
    parser.add_argument("--cross", action="store_true", help="a cross-encoder, to compare with: a reading a claim")
    parser.add_argument("--claims", type=int, help="planned number, for the rates; default: passes times a pass")
    parser.add_argument("--passes", type=float, default=2)
    parser.add_argument("--evaluate-every", type=int, default=16000)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    tiles.enable()
    torch.set_num_threads(1)
    config = tomllib.loads(args.config.read_text())
    recipe = SimpleNamespace(**config.pop(args.size))
    config |= {"batch_tokens": recipe.batch_tokens, "batches_a_step": recipe.batches_a_step, "cross": args.cross}
    start = args.starts / recipe.start
    torch.manual_seed(config["seed"])
    model = from_start(start, recipe.dropout)
    if args.begin:
        model.load_state_dict(torch.load(args.begin, weights_only=True)["weights"], strict=False)
    model.train(recipe.dropout > 0)
    lanes = Lanes(model.to(tiles.working_type()), args.threads)
    masters = Masters(lanes.replicas, recipe)
    args.run.mkdir(parents=True, exist_ok=True)
    checkpoint = args.run / "checkpoint.pt"
    place = {"pass": 0, "batch": 0, "seen": 0, "seconds": 0.0}
    if checkpoint.exists():
        saved = torch.load(checkpoint, weights_only=True)
        masters.restore(saved)
        place = saved["place"]

    def say(**fields: object) -> None:
        line = {"time": time.strftime("%H:%M:%S"), "seen": place["seen"], **fields}
        with (args.run / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")

    given: dict[int, list[Lesson]] = {}  # by pass: what was said of each batch before it was learnt from

    def save() -> None:
        for number, lessons in given.items():
            write_lessons(args.run / "lessons", number, lessons)
        torch.save({**masters.state(), "place": place}, args.run / "checkpoint.part")
        (args.run / "checkpoint.part").replace(checkpoint)

    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stopping.append(number))  # saved before it ends
    cache = args.run.parent / "encoded"

    def data_now() -> Data:
        """What is there now: a folder among the written rows may have grown since the pass before."""
        return Data(config, args.data, written_files(args.written), start, cache)

    data = data_now()
    dev = [plain(block) for block in load([args.dev], start, cache)]
    if args.cross:
        dev = [one for item in dev for one in one_by_one(item)]
    whole = sum(len(item.claims) for batch in data.one_pass(0) for item in batch)
    total = args.claims or int(whole * args.passes)
    say(event="start", claims_a_pass=whole, total=total, dev=sum(len(d.claims) for d in dev), place=dict(place))
    said = saved_at = time.monotonic()
    losses, right, tokens, since = [], [], 0, place["seen"]

    def learn(
        replica: SharedReader, task: tuple[Sequence[Arrangement], Lesson | None]
    ) -> tuple[float, float, int, int, Lesson]:
        items, lesson = task
        batch = rectangle(items, replica.shape.pad, cross=args.cross)
        loss, said = loss_of(replica, batch, config["losses"], lesson)
        (loss / size).backward()
        known = batch.labels < 3
        hits = (said.logits.argmax(-1) == batch.labels)[known].sum()
        return float(loss.detach()), int(hits), int(known.sum()), batch.ids.numel(), said

    while place["seen"] < total:
        plan = data.one_pass(place["pass"])
        lessons: list[Lesson | None] = [None] * len(plan)
        if args.taught:
            told = read_lessons(args.taught, place["pass"])
            lessons = [None] * args.skip + told[args.skip :] + [None] * (len(plan) - len(told))
        said_here = given.setdefault(place["pass"], read_lessons(args.run / "lessons", place["pass"]))
        del said_here[place["batch"] :]
        say(event="pass", number=place["pass"], written=len(data.written), batches=len(plan))
        while place["batch"] < len(plan) and place["seen"] < total:
            began = time.monotonic()
            chosen = plan[place["batch"] : place["batch"] + recipe.batches_a_update]
            size = sum(len(item.claims) for items in chosen for item in items)
            told = lessons[place["batch"] : place["batch"] + recipe.batches_a_update]
            done = lanes.each(learn, list(zip(chosen, told, strict=True)))
            torch.set_num_threads(args.threads)  # of this thread alone: lanes have set theirs to one
            masters.step(rate_factor(place["seen"], total, recipe), recipe.clip)
            said_here += [d[4] for d in done]
            losses.append(sum(d[0] for d in done) / size)
            right.append((sum(d[1] for d in done), sum(d[2] for d in done)))
            tokens += sum(d[3] for d in done)
            before, now = place["seen"], time.monotonic()
            place["batch"] += len(chosen)
            place["seen"] += size
            place["seconds"] += now - began
            if now - said > SAY_EVERY:
                say(
                    loss=round(float(np.mean(losses)), 4),
                    right=round(sum(r for r, _ in right) / max(1, sum(n for _, n in right)), 3),
                    claims_s=round((place["seen"] - since) / (now - said), 1),
                    tokens_s=round(tokens / (now - said)),
                    rate=round(rate_factor(place["seen"], total, recipe), 3),
                )
                losses, right, tokens, since, said = [], [], 0, place["seen"], now
            if stopping or now - saved_at > SAVE_EVERY:
                save()
                saved_at = now
            if stopping:
                return
            if before // args.evaluate_every != place["seen"] // args.evaluate_every:
                say(event="dev", **scores_of(judged(lanes, dev, cross=args.cross)))
                losses, right, tokens, since, said = [], [], 0, place["seen"], time.monotonic()
        if place["batch"] >= len(plan):
            place["pass"], place["batch"] = place["pass"] + 1, 0
            torch.save({**masters.state(), "place": place}, args.run / f"pass{place['pass']}.pt")
            data = data_now()
    save()
    say(event="dev", **scores_of(judged(lanes, dev, cross=args.cross)))
    say(event="done", seconds=round(place["seconds"]))


if __name__ == "__main__":
    main()
