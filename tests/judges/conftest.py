"""Tiny real models on disk, and judges that say what they are told."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "encoder" / "data"


@pytest.fixture
def make_model(tmp_path):
    """A folder with a model of tests/encoder: `overlap` supports shared words, `nan` gives impossible numbers."""

    def make(model: str = "overlap", name: str | None = None) -> str:
        folder = tmp_path / (name or model)
        folder.mkdir()
        shutil.copy(DATA / "tokenizer.json", folder)
        shutil.copy(DATA / f"{model}.onnx", folder / "model.onnx")
        (folder / "calibration.json").write_text(json.dumps({"temperature": 1.0, "isotonic": {}}))
        files = {
            file.name: {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size}
            for file in sorted(folder.iterdir())
        }
        manifest = {
            "name": "tiny",
            "version": "1",
            "format": "onnx-int8",
            "files": files,
            "max_tokens": 64,
            "labels": ["SUPPORTED", "REFUTED", "INSUFFICIENT"],
        }
        (folder / "manifest.json").write_text(json.dumps(manifest))
        return str(folder)

    return make
