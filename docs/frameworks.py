"""Writes the versions that the adapters were just tested with into docs/integrations.md.

The column "tested with" of the table names packages; each gets the version that is installed here, at the end of
`make test-frameworks`. What is not installed (promptfoo, a program of Node, and Open WebUI, whose interface alone is
used) keeps what it says.
"""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PAGE = Path(__file__).parent / "integrations.md"
_ROW = re.compile(r"^\|(?:[^|\n]*\|){3}(?P<tested>[^|\n]*)\|$", re.MULTILINE)
_NAMED = re.compile(r"\b(?P<name>[a-z][a-z-]+) \d+(?:\.\d+)+")


def fill_versions(page: str) -> str:
    """The page with the versions installed here.

    >>> fill_versions("| x | `x` | y | no-such-package 1.0 |")
    '| x | `x` | y | no-such-package 1.0 |'
    """

    def renew(named: re.Match[str]) -> str:
        try:
            return f"{named['name']} {version(named['name'])}"
        except PackageNotFoundError:
            return named[0]

    return _ROW.sub(lambda row: row[0].replace(row["tested"], _NAMED.sub(renew, row["tested"])), page)


if __name__ == "__main__":
    PAGE.write_text(fill_versions(PAGE.read_text("utf-8")), encoding="utf-8")
    print(f"{PAGE.name} written")
