"""The network at run time: what a claim is told depends on the claim and its own passages alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.encoder.bundle import read_bundle
from assay.encoder.network import RUN_TOKENS, ClaimInput, Network, group_claims, shared_marks, softmax
from assay.encoder.passages import encode_claim, encode_passages
from assay.errors import ModelError
from tests.encoder.tiny import TOKENIZER, make_broken_folder, make_folder, make_packed_folder, write_manifest

TEXTS = (
    "The mill opened in 1900. It closed in 1950.",
    "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.",
    "Photography is forbidden.",
)
CLAIMS = ("The mill closed in 1950.", "The Pro plan costs $19.", "Visitors cannot take pictures inside.")
SHOWN = ([0, 1, 2], [1], [0, 2])


def ask(network: Network, claims: tuple[str, ...], shown: tuple[list[int], ...]) -> list[np.ndarray]:
    passages = network.read([p for text in TEXTS for p in encode_passages(text, "", TOKENIZER)])
    inputs = [ClaimInput(encode_claim(c, TOKENIZER, 64), s) for c, s in zip(claims, shown, strict=True)]
    return [np.concatenate([o.logits, o.pointer, o.words]) for o in network.judge(inputs, passages)]


@pytest.fixture(scope="module")
def network(folder: Path) -> Network:
    return Network(read_bundle(folder), 1)


def test_a_claim_beside_others_gets_the_same_scores_as_alone(network: Network) -> None:
    together = ask(network, CLAIMS, SHOWN)
    alone = [ask(network, (claim,), (shown,))[0] for claim, shown in zip(CLAIMS, SHOWN, strict=True)]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_the_order_of_passages_changes_nothing(network: Network) -> None:
    (one,), (other,) = ask(network, CLAIMS[:1], ([0, 2],)), ask(network, CLAIMS[:1], ([2, 0],))
    np.testing.assert_allclose(one[:3], other[:3], atol=1e-5)
    np.testing.assert_allclose(one[3:6], np.roll(other[3:6], -1), atol=1e-5)  # two sentences, then one


def test_other_evidence_gives_other_scores(network: Network) -> None:
    (one,), (other,) = ask(network, CLAIMS[:1], ([0],)), ask(network, CLAIMS[:1], ([1],))
    assert np.abs(one[:3] - other[:3]).max() > 1e-3


def plan(shown: list[list[int]], threads: int = 1, length: int = 24) -> dict[tuple[int, ...], list[list[int]]]:
    """How claims of so many tokens, shown passages of 100 tokens, are put into runs."""
    passages = [SimpleNamespace(ids=range(100))] * 12
    return group_claims([ClaimInput(range(length), own) for own in shown], passages, threads)


def test_claims_on_the_same_passages_share_runs_of_bounded_length() -> None:
    runs = plan([[0, 1, 2]] * 20)[0, 1, 2]
    assert sorted(number for run in runs for number in run) == list(range(20))
    assert max(map(len, runs)) * 24 <= RUN_TOKENS + 24
    assert len(runs) == 3


def test_a_few_claims_are_spread_over_the_threads() -> None:
    assert [len(run) for run in plan([[0, 1]] * 6, threads=2)[0, 1]] == [3, 3]


def test_claims_on_other_passages_share_a_run_only_where_most_is_the_same() -> None:
    assert plan([[0], [1]]) == {(0,): [[0]], (1,): [[1]]}
    assert plan([[0, 1, 2, 3], [0, 1, 2, 4]]) == {(0, 1, 2, 3, 4): [[0, 1]]}


def test_claims_in_several_runs_are_told_what_they_are_told_in_one(
    network: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[int] = []
    judge = network._judge_group
    monkeypatch.setattr(network, "_judge_group", lambda group, *rest: runs.append(len(group)) or judge(group, *rest))
    whole = ask(network, CLAIMS, ([0], [0], [0]))
    monkeypatch.setattr("assay.encoder.network.RUN_TOKENS", 5)
    cut = ask(network, CLAIMS, ([0], [0], [0]))
    assert runs == [3, 1, 1, 1]
    for one, other in zip(whole, cut, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_gives_the_same(folder: Path, network: Network, threads: int) -> None:
    for one, other in zip(
        ask(Network(read_bundle(folder), threads), CLAIMS, SHOWN), ask(network, CLAIMS, SHOWN), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_claims_without_passages_or_neighbours_are_judged(network: Network) -> None:
    assert network.judge([], []) == []
    (found,) = network.judge([ClaimInput(encode_claim(CLAIMS[0], TOKENIZER, 64), [])], [])
    assert np.isfinite(found.logits).all()
    assert found.pointer.shape == (0,)


def test_passages_are_read_once_and_the_store_stays_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(read_bundle(folder), 1, kept_bytes=60_000)
    read: list[object] = []
    read_one = network._read_one
    monkeypatch.setattr(network, "_read_one", lambda passage: read.append(passage) or read_one(passage))
    passages = [p for text in TEXTS for p in encode_passages(text, "", TOKENIZER)]
    first = network.read(passages[:1])[0]
    assert [one is first for one in network.read([passages[0], passages[0]])] == [True, True]
    assert len(read) == 1
    network.read([p for n in range(30) for p in encode_passages(f"Sentence {n} stands here.", "", TOKENIZER)])
    assert 0 < network.kept.size <= 60_000


def test_a_passage_that_two_threads_read_at_once_is_counted_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(read_bundle(folder), 1)
    passages = encode_passages(TEXTS[0], "", TOKENIZER)
    read_one = network._read_one

    def read_while_another_does(passage):
        monkeypatch.setattr(network, "_read_one", read_one)
        network.read(passages)
        return read_one(passage)

    monkeypatch.setattr(network, "_read_one", read_while_another_does)
    (read,) = network.read(passages)
    assert network.kept.size == read.bytes


def test_threads_that_read_the_same_get_the_same(folder: Path) -> None:
    network = Network(read_bundle(folder), 1)
    expected = ask(Network(read_bundle(folder), 1), CLAIMS, SHOWN)
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: ask(network, CLAIMS, SHOWN), range(8)):
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_array_equal(one, other)


def test_impossible_numbers_are_an_error(tmp_path: Path) -> None:
    network = Network(read_bundle(make_broken_folder(tmp_path / "nan")), 1)
    with pytest.raises(ModelError, match="NaN"):
        network.read(encode_passages(TEXTS[0], "", TOKENIZER))


def test_eight_bits_stay_close_to_full_precision(tmp_path: Path) -> None:
    narrow = Network(read_bundle(make_folder(tmp_path / "narrow", "mpnet")), 1)
    full = Network(read_bundle(make_folder(tmp_path / "full", "mpnet", eight_bits=False)), 1)
    shown = ([0], [1], [2])
    for one, other in zip(ask(narrow, CLAIMS, shown), ask(full, CLAIMS, shown), strict=True):
        assert np.abs(one - other)[:3].max() < 0.2


MATRICES = ("layers.0.q.weight", "layers.1.down.weight")


@pytest.mark.parametrize("names", [MATRICES, ("words.weight",), ("words.weight", *MATRICES)])
def test_packed_weights_give_what_the_unpacked_ones_give(tmp_path: Path, names: tuple[str, ...]) -> None:
    make_packed_folder(tmp_path / "packed", tmp_path / "plain", *names)
    packed, plain = (Network(read_bundle(tmp_path / name), 2) for name in ("packed", "plain"))
    for one, other in zip(ask(packed, CLAIMS, SHOWN), ask(plain, CLAIMS, SHOWN), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-3)


def test_a_packed_tensor_beyond_the_file_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "packed"
    make_packed_folder(folder, tmp_path / "plain", *MATRICES)
    index = (folder / "weights.json").read_text().replace('"codes": [0, ', '"codes": [0, 99999')
    (folder / "weights.json").write_text(index)
    write_manifest(folder, "shared-packed")
    with pytest.raises(ModelError, match=r"the tensor 'layers\.0\.q\.weight_quantized' cannot be unpacked: it lies at"):
        Network(read_bundle(folder), 1)


@pytest.mark.parametrize("file", ["body.onnx", "heads.onnx"])
def test_a_file_that_is_no_graph_is_refused_although_its_hash_fits(tmp_path: Path, file: str) -> None:
    folder = make_folder(tmp_path / "tiny")
    (folder / file).write_bytes(b"no model at all")
    write_manifest(folder)
    with pytest.raises(ModelError, match="onnxruntime refuses"):
        Network(read_bundle(folder), 1)


def test_marks_count_shared_tokens_and_their_neighbours() -> None:
    marks = shared_marks(np.array([5, 6, 7, 9]), np.array([1, 6, 7, 8]))
    assert marks.tolist() == [0, 2, 2, 0]
    assert shared_marks(np.array([5, 6, 7]), np.array([5, 6, 7])).tolist() == [2, 3, 2]
    assert shared_marks(np.array([5]), np.array([], dtype=np.int64)).tolist() == [0]


@given(st.lists(st.floats(-20, 20, width=32), min_size=1, max_size=20))
def test_shares_sum_to_one_and_keep_the_order(scores: list[float]) -> None:
    shares = softmax(np.asarray(scores, dtype=np.float32))
    assert shares.sum() == pytest.approx(1, abs=1e-4)
    assert shares[int(np.argmax(scores))] == shares.max()


def test_no_scores_no_shares() -> None:
    assert softmax(np.zeros(0, dtype=np.float32)).shape == (0,)
