"""The network at run time: what a claim is told depends on the claim and its own passages alone."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tokenizers import Tokenizer

from assay.encoder.bundle import read_bundle
from assay.encoder.evidence import EvidenceReader
from assay.encoder.passages import encode_claim, encode_passages
from assay.encoder.reader import Question, Reader, shared_marks
from assay.errors import ModelError
from assay.types import Document, Passage
from tests.encoder.conftest import DATA, write_manifest

onnx = pytest.importorskip("onnx")
from training.reader_graph import body_graph, heads_graph  # noqa: E402
from training.shape import POINTER_WIDTH, Shape  # noqa: E402

TOKENIZER = Tokenizer.from_file(str(DATA / "tokenizer.json"))
TEXTS = (
    "The mill opened in 1900. It closed in 1950.",
    "The Basic plan is $19 per month. The Pro plan is priced at $49 monthly.",
    "Photography is forbidden.",
)
CLAIMS = ("The mill closed in 1950.", "The Pro plan costs $19.", "Visitors cannot take pictures inside.")


def random_weights(shape: Shape, seed: int = 0) -> dict[str, np.ndarray]:
    dice = np.random.default_rng(seed)
    width = shape.width
    sizes = {
        "words.weight": (shape.vocabulary, width),
        "places.weight": (shape.positions, width),
        "role": (2, width),
        "shared": (4, width),
        "ask.weight": (POINTER_WIDTH, width),
        "offer.weight": (POINTER_WIDTH, width),
        "hidden.weight": (width, 3 * width),
        "out.weight": (3, width),
        "wording.weight": (1, width),
    }
    if shape.relative_buckets:
        sizes["bias.weight"] = (shape.relative_buckets, shape.heads)
    for number in range(shape.layers):
        for name, (rows, columns) in {
            "q": (width, width),
            "k": (width, width),
            "v": (width, width),
            "o": (width, width),
            "up": (shape.inner, width),
            "down": (width, shape.inner),
        }.items():
            sizes[f"layers.{number}.{name}.weight"] = (rows, columns)
    weights: dict[str, np.ndarray] = {
        name: dice.normal(0, 0.3, size).astype(np.float32) for name, size in sizes.items()
    }
    for name in [
        name for name in weights if name.endswith(".weight") and name.split(".")[0] not in ("words", "places", "bias")
    ]:
        weights[name.replace(".weight", ".bias")] = dice.normal(0, 0.1, weights[name].shape[0]).astype(np.float32)
    weights["sharpness"] = np.array([20.0], dtype=np.float32)
    for name in ["norm", *(f"layers.{n}.norm{k}" for n in range(shape.layers) for k in (1, 2))]:
        weights[f"{name}.weight"], weights[f"{name}.bias"] = np.ones(width, np.float32), np.zeros(width, np.float32)
    return weights


def tiny_shape(kind: str) -> Shape:
    vocabulary = TOKENIZER.get_vocab_size()
    return Shape(kind, vocabulary, 16, 2, 2, 32, 514, 1e-5, 0, 32 if kind == "mpnet" else 0)


def make_folder(folder: Path, kind: str, *, eight_bits: bool = True) -> Path:
    folder.mkdir()
    shape = tiny_shape(kind)
    weights = random_weights(shape)
    onnx.save(body_graph(shape, weights, eight_bits=eight_bits), folder / "body.onnx")
    onnx.save(heads_graph(shape, weights), folder / "heads.onnx")
    (folder / "tokenizer.json").write_bytes((DATA / "tokenizer.json").read_bytes())
    (folder / "calibration.json").write_text(json.dumps({"temperature": 1.0, "isotonic": {}}))
    write_manifest(folder, "shared")
    return folder


@pytest.fixture(params=["bert", "mpnet"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return make_folder(tmp_path / request.param, request.param)


def ask(reader: Reader, claims: tuple[str, ...], shown: list[list[int]]) -> list[np.ndarray]:
    passages = reader.read([p for text in TEXTS for p in encode_passages(text, "", TOKENIZER)])
    questions = [Question(encode_claim(c, TOKENIZER, 64), s) for c, s in zip(claims, shown, strict=True)]
    return [np.concatenate([o.logits, o.pointer, o.words]) for o in reader.judge(questions, passages)]


def test_a_claim_beside_others_gets_the_same_scores_as_alone(folder: Path) -> None:
    reader = Reader(read_bundle(folder), 1)
    together = ask(reader, CLAIMS, [[0, 1, 2], [1], [0, 2]])
    alone = [ask(reader, (claim,), [shown])[0] for claim, shown in zip(CLAIMS, [[0, 1, 2], [1], [0, 2]], strict=True)]
    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_the_order_of_passages_changes_nothing(folder: Path) -> None:
    reader = Reader(read_bundle(folder), 1)
    (one,), (other,) = ask(reader, CLAIMS[:1], [[0, 2]]), ask(reader, CLAIMS[:1], [[2, 0]])
    np.testing.assert_allclose(one[:3], other[:3], atol=1e-5)
    np.testing.assert_allclose(one[3:6], np.roll(other[3:6], -1), atol=1e-5)  # two sentences, then one


def test_other_evidence_gives_other_scores(folder: Path) -> None:
    reader = Reader(read_bundle(folder), 1)
    (one,), (other,) = ask(reader, CLAIMS[:1], [[0]]), ask(reader, CLAIMS[:1], [[1]])
    assert np.abs(one[:3] - other[:3]).max() > 1e-3


def test_claims_that_need_more_evidence_than_one_run_takes_are_judged_in_several(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader(read_bundle(folder), 1)
    shown = [[0], [1], [2]]
    whole = ask(reader, CLAIMS, shown)
    monkeypatch.setattr("assay.encoder.reader.MOST_TOKENS", 20)
    for one, other in zip(whole, ask(reader, CLAIMS, shown), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_passages_are_read_once_and_the_store_stays_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = Reader(read_bundle(folder), 1, kept_bytes=10_000)
    passages = [p for text in TEXTS for p in encode_passages(text, "", TOKENIZER)]
    first = reader.read(passages[:1])[0]
    assert reader.read([passages[0], passages[0]]) == [first, first]
    reader.read([p for n in range(30) for p in encode_passages(f"Sentence {n} stands here.", "", TOKENIZER)])
    assert reader._kept_bytes <= 10_000


def test_impossible_numbers_are_an_error(tmp_path: Path) -> None:
    shape = tiny_shape("bert")
    weights = random_weights(shape)
    weights["norm.weight"][:] = np.nan
    graphs = {
        "body.onnx": body_graph(shape, weights, eight_bits=False).SerializeToString(),
        "heads.onnx": heads_graph(shape, weights).SerializeToString(),
    }
    reader = Reader(SimpleNamespace(folder=tmp_path, contents=graphs), 1)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="NaN"):
        reader.read(encode_passages(TEXTS[0], "", TOKENIZER))


def test_eight_bits_stay_close_to_full_precision(tmp_path: Path) -> None:
    narrow = Reader(read_bundle(make_folder(tmp_path / "narrow", "mpnet")), 1)
    full = Reader(read_bundle(make_folder(tmp_path / "full", "mpnet", eight_bits=False)), 1)
    for one, other in zip(ask(narrow, CLAIMS, [[0], [1], [2]]), ask(full, CLAIMS, [[0], [1], [2]]), strict=True):
        assert np.abs(one - other)[:3].max() < 0.2


def test_marks_count_shared_tokens_and_their_neighbours() -> None:
    marks = shared_marks(np.array([5, 6, 7, 9]), np.array([1, 6, 7, 8]))
    assert marks.tolist() == [0, 2, 2, 0]
    assert shared_marks(np.array([5]), np.array([], dtype=np.int64)).tolist() == [0]


def test_opinions_point_to_sentences_and_words_that_are_there(folder: Path) -> None:
    reader = EvidenceReader(read_bundle(folder), 1)
    documents = [Document(id=str(n), text=text) for n, text in enumerate(TEXTS)]
    passages = [Passage(d, 0, len(d.text)) for d in documents]
    opinions = reader.judge([(claim, passages) for claim in CLAIMS], question="When did the mill close?")
    for claim, opinion in zip(CLAIMS, opinions, strict=True):
        assert sum(s.weight for s in opinion.sentences) == pytest.approx(1.0)
        assert {s.span.of(s.document.text) for s in opinion.sentences} == {
            "The mill opened in 1900.",
            "It closed in 1950.",
            "The Basic plan is $19 per month.",
            "The Pro plan is priced at $49 monthly.",
            "Photography is forbidden.",
        }
        assert [w.span.of(claim) for w in opinion.words if w.span.of(claim).isalpha()]
        assert all(0 <= w.probability <= 1 and w.span.end <= len(claim) for w in opinion.words)


def test_a_passage_inside_a_document_is_quoted_at_its_place(folder: Path) -> None:
    reader = EvidenceReader(read_bundle(folder), 1)
    document = Document(id="d", text="Not shown. " + TEXTS[0])
    (opinion,) = reader.judge([(CLAIMS[0], [Passage(document, 11, len(document.text))])])
    assert {s.span.of(document.text) for s in opinion.sentences} == {"The mill opened in 1900.", "It closed in 1950."}


def test_without_evidence_or_words_nothing_is_settled(folder: Path) -> None:
    reader = EvidenceReader(read_bundle(folder), 1)
    document = Document(id="d", text=TEXTS[0])
    empty, wordless = reader.judge([("It closed.", []), ("", [Passage(document, 0, len(document.text))])])
    assert empty.scores.insufficient == wordless.scores.insufficient == 1.0
