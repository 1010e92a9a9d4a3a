"""How much code an answer passes: files, functions and packages of Assay entered during one check.

    python bench/trace_files.py                       # two sentences against one text, judge cascade
    python bench/trace_files.py --judge lexical --list

Imports and the loading of models are not counted: one check is made first, and the second is traced.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import assay
from assay.engine import Engine

ROOT = Path(assay.__file__).parent
SOURCE = "Mount Everest is 8,849 m high. Hillary and Tenzing first climbed it in 1953."
ANSWER = "Mount Everest is 8,489 m high. It was first climbed by Hillary and Tenzing in 1953."


def trace(work: Callable[[], object]) -> Counter[tuple[str, str]]:
    """The functions of the package that some work enters, by file and name, with the number of calls."""
    entered: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)) and not code.co_name.startswith("<"):
            entered[str(Path(code.co_filename).relative_to(ROOT)), code.co_qualname] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return entered


def lines_of(files: set[str]) -> int:
    return sum(len((ROOT / file).read_text(encoding="utf-8").splitlines()) for file in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="cascade", help="the judge that decides")
    parser.add_argument("--answer", default=ANSWER)
    parser.add_argument("--source", default=SOURCE)
    parser.add_argument("--list", action="store_true", help="name each file with its functions entered")
    options = parser.parse_args()
    engine = Engine(judge=options.judge)
    engine.check(options.answer, options.source)
    entered = trace(lambda: engine.check(options.answer, options.source))
    files = {file for file, _ in entered}
    figures = {
        "judge": options.judge,
        "files": len(files),
        "functions": len(entered),
        "packages": len({file.partition("/")[0].removesuffix(".py") for file in files}),
        "calls": entered.total(),
        "lines_of_those_files": lines_of(files),
    }
    print(json.dumps(figures, indent=2))
    if options.list:
        for file in sorted(files):
            print(f"{sum(name == file for name, _ in entered):>4}  {file}")


if __name__ == "__main__":
    main()
