"""The network at run time: passages are read once and kept, claims are judged against any of them.

A passage's keys and values depend on nothing but its own words, so they are kept by content and serve every claim and
every later answer. A claim's result depends on the claim and on the passages it is shown, not on the claims beside it:
the products in eight bits scale every token by itself, and a mask keeps claims apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.encoder.bundle import REMEDY, Bundle
from assay.encoder.close import CloseInput
from assay.encoder.passages import EncodedPassage, Key
from assay.errors import ModelError
from assay.lru import LruCache
from assay.workers import run_parallel

if TYPE_CHECKING:
    import onnxruntime

Floats = NDArray[np.float32]
Ids = NDArray[np.int64]
Past = NDArray[Any]  # keys and values, in the precision the graph takes them in

CLAIM_PLACE = 256  # position of a claim's first token, as in training
RUN_TOKENS = 160  # of the claims in one run: more gain nothing, and their masked attention to each other costs
# Claims with other passages share a run only while what they are shown together is so many times their own at most:
# attention to passages that are masked costs as much as to others.
SHARED_EVIDENCE = 1.5
KEPT_BYTES = 32 << 20  # of passages read, for each model: five of 200 tokens with `base`, twenty with `small`
KEPT_SCRATCH = 1024  # tokens of evidence for which the memory of a run is kept for the next
# onnxruntime's fused residual norm is scalar code: eight times slower than an addition and a norm.
SLOW_FUSIONS = ["SkipLayerNormFusion"]


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """What the network keeps of a passage: token ids, keys and then values of all layers, and of its sentences the mean
    state, the vectors of their tokens end to end, and where each sentence begins among them."""

    ids: Ids
    past: NDArray[np.float16]
    sentences: Floats
    offered: Floats
    starts: Ids

    @property
    def bytes(self) -> int:
        return self.sentences.nbytes + self.offered.nbytes + self.past.nbytes


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
    """Two onnxruntime sessions and a bounded store of passages already read; safe to share between threads.

    A session works in the thread that calls it, and several passages or groups of claims run beside each other: that
    needs no waiting within a run, and all models of the process share one pool of threads.
    """

    def __init__(self, bundle: Bundle, threads: int, kept_bytes: int = KEPT_BYTES) -> None:
        self.source = bundle.folder
        self.threads = max(1, threads)
        held = _initialisers(bundle, self.threads)
        self._body = _session(bundle.folder / "body.onnx", held)
        self._heads = _session(bundle.folder / "heads.onnx")
        past = [item for item in self._body.get_inputs() if item.name.startswith("past_k_")]
        if not past:
            raise ModelError(f"{self.source}/body.onnx has no layers that take kept passages: {REMEDY}")
        self.layers, self.width = len(past), int(past[0].shape[2])
        self.kept = LruCache[Key, ReadPassage](kept_bytes, lambda passage: passage.bytes)
        self._past = [f"past_{kind}_{layer}" for kind in "kv" for layer in range(self.layers)]
        self._made = [f"{kind}_{layer}" for kind in "kv" for layer in range(self.layers)]
        kind = np.dtype(np.float16 if past[0].type == "tensor(float16)" else np.float32)
        self._nothing = dict.fromkeys(self._past, np.zeros((1, 0, self.width), dtype=kind))
        self._scratch = Scratch(2 * self.layers, self.width, kind, self.threads)

    def read(self, passages: Sequence[EncodedPassage]) -> list[ReadPassage]:
        """Each passage as the network keeps it; what was read before is not read again."""
        found = self.kept.get(passage.key for passage in passages)
        new = {passage.key: passage for passage in passages if passage.key not in found}
        # The longest first, so that no thread is left alone with it at the end.
        order = sorted(new.values(), key=lambda passage: -len(passage.ids))
        made = run_parallel(self._read_one, order, self.threads)
        fresh = {passage.key: read for passage, read in zip(order, made, strict=True)}
        self.kept.put(fresh)
        found |= fresh
        return [found[passage.key] for passage in passages]

    def _read_one(self, passage: EncodedPassage) -> ReadPassage:
        size = len(passage.ids)
        feed: dict[str, Any] = {
            "ids": np.asarray(passage.ids, dtype=np.int64),
            "places": np.arange(size, dtype=np.int64),
            "roles": np.zeros(size, dtype=np.int64),
            "marks": np.zeros(size, dtype=np.int64),
            "sees": np.ones((size, size), dtype=np.bool_),
            **self._nothing,
        }
        states, offered, *made = self._run(self._body, ["states", "offered", *self._made], feed)
        past = np.empty((len(made), size, self.width), dtype=np.float16)
        for number, part in enumerate(made):
            past[number] = part[0]
        spans = [(s.start, s.end) for s in passage.sentences]
        return ReadPassage(
            feed["ids"],
            past,
            np.stack([states[start:end].mean(0) for start, end in spans]) if spans else states[:0],
            np.concatenate([offered[start:end] for start, end in spans]) if spans else offered[:0],
            np.cumsum([0, *(end - start for start, end in spans)])[:-1],
        )

    def judge(self, claims: Sequence[ClaimInput], passages: Sequence[ReadPassage]) -> list[RawOutput]:
        """The opinion on each claim."""
        planned = group_claims(claims, passages, self.threads)
        # Few sets of passages: threads take the runs on one set, whose keys and values are then in memory once.
        beside = len(planned) >= self.threads

        def judge_set(item: tuple[tuple[int, ...], list[list[int]]]) -> dict[int, RawOutput]:
            shown, runs = item
            with self._scratch.borrow(sum(len(passages[n].ids) for n in shown)) as past:
                places = dict(zip(shown, _lay_end_to_end([passages[n] for n in shown], past), strict=True))

                def judge_run(run: Sequence[int]) -> list[RawOutput]:
                    return self._judge_group([claims[number] for number in run], passages, past, places)

                outputs = run_parallel(judge_run, runs, 1 if beside else self.threads)
            return {
                number: output
                for run, made in zip(runs, outputs, strict=True)
                for number, output in zip(run, made, strict=True)
            }

        sets = run_parallel(judge_set, list(planned.items()), self.threads if beside else 1)
        found = {number: output for part in sets for number, output in part.items()}
        return [found[number] for number in range(len(claims))]

    def _judge_group(
        self, claims: Sequence[ClaimInput], passages: Sequence[ReadPassage], past: Past, places: dict[int, int]
    ) -> list[RawOutput]:
        """The opinion on claims of one run, given the keys and values of passages and where each passage begins."""
        before = past.shape[1]
        firsts = np.cumsum([0, *(len(claim.ids) for claim in claims)]).tolist()
        tokens = firsts[-1]
        ids, positions, marks = (np.zeros(tokens, dtype=np.int64) for _ in range(3))
        sees = np.zeros((tokens, before + tokens), dtype=np.bool_)
        for claim, start, end in zip(claims, firsts, firsts[1:], strict=False):
            ids[start:end], positions[start:end] = claim.ids, CLAIM_PLACE + np.arange(len(claim.ids))
            shown = [passages[n].ids for n in claim.passages]
            marks[start:end] = shared_marks(ids[start:end], np.concatenate(shown) if shown else ids[:0])
            sees[start:end, before + start : before + end] = True
            for number in claim.passages:
                sees[start:end, places[number] : places[number] + len(passages[number].ids)] = True
        feed: dict[str, Any] = {
            "ids": ids,
            "places": positions,
            "roles": np.ones(tokens, dtype=np.int64),
            "marks": marks,
            "sees": sees,
            **{name: part[None] for name, part in zip(self._past, past, strict=True)},
        }
        states, asked, words = self._run(self._body, ["states", "asked", "words"], feed)
        pointers, read = [], []
        for claim, start, end in zip(claims, firsts, firsts[1:], strict=False):
            pointer = _pointer(asked[start:end], [passages[n] for n in claim.passages])
            pointers.append(pointer)
            sentences = [passages[n].sentences for n in claim.passages if len(passages[n].sentences)]
            pointed = softmax(pointer) @ np.concatenate(sentences) if sentences else np.zeros(self.width)
            read.append(np.concatenate([states[start], states[start:end].mean(0), pointed]))
        (logits,) = self._run(self._heads, ["logits"], {"read": np.stack(read).astype(np.float32)})
        return [
            RawOutput(logits[row], pointers[row], words[firsts[row] : firsts[row + 1]]) for row in range(len(claims))
        ]

    def judge_closely(self, inputs: Sequence[CloseInput]) -> list[RawOutput]:
        """The opinion on each claim from the sequence it stands in; the pointer scores the sequence's sentences.

        A sequence is a run of its own: it depends on nothing beside it, and more tokens in a run gain nothing.
        """
        if not inputs:
            return []
        made = run_parallel(self._read_closely, inputs, self.threads)
        (logits,) = self._run(self._heads, ["logits"], {"read": np.stack([read for read, _, _ in made])})
        return [RawOutput(row, pointer, words) for row, (_, pointer, words) in zip(logits, made, strict=True)]

    def _read_closely(self, item: CloseInput) -> tuple[Floats, Floats, Floats]:
        """What the heads read of a sequence, the scores of its sentences and of the claim's tokens."""
        size = len(item.ids)
        ids, claim = np.asarray(item.ids, dtype=np.int64), slice(item.claim, size)
        shown = [n for _, start, stop in item.sentences for n in range(start, stop)]
        marks = np.zeros(size, dtype=np.int64)
        marks[claim] = shared_marks(ids[claim], ids[shown])
        marks[: item.claim] = shared_marks(ids[: item.claim], ids[claim])
        feed: dict[str, Any] = {
            "ids": ids,
            "places": np.arange(size, dtype=np.int64),
            "roles": (np.arange(size) >= item.claim).astype(np.int64),
            "marks": marks,
            "sees": np.ones((size, size), dtype=np.bool_),
            **self._nothing,
        }
        states, asked, offered, words = self._run(self._body, ["states", "asked", "offered", "words"], feed)
        spans = [slice(start, stop) for _, start, stop in item.sentences]
        pointer = np.asarray([(asked[claim] @ offered[span].T).max(1).mean() for span in spans], dtype=np.float32)
        pointed = softmax(pointer) @ np.stack([states[span].mean(0) for span in spans])
        read = np.concatenate([states[item.claim], states[claim].mean(0), pointed])
        return read.astype(np.float32), pointer, words[claim]

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


def group_claims(
    claims: Sequence[ClaimInput], passages: Sequence[ReadPassage], threads: int = 1
) -> dict[tuple[int, ...], list[list[int]]]:
    """The numbers of the claims that are judged in one run, by the passages shown in it.

    Claims with the same passages stand together; more share a run where they are shown much the same. There are as many
    runs as threads, if there are as many claims.
    """

    def size(shown: Iterable[int]) -> int:
        return sum(len(passages[n].ids) for n in shown)

    alike: dict[frozenset[int], list[int]] = {}
    for number, claim in enumerate(claims):
        alike.setdefault(frozenset(claim.passages), []).append(number)
    joined: list[tuple[frozenset[int], int, list[int]]] = []  # shown, the least that one of the claims is shown, claims
    for shown, numbers in alike.items():
        least = size(shown)
        for place, (others, smallest, known) in enumerate(joined):
            if size(others | shown) <= SHARED_EVIDENCE * min(smallest, least):
                joined[place] = others | shown, min(smallest, least), [*known, *numbers]
                break
        else:
            joined.append((shown, least, numbers))
    room = min(RUN_TOKENS, sum(len(claim.ids) for claim in claims) / max(1, threads))
    found: dict[tuple[int, ...], list[list[int]]] = {}
    for shown, _, numbers in joined:
        runs: list[list[int]] = []
        used = room
        for number in numbers:
            length = len(claims[number].ids)
            if used + length / 2 > room:
                runs.append([])
                used = 0
            runs[-1].append(number)
            used += length
        found.setdefault(tuple(sorted(shown)), []).extend(runs)
    return found


def _lay_end_to_end(passages: Sequence[ReadPassage], past: Past) -> list[int]:
    """Writes the keys and values of passages one after another, and tells where each begins."""
    starts, at = [], 0
    for passage in passages:
        starts.append(at)
        past[:, at : at + len(passage.ids)] = passage.past
        at += len(passage.ids)
    return starts


class Scratch:
    """Memory for the keys and values of a run, kept for the next: new memory costs more than what is written to it."""

    def __init__(self, parts: int, width: int, kind: np.dtype[Any], most: int) -> None:
        self._parts, self._width, self._kind, self._most = parts, width, kind, most
        self._free: list[Past] = []
        self._lock = Lock()

    @contextmanager
    def borrow(self, tokens: int) -> Iterator[Past]:
        """Room for so many tokens, one part after another, each without gaps."""
        with self._lock:
            held = self._free.pop() if self._free else np.empty(0, dtype=self._kind)
        needed = self._parts * tokens * self._width
        if held.size < needed:
            held = np.empty(needed, dtype=self._kind)
        yield held[:needed].reshape(self._parts, tokens, self._width)
        with self._lock:
            if held.size <= self._parts * KEPT_SCRATCH * self._width and len(self._free) < self._most:
                self._free.append(held)


def _session(graph: Path, held: Mapping[str, Any] | None = None) -> onnxruntime.InferenceSession:
    try:
        return open_session(graph, held or {})
    except Exception as problem:  # onnxruntime raises classes of its own for each way a graph can be wrong
        raise ModelError(f"onnxruntime refuses {graph}: {problem}: {REMEDY}") from problem


def open_session(graph: Path, held: Mapping[str, Any]) -> onnxruntime.InferenceSession:
    """A session that works in the thread that calls it, with these weights beside those of the graph.

    The memory of a run comes from malloc, which all sessions and threads share. An arena of onnxruntime keeps what its
    own session once took, in each session again, and is no faster. The graph is given as a file: bytes would be kept.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_cpu_mem_arena = options.enable_mem_pattern = False
    if held:
        options.add_external_initializers(list(held), list(held.values()))
    return onnxruntime.InferenceSession(
        str(graph), options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOW_FUSIONS
    )


def _initialisers(bundle: Bundle, threads: int) -> dict[str, Any]:
    if "weights.bin" not in bundle.contents:
        return {}
    import onnxruntime

    from assay.encoder.packed import unpack_weights

    tensors = unpack_weights(bundle.read_json("weights.json"), bundle.contents["weights.bin"], threads)
    return {name: onnxruntime.OrtValue.ortvalue_from_numpy(tensor) for name, tensor in tensors.items()}
