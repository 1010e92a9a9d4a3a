"""The comparison in README.md and docs/evaluation.md, written from what `assay eval` measured.

assay eval DATA/dev/*.gz DATA/test/*.gz --judge small --format json --output small.json
python docs/compare.py small.json base.json …

Published figures and their sources stand in docs/peers.toml. The tables go between the marks `<!-- figures -->` and
`<!-- end of figures -->`; the rest of a page is left alone.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PLACES = (ROOT / "README.md", ROOT / "docs" / "evaluation.md")
BETWEEN = re.compile(r"(<!-- figures -->\n).*?(<!-- end of figures -->)", re.DOTALL)
SIZES = {"small": "22M", "base": "110M", "lexical": "no model", "cascade": "lexical, 22M, 110M"}
Results = dict[str, dict[str, dict[str, Any]]]


def read_results(paths: list[str]) -> Results:
    """For each judge the result of each set; later files go before earlier ones."""
    found: Results = {}
    for path in paths:
        loaded = json.loads(Path(path).read_text(encoding="utf-8"))
        for file in loaded["files"]:
            found.setdefault(file["judge"], {})[_set(file)] = file
    return found


def _set(file: dict[str, Any]) -> str:
    return Path(file["path"]).name.removesuffix(".gz").removesuffix(".jsonl")


def write_tables(results: Results) -> str:
    """A table for each published comparison, then all our sets."""
    peers = tomllib.loads((ROOT / "docs" / "peers.toml").read_text(encoding="utf-8"))["table"]
    parts = [table for peer in peers if (table := _beside(peer, results))]
    return "\n".join([*parts, _all(results)])


def _beside(peer: dict[str, Any], results: Results) -> str:
    lines = [(float(value), f"| {name} | {size} | {value:.1f} | |") for name, size, value in peer["rows"]]
    known = False
    for judge, files in results.items():
        file = files.get(peer["ours"])
        if file is None or file.get(peer["measure"]) is None:
            continue
        known = True
        low, high = (100 * edge for edge in file["intervals"][peer["measure"]])
        value = 100 * file[peer["measure"]]
        size, span = SIZES.get(judge, "–"), f"{low:.1f}–{high:.1f}, n {file['n']:,}"
        lines.append((value, f"| **Assay, {judge}** | {size} | **{value:.1f}** | {span} |"))
    if not known:
        return ""
    body = "\n".join(line for _, line in sorted(lines, key=lambda line: -line[0]))
    return (
        f"**{peer['title']}**\n\n| system | size | % | range |\n| --- | --- | --- | --- |\n{body}\n\n{peer['note']}\n"
    )


def _all(results: Results) -> str:
    judges = list(results)
    sets = sorted({name for files in results.values() for name in files})
    head = "| set | measure | " + " | ".join(judges) + " |\n" + "| --- " * (len(judges) + 2) + "|"
    lines = []
    for name in sets:
        one = next(files[name] for files in results.values() if name in files)
        cells = [_cell(results[judge].get(name)) for judge in judges]
        lines.append(f"| {name} | {one['measure'].replace('_', ' ')}, {one['task']} | {' | '.join(cells)} |")
    counts = ", ".join(
        f"{judge} {min(f['n'] for f in files.values())}–{max(f['n'] for f in files.values())}"
        for judge, files in results.items()
    )
    title = f"**All sets measured**, in per cent (rows a set: {counts}; ranges and calibration are in the model card)"
    return f"{title}\n\n{head}\n" + "\n".join(lines) + "\n"


def _cell(file: dict[str, Any] | None) -> str:
    value = file.get(file["measure"]) if file else None
    return "–" if value is None else f"{100 * value:.1f}"


def fill(page: str, tables: str) -> str:
    if not BETWEEN.search(page):
        raise SystemExit("a page has no place for the figures: <!-- figures --> … <!-- end of figures -->")
    return BETWEEN.sub(lambda found: f"{found[1]}\n{tables}\n{found[2]}", page)


def main(paths: list[str]) -> None:
    if not paths:
        raise SystemExit(__doc__)
    tables = write_tables(read_results(paths))
    for place in PLACES:
        place.write_text(fill(place.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
