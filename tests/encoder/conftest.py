"""Tiny real models in a folder of their own, by rule, so that tests can say what must come out."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.encoder import Verifier

DATA = Path(__file__).parent / "data"
collect_ignore = ["data/make_models.py"]  # needs the onnx package, which the tests do not
Maker = Callable[..., Path]


def write_manifest(folder: Path, form: str = "onnx-int8", **changes: object) -> None:
    files = {
        file.name: {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size}
        for file in sorted(folder.iterdir())
        if file.name != "manifest.json"
    }
    manifest = {
        "name": "tiny",
        "version": "1",
        "format": form,
        "files": files,
        "max_tokens": 64,
        "labels": ["SUPPORTED", "REFUTED", "INSUFFICIENT"],
    }
    (folder / "manifest.json").write_text(json.dumps(manifest | changes))


@pytest.fixture
def make_bundle(tmp_path: Path) -> Maker:
    def make(model: str = "overlap", **changes: object) -> Path:
        folder = tmp_path / model
        folder.mkdir()
        shutil.copy(DATA / "tokenizer.json", folder)
        shutil.copy(DATA / f"{model}.onnx", folder / "model.onnx")
        (folder / "calibration.json").write_text(json.dumps({"temperature": 1.0, "isotonic": {}}))
        write_manifest(folder, **changes)
        return folder

    return make


@pytest.fixture
def verifier(make_bundle: Maker) -> Verifier:
    return Verifier.load(make_bundle(), threads=2)
