"""Training of one size on streams of rows: resumable at any moment, re-planned without a restart."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from training import tiles
from training.config import Config
from training.encode import Encoded, encode, plan_batches, rectangle
from training.evaluate import dev_scores, load_dev, mean_score
from training.grid import Grid
from training.lanes import Lanes
from training.losses import taught_losses
from training.masters import Masters
from training.model import load_start
from training.plan import Place, Plan, rate_factor
from training.rows import read_rows

SAVE_EVERY, SAY_EVERY = 300.0, 60.0  # seconds


@dataclass(frozen=True)
class Folders:
    """Where a run finds its starts, its data, its streams, and where it leaves what it makes."""

    starts: Path
    data: Path
    streams: Path
    run: Path


def encoded_stage(name: str, config: Config, start: Path, streams: Path, most_rows: int | None = None) -> Encoded:
    """The stage's stream (or its beginning) as token ids of this start, made once."""
    path = streams / f"{name}.{start.name}.npz"
    if path.exists():
        return Encoded.load(path)
    rows = read_rows(streams / f"{name}.jsonl.gz")[:most_rows]
    lengths = config.raw["lengths"]
    # Every n-th row may be long, by its place in the stream: no dice, so any start sees the same rows long.
    every = max(1, round(1 / lengths["long_share"]))
    limits = [lengths["long"] if number % every == 0 else lengths["usual"] for number in range(len(rows))]
    data = encode(rows, start, limits)
    data.save(path)
    return data


class Stage:
    """One stream being learnt: its rows, labels, the teacher's scores, and what the network said before learning."""

    def __init__(self, name: str, data: Encoded, plan: list[list[int]], run: Path, teacher: Path | None) -> None:
        self.name, self.data, self.plan = name, data, plan
        self.labels = torch.from_numpy(data.labels.astype(np.int64))
        self.taught = torch.full((len(data), 3), float("nan"))
        if teacher is not None and (teacher / f"{name}.logits.npy").exists():
            said = np.load(teacher / f"{name}.logits.npy")[: len(data)]  # a teacher may have read fewer rows, or more
            self.taught[: len(said)] = torch.from_numpy(said.astype(np.float32))
        # Scores given before learning from a row are unspoilt teacher scores that cost nothing.
        self.spoken_path = run / f"{name}.logits.npy"
        self.spoken = np.full((len(data), 3), np.nan, dtype=np.float16)
        if self.spoken_path.exists():
            self.spoken = np.load(self.spoken_path)

    def save(self) -> None:
        np.save(self.spoken_path, self.spoken)


class Run:
    """A training run: its networks, its place, its log."""

    def __init__(self, config: Config, size: str, folders: Folders, threads: int, teacher: Path | None) -> None:
        self.config, self.folders, self.teacher = config, folders, teacher
        self.recipe = config.recipe(size)
        self.start = folders.starts / self.recipe.start
        folders.run.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(config.seed)
        model = load_start(self.start, self.recipe.dropout, self.recipe.lean).to(tiles.working_type())
        model.train(self.recipe.dropout > 0)  # a dropout of nothing still costs time
        grid = Grid.of_run(folders.run)
        if grid is not None:
            with torch.no_grad():  # the table of words is never trained, but read as it is shipped
                model.words.weight.copy_(torch.from_numpy(grid.stored["words.weight"].values))
        self.lanes = Lanes(model, threads)
        self.masters = Masters(self.lanes.replicas, self.recipe, grid)
        self.place = Place()
        self.plan = Plan.read(folders.run / "plan.json")
        if (folders.run / "checkpoint.pt").exists():
            saved = torch.load(folders.run / "checkpoint.pt", weights_only=True)
            self.masters.restore(saved)
            self.place = Place(**saved["place"])
        watch = config.raw["watch"]
        self.dev = load_dev(folders.data, self.start, watch["sets"], watch["rows"], config.seed)

    def say(self, **fields: object) -> None:
        line = {"time": time.strftime("%H:%M:%S"), "seen": self.place.seen, **fields}
        with (self.folders.run / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")

    def save(self) -> None:
        part = self.folders.run / "checkpoint.part"
        torch.save({**self.masters.state(), "place": vars(self.place)}, part)
        part.replace(self.folders.run / "checkpoint.pt")

    def report(self) -> None:
        scores = dev_scores(self.lanes, self.dev)
        self.say(event="dev", mean=mean_score(scores), **scores)

    def open_stage(self) -> Stage:
        name, _ = self.plan.stages[self.place.stage]
        data = encoded_stage(name, self.config, self.start, self.folders.streams, self.recipe.most_rows)
        plan = plan_batches(data.lengths.tolist(), self.recipe.batch_tokens, self.recipe.chunk, self.config.seed)
        return Stage(name, data, plan, self.folders.run, self.teacher)

    def step(self, stage: Stage, chosen: Sequence[Sequence[int]]) -> tuple[float, int]:
        """One update from a few batches; returns the mean loss and the padded tokens."""
        examples = sum(len(numbers) for numbers in chosen)
        first = self.plan.frozen_layers
        if first is None:
            first = self.recipe.frozen_layers if self.place.seen < self.recipe.thaw else 0

        def learn(replica, numbers) -> tuple[float, int]:
            batch = rectangle(stage.data, numbers, replica.shape.pad)
            parts = (torch.from_numpy(part) for part in (batch.ids, batch.present, batch.segments))
            logits = replica(*parts, first_layer=first)
            stage.spoken[batch.rows] = logits.detach().numpy()
            labels, taught = stage.labels[batch.rows], stage.taught[batch.rows]
            loss = taught_losses(logits, labels, taught, self.config.lesson, self.recipe.smoothing).sum() / examples
            loss.backward()
            return float(loss.detach()), batch.ids.size

        done = self.lanes.each(learn, chosen)
        self.masters.step(rate_factor(self.place.seen, self.plan.total, self.recipe), self.recipe.clip)
        return sum(loss for loss, _ in done), sum(size for _, size in done)

    def learn_stage(self, stage: Stage) -> None:
        """Goes through a stage from the run's place to the end the plan sets for it."""
        said = saved = time.monotonic()
        losses: list[float] = []
        tokens, since = 0, self.place.seen
        while self.place.batch < len(stage.plan) and self.place.in_stage < self.plan.stages[self.place.stage][1]:
            began = time.monotonic()
            before = self.place.seen
            chosen = stage.plan[self.place.batch : self.place.batch + self.recipe.batches_a_step]
            loss, size = self.step(stage, chosen)
            losses.append(loss)
            tokens += size
            now = time.monotonic()
            self.place.advance(len(chosen), sum(map(len, chosen)), now - began)
            if now - said > SAY_EVERY:
                self.say(
                    loss=round(float(np.mean(losses)), 4),
                    examples_s=round((self.place.seen - since) / (now - said), 1),
                    tokens_s=round(tokens / (now - said)),
                    rate=round(rate_factor(self.place.seen, self.plan.total, self.recipe), 3),
                    stage=stage.name,
                    in_stage=self.place.in_stage,
                )
                self.plan = Plan.read(self.folders.run / "plan.json")
                losses, tokens, since, said = [], 0, self.place.seen, now
            if now - saved > SAVE_EVERY:
                self.save()
                stage.save()
                saved = now
            if before // self.plan.evaluate_every != self.place.seen // self.plan.evaluate_every:
                self.report()
                losses, tokens, since, said = [], 0, self.place.seen, time.monotonic()
        stage.save()

    def go(self) -> None:
        self.say(event="start", config=self.config.sha256, plan=self.plan.stages, place=vars(self.place))
        while self.place.stage < len(self.plan.stages):
            self.learn_stage(self.open_stage())
            self.place.next_stage()
            self.save()
        self.report()
        self.say(event="done", seconds=round(self.place.seconds))


def train(config: Config, size: str, folders: Folders, threads: int = 2, teacher: Path | None = None) -> None:
    """Trains until the plan is done; a second call goes on where the first was stopped.

    `teacher` is a folder with another run's scores of the same streams.
    """
    tiles.enable()
    torch.set_num_threads(threads)
    Run(config, size, folders, threads, teacher).go()
