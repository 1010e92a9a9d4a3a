"""The network that reads evidence once: what it may see, how blocks are arranged, and that the graph says the same."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
from assay.encoder.network import ClaimInput, Network  # noqa: E402
from tests.encoder.tiny import TOKENIZER  # noqa: E402
from tests.training.tiny import EVIDENCE  # noqa: E402
from training.batches import joined, lose_sentence, plain, rectangle, without_title  # noqa: E402
from training.blocks import Block, Claim, encode_block  # noqa: E402
from training.fit import batches_of, loss_of, scores_of  # noqa: E402
from training.graph import body_graph, heads_graph  # noqa: E402
from training.network import SharedReader  # noqa: E402
from training.shape import Shape  # noqa: E402

PLACES = {"opened": (7, 32), "closed": (33, 51)}
MILL = Block(
    "mill",
    "test",
    EVIDENCE,
    (
        Claim("The mill opened in 1900.", "SUPPORTED", "verbatim", (PLACES["opened"],)),
        Claim("The mill closed in 1953.", "REFUTED", "date", (PLACES["closed"],), ((19, 23),)),
        Claim("The mill is red.", "INSUFFICIENT", "detail"),
    ),
    "When did the mill open?",
)
RIVER = Block("river", "test", "The river is in France.", (Claim("The river is in Italy.", "REFUTED"),))


def encoded(block: Block = MILL):
    return encode_block(block, TOKENIZER)


def network(kind: str) -> SharedReader:
    torch.manual_seed(1)
    buckets = 32 if kind == "mpnet" else 0
    model = SharedReader(Shape(kind, TOKENIZER.get_vocab_size(), 16, 2, 2, 32, 514, 1e-5, 0, buckets))
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    torch.nn.init.ones_(model.sharpness)
    return model.eval()


def test_sentences_and_wrong_words_are_found_in_tokens() -> None:
    block = encoded()
    assert [claim.deciding for claim in block.claims] == [frozenset({0}), frozenset({1}), None]
    assert block.claims[0].wrong == (0,) * len(block.claims[0].ids)
    claim = block.claims[1]
    marked = [token for token, wrong in zip(claim.ids, claim.wrong or (), strict=True) if wrong]
    assert TOKENIZER.decode(marked).replace("##", "").replace(" ", "") == "1953"
    assert block.claims[2].wrong is None
    assert block.question is not None


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_claims_do_not_change_what_is_read_of_the_evidence_or_of_each_other(kind: str) -> None:
    model, block = network(kind), encoded()
    with torch.no_grad():
        together = model(rectangle([plain(block)], 0))
        for number, claim in enumerate(block.claims):
            alone = model(rectangle([plain(SimpleNamespace(**{**vars(block), "claims": (claim,)}))], 0))
            torch.testing.assert_close(together[0][number], alone[0][0], atol=1e-5, rtol=1e-4)
            torch.testing.assert_close(together[1][number], alone[1][0], atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
def test_the_run_time_gives_what_the_network_gives(kind: str, tmp_path: Path) -> None:
    model, block = network(kind), encoded()
    weights = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    onnx.save(body_graph(model.shape, weights, eight_bits=False), tmp_path / "body.onnx")
    onnx.save(heads_graph(model.shape, weights), tmp_path / "heads.onnx")
    runtime = Network(SimpleNamespace(folder=tmp_path, contents={}), 1)
    passages = runtime.read(block.passages)
    found = runtime.judge([ClaimInput(c.ids, range(len(passages))) for c in block.claims], passages)
    with torch.no_grad():
        logits, pointer, words = model(rectangle([plain(block)], 0))
    np.testing.assert_allclose(np.stack([o.logits for o in found]), logits.numpy(), atol=0.05)
    np.testing.assert_allclose(np.stack([o.pointer for o in found]), pointer.numpy(), atol=0.05)
    np.testing.assert_allclose(np.concatenate([o.words for o in found]), words.numpy(), atol=0.05)


def test_a_claim_that_lost_its_only_deciding_sentence_is_open() -> None:
    dice = random.Random(0)
    for _ in range(10):
        changed = lose_sentence(encoded(), dice)
        labels = [claim.label for claim in changed.claims]
        assert sorted(labels) in ([0, 2], [1, 2])  # one of the two became INSUFFICIENT; the unmarked one is left out
        assert sum(len(p.sentences) for p in changed.passages) == 2


def test_a_joined_block_is_a_distractor_and_a_claim_led_astray_is_open() -> None:
    both = joined([encoded(), encoded(RIVER)], random.Random(0), astray=0.0)
    assert all(placed.sees == {0, 1} for placed in both.claims)
    lost = joined([encoded(), encoded(RIVER)], random.Random(0), astray=1.0)
    assert {placed.claim.label for placed in lost.claims} == {2}
    assert all(placed.block not in placed.sees for placed in lost.claims)


def test_a_passage_without_its_title_keeps_its_sentences() -> None:
    passage = encoded().passages[0]
    bare = without_title(passage)
    assert [bare.ids[s.start : s.end] for s in bare.sentences] == [
        passage.ids[s.start : s.end] for s in passage.sentences
    ]


def test_batches_hold_every_arrangement_once_and_stay_small() -> None:
    items = [plain(encoded()) for _ in range(7)] + [plain(encoded(RIVER))]
    made = batches_of(items, 150, random.Random(0))
    assert sorted(map(id, (item for batch in made for item in batch))) == sorted(map(id, items))
    assert all(len(batch) == 1 or max(i.tokens for i in batch) * len(batch) <= 150 for batch in made)


def test_a_teacher_fills_in_where_nothing_is_marked() -> None:
    from training.teach import lesson_of

    model, items = network("bert"), [plain(encoded())]
    batch, weights = rectangle(items, 0), {"smoothing": 0.0, "pointer": 0.5, "words": 0.5, "taught": 1.0}
    plain_loss, _ = loss_of(model, batch, weights)
    taught, _ = loss_of(model, batch, weights, lesson_of(model, items))
    assert torch.isfinite(plain_loss)
    assert torch.isfinite(taught)
    assert taught != plain_loss


def test_scores_name_both_ways_of_being_wrong() -> None:
    rows = [(0, np.array([0.1, 0.8, 0.1]), 1), (1, np.array([0.9, 0.05, 0.05]), 0), (2, np.array([0.1, 0.1, 0.8]), -1)]
    found = scores_of(rows)
    assert (found["false_refuted"], found["false_supported"], found["pointer"]) == (1.0, 0.5, 0.5)


def test_in_a_cross_encoder_evidence_and_claim_see_each_other() -> None:
    from training.batches import one_by_one

    model, block = network("mpnet"), encoded()
    one, other = (rectangle([arrangement], 0, cross=True) for arrangement in one_by_one(plain(block))[:2])
    assert len(one.passages) == len(one.claim_first) == 1
    with torch.no_grad():
        first = sum(len(p.ids) for p in block.passages)
        states = [model.read(batch)[0, :first] for batch in (one, other)]
        shared = [model.read(rectangle([a], 0))[0, :first] for a in one_by_one(plain(block))[:2]]
    assert (states[0] - states[1]).abs().max() > 1e-3
    torch.testing.assert_close(shared[0], shared[1])
