"""The model card: written from what `assay eval` measured and from the manifests, never by hand.

assay eval DATA/dev/*.gz DATA/test/*.gz --judge small --format json --output small.json
python -m training.card small.json base.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WEIGHTS = ROOT / "src" / "assay" / "encoder" / "weights"
PAGE = ROOT / "docs" / "model-card.md"
LEADERBOARD = Path(__file__).parent / "leaderboard.jsonl"
RESULTS = Path(__file__).parent / "results"

HEAD = """# Model card: the verifier

Written by `python -m training.card` from the JSON of `assay eval`; every figure comes from the shipped ONNX files
through the run time a user has. How the weights are made, and each data set with its licence: `training/README.md`.

**Intended use.** Judging whether an English claim is supported, refuted or left open by a passage, as one tier among
others. Not for deciding about people, not for other languages, not as a judge of truth: it knows only the passage it is
given.

**How to read the scores.** They are not clean held-out figures. The temperatures were fitted on rows of these dev sets
(what they are worth on others stands under Calibration), the dev sets were looked at while choosing what to train on,
how to average runs and how to join the readings of a long text, and `snli.test` was watched during training. Scores
come from a sample of each set (column n): another sample moves some of them by several points. The times were taken on
a machine that was doing other work.
"""


def write_card(results: dict[str, list[dict[str, Any]]], sure: dict[str, dict[str, Any]]) -> str:
    parts = [
        HEAD,
        "## Files\n",
        _files(results),
        _packing(results),
        "## Scores\n",
        _scores(results),
        _sure(sure),
        _calibration(results),
    ]
    parts += ["## Trained on\n", _rows(results)]
    parts += ["## Known weaknesses\n", _weak(results), _changes(results)]
    return "\n".join(parts)


def _manifest(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((WEIGHTS / name / "manifest.json").read_text(encoding="utf-8"))
    return loaded


def _files(results: dict[str, list[dict[str, Any]]]) -> str:
    lines = ["| size | format | bytes | starts from | licence |", "| --- | --- | --- | --- | --- |"]
    for name in results:
        manifest = _manifest(name)
        size = sum(entry["bytes"] for entry in manifest["files"].values())
        start = ", ".join(manifest["start"]["packages"])
        lines.append(f"| {name} | {manifest['format']} | {size:,} | {start} | {manifest['licence']} |")
    return "\n".join(lines) + "\n"


def _packing(results: dict[str, list[dict[str, Any]]]) -> str:
    """What each form of the same weights weighs and scores, as `python -m training packing` measured it."""
    told = {name: json.loads((RESULTS / f"packing-{name}.json").read_text(encoding="utf-8")) for name in results}
    one = next(iter(told.values()))
    lines = [
        f"**What the packing costs.** Mean score over {one['rows_each']} rows of each of {', '.join(one['sets'])}. The "
        "table of words is held in bytes in every form; `small`'s unrounded weights are not kept, so its first line is "
        "what the products in eight bits cost, not the weights. `base` learns on "
        "its four-bit grid, so nothing is lost by that.\n",
        "| size | weights as | bytes | mean score |",
        "| --- | --- | --- | --- |",
    ]
    for name, packing in told.items():
        lines += [f"| {name} | {form['name']} | {form['bytes']:,} | {form['score']:.1f} |" for form in packing["forms"]]
    return "\n".join(lines) + "\n"


def _scores(results: dict[str, list[dict[str, Any]]]) -> str:
    lines = ["| set | size | measure | value | 95 % range | AUC | ECE | n | p50 ms |", "| --- " * 9 + "|"]
    for name, files in results.items():
        for result in files:
            low, high = result["intervals"][result["measure"]]
            auc = "–" if result["auc"] is None else f"{result['auc']:.3f}"
            lines.append(
                f"| {_set(result)} | {name} | {result['measure'].replace('_', ' ')} | {_value(result):.3f} | "
                f"{low:.3f}–{high:.3f} | {auc} | {result['ece']:.3f} | {result['n']} | {result['p50_ms']:.1f} |"
            )
    return "\n".join(lines) + "\n"


def _sure(sure: dict[str, dict[str, Any]]) -> str:
    """How often a verdict given with a high probability is right, over the rows of all sets."""
    lines = [
        f"- `{name}`, over all these rows: of verdicts given with p ≥ 0.8, "
        + ", ".join(f"{verdict} is right in {100 * one['share']:.1f} % of {one['n']}" for verdict, one in found.items())
        + "."
        for name, found in sure.items()
    ]
    return "\n".join(lines) + "\n"


def _calibration(results: dict[str, list[dict[str, Any]]]) -> str:
    """What the temperatures are worth on rows that they were not fitted on, as `python -m training calibrate` found."""
    told = {name: json.loads((RESULTS / f"calibration-{name}.json").read_text(encoding="utf-8")) for name in results}
    lines = [
        "**Calibration.** Every pair has a temperature of its own, a line through what the head reads "
        "(`docs/decisions/0014-a-temperature-for-every-pair.md`). Expected calibration error of the graph alone, texts "
        "cut at 384 tokens, with one temperature for all pairs; with the line on rows it was not fitted on, others of "
        "the same set having been (four folds); and on sets of which no row was: what to expect of a new kind.\n",
        "| set | size | rows | one temperature | other rows fitted | other sets fitted |",
        "| --- " * 6 + "|",
    ]
    for name, one in told.items():
        found = one["errors"]
        mean = {kind: sum(errors[kind] for errors in found.values()) / len(found) for kind in ("one", "rows", "set")}
        counts = [*one["rows"].values(), sum(one["rows"].values()), ""]
        names = [*found, "all rows pooled", "mean of the sets"]
        for title, count, errors in zip(names, counts, [*found.values(), one["pooled"], mean], strict=True):
            shown = " | ".join(f"{errors[kind]:.3f}" for kind in ("one", "rows", "set"))
            lines.append(f"| {title} | {name} | {count} | {shown} |")
    return "\n".join(lines) + "\n"


def _rows(results: dict[str, list[dict[str, Any]]]) -> str:
    lines = ["| set | " + " | ".join(results) + " |", "| --- " * (len(results) + 1) + "|"]
    counts = {name: _manifest(name)["trained_on"] for name in results}
    for source in sorted({source for rows in counts.values() for source in rows}):
        lines.append(f"| {source} | " + " | ".join(f"{rows.get(source, 0):,}" for rows in counts.values()) + " |")
    return "\n".join(lines) + "\n"


def _weak(results: dict[str, list[dict[str, Any]]]) -> str:
    """The sets each size does worst on, by the share of the way from chance to perfect."""
    lines = []
    for name, files in results.items():
        worst = sorted(files, key=_above_chance)[:5]
        lines.append(f"- `{name}` is weakest on " + ", ".join(f"{_set(r)} ({_value(r):.2f})" for r in worst) + ".")
    return "\n".join(lines) + "\n"


def _changes(results: dict[str, list[dict[str, Any]]]) -> str:
    """How often one changed fact is noticed, as the leaderboard has it of the run that is shipped."""
    runs = [json.loads(line) for line in LEADERBOARD.read_text(encoding="utf-8").splitlines()]
    lines = []
    for name in results:
        run = [run for run in runs if run["run"].startswith(name) and run.get("shipped")][-1]
        lines.append(
            f"- Of claims of passages kept out of training, changed in one fact, `{name}` alone no longer supports "
            f"{run['noticed']:.0f} % (numbers {run['noticed_number']:.0f} %, names {run['noticed_name']:.0f} %; it "
            f"supports {run['supported']:.0f} % of the unchanged ones). Words and numbers catch most others."
        )
    return "\n".join(lines) + "\n"


def _above_chance(result: dict[str, Any]) -> float:
    chance = 1 / 3 if result["task"] == "three-way" else 1 / 2
    return (_value(result) - chance) / (1 - chance)


def _value(result: dict[str, Any]) -> float:
    """The figure by the measure that suits the set."""
    return float(result[result["measure"]])


def _set(result: dict[str, Any]) -> str:
    return Path(result["path"]).name.removesuffix(".jsonl.gz")


def read_card(paths: Sequence[Path]) -> str:
    """The card from result files of `assay eval`, one for each size."""
    results: dict[str, list[dict[str, Any]]] = {}
    sure: dict[str, dict[str, Any]] = {}
    for path in paths:
        loaded = json.loads(path.read_text(encoding="utf-8"))
        judge = loaded["files"][0]["judge"]
        results[judge] = loaded["files"]
        if "right_when_sure" in loaded:
            sure[judge] = loaded["right_when_sure"]
    return write_card(results, sure)


if __name__ == "__main__":
    PAGE.write_text(read_card([Path(given) for given in sys.argv[1:]]), encoding="utf-8")
