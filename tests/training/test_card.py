"""The model card and the comparison are what the kept results say: nobody has typed a figure into them."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location

import pytest

from training.card import PAGE, RESULTS, ROOT, WEIGHTS, read_card

SIZES = ("small", "base")
FILES = [RESULTS / f"{size}.json" for size in SIZES]


def test_the_card_is_the_one_that_the_results_make() -> None:
    assert PAGE.read_text(encoding="utf-8") == read_card(FILES)


def test_the_tables_of_the_pages_are_those_that_the_results_make() -> None:
    spec = spec_from_file_location("compare", ROOT / "docs" / "compare.py")
    assert spec is not None
    assert spec.loader is not None
    compare = module_from_spec(spec)
    spec.loader.exec_module(compare)
    tables = compare.write_tables(compare.read_results([str(file) for file in FILES]))
    for place in compare.PLACES:
        page = place.read_text(encoding="utf-8")
        assert page == compare.fill(page, tables), place.name


@pytest.mark.parametrize(("size", "file"), [("small", "model.onnx"), ("base", "weights.bin")])
def test_the_packing_was_measured_on_the_weights_that_are_shipped(size: str, file: str) -> None:
    manifest = json.loads((WEIGHTS / size / "manifest.json").read_text(encoding="utf-8"))
    told = json.loads((RESULTS / f"packing-{size}.json").read_text(encoding="utf-8"))
    assert told["sha256"] == manifest["files"][file]["sha256"]
    assert told["forms"][0]["bytes"] > told["forms"][-1]["bytes"]


@pytest.mark.parametrize(("size", "file"), [("small", "model.onnx"), ("base", "graph.onnx")])
def test_the_temperatures_were_measured_on_the_graph_that_is_shipped(size: str, file: str) -> None:
    manifest = json.loads((WEIGHTS / size / "manifest.json").read_text(encoding="utf-8"))
    told = json.loads((RESULTS / f"calibration-{size}.json").read_text(encoding="utf-8"))
    assert told["sha256"] == manifest["files"][file]["sha256"]
