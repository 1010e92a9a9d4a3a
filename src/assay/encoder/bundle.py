"""A model on disk: its manifest, and its files read once, checked and handed on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import ModelError, UsageError
from assay.weights import PACKAGES, describe_missing, find_weights, list_weights

WEIGHTS = Path(__file__).parent / "weights"
LABELS = ("SUPPORTED", "REFUTED", "INSUFFICIENT")
NEEDED = {
    "shared": ("tokenizer.json", "calibration.json", "body.onnx", "heads.onnx"),
    "shared-packed": ("tokenizer.json", "calibration.json", "body.onnx", "heads.onnx", "weights.bin", "weights.json"),
}
REMEDY = "install Assay again, or make the model again with `python -m training`"


@dataclass(frozen=True)
class Bundle:
    """A checked model: what its manifest says and the content of its files."""

    folder: Path
    name: str
    version: str
    format: str
    labels: tuple[str, ...]
    sha256: str
    contents: Mapping[str, bytes]
    finder: str | None = None  # the model whose pointer chooses what claims are read with; None: claims see everything

    def read_json(self, file: str) -> dict[str, Any]:
        return _parse(self.folder / file, self.contents[file])


def find_bundle(name: str | os.PathLike[str]) -> Path:
    """The folder of a shipped model, or the folder that a path names."""
    if (shipped := find_weights(WEIGHTS, str(name))) is not None:
        return shipped
    folder = Path(name)
    if folder.is_dir():
        return folder
    if str(name) in PACKAGES:
        raise ModelError(describe_missing(str(name)))
    known = ", ".join(list_weights(WEIGHTS)) or "none are installed"
    raise UsageError(f"no verifier model {str(name)!r}: give the name of a shipped one ({known}) or a folder")


def read_bundle(folder: Path) -> Bundle:
    """The bundle in a folder; whatever is missing, damaged or impossible is a ModelError that names the file."""
    path = folder / "manifest.json"
    raw = _read(path)
    manifest = _parse(path, raw)
    try:
        form = manifest["format"]
        bundle = Bundle(
            folder=folder,
            name=str(manifest["name"]),
            version=str(manifest["version"]),
            format=form,
            labels=tuple(manifest["labels"]),
            sha256=hashlib.sha256(raw).hexdigest(),
            contents={file: _read_checked(folder / file, manifest["files"][file]) for file in NEEDED[form]},
            finder=manifest.get("finder"),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise ModelError(f"{path} lacks or garbles {problem}: {REMEDY}") from problem
    if sorted(bundle.labels) != sorted(LABELS):
        raise ModelError(f"{path} lists the labels {list(bundle.labels)}, but a verifier has {', '.join(LABELS)}")
    return bundle


def _read_checked(path: Path, entry: Mapping[str, Any]) -> bytes:
    content = _read(path)
    if len(content) != entry["bytes"]:
        raise ModelError(f"{path} has {len(content)} bytes, the manifest says {entry['bytes']}: {REMEDY}")
    found = hashlib.sha256(content).hexdigest()
    if found != entry["sha256"]:
        raise ModelError(f"{path} is damaged: its sha256 is {found}, the manifest says {entry['sha256']}: {REMEDY}")
    return content


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as problem:
        raise ModelError(f"{path} is missing: {REMEDY}") from problem
    except OSError as problem:
        raise ModelError(f"{path} cannot be read ({problem.strerror}): check its permissions, or {REMEDY}") from problem


def _parse(path: Path, content: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(content)
    except ValueError as problem:  # also bytes that are no UTF-8
        raise ModelError(f"{path} is no valid JSON ({problem}): {REMEDY}") from problem
    if not isinstance(parsed, dict):
        raise ModelError(f"{path} holds a {type(parsed).__name__} where an object is needed: {REMEDY}")
    return parsed
