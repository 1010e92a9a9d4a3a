"""THIRD_PARTY.md, made from what is installed: `python docs/third_party.py [SITE_PACKAGES]...`.

Packages come from pyproject.toml and the metadata of the packages installed here, with everything they need in turn;
weights and data sets from NOTICE and the table in training/README.md. Packages are looked for in the folders given as
well: the frameworks of the adapters have an environment of their own. One that is nowhere is named as such.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from itertools import takewhile
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "THIRD_PARTY.md"
OWN = "assay-check"
_CLASSIFIER = "License :: "
_LONGEST = 60  # some packages put the whole text of their licence into the field


def requirements(extras: Iterable[str]) -> list[str]:
    """What pyproject.toml asks for: the plain install, or some extras, in which extras of our own are resolved."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = list(project["dependencies"]) if not extras else []
    for extra in extras:
        for line in project["optional-dependencies"][extra]:
            needed = Requirement(line)
            if needed.name == OWN:
                wanted += requirements(sorted(needed.extras))
            elif not needed.name.startswith(OWN):  # the weights are ours, too
                wanted.append(line)
    return wanted


def closure(wanted: Iterable[str]) -> dict[str, Distribution | None]:
    """These packages and everything they need here, by name; None where one is not installed."""
    found: dict[str, Distribution | None] = {}
    asked = [Requirement(line) for line in wanted]
    waiting = [needed for needed in asked if needed.marker is None or needed.marker.evaluate({"extra": ""})]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        needed = waiting.pop()
        name = canonicalize_name(needed.name)
        if (name, frozenset(needed.extras)) in seen:
            continue
        seen.add((name, frozenset(needed.extras)))
        try:
            found[name] = held = distribution(name)
        except PackageNotFoundError:
            found.setdefault(name, None)
            continue
        for line in held.requires or ():
            below = Requirement(line)
            if any(below.marker is None or below.marker.evaluate({"extra": extra}) for extra in ("", *needed.extras)):
                waiting.append(below)
    return found


def licence_of(held: Distribution) -> str:
    """The licence a package names: as an expression, in its classifiers, or in a word of its own."""
    said = held.metadata
    if expression := said.get("License-Expression"):
        return expression.strip()
    named = [line.rpartition(" :: ")[2] for line in said.get_all("Classifier") or () if line.startswith(_CLASSIFIER)]
    if named := [name for name in named if name != "OSI Approved"]:
        return ", ".join(dict.fromkeys(named))
    word = (said.get("License") or "").strip()
    if word and "\n" not in word and len(word) <= _LONGEST:
        return word
    files = [file for file in held.files or () if re.match(r"(?i)(licen[cs]e|copying|notice)", file.name)]
    return f"see {files[0].name} in the package" if files else "not named by the package"


def rows(packages: dict[str, Distribution | None]) -> Iterator[str]:
    yield "| package | version | licence |"
    yield "| --- | --- | --- |"
    for name, held in sorted(packages.items()):
        if held is None:
            yield f"| {name} | not installed here | look it up before you ship it |"
        else:
            yield f"| {name} | {held.version} | {licence_of(held).replace('|', '/')} |"


def data_sets() -> list[str]:
    """The table of data sets in training/README.md."""
    lines = (ROOT / "training" / "README.md").read_text("utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| set (file)"))
    return list(takewhile(lambda line: line.startswith("|"), lines[start:]))


def unnamed(table: list[str]) -> list[str]:
    """The rows whose licence is not one that can be looked up by its name."""
    known = re.compile(r"(?i)\b(CC[ -]?(BY|0)|MIT|Apache|BSD|GPL|LGPL|public domain|CDLA|ODC|our own|written here)")
    cells = [(line, line.rsplit("|", 2)[1]) for line in table[2:]]
    return [line for line, licence in cells if not known.search(licence) or "none stated" in licence]


def write() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    plain = closure(requirements(()))
    parts = [
        "# Third-party software, weights and data",
        "<!-- Written by docs/third_party.py from installed metadata: do not edit. -->",
        "Assay itself is under Apache-2.0 ([LICENSE](LICENSE), [NOTICE](NOTICE)). None of these packages is "
        "copied into this repository; they are installed from the package registry.",
        "## Installed with `pip install assay-check`",
        "\n".join(rows(plain)),
    ]
    seen = set(plain)
    for extra in project["optional-dependencies"]:
        more = {name: held for name, held in closure(requirements((extra,))).items() if name not in seen}
        seen |= set(more)
        if more:
            parts += [f"## Added by `assay-check[{extra}]`", "\n".join(rows(more))]
    table = data_sets()
    parts += ["## Weights", "\n".join(_notice("Weights shipped with Assay"))]
    parts += ["## Fonts of the page", "\n".join(_notice("Fonts of the page"))]
    heading = "## Data sets the weights were trained or tried on"
    parts += [heading, "None of them is in this repository.", "\n".join(table)]
    if missing := unnamed(table):
        parts += [
            "### Of these, without a licence that can be named",
            "They were published for research, under terms of their own or under none. Whoever needs weights without "
            "them trains without these rows (`training/README.md`).",
            "\n".join(f"- {line.strip('| ').split(' | ')[0]}" for line in missing),
        ]
    return "\n\n".join(parts) + "\n"


def _notice(heading: str) -> list[str]:
    """A section of NOTICE."""
    lines = (ROOT / "NOTICE").read_text("utf-8").splitlines()
    start = lines.index(heading) + 2
    ends = [number for number in range(start, len(lines) - 1) if re.fullmatch("-{5,}", lines[number + 1])]
    return lines[start : ends[0] if ends else None]


if __name__ == "__main__":
    sys.path.extend(sys.argv[1:])
    PAGE.write_text(write(), encoding="utf-8")
    print(f"{PAGE.name} written")
