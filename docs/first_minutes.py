"""Types the first two minutes of README.md in an empty folder, with nothing but built wheels: `make first-minutes`.

    python docs/first_minutes.py dist/

An environment is made, pip is told where the wheels lie, and every command and every Python block above "With files of
your own" is run as it stands there. Writes docs/howto/first-minutes.md with the times, and the sizes into the README.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "howto" / "first-minutes.md"
END = "### With files of your own"
_BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WHEELS = {"assay_check": "code", "assay_check_small": "small", "assay_check_base": "base"}


@dataclass(frozen=True, slots=True)
class Step:
    """Something typed, what it printed, its exit code and how long it took."""

    typed: str
    output: str
    status: int
    seconds: float


def read_steps(readme: str) -> Iterator[str]:
    """The commands and Python programs of the first two minutes, in order.

    >>> list(read_steps("```console\\n$ assay doctor  # all of it\\n```\\n### With files of your own\\n"))
    ['assay doctor  # all of it']
    """
    for language, code in _BLOCK.findall(readme.partition(END)[0]):
        if language == "python":
            yield code
        else:
            yield from (line[2:] for line in code.splitlines() if line.startswith("$ "))


def type_steps(wheels: Path, folder: Path, python: str = sys.executable) -> Iterator[Step]:
    """Runs each of them in this folder, in an environment of its own beside it, as a shell would."""
    environment = Path(tempfile.mkdtemp(dir=folder.parent)) / "env"
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "ASSAY", "VIRTUAL"))}
    path = f"{environment / 'bin'}{os.pathsep}{kept.get('PATH', '')}"
    links = " ".join(filter(None, (str(wheels.resolve()), kept.get("PIP_FIND_LINKS"))))
    known = kept | {"PATH": path, "PIP_FIND_LINKS": links, "PIP_QUIET": "1"}
    for typed in read_steps((ROOT / "README.md").read_text("utf-8")):
        command = ["python", "-"] if "\n" in typed else ["bash", "-c", typed]
        started = perf_counter()
        done = subprocess.run(
            command, input=typed if "\n" in typed else "", cwd=folder, env=known, capture_output=True, text=True
        )
        yield Step(typed, done.stdout + done.stderr, done.returncode, perf_counter() - started)


def measure_wheels(wheels: Path) -> dict[str, float]:
    """The size of each wheel in MB."""
    sizes = {path.name.partition("-")[0]: path.stat().st_size / 1e6 for path in wheels.glob("*.whl")}
    return {name: sizes[package] for package, name in _WHEELS.items()}


def render_page(steps: list[Step], sizes: dict[str, float]) -> str:
    lines = [
        "# The first two minutes",
        "<!-- Written by docs/first_minutes.py (make first-minutes): do not edit. -->",
        "What the README says, typed word by word in an empty folder with an empty environment and the built wheels. "
        f"Python {platform.python_version()}, {os.cpu_count()} cores; the packages of others "
        "came from pip's cache, so a first install takes as long as the network does.",
        "\n".join(
            ["| typed | exit code | seconds |", "| --- | --- | --- |"]
            + [f"| {_show(step.typed)} | {step.status} | {step.seconds:.1f} |" for step in steps]
            + [f"| all of it | | {sum(step.seconds for step in steps):.0f} |"]
        ),
        "Exit code 1 says that something is not backed: the answers of the README have a wrong height.",
        "## What is installed",
        "\n".join(
            ["| wheel | MB |", "| --- | --- |"]
            + [f"| `{name.replace('_', '-')}` | {sizes[short]:.1f} |" for name, short in _WHEELS.items()]
        ),
        "`assay-check` requires `assay-check-small`; the extra `base` adds `assay-check-base` "
        "([decision 21](../decisions/0021-weights-as-packages.md)).",
    ]
    return "\n\n".join(lines) + "\n"


def _show(typed: str) -> str:
    if "\n" in typed:
        return "the block of Python"
    command = re.split(r"\s+#\s", typed)[0].replace("|", "\\|")
    return f"`{command}`"


def main() -> int:
    from compare import fill

    wheels = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "empty"
        folder.mkdir()
        steps = []
        for step in type_steps(wheels, folder):
            print(f"{step.seconds:6.1f} s  exit {step.status}  {_show(step.typed)}", flush=True)
            steps.append(step)
            if step.status not in (0, 1):
                print(step.output)
                return 1
    sizes = measure_wheels(wheels)
    PAGE.write_text(render_page(steps, sizes), encoding="utf-8")
    figures = {f"wheel_{name}": f"{size:.1f}" for name, size in sizes.items()}
    for page in (ROOT / "README.md", ROOT / "docs" / "decisions" / "0021-weights-as-packages.md"):
        page.write_text(fill(page.read_text("utf-8"), figures), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
