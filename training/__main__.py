"""Command line of the training pipeline: every step reads one config and can be run again."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from training.config import Config

STEPS = (
    "fetch",
    "build",
    "train",
    "adopt",
    "distil",
    "average",
    "calibrate",
    "export",
    "quantise",
    "evaluate",
    "packing",
    "bundle",
    "fusion",
)
WEIGHTS = Path("src/assay/encoder/weights")
SHIPPED = {"small": WEIGHTS / "small/model.onnx", "base": WEIGHTS / "base/graph.onnx"}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("--config", type=Path, default=Path(__file__).with_name("config.toml"))
    parser.add_argument("--data", type=Path, help="folder with train/, dev/, test/ and corpora/")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder for everything made: starts, streams, runs, bundles"
    )
    parser.add_argument("--size", choices=["small", "base", "both"], default="base")
    parser.add_argument("--run", help="name of the run folder under --out (default: the size)")
    parser.add_argument("--stage", action="append", help="build or teach only this stage")
    parser.add_argument("--teacher", help="distil: name of the teacher's run folder (default: base)", default="base")
    parser.add_argument("--count", type=int, default=30_000, help="distil: rows of a stage the teacher scores")
    parser.add_argument(
        "--trusted", type=int, default=10_000, help="distil: keep what the teacher said while learning from this row on"
    )
    parser.add_argument("--rows", type=int, default=300, help="evaluate, packing: rows of each dev set")
    parser.add_argument(
        "--graph",
        type=Path,
        help="adopt, average: the graph of the bundle that the new run begins from (default: the shipped one)",
    )
    parser.add_argument("--second", help="average: name of the run that grew out of the graph")
    parser.add_argument("--share", type=float, default=0.5, help="average: of the second run")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args(arguments)
    config = Config.read(given.config)
    if given.step == "fetch":
        fetch_starts(given.out / "starts")
    elif given.step == "build":
        from training.build import STAGES, build

        build(config, given.data, given.out / "streams", tuple(given.stage or STAGES))
    elif given.step == "fusion":
        from training.fusion import fit_sizes

        fit_sizes(given.data, given.out, ("small", "base") if given.size == "both" else (given.size,))
    else:
        from training.train import Folders

        folders = Folders(
            given.out / "starts", given.data, given.out / "streams", given.out / (given.run or given.size)
        )
        after_build(given, config, folders)


def fetch_starts(folder: Path) -> None:
    from training.fetch import STARTS, fetch

    folder.mkdir(parents=True, exist_ok=True)
    for name in STARTS:
        print(fetch(name, folder))


def after_build(given: argparse.Namespace, config: Config, folders) -> None:
    """The steps that work on one run."""
    from training import bundle, export, train

    graph = folders.run / ("model.onnx" if given.size == "small" else "whole.onnx")
    if given.step == "train":
        train.train(config, given.size, folders, given.threads)
    elif given.step == "adopt":
        from training.adopt import adopt

        start = folders.starts / config.recipe(given.size).start
        adopt(given.graph or SHIPPED[given.size], start, folders.run / "checkpoint.pt", config.seed)
    elif given.step == "average":
        from training.average import average

        start = folders.starts / config.recipe(given.size).start
        graph = given.graph or SHIPPED[given.size]
        average(graph, start, given.out / given.second, given.share, folders.run, config.seed)
    elif given.step == "distil":
        from training.distil import teach

        teacher = train.Folders(folders.starts, folders.data, folders.streams, given.out / given.teacher)
        for stage in given.stage or ():
            teach(config, stage, teacher, given.out / "taught", given.count, given.trusted, threads=given.threads)
        train.train(config, given.size, folders, given.threads, given.out / "taught")
    elif given.step == "export":
        recipe = config.recipe(given.size)
        checkpoint, full = folders.run / "checkpoint.pt", folders.run / "full.onnx"
        export.export(folders.starts / recipe.start, checkpoint, full, recipe.lean)
    elif given.step == "quantise":
        made = (
            bundle.quantise_small(config, folders, given.threads)
            if given.size == "small"
            else bundle.quantise_base(config, folders, given.threads)
        )
        print(made)
    elif given.step == "evaluate":
        scores = bundle.evaluate_graph(config, given.size, folders, graph, given.rows, given.threads)
        scores |= bundle.evaluate_swaps(config, given.size, folders, graph, given.rows, given.threads)
        print(json.dumps({**bundle.describe(config, folders, graph), "rows_each": given.rows, **scores}))
    elif given.step == "packing":
        from training.packing import write_forms

        print(write_forms(config, given.size, folders, given.rows, given.threads))
    elif given.step == "calibrate":
        print(bundle.calibrate_run(config, given.size, folders, graph))
    elif given.step == "bundle":
        print(bundle.finish(config, given.size, folders, given.out / "bundles"))


if __name__ == "__main__":
    main()
