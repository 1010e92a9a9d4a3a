"""`python -m bench [name …]`: run the benchmarks and bring their sections of docs/benchmarks.md up to date."""

from __future__ import annotations

import platform
import re
import sys
from importlib import import_module
from pathlib import Path

NAMES = tuple("imports claims lexical lattice encoder stages scale memory retrieval engine inline".split())
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

Written by `make bench` (`python -m bench NAME` for one section). Each ratio is taken in one run; "processor time" and
"CPU" are used where other work on the machine would spoil the clock.
"""


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"no benchmark called {unknown[0]!r}; there are {', '.join(NAMES)}")
    sections = read_sections(PAGE.read_text(encoding="utf-8") if PAGE.exists() else "")
    for name in names or NAMES:
        module = import_module(f"bench.{name}")
        try:
            rows = module.run()
        except SystemExit as lacking:  # a corpus or a package that is not here; the others can still be measured
            sys.stdout.write(f"## {name}\n\nleft as it was: {lacking}\n\n")
            continue
        table = "\n".join(f"| {what} | {value} |" for what, value in rows)
        where = f"{platform.machine()}, Python {platform.python_version()}"
        sections[name] = f"| measured ({where}) | value |\n| --- | --- |\n{table}\n"
        # A benchmark whose cost grows with something draws it; PICTURE is (file under docs/, what it shows).
        picture = getattr(module, "PICTURE", None)
        if picture and (PAGE.parent / picture[0]).exists():
            sections[name] += f"\n![{picture[1]}]({picture[0]})\n"
        sys.stdout.write(f"## {name}\n\n{sections[name]}\n")
        sys.stdout.flush()
    body = [f"## {name}\n\n{sections[name]}" for name in NAMES if name in sections]
    PAGE.write_text("\n".join([HEAD, *body]), encoding="utf-8")


def read_sections(page: str) -> dict[str, str]:
    """What the page says under each heading."""
    parts = re.split(r"^## (\w+)\n+", page, flags=re.MULTILINE)
    return {name: text.rstrip() + "\n" for name, text in zip(parts[1::2], parts[2::2], strict=True)}


if __name__ == "__main__":  # processes that a benchmark starts read this file again
    main(sys.argv[1:])
