"""The network at run time: passages are read once and kept, claims are judged against any of them.

A passage's keys and values depend on nothing but its own words, so they are kept by content and serve every claim and
every later answer. A claim's result depends on the claim and on the passages it is shown, not on the claims beside it:
the products in eight bits scale every token by itself, and a mask keeps claims apart.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.encoder.bundle import REMEDY, Bundle
from assay.encoder.close import CloseInput
from assay.encoder.passages import EncodedPassage, Key
from assay.errors import ModelError

if TYPE_CHECKING:
    import onnxruntime

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]

CLAIM_PLACE = 256  # position of a claim's first token, as in training
MOST_TOKENS = 2048  # of evidence in one run; claims whose passages would be more go into another run
MOST_CLAIM_TOKENS = 1024  # of the claims in one run
MOST_CLOSE_TOKENS = 512  # of the sequences in one run of close readings
# onnxruntime's fused residual norm is scalar code: eight times slower than an addition and a norm.
SLOW_FUSIONS = ["SkipLayerNormFusion"]


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """What the network keeps of a passage: token ids, each layer's keys and values, and of its sentences the mean
    state, the vectors of their tokens end to end, and where each sentence begins among them."""

    ids: Ids
    keys: tuple[NDArray[np.float16], ...]
    values: tuple[NDArray[np.float16], ...]
    sentences: Floats
    offered: Floats
    starts: Ids

    @property
    def bytes(self) -> int:
        return self.sentences.nbytes + self.offered.nbytes + sum(part.nbytes for part in (*self.keys, *self.values))


@dataclass(frozen=True, slots=True)
class RawOutput:
    """Of one claim: logits, a score for each sentence of its passages in order, a score for each of its tokens."""

    logits: Floats
    pointer: Floats
    words: Floats


@dataclass(frozen=True, slots=True)
class ClaimInput:
    """A claim's token ids and the numbers of the passages it is judged against."""

    ids: Sequence[int]
    passages: Sequence[int]


class Network:
    """Two onnxruntime sessions and a bounded store of passages already read; safe to share between threads."""

    def __init__(self, bundle: Bundle, threads: int, kept_bytes: int = 256 << 20) -> None:
        self.source = bundle.folder
        self.threads = max(1, threads)
        held = _initialisers(bundle, self.threads)
        self._body = _session(bundle.contents["body.onnx"], self.threads, held, self.source)
        self._heads = _session(bundle.contents["heads.onnx"], 1, {}, self.source)
        past = [item for item in self._body.get_inputs() if item.name.startswith("past_k_")]
        if not past:
            raise ModelError(f"{self.source}/body.onnx has no layers that take kept passages: {REMEDY}")
        self.layers, self.width = len(past), int(past[0].shape[2])
        self._nothing = np.zeros((1, 0, self.width), dtype=np.float32)
        self._kept: OrderedDict[Key, ReadPassage] = OrderedDict()
        self._kept_bytes, self._room = 0, kept_bytes
        self._lock = Lock()

    def read(self, passages: Sequence[EncodedPassage]) -> list[ReadPassage]:
        """Each passage as the network keeps it; what was read before is not read again."""
        found: dict[Key, ReadPassage] = {}
        with self._lock:
            for passage in passages:
                if passage.key in self._kept:
                    self._kept.move_to_end(passage.key)
                    found[passage.key] = self._kept[passage.key]
        for passage in passages:
            if passage.key not in found:
                found[passage.key] = self._keep(passage.key, self._read_one(passage))
        return [found[passage.key] for passage in passages]

    def _keep(self, key: Key, read: ReadPassage) -> ReadPassage:
        with self._lock:
            if key not in self._kept:  # another thread may have read it meanwhile
                self._kept[key] = read
                self._kept_bytes += read.bytes
            while self._kept_bytes > self._room and len(self._kept) > 1:
                self._kept_bytes -= self._kept.popitem(last=False)[1].bytes
        return read

    def _read_one(self, passage: EncodedPassage) -> ReadPassage:
        size = len(passage.ids)
        feed: dict[str, Any] = {
            "ids": np.asarray(passage.ids, dtype=np.int64),
            "places": np.arange(size, dtype=np.int64),
            "roles": np.zeros(size, dtype=np.int64),
            "marks": np.zeros(size, dtype=np.int64),
            "sees": np.ones((size, size), dtype=np.bool_),
        }
        for layer in range(self.layers):
            feed[f"past_k_{layer}"] = feed[f"past_v_{layer}"] = self._nothing
        names = ["states", "offered", *(f"{kind}_{layer}" for kind in "kv" for layer in range(self.layers))]
        states, offered, *kept = self._run(self._body, names, feed)
        halves = [part.astype(np.float16) for part in kept]
        spans = [(s.start, s.end) for s in passage.sentences]
        return ReadPassage(
            feed["ids"],
            tuple(halves[: self.layers]),
            tuple(halves[self.layers :]),
            np.stack([states[start:end].mean(0) for start, end in spans]) if spans else states[:0],
            np.concatenate([offered[start:end] for start, end in spans]) if spans else offered[:0],
            np.cumsum([0, *(end - start for start, end in spans)])[:-1],
        )

    def judge(self, claims: Sequence[ClaimInput], passages: Sequence[ReadPassage]) -> list[RawOutput]:
        """The opinion on each claim."""
        found: list[RawOutput] = []
        for group in _groups(claims, passages):
            found += self._judge_group(group, passages)
        return found

    def _judge_group(self, claims: Sequence[ClaimInput], passages: Sequence[ReadPassage]) -> list[RawOutput]:
        used = sorted({number for claim in claims for number in claim.passages})
        starts = dict(zip(used, np.cumsum([0, *(len(passages[n].ids) for n in used)])[:-1].tolist(), strict=True))
        past = sum(len(passages[n].ids) for n in used)
        firsts = np.cumsum([0, *(len(claim.ids) for claim in claims)])
        tokens = int(firsts[-1])
        ids, places, marks = (np.zeros(tokens, dtype=np.int64) for _ in range(3))
        sees = np.zeros((tokens, past + tokens), dtype=np.bool_)
        for row, claim in enumerate(claims):
            own = slice(int(firsts[row]), int(firsts[row + 1]))
            ids[own], places[own] = claim.ids, CLAIM_PLACE + np.arange(len(claim.ids))
            shown = [passages[n].ids for n in claim.passages]
            marks[own] = shared_marks(ids[own], np.concatenate(shown) if shown else ids[:0])
            sees[own, past + own.start : past + own.stop] = True
            for number in claim.passages:
                sees[own, starts[number] : starts[number] + len(passages[number].ids)] = True
        feed: dict[str, Any] = {
            "ids": ids,
            "places": places,
            "roles": np.ones(tokens, dtype=np.int64),
            "marks": marks,
            "sees": sees,
        }
        for layer in range(self.layers):
            for kind, parts in (
                ("k", [passages[n].keys[layer] for n in used]),
                ("v", [passages[n].values[layer] for n in used]),
            ):
                whole = np.empty((1, past, self.width), dtype=np.float32)
                for number, part in zip(used, parts, strict=True):
                    whole[:, starts[number] : starts[number] + part.shape[1]] = part
                feed[f"past_{kind}_{layer}"] = whole
        states, asked, words = self._run(self._body, ["states", "asked", "words"], feed)
        pointers, read = [], []
        for row, claim in enumerate(claims):
            own = slice(int(firsts[row]), int(firsts[row + 1]))
            pointer = _pointer(asked[own], [passages[n] for n in claim.passages])
            pointers.append(pointer)
            sentences = [passages[n].sentences for n in claim.passages if len(passages[n].sentences)]
            pointed = softmax(pointer) @ np.concatenate(sentences) if sentences else np.zeros(self.width)
            read.append(np.concatenate([states[own.start], states[own].mean(0), pointed]))
        (logits,) = self._run(self._heads, ["logits"], {"read": np.stack(read).astype(np.float32)})
        return [
            RawOutput(logits[row], pointers[row], words[firsts[row] : firsts[row + 1]]) for row in range(len(claims))
        ]

    def judge_closely(self, inputs: Sequence[CloseInput]) -> list[RawOutput]:
        """The opinion on each claim from the sequence it stands in; the pointer scores the sequence's sentences."""
        order = sorted(range(len(inputs)), key=lambda number: len(inputs[number].ids))
        groups: list[list[int]] = []
        tokens = 0
        for number in order:
            size = len(inputs[number].ids)
            if groups and tokens + size <= MOST_CLOSE_TOKENS:
                groups[-1].append(number)
                tokens += size
            else:
                groups.append([number])
                tokens = size
        found: dict[int, RawOutput] = {}
        for group in groups:
            raw = self._judge_sequences([inputs[number] for number in group])
            found.update(zip(group, raw, strict=True))
        return [found[number] for number in range(len(inputs))]

    def _judge_sequences(self, inputs: Sequence[CloseInput]) -> list[RawOutput]:
        firsts = np.cumsum([0, *(len(item.ids) for item in inputs)]).tolist()
        tokens = firsts[-1]
        ids, places, roles, marks = (np.zeros(tokens, dtype=np.int64) for _ in range(4))
        sees = np.zeros((tokens, tokens), dtype=np.bool_)
        for at, end, item in zip(firsts, firsts[1:], inputs, strict=False):
            claim = at + item.claim
            ids[at:end], places[at:end], roles[claim:end] = item.ids, np.arange(end - at), 1
            shown = [n for _, start, stop in item.sentences for n in range(at + start, at + stop)]
            marks[claim:end] = shared_marks(ids[claim:end], ids[shown])
            marks[at:claim] = shared_marks(ids[at:claim], ids[claim:end])
            sees[at:end, at:end] = True
        feed: dict[str, Any] = {"ids": ids, "places": places, "roles": roles, "marks": marks, "sees": sees}
        for layer in range(self.layers):
            feed[f"past_k_{layer}"] = feed[f"past_v_{layer}"] = self._nothing
        states, asked, offered, words = self._run(self._body, ["states", "asked", "offered", "words"], feed)
        pointers, read, marked = [], [], []
        for at, end, item in zip(firsts, firsts[1:], inputs, strict=False):
            claim = slice(at + item.claim, end)
            spans = [slice(at + start, at + stop) for _, start, stop in item.sentences]
            alike = [(asked[claim] @ offered[span].T).max(1).mean() for span in spans]
            pointer = np.asarray(alike, dtype=np.float32)
            means = np.stack([states[span].mean(0) for span in spans])
            pointers.append(pointer)
            marked.append(words[claim])
            read.append(np.concatenate([states[claim.start], states[claim].mean(0), softmax(pointer) @ means]))
        (logits,) = self._run(self._heads, ["logits"], {"read": np.stack(read).astype(np.float32)})
        return [RawOutput(*parts) for parts in zip(logits, pointers, marked, strict=True)]

    def _run(self, session: onnxruntime.InferenceSession, names: list[str], feed: dict[str, Any]) -> list[Floats]:
        try:
            out: list[Floats] = session.run(names, feed)
        except Exception as problem:  # onnxruntime raises classes of its own
            raise ModelError(f"onnxruntime fails on {self.source}: {problem}: {REMEDY}") from problem
        if not all(np.isfinite(part).all() for part in out[:1]):
            raise ModelError(f"{self.source} gives NaN or infinite numbers: {REMEDY}")
        return out


def _pointer(asked: Floats, passages: Sequence[ReadPassage]) -> Floats:
    """For each sentence how well, on average, the claim's tokens find a match in it."""
    found = [
        np.maximum.reduceat(asked @ passage.offered.T, passage.starts, axis=1).mean(0)
        for passage in passages
        if len(passage.starts)
    ]
    return np.concatenate(found) if found else np.zeros(0, dtype=np.float32)


def softmax(scores: Floats) -> Floats:
    """Shares that sum to one."""
    powers = np.exp(scores - scores.max(initial=-np.inf))
    shares: Floats = powers / max(powers.sum(), 1e-12)
    return shares


def shared_marks(claim: Ids, evidence: Ids) -> Ids:
    """For each token of a claim 0, or 1 where the evidence has it, and 1 more for each neighbour it has there too."""
    same = claim[:, None] == evidence[None]
    around = np.zeros(same.shape, dtype=np.int8)
    around[1:, 1:] += same[:-1, :-1]
    around[:-1, :-1] += same[1:, 1:]
    marks: Ids = (same * (1 + around)).max(-1, initial=0).astype(np.int64)
    return marks


def _groups(claims: Sequence[ClaimInput], passages: Sequence[ReadPassage]) -> list[list[ClaimInput]]:
    """Claims in order, so many at once as their passages and they themselves leave room for."""
    groups: list[list[ClaimInput]] = []
    used: set[int] = set()
    tokens = 0
    for claim in claims:
        wider = used | set(claim.passages)
        size = sum(len(passages[n].ids) for n in wider)
        if groups and size <= MOST_TOKENS and tokens + len(claim.ids) <= MOST_CLAIM_TOKENS:
            groups[-1].append(claim)
            used, tokens = wider, tokens + len(claim.ids)
        else:
            groups.append([claim])
            used, tokens = set(claim.passages), len(claim.ids)
    return groups


def _session(graph: bytes, threads: int, held: dict[str, Any], source: Any) -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        if held:
            options.add_external_initializers(list(held), list(held.values()))
        return onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOW_FUSIONS
        )
    except Exception as problem:  # onnxruntime raises classes of its own for each way a graph can be wrong
        raise ModelError(f"onnxruntime refuses the graphs in {source}: {problem}: {REMEDY}") from problem


def _initialisers(bundle: Bundle, threads: int) -> dict[str, Any]:
    if "weights.bin" not in bundle.contents:
        return {}
    import onnxruntime

    from assay.encoder.packed import unpack_weights

    tensors = unpack_weights(bundle.read_json("weights.json"), bundle.contents["weights.bin"], threads)
    return {name: onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for name, tensor in tensors.items()}
