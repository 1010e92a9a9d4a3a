"""Fills the figures of README.md and the docs: python docs/compare.py FIGURES.json...

A place for a figure is `FIGURE:name`. It is replaced by the value with the name kept in a comment behind it
(`76.4<!-- FIGURE:name -->`), so that the same command brings a filled page up to date. A file may be

    {"name": value, ...}                                    figures as they are to be shown
    assay eval written --judge J --format json              claims_J_right, answers_J_right, ... in per cent;
                                                            of one part, answers_3_claims_J_right, ...;
                                                            of the parts that nothing is fitted on, clean_claims_...
    assay eval written --judge J --preset P --format json   P_alarms, P_misses: of claims, in per cent
    assay eval FILE... --judge J --format json              SET_J: the set's own measure in per cent
    assay selftest ... --judge J --format json              selftest_J_KIND, selftest_J_caught, selftest_J_alarms
    python -m training calibrate ... --report halves-J.json halves_J_right, ... means over both halves

Figures of no place are ignored; places without a figure are listed, and the exit code is 1.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PLACE = re.compile(r"[^\s|*<>(]*<!-- FIGURE:(\w+) -->|FIGURE:(\w+)")
CLEAN = {"answers-3", "answers-4"}  # parts of the written set that nothing is fitted on
RATES = {
    "right": "accuracy",
    "false_refuted": "false_refuted",
    "false_supported": "false_supported",
    "with_false_refuted": "answers_with_false_refuted",
    "quote": "first_quote",
}


def pages(root: Path = ROOT) -> list[Path]:
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def read_figures(path: Path) -> dict[str, str]:
    """The figures of one file, by name, as they are to be shown."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if "answers" in found and "claims" in found:
        return _written(found)
    if "files" in found:
        return {
            f"{_set(file)}_{file['judge']}": _share(file[file["measure"]])
            for file in found["files"]
            if file.get(file["measure"]) is not None
        }
    if "catch_rate" in found:
        return _selftest(found)
    halves = [value for name, value in found.items() if name.startswith("half ")]
    if halves:
        return _halves(halves, path.stem.rpartition("-")[2])
    return {name: value if isinstance(value, str) else f"{value:,}" for name, value in found.items()}


def _share(value: float) -> str:
    return f"{100 * value:.1f}"


def _set(file: dict[str, Any]) -> str:
    name = Path(file["path"]).name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".dev")
    return re.sub(r"\W", "_", name)


def _preset(name: str, claims: dict[str, Any]) -> dict[str, str]:
    """True claims that a preset lets fail, and wrong ones that it lets pass, by the verdicts that fail under it."""
    from assay.config import PRESETS

    if "refuted" in PRESETS[name][1]:
        alarms, misses = claims["false_refuted"], 1 - claims["caught"]
    else:
        alarms, misses = 1 - claims["by_verdict"]["SUPPORTED"][0], claims["false_supported"]
    return {f"{name}_alarms": _share(alarms), f"{name}_misses": _share(misses)}


def _written(found: dict[str, Any]) -> dict[str, str]:
    if found.get("preset"):
        return _preset(found["preset"], found["claims"])
    shown = {"claims_count": f"{found['claims']['claims']:,}", "answers_count": f"{found['answers']['answers']:,}"}
    for part in ("claims", "answers"):
        for name, key in RATES.items():
            if found[part][key] is not None:
                shown[f"{part}_{found['judge']}_{name}"] = _share(found[part][key])
    parts = list(found["claims"].get("by_part", ()))
    start = "clean_" if {*parts} == CLEAN else re.sub(r"\W", "_", parts[0]) + "_" if len(parts) == 1 else ""
    return {start + name: value for name, value in shown.items()}


def _selftest(found: dict[str, Any]) -> dict[str, str]:
    start = f"selftest_{found['judge']}"
    rates = {kind: result["caught"] for kind, result in found["kinds"].items()}
    rates |= {"caught": found["catch_rate"], "alarms": found["false_alarm_rate"]}
    return {f"{start}_{name}": _share(rate["rate"]) for name, rate in rates.items() if rate["rate"] is not None}


def _halves(halves: list[dict[str, float]], judge: str) -> dict[str, str]:
    def mean(key: str) -> float:
        return sum(half[key] for half in halves) / len(halves)

    shares = {name: _share(mean(key)) for name, key in RATES.items() if key in halves[0]}
    return {f"halves_{judge}_{name}": value for name, value in (shares | {"ece": f"{mean('ece'):.3f}"}).items()}


def fill(page: str, figures: dict[str, str]) -> str:
    """The page with every figure that is known in its place.

    >>> fill("| FIGURE:a | FIGURE:b |", {"a": "76.4"})
    '| 76.4<!-- FIGURE:a --> | FIGURE:b |'
    >>> fill("(1.5<!-- FIGURE:a --> MB)", {"a": "1.7"})
    '(1.7<!-- FIGURE:a --> MB)'
    """

    def put(place: re.Match[str]) -> str:
        name = place[1] or place[2]
        return f"{figures[name]}<!-- FIGURE:{name} -->" if name in figures else place[0]

    return PLACE.sub(put, page)


def missing(page: str) -> list[str]:
    """Names of places that have no figure yet."""
    return [place[2] for place in PLACE.finditer(page) if place[2]]


def main(paths: list[str]) -> None:
    if not paths:
        raise SystemExit(__doc__)
    figures: dict[str, str] = {}
    for path in paths:
        figures |= read_figures(Path(path))
    spaced = [name for name, value in figures.items() if re.search(r"[\s|*<>]", value)]
    if spaced:
        raise SystemExit(f"the figure {spaced[0]!r} has a space or a mark of Markdown in it: {figures[spaced[0]]!r}")
    empty: list[str] = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        filled = fill(text, figures)
        if filled != text:
            page.write_text(filled, encoding="utf-8")
        empty += missing(filled)
    if empty:
        raise SystemExit("no figure for: " + " ".join(dict.fromkeys(empty)))


if __name__ == "__main__":
    main(sys.argv[1:])
