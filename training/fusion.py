"""The combiner of the engine: fitted on train rows through the pipeline a user has, measured on dev rows by ablation.

`python -m training fusion --data DATA --out OUT` takes a few minutes; `--size both` fits `small` and `base`. What was
read is kept under OUT by model, so that a second run only fits.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from assay.bench import metrics
from assay.encoder import Verifier, docket
from assay.encoder.docket import Docket
from assay.encoder.scores import Scores
from assay.engine.gathering import search
from assay.judges.cascade import PROOFS
from assay.judges.fusion import COEFFICIENTS
from assay.judges.lexical import LexicalJudge
from assay.judges.signals import FEATURES, GROUPS, Signals, measure
from assay.policy import Policy
from assay.types import Claim, Document, Passage, Span, Verdict
from training.claims import still_told, take_claim
from training.contrast import contrast
from training.rows import INSUFFICIENT, LABELS, NOT_SUPPORTED, SUPPORTED, Row, read_rows
from training.synthetic import hotpot, two_passage_statements

SETS = (
    "fever_nli_3way climate_fever feverous_programfc halueval_qa halueval_dialogue infotabs cad_nli lingnli conjnli "
    "begin scitail_ni citation_integrity covidfact_rte scifact_rte paws_ni nli4ct"
).split()
DEV = (
    "attributionbench.dev begin.dev_cmu begin.dev_tc begin.dev_wow cad_nli.dev citation_integrity.dev conjnli.dev "
    "covidfact_rte.dev fever_symmetric.dev fool_me_twice.dev halueval_dialogue.dev halueval_qa.dev healthver.dev "
    "infotabs.dev lingnli.val scifact_rte.dev scitail.dev wice_claim.dev"
).split()
ROWS = {"small": (120, 1200, 80), "base": (40, 500, 30)}  # of each train set, of claims from passages, of each dev set
PULL = 0.01  # how strongly the coefficients are held to the plain opinion of the model, for each row
STEPS = 400
LOST = 0.03  # share of true claims, among those that words do not prove, given up for catching changed ones
PLAIN = np.array([[float(name == f"log_{label.lower()}") for name in FEATURES] + [0.0] for label in LABELS])


@dataclass(frozen=True)
class Sample:
    """A labelled claim with its sources, each a title and a text."""

    sources: tuple[tuple[str, str], ...]
    claim: str
    label: str
    origin: str

    @classmethod
    def of(cls, row: Row, origin: str = "") -> Sample:
        return cls((("", row.premise),), row.hypothesis, row.label, origin or row.source)


@dataclass(frozen=True)
class Seen:
    """One sample as the pipeline saw it: the set, the label, what the words showed and what the model said."""

    source: str
    label: str
    signals: Signals
    scores: Scores

    @property
    def proven(self) -> bool:
        """Whether the words alone decided, so that nothing is left to weigh."""
        return self.signals.method in PROOFS


def fit_sizes(data: Path, out: Path, sizes: Sequence[str], target: Path = COEFFICIENTS) -> None:
    """Fits, reports and stores the combiner of each size; what was fitted for the others stays."""
    for size in sizes:
        verifier = Verifier.load(size, threads=1)
        train, dev = collect(verifier, data, out, size)
        weights = fit(train)
        store(target, size, verifier.sha256, weights, find_floor(train), len(train))
        print(ablation(train, dev, size), flush=True)


def store(target: Path, size: str, model: str, weights: np.ndarray, floor: float, rows: int) -> None:
    stored = json.loads(target.read_text()) if target.exists() else {}
    stored[size] = {
        "name": f"{size}-{hashlib.sha256(weights.tobytes()).hexdigest()[:8]}",
        "model_sha256": model,
        "features": list(FEATURES),
        "floor": round(floor, 3),
        "weights": [[round(float(value), 5) for value in row] for row in weights],
        "rows": rows,
    }
    part = target.with_suffix(".part")
    part.write_text(json.dumps(stored, indent=1) + "\n")
    part.replace(target)


def collect(verifier: Verifier, data: Path, out: Path, size: str) -> tuple[list[Seen], list[Seen]]:
    """Train and dev samples as the pipeline sees them; what an earlier run found out is used again."""
    each, made, held = ROWS[size]
    found = []
    for part in ("train", "dev"):
        samples = sample(data, each, made) if part == "train" else sample_dev(data, held)
        code = hashlib.sha256(Path(docket.__file__).read_bytes()).hexdigest()
        rules = f"{Policy().reading_tokens} {Policy().passages_per_claim} {code}"
        name = f"{size}-{part}-{hashlib.sha256(f'{rules} {samples}'.encode()).hexdigest()[:12]}"
        shape = hashlib.sha256(repr(Signals.__slots__).encode()).hexdigest()[:8]
        folder = out / "fusion"
        folder.mkdir(parents=True, exist_ok=True)
        signals = remembered(folder / f"{name}-signals-{shape}.json", lambda given=samples: look(given))
        scores = remembered(
            folder / f"{name}-scores-{verifier.sha256[:12]}.json", lambda given=samples: read(verifier, given)
        )
        found.append(
            [
                Seen(item.origin, item.label, Signals(**{**raw, "verdict": Verdict(raw["verdict"])}), Scores(*said))
                for item, raw, said in zip(samples, signals, scores, strict=True)
            ]
        )
    return found[0], found[1]


def remembered(file: Path, make: Callable[[], list]) -> list:
    """What the file holds, made first if it is not there."""
    if not file.exists():
        part = file.with_suffix(".part")
        part.write_text(json.dumps(make()))
        part.replace(file)
    return json.loads(file.read_text())


def sample(data: Path, each: int, made: int) -> list[Sample]:
    """Train rows of every set, and claims made from passages that no test uses."""
    dice = random.Random("fusion")
    samples: list[Sample] = []
    for name in SETS:
        rows = read_rows(data / "train" / f"{name}.jsonl.gz")
        samples += [Sample.of(row) for row in dice.sample(rows, min(each, len(rows)))]
    samples += passage_samples(data, made, dice)
    samples += [Sample.of(row) for row in two_passage_statements(data, made // 4, "fusion")]
    return samples


def passage_samples(data: Path, count: int, dice: random.Random) -> list[Sample]:
    """Claims from one of a question's ten passages: true, with one fact changed, or with their passage taken away."""
    pools = [question["passages"] for question in hotpot(data)]
    samples: list[Sample] = []
    while len(samples) < count:
        pool = dice.choice(pools)
        passage = dice.choice(pool)
        taken = take_claim(passage, dice)
        if taken is None:
            continue
        everything = tuple((other.title, other.text) for other in pool)
        samples.append(Sample(everything, taken.claim, SUPPORTED, "passages"))
        changed = contrast(taken.claim, " ".join(text for _, text in everything), dice)
        if changed and dice.random() < 0.8:
            samples.append(Sample(everything, changed.text, changed.label, "passages"))
        rest = tuple(source for source in everything if source[0] != passage.title)
        if dice.random() < 0.3 and not still_told(taken.claim, " ".join(f"{title} {text}" for title, text in rest)):
            samples.append(Sample(rest, taken.claim, INSUFFICIENT, "passages"))
    return samples[:count]


def sample_dev(data: Path, each: int) -> list[Sample]:
    dice = random.Random("fusion dev")
    samples: list[Sample] = []
    for name in DEV:
        rows = read_rows(data / "dev" / f"{name}.jsonl.gz")
        samples += [Sample.of(row, name) for row in dice.sample(rows, min(each, len(rows)))]
    return samples


def gather(item: Sample) -> tuple[Claim, tuple[Passage, ...]]:
    """A claim and its evidence as the engine gathers it."""
    claim = Claim(item.claim, (Span(0, len(item.claim)),))
    documents = [Document(title or "evidence", text, title=title) for title, text in item.sources]
    return claim, search([claim], documents, Policy())[0]


def look(samples: Sequence[Sample]) -> list[dict]:
    """What the words show of each sample."""
    lexical = LexicalJudge(Policy())
    return [asdict(lexical.examine(*gather(item))[1]) for item in samples]


def read(verifier: Verifier, samples: Sequence[Sample]) -> list[tuple[float, float, float]]:
    """What the model says of each sample."""
    reader, policy = Docket(verifier), Policy()
    found = []
    for number, item in enumerate(samples, 1):
        claim, passages = gather(item)
        scores = reader.read([(claim.text, passages)], policy.reading_tokens, policy.passages_per_claim)[0].scores
        found.append((scores.supported, scores.refuted, scores.insufficient))
        if number % 500 == 0:
            print(f"{number} of {len(samples)} rows read", flush=True)
    return found


def fit(seen: Sequence[Seen], features: Sequence[str] = tuple(FEATURES), pull: float = PULL) -> np.ndarray:
    """Coefficients by gradient descent; features that are left out keep a weight of 0."""
    kept = [item for item in seen if not item.proven]
    inputs = matrix(kept)
    used = np.array([name in features for name in FEATURES] + [True])
    weights = PLAIN * used
    start = weights.copy()
    shares = balance(kept)
    amount = np.array([shares[item.source] for item in kept])
    wanted, open_rows = targets(kept)
    velocity = np.zeros_like(weights)
    for _ in range(STEPS):
        chances = softmax(inputs @ weights.T)
        # NOT_SUPPORTED is shared by the other two verdicts as the model itself shares it.
        wanted[open_rows] = chances[open_rows] * (0.0, 1.0, 1.0)
        wanted[open_rows] /= wanted[open_rows].sum(1, keepdims=True)
        slope = ((chances - wanted) * amount[:, None]).T @ inputs / amount.sum()
        slope = (slope + pull * (weights - start)) * used
        velocity = 0.9 * velocity - 0.2 * slope
        weights = weights + velocity
    return weights


def balance(seen: Sequence[Seen]) -> Mapping[str, float]:
    """A weight for each set: large ones count more, but not in proportion."""
    counts: dict[str, int] = {}
    for item in seen:
        counts[item.source] = counts.get(item.source, 0) + 1
    return {source: count**-0.5 for source, count in counts.items()}


def matrix(seen: Sequence[Seen]) -> np.ndarray:
    return np.array([[*measure(item.signals, item.scores), 1.0] for item in seen])


def targets(seen: Sequence[Seen]) -> tuple[np.ndarray, np.ndarray]:
    """The labels as probabilities, and which rows are only known not to be supported."""
    wanted = np.array([[float(item.label == label) for label in LABELS] for item in seen])
    return wanted, np.array([item.label == NOT_SUPPORTED for item in seen])


def softmax(sums: np.ndarray) -> np.ndarray:
    powers = np.exp(sums - sums.max(1, keepdims=True))
    return powers / powers.sum(1, keepdims=True)


def find_floor(seen: Sequence[Seen], parts: int = 4) -> float:
    """The probability that all but a few of the true claims from passages reach, fitted without the ones looked at."""
    own = [number for number, item in enumerate(seen) if item.source == "passages"]
    reached = []
    for part in range(parts):
        held = set(own[part::parts])
        weights = fit([item for number, item in enumerate(seen) if number not in held])
        true = [seen[n] for n in held if seen[n].label == SUPPORTED and not seen[n].proven]
        reached += predict(weights, true)[:, 0].tolist() if true else []
    return float(np.quantile(reached, LOST)) if reached else 0.0


# Measuring


def ablation(train: Sequence[Seen], dev: Sequence[Seen], size: str) -> str:
    """The table of the docs: the model alone, each group of signals added to it, all, and all but each group."""
    encoder = tuple(GROUPS["encoder"])
    everything = tuple(FEATURES)
    lines = [
        f"| {size}: what is weighed | balanced accuracy | macro-F1 (three-way) | AUC | ECE |",
        "| --- | --- | --- | --- | --- |",
        _line("the encoder's opinion as it is", np.array([_plain(item) for item in dev]), dev),
        _line("the encoder's opinion, refitted", predict(fit(train, encoder), dev), dev),
    ]
    for group, members in GROUPS.items():
        if group != "encoder":
            lines.append(_line(f"+ {group}", predict(fit(train, (*encoder, *members)), dev), dev))
    lines.append(_line("everything", predict(fit(train, everything), dev), dev))
    for group, members in GROUPS.items():
        if group != "encoder":
            left = [name for name in everything if name not in members]
            lines.append(_line(f"everything but {group}", predict(fit(train, left), dev), dev))
    lines.append(
        _line("nothing but the words", predict(fit(train, [n for n in everything if n not in encoder]), dev), dev)
    )
    return "\n".join(lines)


def predict(weights: np.ndarray, seen: Sequence[Seen]) -> np.ndarray:
    """Probabilities as the engine gives them: proven by words, or weighed."""
    chances = softmax(matrix(seen) @ weights.T)
    for number, item in enumerate(seen):
        if item.proven:
            refuted = item.signals.verdict is Verdict.REFUTED
            chances[number] = (0.05, 0.9, 0.05) if refuted else (0.95, 0.02, 0.03)
        elif item.signals.blocked:
            chances[number, 0] = 0.0
            chances[number] /= chances[number].sum()
    return chances


def _plain(item: Seen) -> tuple[float, float, float]:
    return item.scores.supported, item.scores.refuted, item.scores.insufficient


def _line(name: str, chances: np.ndarray, seen: Sequence[Seen]) -> str:
    values = measures(chances, seen)
    return f"| {name} | " + " | ".join(f"{value:.3f}" for value in values) + " |"


def measures(chances: np.ndarray, seen: Sequence[Seen]) -> tuple[float, float, float, float]:
    """Means over the dev sets of balanced accuracy and AUC of "supported" and of macro-F1; ECE over all rows."""
    balanced, f1s, areas = [], [], []
    sure: list[float] = []
    right: list[bool] = []
    for source in sorted({item.source for item in seen}):
        rows = [number for number, item in enumerate(seen) if item.source == source]
        labels = [seen[number].label for number in rows]
        own = chances[rows]
        truth = np.array([label == SUPPORTED for label in labels])
        said = own.argmax(1) == 0
        if 0 < truth.sum() < len(truth):
            balanced.append(metrics.balanced_accuracy(truth, said))
            areas.append(metrics.auc(truth, own[:, 0]))
        if NOT_SUPPORTED not in labels:
            f1s.append(metrics.macro_f1([LABELS.index(label) for label in labels], own.argmax(1)))
            sure += own.max(1).tolist()
            right += (own.argmax(1) == np.array([LABELS.index(label) for label in labels])).tolist()
        else:
            sure += np.where(said, own[:, 0], 1 - own[:, 0]).tolist()
            right += (said == truth).tolist()
    error = metrics.calibration_error(right, sure)
    return float(np.mean(balanced)), float(np.mean(f1s)), float(np.mean(areas)), error
