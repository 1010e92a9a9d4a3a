import json
import random

import pytest

np = pytest.importorskip("numpy")

from training.encode import Encoded, plan_batches, rectangle  # noqa: E402
from training.lowbit import round_groups, round_with_feedback  # noqa: E402
from training.pack import pack_bits, read_grouped, unpack_bits, write_packed  # noqa: E402


def lengths(count: int) -> list[int]:
    dice = random.Random(4)
    return [dice.randint(5, 200) for _ in range(count)]


def test_no_batch_exceeds_its_token_budget_and_every_row_comes_once():
    sizes = lengths(1000)
    plan = plan_batches(sizes, 800, 256, 1)
    assert sorted(n for batch in plan for n in batch) == list(range(1000))
    assert all(len(batch) * max(sizes[n] for n in batch) <= 800 or len(batch) == 1 for batch in plan)


def test_a_resumed_run_finds_the_same_next_batch():
    sizes = lengths(1000)
    assert plan_batches(sizes, 800, 256, 1)[17] == plan_batches(sizes, 800, 256, 1)[17]
    # A stream that grew at its end changes nothing before the last whole chunk.
    assert plan_batches(sizes, 800, 256, 1)[:20] == plan_batches([*sizes, 50, 60], 800, 256, 1)[:20]


def test_the_order_of_batches_stays_near_the_streams_own():
    plan = plan_batches(lengths(1000), 800, 100, 1)
    firsts = [min(batch) // 100 for batch in plan]
    assert firsts == sorted(firsts)


def test_a_rectangle_marks_what_is_present_and_what_is_claim():
    data = Encoded(
        np.array([1, 2, 3, 4, 5], dtype=np.uint16),
        np.array([0, 3, 5]),
        np.array([2, 1], dtype=np.int16),
        np.array([0, 1], dtype=np.int8),
    )
    batch = rectangle(data, [0, 1], pad=9, multiple=4)
    assert batch.ids.tolist() == [[1, 2, 3, 9], [4, 5, 9, 9]]
    assert batch.present.sum(1).tolist() == [3, 2]
    assert batch.segments.tolist() == [[0, 0, 1, 0], [0, 1, 0, 0]]


@pytest.mark.parametrize("bits", [2, 3, 4, 5, 8])
def test_codes_survive_packing(bits):
    codes = np.random.default_rng(0).integers(-(1 << (bits - 1)), 1 << (bits - 1), 333)
    assert unpack_bits(pack_bits(codes, bits), bits, 333).tolist() == codes.tolist()


def test_packed_tensors_are_read_back_as_they_were_rounded(tmp_path):
    matrix = np.random.default_rng(1).standard_normal((8, 128)).astype(np.float32)
    stored = {"m": round_groups(matrix, 4, 64)}
    write_packed(stored, tmp_path / "w.bin", tmp_path / "w.json")
    back = read_grouped(tmp_path / "w.bin", tmp_path / "w.json")
    assert np.allclose(back["m_quantized"].values, stored["m"].values, atol=1e-3)


def test_the_run_time_unpacks_what_was_packed(tmp_path):
    packed = pytest.importorskip("assay.encoder.packed")
    matrix = np.random.default_rng(1).standard_normal((8, 128)).astype(np.float32)
    stored = {"layers.0.q.weight": round_groups(matrix, 3, 64)}
    write_packed(stored, tmp_path / "w.bin", tmp_path / "w.json")
    tensors = packed.unpack_weights(json.loads((tmp_path / "w.json").read_text()), (tmp_path / "w.bin").read_bytes())
    whole = tensors["layers.0.q.weight_quantized"].T * tensors["layers.0.q.weight_scale"][:, None]
    assert np.allclose(whole, stored["layers.0.q.weight"].values, atol=0.02)


def test_feedback_loses_less_of_the_output_than_plain_rounding():
    rng = np.random.default_rng(2)
    matrix = rng.standard_normal((32, 64)).astype(np.float32)
    seen = (rng.standard_normal((500, 64)) @ (rng.standard_normal((64, 64)) * 0.1 + np.eye(64) * 0.3)).astype(
        np.float32
    )
    moment = seen.T @ seen / 500

    def lost(rounded) -> float:
        return float(np.square(seen @ (rounded.values - matrix).T).mean())

    assert lost(round_with_feedback(matrix, moment, 3, 32)) < lost(round_groups(matrix, 3, 32))
