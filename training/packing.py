"""What smaller forms of the same weights cost: bytes and dev scores in full precision, eight bits, four, as shipped."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import onnx

from training.card import RESULTS
from training.config import Config
from training.evaluate import DevSet, load_dev, predict_onnx, score, softmax
from training.export import checkpoint_weights
from training.fetch import sha256_of
from training.graph import verifier_graph
from training.quantise import to_int8
from training.shape import Shape
from training.train import Folders

# Short sets of all three measures: what is asked is the cost of rounding, not how long texts are read.
SETS = ("lingnli", "cad_nli", "snli", "infotabs", "healthver", "fool_me_twice", "fever_symmetric", "halueval_qa")
SHIPPED = {"small": ("tempered.onnx",), "base": ("weights.bin", "weights.json", "tempered.onnx")}


@dataclass(frozen=True)
class Form:
    """One way to hold a size's weights, and the mean score of its dev sets."""

    name: str
    bytes: int
    score: float


def forms(config: Config, size: str, folders: Folders, rows: int, threads: int) -> list[Form]:
    """The forms of a run that has been quantised, from the largest to what is shipped."""
    recipe, run = config.recipe(size), folders.run
    start = folders.starts / recipe.start
    shape = Shape.read(start)
    full, eight, coarse = (run / f"{name}.onnx" for name in ("full", "eight", "coarse"))
    onnx.save(verifier_graph(shape, checkpoint_weights(start, run / "checkpoint.pt"), recipe.lean), full)
    small = size == "small"
    rounded = full if small else run / "restored.onnx"
    to_int8(rounded, coarse, spare_bit=small, by_token=False)
    graphs = {"full precision": (full, full)}
    if not small:
        to_int8(full, eight)
        graphs["eight bits"] = (eight, eight)
        graphs["four bits, products in full precision"] = (rounded, None)
    graphs["as shipped, but one range for all tokens of a text"] = (coarse, None)
    graphs["as shipped"] = (run / ("model.onnx" if small else "whole.onnx"), None)
    shipped = sum((run / name).stat().st_size for name in SHIPPED[size])
    sets = load_dev(folders.data, start, SETS, rows, config.seed)
    return [
        Form(name, shipped if held is None else held.stat().st_size, _mean_score(graph, sets, shape.pad, threads))
        for name, (graph, held) in graphs.items()
    ]


def write_forms(config: Config, size: str, folders: Folders, rows: int, threads: int) -> Path:
    """The table's figures, where the model card finds them."""
    found = forms(config, size, folders, rows, threads)
    path = RESULTS / f"packing-{size}.json"
    told = {
        "sha256": sha256_of(folders.run / SHIPPED[size][0]),
        "rows_each": rows,
        "sets": SETS,
        "forms": [asdict(form) for form in found],
    }
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return path


def _mean_score(graph: Path, sets: list[DevSet], pad: int, threads: int) -> float:
    scores = [score(dev.measure, softmax(predict_onnx(graph, dev.data, pad, threads)), dev.labels) for dev in sets]
    return round(sum(scores) / len(scores), 1)
