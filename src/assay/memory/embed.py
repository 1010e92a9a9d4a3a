"""Embed texts as vectors of length one with the encoders shipped in the package; nothing is downloaded.

`minilm-claims` is a small network (int8 ONNX, all-MiniLM-L6-v2 tuned on claims and their evidence), `static` a token
table distilled from the published one: hundreds of times faster and less exact. Both carry a manifest whose hashes are
checked when they are loaded.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.errors import ModelError
from assay.lru import LruCache
from assay.weights import PACKAGES, describe_missing, find_weights, list_weights
from assay.workers import run_parallel

WEIGHTS = Path(__file__).parent / "weights"
DEFAULT_EMBEDDER = "minilm-claims"

Vectors = NDArray[np.float32]

_LONGEST = 256  # word pieces; the network was trained on no more


class Embedder(Protocol):
    """Anything that turns texts into rows of length one; a memory remembers the `name` of the one it was made with."""

    name: str
    width: int

    def embed(self, texts: Sequence[str]) -> Vectors: ...


class TableEmbedder:
    """A text is the weighted mean of the rows of its word pieces."""

    def __init__(self, folder: Path, card: dict[str, Any]) -> None:
        self.name, self.width = str(card["name"]), int(card["width"])
        stored = np.load(folder / "table.npz")
        self._rows: NDArray[np.int8] = stored["rows"]
        self._scale: Vectors = stored["scale"]
        self._tokenizer = _tokenizer(folder, longest=None)

    def embed(self, texts: Sequence[str]) -> Vectors:
        out = np.zeros((len(texts), self.width), dtype=np.float32)
        for row, encoded in enumerate(self._tokenizer.encode_batch_fast(_clean(texts), add_special_tokens=False)):
            pieces = np.asarray(encoded.ids, dtype=np.int64)
            if pieces.size:
                out[row] = self._scale[pieces] @ self._rows[pieces].astype(np.float32)
        return _unit(out)


class NetworkEmbedder:
    """A text is the mean of the network's last layer.

    One text a run, threads on different texts: in a batch the quantised products would make a text's vector depend on
    the texts beside it (docs/decisions/0004), and padding costs a sixth of the time.
    """

    def __init__(self, folder: Path, card: dict[str, Any], threads: int = 2) -> None:
        from assay.encoder.network import open_session

        self.name, self.width = str(card["name"]), int(card["width"])
        self._threads = max(1, threads)
        self._session = open_session(folder / "model.onnx", {})
        self._tokenizer = _tokenizer(folder, longest=_LONGEST)

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.width), dtype=np.float32)
        pieces = [encoded.ids for encoded in self._tokenizer.encode_batch_fast(_clean(texts))]
        return _unit(np.concatenate(run_parallel(self._run, pieces, self._threads)))

    def _run(self, pieces: Sequence[int]) -> Vectors:
        ids = np.asarray(pieces, dtype=np.int64)[None, :]
        row: Vectors = self._session.run(None, {"ids": ids, "present": np.ones_like(ids)})[0]
        return row


class CachedEmbedder:
    """Keeps the vectors of the texts seen last, by content hash."""

    def __init__(self, inner: Embedder, size: int = 4096) -> None:
        self.name, self.width = inner.name, inner.width
        self._inner = inner
        self._held = LruCache[bytes, Vectors](size)

    def embed(self, texts: Sequence[str]) -> Vectors:
        keys = [content_key(text) for text in texts]
        known = self._held.get(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = dict(zip(missing, self._inner.embed(list(missing.values())), strict=True))
            self._held.put(made)
            known |= made
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, self.width), dtype=np.float32)


class LazyEmbedder:
    """A shipped encoder that is loaded when the first text comes: listing documents needs no model."""

    def __init__(self, name: str, threads: int = 2) -> None:
        card = read_card(name)
        self.name, self.width = str(card["name"]), int(card["width"])
        self._threads = threads

    def embed(self, texts: Sequence[str]) -> Vectors:
        return load_embedder(self.name, self._threads).embed(texts)


def content_key(text: str) -> bytes:
    """A short hash of a text, for caches."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def read_card(name: str) -> dict[str, Any]:
    """The manifest of a shipped encoder; raises ModelError if there is none of this name."""
    folder = find_weights(WEIGHTS, name)
    if folder is None:
        known = ", ".join(list_weights(WEIGHTS)) or "none"
        raise ModelError(
            describe_missing(name) if name in PACKAGES else f"there is no embedder {name!r}; shipped are: {known}"
        )
    try:
        card: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ModelError(
            f"the embedder {name!r} has no readable manifest.json; reinstall assay-check-small"
        ) from problem
    return card


@lru_cache(maxsize=4)
def load_embedder(name: str = DEFAULT_EMBEDDER, threads: int = 2) -> Embedder:
    """A shipped encoder by name, loaded once in a process; raises ModelError if its files are missing or damaged."""
    card, folder = read_card(name), find_weights(WEIGHTS, name) or WEIGHTS
    for file, expected in card["files"].items():
        try:
            actual = hashlib.sha256((folder / file).read_bytes()).hexdigest()
        except OSError as problem:
            raise ModelError(f"the embedder {name!r} lacks {file}; reinstall assay-check-small") from problem
        if actual != expected["sha256"]:
            raise ModelError(
                f"the embedder {name!r} is damaged: {file} does not match its hash; reinstall assay-check-small"
            )
    inner: Embedder = TableEmbedder(folder, card) if card["kind"] == "table" else NetworkEmbedder(folder, card, threads)
    return CachedEmbedder(inner)


def _tokenizer(folder: Path, longest: int | None) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    if longest is None:
        tokenizer.no_truncation()
    else:
        tokenizer.enable_truncation(longest)
    return tokenizer


def _clean(texts: Sequence[str]) -> list[str]:
    """Lone surrogates cannot cross into the tokenizer; they carry no meaning either."""
    return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]


def _unit(rows: Vectors) -> Vectors:
    """Rows of length one; a row without any meaning (an empty text) stays zero."""
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Vectors = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return unit
