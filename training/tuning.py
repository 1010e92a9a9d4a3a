"""The sentence encoder tuned on claims and the evidence that settles them: each claim nearest to its own.

    python -m training.tuning --start FOLDER --data DATA --out OUT

makes OUT/minilm-claims, the default embedder: half an hour on one core. Stopped and called again, it goes on from its
last checkpoint. What it gains over the published network stands in docs/memory.md.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from training.embedder import SentenceEncoder, export_network
from training.rows import REFUTED, SUPPORTED, read_json

# Sets whose premises are found by search in real use: encyclopedias, papers, tables. Captions and dialogue are not;
# HaluEval's questions are HotpotQA's, with which the embedders are compared.
SETS = (
    "fever_nli_3way",
    "climate_fever",
    "feverous_programfc",
    "scifact_rte",
    "covidfact_rte",
    "citation_integrity",
    "nli4ct",
    "scitail_ni",
    "infotabs",
    "boolq",
    "squad2_answerable",
)
NAME = "minilm-claims"
LONGEST = 128  # word pieces of the evidence; claims are shorter
BATCH, TEMPERATURE, RATE, WARM_UP, SEED = 48, 0.05, 2e-5, 0.1, 5
SAVE_EVERY = 180.0  # seconds

Pair = tuple[str, str]


def read_pairs(data: Path, most: int) -> dict[str, list[Pair]]:
    """Of each set, claims with a premise that settles them: every claim once, every premise once."""
    dice = random.Random(SEED)
    held: dict[str, list[Pair]] = {}
    for name in SETS:
        settled: dict[str, str] = {}
        for row in read_json(data / "train" / f"{name}.jsonl.gz"):
            if row["label"] in (SUPPORTED, REFUTED):
                settled.setdefault(row["premise"], row["hypothesis"])
        pairs = sorted({claim: premise for premise, claim in settled.items()}.items())
        held[name] = dice.sample(pairs, min(len(pairs), most))
    return held


def plan_batches(held: dict[str, list[Pair]]) -> list[list[Pair]]:
    """Batches of one set each, so that what a claim is told apart from is alike; the same for the same data."""
    batches = [pairs[at : at + BATCH] for pairs in held.values() for at in range(0, len(pairs) - BATCH // 2, BATCH)]
    random.Random(SEED).shuffle(batches)
    return batches


def contrast_loss(claims: Tensor, evidence: Tensor) -> Tensor:
    """How far each claim is from being nearest to its own evidence within the batch, and the other way round."""
    likeness = claims @ evidence.T / TEMPERATURE
    own = torch.arange(len(claims))
    return (functional.cross_entropy(likeness, own) + functional.cross_entropy(likeness.T, own)) / 2


class Tuning:
    """The network, its optimiser and how many batches it has seen."""

    def __init__(self, start: Path, out: Path, batches: Sequence[list[Pair]]) -> None:
        torch.manual_seed(SEED)
        self.encoder = SentenceEncoder(start)
        self.encoder.words.weight.requires_grad_(False)  # pieces that no pair holds must not drift from the rest
        self.batches, self.at, self.out = batches, 0, out
        learnt = [weight for weight in self.encoder.parameters() if weight.requires_grad]
        self.optimiser = torch.optim.AdamW(learnt, lr=RATE, weight_decay=0.01)
        self._tokenizer = Tokenizer.from_file(str(start / "tokenizer.json"))
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()
        if (out / "checkpoint.pt").exists():
            saved = torch.load(out / "checkpoint.pt", weights_only=True)
            self.encoder.load_state_dict(saved["weights"])
            self.optimiser.load_state_dict(saved["optimiser"])
            self.at = saved["at"]

    def save(self) -> None:
        part = self.out / "checkpoint.part"
        held = {"weights": self.encoder.state_dict(), "optimiser": self.optimiser.state_dict(), "at": self.at}
        torch.save(held, part)
        part.replace(self.out / "checkpoint.pt")

    def step(self) -> float:
        claims, evidence = zip(*self.batches[self.at], strict=True)
        done = self.at / len(self.batches)
        for group in self.optimiser.param_groups:
            group["lr"] = RATE * min(1.0, (done + 1e-3) / WARM_UP, (1 - done) / (1 - WARM_UP))
        loss = contrast_loss(self._vectors(claims), self._vectors(evidence))
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.at += 1
        return float(loss.detach())

    def _vectors(self, texts: Sequence[str]) -> Tensor:
        encoded = self._tokenizer.encode_batch(list(texts))
        ids = torch.tensor([one.ids for one in encoded])
        return self.encoder(ids, torch.tensor([one.attention_mask for one in encoded]))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--start", type=Path, required=True, help="folder with the published weights")
    arguments.add_argument("--data", type=Path, required=True, help="folder with train/")
    arguments.add_argument("--out", type=Path, required=True, help="folder for the checkpoint, the log and the result")
    arguments.add_argument("--most", type=int, default=1000, help="pairs of each set")
    arguments.add_argument("--threads", type=int, default=2)
    given = arguments.parse_args()
    torch.set_num_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    pairs = read_pairs(given.data, given.most)
    tuning = Tuning(given.start, given.out, plan_batches(pairs))
    saved, losses = time.monotonic(), []
    with (given.out / "log.jsonl").open("a", encoding="utf-8") as log:
        while tuning.at < len(tuning.batches):
            losses.append(tuning.step())
            if tuning.at % 20 == 0 or tuning.at == len(tuning.batches):
                mean = round(sum(losses) / len(losses), 4)
                log.write(json.dumps({"batch": tuning.at, "of": len(tuning.batches), "loss": mean}) + "\n")
                log.flush()
                losses = []
            if time.monotonic() - saved > SAVE_EVERY:
                tuning.save()
                saved = time.monotonic()
    tuning.save()
    told = {"made_by": "python -m training.tuning", "tuned_on": {name: len(held) for name, held in pairs.items()}}
    export_network(tuning.encoder.eval(), given.start / "tokenizer.json", given.out / NAME, **told)


if __name__ == "__main__":
    main()
