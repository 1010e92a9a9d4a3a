"""`python -m bench [name …]`: run the benchmarks and write docs/benchmarks.md."""

from __future__ import annotations

import platform
import sys
from importlib import import_module
from pathlib import Path

NAMES = ("imports", "claims", "lexical", "encoder", "memory", "lattice")
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"no benchmark called {unknown[0]!r}; there are {', '.join(NAMES)}")
    sections = []
    for name in names or NAMES:
        rows = import_module(f"bench.{name}").run()
        table = "\n".join(f"| {what} | {value} |" for what, value in rows)
        sections.append(f"## {name}\n\n| measured | value |\n| --- | --- |\n{table}\n")
        sys.stdout.write(sections[-1] + "\n")
        sys.stdout.flush()
    if not names:  # a partial run must not overwrite the whole page
        head = (
            "# Benchmarks\n\nWritten by `make bench`; each ratio is taken in one run on one machine "
            f"({platform.processor() or platform.machine()}, Python {platform.python_version()}).\n"
        )
        PAGE.write_text("\n".join([head, *sections]), encoding="utf-8")


main(sys.argv[1:])
