"""Fast dev scores from torch, for choosing between runs; official figures come from the shipped files."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from training.config import Config
from training.encode import Encoded, encode, plan_batches, rectangle
from training.mix import read_share
from training.rows import LABELS, REFUTED, SUPPORTED, read_rows

# (folder, file, measure): accuracy over three labels, over refuted and supported, or balanced over supported and not.
DEV_SETS = {
    "lingnli": ("dev", "lingnli.val", "three"),
    "cad_nli": ("dev", "cad_nli.dev", "three"),
    "snli": ("test", "snli.test", "three"),
    "infotabs": ("dev", "infotabs.dev", "three"),
    "healthver": ("dev", "healthver.dev", "three"),
    "fool_me_twice": ("dev", "fool_me_twice.dev", "two"),
    "fever_symmetric": ("dev", "fever_symmetric.dev", "two"),
    "attributionbench": ("dev", "attributionbench.dev", "balanced"),
    "wice_claim": ("dev", "wice_claim.dev", "balanced"),
    "halueval_qa": ("dev", "halueval_qa.dev", "balanced"),
    "halueval_dialogue": ("dev", "halueval_dialogue.dev", "balanced"),
    "halueval_summ": ("dev", "halueval_summ.dev", "balanced"),
    "conjnli": ("dev", "conjnli.dev", "three"),
    "control_nli": ("dev", "control_nli.dev", "three"),
    "contract_nli": ("dev", "contract_nli.dev", "three"),
    "boolq": ("dev", "boolq.validation", "two"),
    "scitail": ("dev", "scitail.dev", "balanced"),
    "begin_wow": ("dev", "begin.dev_wow", "balanced"),
    "begin_tc": ("dev", "begin.dev_tc", "balanced"),
    "begin_cmu": ("dev", "begin.dev_cmu", "balanced"),
    "rte": ("dev", "glue_rte.dev", "balanced"),
    "scifact": ("dev", "scifact_rte.dev", "two"),
    "covidfact": ("dev", "covidfact_rte.dev", "two"),
    "citation_integrity": ("dev", "citation_integrity.dev", "balanced"),
    "nli4ct": ("dev", "nli4ct.dev", "two"),
}
WATCHED = tuple(DEV_SETS)[:12]  # the sets with a bar


@dataclass(frozen=True)
class DevSet:
    """One dev set, encoded, with its labels and its measure."""

    name: str
    measure: str
    labels: tuple[str, ...]
    data: Encoded


def load_dev(
    data: Path, start: Path, names: Sequence[str], rows_each: int, seed: int, most_tokens: int = 384
) -> list[DevSet]:
    """A fixed sample of each named set."""
    result = []
    for name in names:
        folder, file, measure = DEV_SETS[name]
        rows = read_rows(data / folder / f"{file}.jsonl.gz")
        random.Random(f"{seed}:{name}").shuffle(rows)
        rows = rows[:rows_each]
        result.append(DevSet(name, measure, tuple(row.label for row in rows), encode(rows, start, most_tokens)))
    return result


def load_fresh(config: Config, data: Path, start: Path, rows_each: int, most_tokens: int = 384) -> list[DevSet]:
    """Rows of training files that no stage has taken, as sets of their own."""
    result = []
    for name, (share, measure) in config.fresh(rows_each).items():
        rows = read_share(name, share, data, config.seed)
        labels = tuple(row.label for row in rows)
        result.append(DevSet(f"fresh_{name}", measure, labels, encode(rows, start, most_tokens)))
    return result


def answers(measure: str, probabilities: np.ndarray, labels: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """For each row whether the answer that its set asks for is right, and how sure it was, as `assay eval` has it.

    Columns of `probabilities` are SUPPORTED, REFUTED, INSUFFICIENT.
    """
    truth = np.asarray(labels)
    if measure == "three":
        return np.asarray(LABELS)[probabilities.argmax(1)] == truth, probabilities.max(1)
    if measure == "two":  # the larger of the two: "does not settle it" is no answer here
        pair = probabilities[:, :2] + 1e-12
        return np.where(pair[:, 0] >= pair[:, 1], SUPPORTED, REFUTED) == truth, pair.max(1) / pair.sum(1)
    said = probabilities.argmax(1) == 0
    return said == (truth == SUPPORTED), np.where(said, probabilities[:, 0], 1 - probabilities[:, 0])


def score(measure: str, probabilities: np.ndarray, labels: Sequence[str]) -> float:
    """The set's figure, in percent."""
    right, _ = answers(measure, probabilities, labels)
    if measure != "balanced":
        return 100 * float(right.mean())
    supported = np.asarray(labels) == SUPPORTED
    return 50 * float(right[supported].mean() + right[~supported].mean())


def predict(lanes, data: Encoded, batch_tokens: int = 3072) -> np.ndarray:
    """Logits of every row, in order."""
    import torch

    logits = np.zeros((len(data), 3), dtype=np.float32)

    def run(model, numbers) -> None:
        with torch.inference_mode():
            batch = rectangle(data, numbers, model.shape.pad)
            parts = (torch.from_numpy(part) for part in (batch.ids, batch.present, batch.segments))
            logits[batch.rows] = model(*parts).float().numpy()

    lanes.each(run, plan_batches(data.lengths.tolist(), batch_tokens, len(data), 0))
    return logits


def predict_onnx(
    graph: Path | bytes, data: Encoded, pad: int, threads: int = 2, rows: Sequence[int] | None = None
) -> np.ndarray:
    """Logits of every row, or of those named, from an exported graph."""
    return read_onnx(graph, data, pad, threads, rows)[0]


def read_onnx(
    graph: Path | bytes, data: Encoded, pad: int, threads: int = 2, rows: Sequence[int] | None = None
) -> list[np.ndarray]:
    """All that an exported graph gives out for every row, or for those named, one pair a run as the run time does it.

    Eight-bit products take one range for all they are given, so in a batch a score would depend on its neighbours.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    given = graph if isinstance(graph, bytes) else str(graph)
    session = onnxruntime.InferenceSession(given, options, providers=["CPUExecutionProvider"])
    wanted = {given.name for given in session.get_inputs()}

    def run(number: int) -> list[np.ndarray]:
        one = rectangle(data, [number], pad, multiple=1)
        feed = {"input_ids": one.ids, "attention_mask": one.present.astype(np.int64), "token_type_ids": one.segments}
        return session.run(None, {name: value for name, value in feed.items() if name in wanted})

    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(run, range(len(data)) if rows is None else rows))
    return [np.concatenate(part) for part in zip(*found, strict=True)]


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def dev_scores(lanes, sets: Sequence[DevSet]) -> dict[str, float]:
    """The figure of each set."""
    return {dev.name: round(score(dev.measure, softmax(predict(lanes, dev.data)), dev.labels), 1) for dev in sets}


def mean_score(scores: Mapping[str, float]) -> float:
    return round(sum(scores.values()) / len(scores), 2)


@dataclass(frozen=True)
class Scored:
    """What a network said of the rows of one dev set, what its head read, their labels and the measure of the set."""

    measure: str
    logits: np.ndarray
    pooled: np.ndarray
    labels: tuple[str, ...]

    def part(self, number: int, parts: int) -> Scored:
        """Every `parts`-th row, from row `number` on."""
        return self._chosen(np.arange(len(self.labels)) % parts == number)

    def rest(self, number: int, parts: int) -> Scored:
        """All rows but those of a part."""
        return self._chosen(np.arange(len(self.labels)) % parts != number)

    def _chosen(self, rows: np.ndarray) -> Scored:
        return Scored(self.measure, self.logits[rows], self.pooled[rows], tuple(np.asarray(self.labels)[rows].tolist()))


def save_scored(path: Path, scored: Mapping[str, Scored]) -> None:
    """Keeps what was said of dev rows, for calibration."""
    np.savez(
        path,
        **{f"{name}/{part}": np.asarray(value) for name, one in scored.items() for part, value in vars(one).items()},
    )


def load_scored(path: Path) -> dict[str, Scored]:
    """What was kept, by set."""
    with np.load(path) as raw:
        names = sorted({key.split("/")[0] for key in raw.files})
        return {
            name: Scored(
                str(raw[f"{name}/measure"]),
                raw[f"{name}/logits"],
                raw[f"{name}/pooled"],
                tuple(raw[f"{name}/labels"].tolist()),
            )
            for name in names
        }
