"""Docs that cannot rot: a command, a policy field or a violation that is not documented fails a test."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import fields
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from assay.cli.app import app
from assay.lattice.result import ViolationKind
from assay.policy import Policy

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EVERYTHING = "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md")))


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = load("generate")


@pytest.mark.parametrize("page", sorted(GENERATE.WRITERS))
def test_the_reference_says_what_the_code_says(page: str) -> None:
    written = (DOCS / "reference" / page).read_text(encoding="utf-8")
    assert written == GENERATE.NOTE + GENERATE.WRITERS[page](), "run: python docs/generate.py"


def commands() -> list[str]:
    from typer.main import get_command

    found = []
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        below = getattr(command, "commands", {})
        found += [f"assay {name} {inner}" for inner in below] if below else [f"assay {name}"]
    return found


@pytest.mark.parametrize("command", commands())
def test_every_command_is_documented(command: str) -> None:
    assert re.search(rf"\b{command}\b", EVERYTHING)


@pytest.mark.parametrize("field", [spec.name for spec in fields(Policy)])
def test_every_policy_field_is_documented(field: str) -> None:
    assert f"`{field}`" in EVERYTHING


@cache
def violations() -> frozenset[str]:
    """Every word the source puts into a finding's violations: members of the enum, and literals near the name."""
    found = {kind.value for kind in ViolationKind}
    for path in (ROOT / "src" / "assay").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "violations" not in text and "Objection" not in text:
            continue
        tree = ast.parse(text)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name.endswith(("violations.append", "violations.extend", "Objection")):
                    found |= _words(node.args[:1])
                found |= _words([word.value for word in node.keywords if word.arg == "violations"])
            elif isinstance(node, ast.Assign) and any("violations" in ast.unparse(t) for t in node.targets):
                found |= _words([node.value] if isinstance(node.value, ast.Tuple) else [])
    return frozenset(found)


def _words(nodes: list[ast.expr]) -> set[str]:
    texts = (n.value for node in nodes for n in ast.walk(node) if isinstance(n, ast.Constant))
    return {text for text in texts if isinstance(text, str) and re.fullmatch(r"[A-Za-z]+(?:_[A-Za-z]+)+", text)}


@pytest.mark.parametrize("violation", sorted(violations()))
def test_every_violation_is_documented(violation: str) -> None:
    assert f"`{violation}`" in (DOCS / "reference" / "violations.md").read_text(encoding="utf-8")


def test_the_scan_finds_violations_outside_the_lattice() -> None:
    assert {"phantom_citation", "wrong_citation", "QUOTE_NOT_FOUND"} <= violations()


@pytest.mark.parametrize("flag", sorted(set(re.findall(r'RiskFlag\(\s*"(\w+)"', EVERYTHING + "\n".join(
    path.read_text(encoding="utf-8") for path in (ROOT / "src" / "assay").rglob("*.py"))))))  # fmt: skip
def test_every_risk_flag_is_documented(flag: str) -> None:
    assert f"`{flag}`" in (DOCS / "reference" / "violations.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_other_hosts(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    subprocess.run(command, cwd=ROOT, check=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 20
    loaded = [
        found
        for page in pages
        for found in re.findall(
            r'<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="(https?:)?//[^"]*"', page.read_text()
        )
    ]
    assert loaded == []


def test_every_page_of_the_site_exists_and_every_page_is_in_it() -> None:
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))

    def listed(entry: object) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        if isinstance(entry, list):
            return [page for one in entry for page in listed(one)]
        assert isinstance(entry, dict)
        return [page for one in entry.values() for page in listed(one)]

    pages = listed(settings["nav"])
    assert [page for page in pages if not (DOCS / page).exists()] == []
    assert {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")} - set(pages) == set()


COMPARE = load("compare")


def test_figures_are_filled_in_and_brought_up_to_date(tmp_path: Path) -> None:
    import json

    rates = {"accuracy": 0.7641, "false_refuted": 0.03, "false_supported": 0.12, "first_quote": None}
    part = rates | {"claims": 5287, "answers": 280, "answers_with_false_refuted": 0.2}
    written, public = tmp_path / "written.json", tmp_path / "public.json"
    written.write_text(json.dumps({"judge": "base", "claims": part, "answers": part}))
    file = {"judge": "small", "path": "/data/wice_claim.dev.jsonl.gz", "measure": "balanced_accuracy"}
    public.write_text(json.dumps({"files": [file | {"balanced_accuracy": 0.701}]}))
    figures = COMPARE.read_figures(written) | COMPARE.read_figures(public)
    page = "| **FIGURE:claims_count claims** | FIGURE:claims_base_right |\nFIGURE:wice_claim_small FIGURE:other"
    filled = COMPARE.fill(page, figures)
    assert "**5,287<!-- FIGURE:claims_count --> claims** | 76.4<!-- FIGURE:claims_base_right --> |" in filled
    assert filled.endswith("70.1<!-- FIGURE:wice_claim_small --> FIGURE:other")
    assert COMPARE.missing(filled) == ["other"]
    assert COMPARE.fill(filled, figures) == filled
    assert "80.0<!-- FIGURE:wice_claim_small -->" in COMPARE.fill(filled, {"wice_claim_small": "80.0"})
