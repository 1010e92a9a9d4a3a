"""The last steps of a size: dev logits of what will be shipped, calibration on them, and the finished folder."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import torch

from training.calibrate import COLDEST, HOTTEST, error_over, fit, one_temperature
from training.card import RESULTS
from training.config import Config
from training.encode import encode, plan_batches, rectangle
from training.evaluate import (
    DEV_SETS,
    Scored,
    load_dev,
    load_fresh,
    load_scored,
    predict_onnx,
    read_onnx,
    save_scored,
    score,
    softmax,
)
from training.export import MAX_TOKENS, checkpoint_weights, write_bundle
from training.fetch import sha256_of
from training.graph import hollow, tempered, verifier_graph, with_pooled
from training.grid import Grid
from training.model import load_start
from training.moments import input_moments
from training.pack import initialiser_names, write_packed
from training.plan import Plan
from training.quantise import compress, restored, to_int8
from training.rows import Row, read_rows
from training.shape import Shape
from training.swaps import held_back, held_out_qualified, held_out_swaps, noticed
from training.train import Folders, encoded_stage

WIRING = {"small": "model.onnx", "base": "graph.onnx"}  # as `quantise` leaves them, and as they are called when shipped
TEMPERED = "tempered.onnx"  # the same, each pair's logits divided by its temperature


def evaluate_graph(
    config: Config, size: str, folders: Folders, graph: Path, rows: int, threads: int
) -> dict[str, float]:
    """Dev figures of an exported graph; what it said and what its head read are kept beside it."""
    start = folders.starts / config.recipe(size).start
    telling = with_pooled(onnx.load(graph)).SerializeToString()
    scored = {}
    sets = load_dev(folders.data, start, list(DEV_SETS), rows, config.seed)
    for dev in sets + load_fresh(config, folders.data, start, rows):
        logits, pooled = read_onnx(telling, dev.data, Shape.read(start).pad, threads)
        scored[dev.name] = Scored(dev.measure, logits, pooled, dev.labels)
    save_scored(graph.with_suffix(".dev.npz"), scored)
    return {
        name: round(score(scored[name].measure, softmax(scored[name].logits), scored[name].labels), 1)
        for name in DEV_SETS
    }


def describe(config: Config, folders: Folders, graph: Path) -> dict[str, object]:
    """What a line of the leaderboard says of a run besides its scores."""
    place = torch.load(folders.run / "checkpoint.pt", weights_only=True, mmap=True)["place"]
    return {
        "run": folders.run.name,
        "config": config.sha256[:12],
        "examples": place["seen"],
        "train_seconds": round(place["seconds"]),
        "graph": graph.name,
        "bytes": graph.stat().st_size,
    }


def evaluate_swaps(
    config: Config, size: str, folders: Folders, graph: Path, count: int, threads: int
) -> dict[str, float]:
    """How often an exported graph notices one changed fact, or a qualifier dropped, in claims of held-out passages."""
    start = folders.starts / config.recipe(size).start

    def probabilities(rows: list[Row]) -> np.ndarray:
        return softmax(predict_onnx(graph, encode(rows, start, MAX_TOKENS), Shape.read(start).pad, threads))

    qualified = held_out_qualified(folders.data, count, config.seed)
    facts = noticed(held_out_swaps(folders.data, count, config.seed), probabilities)
    return facts | held_back(qualified, probabilities(qualified))


FOLDS = 4  # of the rows of every set, to see what a fit is worth on rows that it has not seen


def calibrate_run(config: Config, size: str, folders: Folders, graph: Path) -> Path:
    """Fits on all kept rows, writes the tempered graph, and for the card each set's error on rows not fitted on.

    `rows`: others of the same set were; `set`: none of the set was, as it is with texts of a new kind; `one`: with one
    temperature for all pairs.
    """
    # Rows of a test folder are looked at, never fitted on.
    kept = load_scored(graph.with_suffix(".dev.npz"))
    scored = {name: one for name, one in kept.items() if name not in DEV_SETS or DEV_SETS[name][0] == "dev"}
    doubt = fit(list(scored.values()), config.fit)
    wiring = onnx.load(folders.run / WIRING[size], load_external_data=False)
    onnx.save(tempered(wiring, doubt.weight, doubt.bias, (COLDEST, HOTTEST)), folders.run / TEMPERED)
    (folders.run / "calibration.json").write_text(json.dumps({"temperature": 1.0, "isotonic": {}}))

    flat = one_temperature(list(scored.values()))
    fitted = [fit([one.rest(number, FOLDS) for one in scored.values()], config.fit) for number in range(FOLDS)]
    without = {name: fit([scored[other] for other in scored if other != name], config.fit) for name in scored}

    def by_rows(*names: str) -> float:
        parts = [(scored[name].part(number, FOLDS), fitted[number]) for name in names for number in range(FOLDS)]
        return round(error_over(*zip(*parts, strict=True)), 3)

    def by_set(*names: str) -> float:
        return round(error_over([scored[name] for name in names], [without[name] for name in names]), 3)

    def by_one(*names: str) -> float:
        return round(error_over([scored[name] for name in names], [flat] * len(names)), 3)

    def errors(*names: str) -> dict[str, float]:
        return {"one": by_one(*names), "rows": by_rows(*names), "set": by_set(*names)}

    path = RESULTS / f"calibration-{size}.json"
    told = {
        "sha256": sha256_of(folders.run / TEMPERED),
        "rows": {name: len(one.labels) for name, one in scored.items()},
        "errors": {name: errors(name) for name in scored},
        "pooled": errors(*scored),
    }
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return path


def quantise_small(config: Config, folders: Folders, threads: int) -> Path:
    """The eight-bit graph of the small run."""
    recipe = config.recipe("small")
    start = folders.starts / recipe.start
    weights = checkpoint_weights(start, folders.run / "checkpoint.pt")
    onnx.save(verifier_graph(Shape.read(start), weights, recipe.lean), folders.run / "full.onnx")
    to_int8(folders.run / "full.onnx", folders.run / "model.onnx", spare_bit=True)
    return folders.run / "model.onnx"


def watched_moments(
    config: Config, size: str, folders: Folders, weights: dict[str, np.ndarray], threads: int
) -> dict[str, np.ndarray]:
    """What the matrices of a run are given by rows of the main stream."""
    torch.set_num_threads(threads)
    recipe, samples = config.recipe(size), config.raw["quantisation"]["samples"]
    start = folders.starts / recipe.start
    model = load_start(start, 0.0, recipe.lean).eval()
    model.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    data = encoded_stage("main", config, start, folders.streams, recipe.most_rows)
    plan = plan_batches(data.lengths.tolist()[:samples], 2048, samples, config.seed)
    return input_moments(model, [rectangle(data, numbers, model.shape.pad) for numbers in plan])


def quantise_base(config: Config, folders: Folders, threads: int) -> Path:
    """The packed weights of the base run, the wiring around them, and the whole graph as the run time will see it."""
    recipe = config.recipe("base")
    start = folders.starts / recipe.start
    grid = Grid.of_run(folders.run)
    weights = checkpoint_weights(start, folders.run / "checkpoint.pt")
    if grid is None:
        moments = watched_moments(config, "base", folders, weights, threads)
        stored = compress(weights, moments, config.raw["quantisation"])
    else:  # learnt on the grid: nothing is left to round
        stored = {name: grid.settled(name, weights[name]) for name in grid.stored}
    write_packed(stored, folders.run / "weights.bin", folders.run / "weights.json")
    settled = verifier_graph(Shape.read(start), restored(weights, stored), recipe.lean)
    onnx.save(settled, folders.run / "restored.onnx")
    to_int8(folders.run / "restored.onnx", folders.run / "whole.onnx")
    wiring = onnx.load(folders.run / "whole.onnx")
    hollow(wiring, [inside for name in stored for inside in initialiser_names(name)])
    onnx.save(wiring, folders.run / "graph.onnx")
    return folders.run / "whole.onnx"


def trained_on(folders: Folders) -> dict[str, int]:
    """How many rows of each set a run, and the weights it began from, have learnt from."""
    before = folders.run / "before.json"
    counts: Counter[str] = Counter(json.loads(before.read_text()) if before.exists() else {})
    for stage, count in Plan.read(folders.run / "plan.json").stages:
        counts.update(row.source for row in read_rows(folders.streams / f"{stage}.jsonl.gz")[:count])
    return dict(sorted(counts.items()))


def finish(config: Config, size: str, folders: Folders, out: Path) -> Path:
    """The finished bundle of a run whose quantised files and calibration lie in its folder."""
    start = folders.starts / config.recipe(size).start
    beside = ["calibration.json"] if size == "small" else ["weights.bin", "weights.json", "calibration.json"]
    files = {WIRING[size]: folders.run / TEMPERED} | {name: folders.run / name for name in beside}
    kind = "onnx-int8" if size == "small" else "packed"
    return write_bundle(size, kind, files, start, config, out / size, {"trained_on": trained_on(folders)})
