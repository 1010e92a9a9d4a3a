from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.packed import pack_codes, unpack_codes, unpack_weights


@given(st.integers(1, 8).flatmap(lambda bits: st.tuples(st.just(bits), st.lists(st.integers(0, 2**bits - 1)))))
def test_codes_come_back_as_they_were_packed(case: tuple[int, list[int]]) -> None:
    bits, codes = case
    stream = pack_codes(np.asarray(codes, dtype=np.int64), bits)
    assert len(stream) == -(-len(codes) // 8) * bits
    assert unpack_codes(stream, bits, len(codes)).tolist() == codes


def test_a_stream_is_little_endian() -> None:
    assert pack_codes(np.array([1, 2, 3, 0]), 2) == bytes([0b00_11_10_01, 0])


def test_groups_have_their_own_scale_and_zero() -> None:
    codes = pack_codes(np.array([[0, 1, 2, 3], [3, 2, 1, 0]]), 2)
    scales = np.array([1.0, 10.0, 0.5, 2.0], dtype="<f2").tobytes()
    zeros = np.array([0.0, 2.0, 1.0, 1.5], dtype="<f2").tobytes()
    places = {"codes": [0, len(codes)], "scales": [len(codes), 8], "zeros": [len(codes) + 8, 8]}
    entry = {"name": "w", "shape": [2, 4], "bits": 2, "group": 2, "into": "float32", **places}
    found = unpack_weights({"tensors": [entry]}, codes + scales + zeros)
    assert found["w"].tolist() == [[0.0, 1.0, 0.0, 10.0], [1.0, 0.5, -1.0, -3.0]]


def test_levels_name_the_values_of_the_codes() -> None:
    codes = pack_codes(np.array([[0, 3, 1]]), 2)
    scales = np.array([2.0], dtype="<f2").tobytes()
    entry = {"name": "w", "shape": [1, 3], "bits": 2, "group": 4, "into": "float32", "levels": [-1.5, -0.4, 0.4, 1.5]}
    entry |= {"codes": [0, len(codes)], "scales": [len(codes), 2], "transposed": True}
    found = unpack_weights({"tensors": [entry]}, codes + scales)
    assert np.allclose(found["w"], [[-3.0], [3.0], [-0.8]])


def test_int8_keeps_every_weight_within_half_a_step() -> None:
    dice = np.random.default_rng(1)
    numbers = dice.integers(0, 8, (6, 64))
    codes = pack_codes(numbers, 3)
    scales = dice.uniform(0.01, 0.2, (6, 2)).astype("<f2")
    places = {"codes": [0, len(codes)], "scales": [len(codes), scales.nbytes]}
    entry = {"name": "w", "shape": [6, 64], "bits": 3, "group": 32, "zero": 3.5, "into": "int8", **places}
    entry |= {"scale_name": "s", "zero_name": "z", "transposed": True}
    found = unpack_weights({"tensors": [entry]}, codes + scales.tobytes())
    exact = (numbers - 3.5) * np.repeat(scales.astype(float), 32, axis=1)
    assert found["w"].shape == (64, 6)
    assert found["w"].dtype == np.int8
    assert not found["z"].any()
    assert (np.abs(found["w"].T * found["s"][:, None] - exact) <= found["s"][:, None] * 0.51).all()


def test_stored_tensors_come_back_as_they_are() -> None:
    values = np.arange(6, dtype="<f4").reshape(2, 3)
    entry = {"name": "bias", "shape": [2, 3], "dtype": "float32", "data": [0, values.nbytes]}
    assert np.array_equal(unpack_weights({"tensors": [entry]}, values.tobytes())["bias"], values)
