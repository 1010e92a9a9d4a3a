"""A claim read together with the sentences that fit it best: what is chosen, and that both see each other."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
from assay.encoder.bundle import read_bundle  # noqa: E402
from assay.encoder.network import Network  # noqa: E402
from tests.encoder.tiny import TOKENIZER, make_folder, random_weights, tiny_shape  # noqa: E402
from tests.training.test_network import RIVER, encoded  # noqa: E402
from tests.training.tiny import make_checkpoint, make_start, write_rows  # noqa: E402
from training import __main__ as commands  # noqa: E402
from training.batches import joined, plain, rectangle  # noqa: E402
from training.close import (  # noqa: E402
    CloseReader,
    Teacher,
    close_claims,
    close_rectangle,
    in_rectangles,
    own_losses,
    shared_words,
)
from training.fit import load  # noqa: E402
from training.network import SharedReader  # noqa: E402
from training.shape import Shape  # noqa: E402


def network(kind: str) -> CloseReader:
    torch.manual_seed(1)
    buckets = 32 if kind == "mpnet" else 0
    model = CloseReader(Shape(kind, TOKENIZER.get_vocab_size(), 16, 2, 2, 32, 514, 1e-5, 0, buckets))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return model.eval()


def test_evidence_and_claim_see_each_other() -> None:
    model, claims = network("mpnet"), close_claims(plain(encoded()))
    with torch.no_grad():
        states = [model.read(close_rectangle([claim], 0))[0, :5] for claim in claims[:2]]
    assert claims[0].read.ids[:5] == claims[1].read.ids[:5]
    assert (states[0] - states[1]).abs().max() > 1e-3


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_a_claim_beside_longer_ones_is_read_as_alone(kind: str) -> None:
    model, claims = network(kind), close_claims(plain(encoded()))
    with torch.no_grad():
        together = model(close_rectangle(claims, 0))[0]
        alone = torch.cat([model(close_rectangle([claim], 0))[0] for claim in claims])
    torch.testing.assert_close(together, alone, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_the_run_time_says_what_the_network_says(kind: str, tmp_path: Path) -> None:
    shape, claims = tiny_shape(kind), close_claims(plain(encoded()))
    weights = random_weights(shape)
    model = CloseReader(shape).eval()
    model.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()}, strict=False)
    made = make_folder(tmp_path / "made", kind, weights=weights, eight_bits=False)
    found = Network(read_bundle(made), 1).judge_closely([claim.read for claim in claims])
    with torch.no_grad():
        for claim, raw in zip(claims, found, strict=True):
            logits, scores, words = model(close_rectangle([claim], 0))
            np.testing.assert_allclose(raw.logits, logits[0], atol=0.02)  # the word table is in bytes
            np.testing.assert_allclose(raw.pointer, scores[0], atol=0.1)
            np.testing.assert_allclose(raw.words, words, atol=0.05)


def test_a_shared_rectangle_is_read_in_the_shared_way() -> None:
    model, item = network("mpnet"), plain(encoded())
    plainly = SharedReader(model.shape).eval()
    plainly.load_state_dict(model.state_dict())
    with torch.no_grad():
        torch.testing.assert_close(model(rectangle([item], 0))[0], plainly(rectangle([item], 0))[0])


def test_training_shows_the_sentences_that_decide() -> None:
    item = joined([encoded(RIVER), encoded()], random.Random(0), astray=0.0)
    for claim in close_claims(item, None, random.Random(0)):
        assert bool(claim.deciding) is bool(claim.claim.deciding)


def test_words_that_few_sentences_have_count_more() -> None:
    scores = shared_words(plain(encoded()))
    assert scores.shape == (3, 3)
    assert scores[0].argmax() == 0


def test_every_claim_lies_in_one_rectangle_of_at_most_the_tokens() -> None:
    claims = close_claims(plain(encoded()))
    parts = in_rectangles(claims, 60)
    assert sorted(id(claim) for part in parts for claim in part) == sorted(map(id, claims))
    assert all(len(part) == 1 or max(len(c.read.ids) for c in part) * len(part) <= 60 for part in parts)


def test_a_run_learns_is_saved_and_scores_dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = make_start(tmp_path / "starts", "mpnet")
    make_checkpoint(tmp_path / "begin.pt", start, "mpnet")
    rows = write_rows(tmp_path / "rows.jsonl.gz")
    config = tmp_path / "reader.toml"
    whole = (Path(commands.__file__).parent / "reader.toml").read_text()
    before, _, after = whole.partition("[seasoning]")
    config.write_text(before + "[seasoning]\n" + after[after.index("[base]") :])
    given = ["--data", tmp_path, "--written", rows, "--dev", rows, "--starts", tmp_path / "starts"]
    more = ["--begin", tmp_path / "begin.pt", "--config", config, "--claims", "4", "--still-layers", "1"]
    monkeypatch.setattr(sys, "argv", ["training", *map(str, ["close", tmp_path / "runs" / "a", *given, *more])])
    commands.main()
    assert '"event": "dev", "rows": 2' in (tmp_path / "runs" / "a" / "log.jsonl").read_text()
    trained = torch.load(tmp_path / "runs" / "a" / "checkpoint.pt", weights_only=True)["weights"]
    assert "layers.0.q.weight" in trained

    start = tmp_path / "starts" / "mpnet"
    claims = [claim for block in load([rows], start, tmp_path / "cache") for claim in close_claims(plain(block))]
    taught = Teacher(tmp_path / "runs" / "a", start, tmp_path / "starts").said_of(claims)
    assert taught.isfinite().all()
    again = ["close", tmp_path / "runs" / "b", *given, *more, "--taught", tmp_path / "runs" / "a"]
    monkeypatch.setattr(sys, "argv", ["training", *map(str, again)])
    commands.main()
    assert '"event": "dev"' in (tmp_path / "runs" / "b" / "log.jsonl").read_text()


def test_a_teacher_counts_beside_the_label_where_it_has_judged_the_claim() -> None:
    claims = close_claims(plain(encoded()))
    batch, logits = close_rectangle(claims, 0), torch.randn(len(claims), 3)
    taught = logits.clone()
    taught[1:] = torch.nan
    weights = {"smoothing": 0.0, "taught": 0.5}
    plainly, both = (own_losses(logits, one, weights) for one in (batch, replace(batch, taught=taught)))
    entropy = -(logits[0].softmax(-1) * logits[0].log_softmax(-1)).sum()
    torch.testing.assert_close(both[0], (plainly[0] + entropy) / 2)
    torch.testing.assert_close(both[1:], plainly[1:])
