from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import ModelError
from assay.memory import embed
from assay.memory.embed import WEIGHTS, CachedEmbedder, load_embedder

NAMES = ["static", "minilm-claims"]


@pytest.mark.parametrize("name", NAMES)
def test_like_meanings_lie_closer_than_unlike_ones(name: str) -> None:
    rows = load_embedder(name).embed(
        ["Mount Everest is the highest mountain.", "Everest is the tallest peak.", "I ate a pizza for lunch."]
    )
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_has_the_same_vector_alone_and_in_a_batch(name: str) -> None:
    inner = load_embedder(name)._inner  # type: ignore[attr-defined]
    texts = ["Paris is in France.", "A much longer sentence about many different things, with commas, and so on. " * 4]
    together, alone = inner.embed(texts), inner.embed(texts[:1])
    assert np.array_equal(together[0], alone[0])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=80), max_size=4))
def test_any_text_has_a_vector_of_length_one_or_none(texts: list[str]) -> None:
    rows = load_embedder("static").embed(texts)
    assert rows.shape == (len(texts), 256)
    assert all(length < 1e-6 or abs(length - 1) < 1e-3 for length in np.linalg.norm(rows, axis=1))


@pytest.mark.parametrize("name", NAMES)
def test_shipped_weights_are_small_and_carry_origin_and_licence(name: str) -> None:
    card = json.loads((WEIGHTS / name / "manifest.json").read_text())
    assert card["origin"]
    assert card["licence"] == "Apache-2.0"
    assert sum(path.stat().st_size for path in (WEIGHTS / name).iterdir()) <= 25_000_000


def test_an_unknown_embedder_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ModelError, match="minilm-claims, static"):
        load_embedder("gpt")


def test_damaged_weights_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "broken"
    folder.mkdir()
    for file in (WEIGHTS / "static").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    data = bytearray((folder / "table.npz").read_bytes())
    data[5000] ^= 1
    (folder / "table.npz").write_bytes(data)
    monkeypatch.setattr(embed, "WEIGHTS", tmp_path)
    with pytest.raises(ModelError, match="does not match its hash"):
        load_embedder("broken")
    (folder / "table.npz").unlink()
    with pytest.raises(ModelError, match="lacks"):
        load_embedder("broken", 3)


def test_the_cache_asks_only_for_what_it_has_not_seen() -> None:
    asked: list[str] = []

    class Counting:
        name, width = "counting", 2

        def embed(self, texts: Sequence[str]) -> np.ndarray:
            asked.extend(texts)
            return np.asarray([[1.0, len(text)] for text in texts], dtype=np.float32)

    cached = CachedEmbedder(Counting(), size=2)
    assert cached.embed(["a", "bb", "a"])[:, 1].tolist() == [1, 2, 1]
    cached.embed(["bb"])
    assert asked == ["a", "bb"]
    cached.embed(["ccc"])
    cached.embed(["a"])
    assert asked == ["a", "bb", "ccc", "a"]


def test_the_graph_does_not_keep_the_network_from_loading() -> None:
    """Loaded in the wrong order, the two libraries underneath crash the process."""
    script = (
        "from assay.memory.graph import Graph; from assay.policy import Policy; Graph(4, Policy()); import onnxruntime"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
