"""Calibration of a finished bundle: probabilities that mean what they say, and the cut-offs of its verdicts.

python -m training calibrate FOLDER --dev FILE... [--rooms N...] [--report OUT.json]

A temperature and a shift a verdict are fitted on the rows of half the blocks and measured on the other half, both ways;
what is written into the bundle is fitted on all. The costs of the two errors that matter (`assay.encoder.calibration`)
are those with the most right verdicts among all that call at most 3 % of true claims REFUTED and at most 15 % of the
other claims SUPPORTED, where claims count as often as they occur in answers that people get: most sentences are true.

`--rooms` are the tokens of evidence in each close reading of a claim; the mean of the readings' logits is calibrated.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from assay.encoder.calibration import earned
from assay.encoder.close import EVIDENCE_TOKENS
from assay.encoder.verifier import Verifier
from assay.evaluation.written import TRUE_SHARE, WrittenBlock, read_written
from assay.types import Passage, Verdict

FALSE_REFUTED, FALSE_SUPPORTED = 0.03, 0.15
ORDER = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.INSUFFICIENT)
COSTS = (0.0, *np.geomspace(0.05, 40.0, 60).tolist())


@dataclass(frozen=True)
class Fitted:
    """A power for each model, a shift for each verdict, and what false refutation and false support cost."""

    powers: tuple[float, ...]
    shift: tuple[float, float, float]
    false_refuted: float = 0.0
    false_supported: float = 0.0

    @property
    def temperature(self) -> float:
        """Of one model alone."""
        (power,) = self.powers
        return 1.0 / power

    def probabilities(self, logits: np.ndarray) -> np.ndarray:
        """Rows of logits, [claim, verdict] of one model or [claim, model, verdict]."""
        rows = logits.reshape(len(logits), len(self.powers), 3)
        return softmax((rows * np.asarray(self.powers)[:, None]).sum(1) + np.asarray(self.shift))

    def verdicts(self, logits: np.ndarray) -> np.ndarray:
        """0 supported, 1 refuted, 2 insufficient, as the engine decides."""
        return earned(self.probabilities(logits), self.false_refuted, self.false_supported)


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def read_logits(verifier: Verifier, blocks: Sequence[WrittenBlock]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logarithms of a verifier's probabilities, labels and the number of the block of every claim."""
    logits, labels, owners = [], [], []
    for number, block in enumerate(blocks):
        passages = [Passage(document, 0, len(document.text)) for document in block.documents]
        opinions = verifier.judge([(claim.text, passages) for claim in block.claims], block.question or None)
        for claim, opinion in zip(block.claims, opinions, strict=True):
            s = opinion.scores
            logits.append(np.log(np.maximum([s.supported, s.refuted, s.insufficient], 1e-9)))
            labels.append(ORDER.index(claim.verdict))
            owners.append(number)
    return np.asarray(logits), np.asarray(labels), np.asarray(owners)


def fit(logits: np.ndarray, labels: np.ndarray, steps: int = 400, rate: float = 0.05) -> Fitted:
    """The powers and shifts with the highest likelihood, by gradient ascent; then the costs."""
    rows = logits.reshape(len(logits), -1, 3)
    powers, shift = np.full(rows.shape[1], 1.0 / rows.shape[1]), np.zeros(3)
    wanted = np.eye(3)[labels]
    for _ in range(steps):
        error = softmax((rows * powers[:, None]).sum(1) + shift) - wanted
        powers = powers * np.exp(-rate * powers * np.einsum("nv,nmv->m", error, rows) / len(rows))
        shift -= rate * error.mean(0)
    shift -= shift.mean()
    return with_costs(Fitted(tuple(powers.tolist()), tuple(shift.tolist())), logits, labels)


def with_costs(plain: Fitted, logits: np.ndarray, labels: np.ndarray) -> Fitted:
    true, shares = labels == 0, plain.probabilities(logits)
    counts = np.bincount(labels, minlength=3)
    weights = (np.array([TRUE_SHARE, (1 - TRUE_SHARE) / 2, (1 - TRUE_SHARE) / 2]) / np.maximum(counts, 1))[labels]
    best, chosen = -1.0, (COSTS[-1], COSTS[-1])
    for refuted in COSTS:
        for supported in COSTS:
            called = earned(shares, refuted, supported)
            right = float(weights[called == labels].sum())
            if (
                right > best
                and (called[true] == 1).mean() <= FALSE_REFUTED
                and (called[~true] == 0).mean() <= FALSE_SUPPORTED
            ):
                best, chosen = right, (refuted, supported)
    return Fitted(plain.powers, plain.shift, *chosen)


def expected_calibration_error(shares: np.ndarray, labels: np.ndarray, bins: int = 15) -> float:
    sure, hit = shares.max(1), shares.argmax(1) == labels
    which = np.minimum((sure * bins).astype(int), bins - 1)
    parts = [(which == b) for b in range(bins) if (which == b).any()]
    return float(sum(p.mean() * abs(hit[p].mean() - sure[p].mean()) for p in parts))


def figures(fitted: Fitted, logits: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    called = fitted.verdicts(logits)
    true = labels == 0
    return {
        "claims": len(labels),
        "accuracy": round(float((called == labels).mean()), 4),
        "likeliest": round(float((fitted.probabilities(logits).argmax(1) == labels).mean()), 4),
        "false_refuted": round(float((called[true] == 1).mean()), 4),
        "false_supported": round(float((called[~true] == 0).mean()), 4),
        "ece": round(expected_calibration_error(fitted.probabilities(logits), labels), 4),
    }


def write(folder: Path, fitted: Fitted, rooms: Sequence[int] = (EVIDENCE_TOKENS,)) -> None:
    """Puts the fit into the bundle's calibration.json, and its hash into the manifest."""
    path = folder / "calibration.json"
    told: dict[str, object] = {
        "shift": dict(zip((verdict.value for verdict in ORDER), fitted.shift, strict=True)),
        "costs": {"false_refuted": fitted.false_refuted, "false_supported": fitted.false_supported},
    }
    told = {"temperature": fitted.temperature, **told, "rooms": list(rooms)}
    path.write_text(json.dumps(told, indent=1))
    manifest = json.loads((folder / "manifest.json").read_text())
    content = path.read_bytes()
    manifest["files"]["calibration.json"] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=2))


def report(logits: np.ndarray, labels: np.ndarray, owners: np.ndarray, parts: np.ndarray) -> tuple[Fitted, dict]:
    """The fit on all rows, and figures: each half of the blocks by a fit on the other, then the fit on all by part."""
    told: dict[str, dict[str, float]] = {}
    for half in (0, 1):
        own = owners % 2 == half
        told[f"half {half}, fitted on the other"] = figures(fit(logits[~own], labels[~own]), logits[own], labels[own])
    whole = fit(logits, labels)
    told["all rows, fitted on them"] = figures(whole, logits, labels)
    for name in dict.fromkeys(parts.tolist()):
        told[name] = figures(whole, logits[parts == name], labels[parts == name])
    return whole, told


def say(fitted: Fitted, told: dict[str, dict[str, float]]) -> None:
    print(fitted)
    for name, line in told.items():
        print(name, line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dev", type=Path, nargs="+", required=True)
    parser.add_argument("--rooms", type=int, nargs="+", default=[EVIDENCE_TOKENS])
    parser.add_argument("--report", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()
    blocks = [(path.name, block) for path in args.dev for block in read_written(path)]
    write(args.folder, Fitted((1.0,), (0.0, 0.0, 0.0)), rooms=args.rooms)  # what is read must be the network's own
    logits, labels, owners = read_logits(Verifier.load(args.folder, args.threads), [block for _, block in blocks])
    parts = np.asarray([blocks[owner][0] for owner in owners])
    fitted, told = report(logits, labels, owners, parts)
    say(fitted, told)
    write(args.folder, fitted, rooms=args.rooms)
    if args.report:
        args.report.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
