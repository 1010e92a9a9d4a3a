"""Every Python and console snippet of the docs and the README runs, page by page, in a folder of its own.

A comment before a block may say what it needs: `<!-- file: NAME -->` writes the block to a file, `<!-- example: … -->`
(also `rows:`, `labels:`, `sources:`) puts ready files there, `<!-- run first: … -->` is Python not shown to readers,
`<!-- not run: why -->` leaves the block out. `await` and `async for` may stand at the top of a Python block.
"""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?P<marks>(?:^<!-- (?:(?!-->).)*-->\n+)*)^(?P<fence>```+)(?P<language>\w*)[^\n]*\n(?P<code>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
MARK = re.compile(r"<!-- (file|not run|run first|example|rows|labels|sources):\s(.+?)\s-->", re.DOTALL)
EVEREST = ROOT / "examples" / "everest"


@dataclass(frozen=True)
class Snippet:
    """A block of code, its language and what the comments before it ask for."""

    language: str
    code: str
    marks: dict[str, str]


def snippets(text: str) -> Iterator[Snippet]:
    for found in BLOCK.finditer(text):
        yield Snippet(found["language"], found["code"], dict(MARK.findall(found["marks"])))


def runnable(page: Path) -> bool:
    text = page.read_text(encoding="utf-8")
    return any(s.language in ("python", "console") and "not run" not in s.marks for s in snippets(text))


def prepare(name: str, folder: Path) -> None:
    """A file or folder that a page takes as given."""
    rows = [
        {"evidence": f"Hill {n} is {800 + n} m high.", "claim": f"Hill {n} is {800 + n - 90 * (n % 2)} m high."}
        | {"label": "REFUTED" if n % 2 else "SUPPORTED", "kind": "guide"}
        for n in range(120)
    ]
    if name == "answer.md":
        shutil.copy(EVEREST / "answer.md", folder / name)
    elif name == "articles":
        shutil.copytree(EVEREST / "sources", folder / name, dirs_exist_ok=True)
    elif name == "map.json":
        from assay.lattice import EvidenceMap, EvidenceObject

        shown = EvidenceMap.of([EvidenceObject("E1", "Mount Everest is 8,849 m high.", title="Height")])
        (folder / name).write_text(json.dumps(shown.to_dict()))
    elif name in ("rows.jsonl", "labels.jsonl"):
        (folder / name).write_text("\n".join(map(json.dumps, rows[:12] if name == "rows.jsonl" else rows)))
    else:
        pytest.fail(f"no example file {name!r} is known")


def run_line(line: str) -> None:
    """One command of a console block; exit codes 0 and 1 are answers, 2 is a mistake in the docs."""
    words = shlex.split(line, comments=True)
    given = None
    if "|" in words:
        at = words.index("|")
        assert words[0] == "cat", f"only `cat FILE |` can stand before a command: {line}"
        given, words = Path(words[1]).read_text(encoding="utf-8"), words[at + 1 :]
    target = Path(words[-1]) if len(words) > 2 and words[-2] == ">" else None
    words = words[:-2] if target else words
    if words[0] == "mkdir":
        return Path(words[1]).mkdir(exist_ok=True)
    if words[0] == "echo" and target:
        target.write_text(" ".join(words[1:]) + "\n", encoding="utf-8")
        return None
    assert words[0] == "assay", f"not a command of Assay; mark the block with <!-- not run: why -->: {line}"
    done = CliRunner().invoke(app, words[1:], input=given)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise AssertionError(f"{line}\n{done.output}{done.exception}") from done.exception
    assert done.exit_code in (0, 1), f"{line}\n{done.output}"
    if target:
        target.write_text(done.stdout, encoding="utf-8")
    return None


def execute(code: str, place: str, names: dict[str, Any]) -> None:
    compiled = compile(code, place, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    waiting = eval(compiled, names)
    if inspect.iscoroutine(waiting):
        asyncio.run(waiting)


@pytest.mark.parametrize("page", [p for p in PAGES if runnable(p)], ids=lambda p: str(p.relative_to(ROOT)))
def test_every_snippet_of_a_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    for names in re.findall(r"<!-- (?:example|rows|labels|sources): (.+?) -->", text):
        for name in names.split():
            prepare(name, tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, snippet in enumerate(snippets(text), 1):
        if "run first" in snippet.marks:
            execute(snippet.marks["run first"], f"{page.name}, before block {number}", names)
        if "file" in snippet.marks:
            place = tmp_path / snippet.marks["file"]
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(snippet.code, encoding="utf-8")
        elif "not run" in snippet.marks:
            continue
        elif snippet.language == "python":
            execute(snippet.code, f"{page.name}, block {number}", names)
        elif snippet.language == "console":
            for line in snippet.code.splitlines():
                if line.startswith("$ "):
                    run_line(line[2:])


def test_what_is_not_run_says_why() -> None:
    for page in PAGES:
        for snippet in snippets(page.read_text(encoding="utf-8")):
            if "not run" in snippet.marks:
                assert len(snippet.marks["not run"].split()) >= 3, f"{page.name}: {snippet.marks['not run']}"


def test_a_snippet_that_fails_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match="no answer file"):
        run_line("assay check nowhere.md --source-text x")
    with pytest.raises(AssertionError, match="not a command of Assay"):
        run_line("rm -rf x")
