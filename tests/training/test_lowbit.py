import json

import pytest

np = pytest.importorskip("numpy")

from assay.encoder.packed import unpack_weights  # noqa: E402
from training.lowbit import compress, round_groups, round_with_feedback, write_packed  # noqa: E402


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 8])
def test_the_run_time_unpacks_what_was_packed(tmp_path, bits):
    matrix = np.random.default_rng(1).standard_normal((8, 192)).astype(np.float32)
    stored = {"layers.0.q.weight": round_groups(matrix, bits, 96), "words.weight": round_groups(matrix, bits, 64)}
    write_packed(stored, tmp_path / "w.bin", tmp_path / "w.json")
    index, blob = json.loads((tmp_path / "w.json").read_text()), (tmp_path / "w.bin").read_bytes()
    tensors = unpack_weights(index, blob)
    whole = tensors["layers.0.q.weight_quantized"].T * tensors["layers.0.q.weight_scale"][:, None]
    assert np.allclose(whole, stored["layers.0.q.weight"].values, atol=0.04)
    exact = unpack_weights({"tensors": [{**entry, "into": "float32"} for entry in index["tensors"]]}, blob)
    assert np.array_equal(exact["words.codes"], stored["words.weight"].values)
    assert np.array_equal(exact["layers.0.q.weight_quantized"].T, stored["layers.0.q.weight"].values)


def seen_inputs(columns):
    rng = np.random.default_rng(2)
    mixed = rng.standard_normal((columns, columns)) * 0.1 + np.eye(columns) * 0.3
    return (rng.standard_normal((500, columns)) @ mixed).astype(np.float32)


def test_feedback_loses_less_of_the_output_than_plain_rounding():
    matrix, seen = np.random.default_rng(3).standard_normal((32, 64)).astype(np.float32), seen_inputs(64)

    def lost(rounded) -> float:
        return float(np.square(seen @ (rounded.values - matrix).T).mean())

    assert lost(round_with_feedback(matrix, seen.T @ seen / 500, 3, 32)) < lost(round_groups(matrix, 3, 32))


def test_key_and_value_are_rounded_by_what_the_query_reads_and_heads_not_at_all():
    matrix, seen = np.random.default_rng(3).standard_normal((32, 64)).astype(np.float32), seen_inputs(64)
    names = ("layers.0.q.weight", "layers.0.k.weight", "layers.0.up.weight", "words.weight", "hidden.weight")
    moment = seen.T @ seen / 500
    made = compress(dict.fromkeys(names, matrix), {"layers.0.q": moment}, 4, 32, 64)
    assert set(made) == set(names) - {"hidden.weight"}
    guided = round_with_feedback(matrix, moment, 4, 32).codes
    assert np.array_equal(made["layers.0.k.weight"].codes, guided)
    assert not np.array_equal(made["layers.0.up.weight"].codes, guided)
