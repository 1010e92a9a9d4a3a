import ast
import subprocess
import sys
from collections import defaultdict
from inspect import isfunction
from pathlib import Path

import assay

SRC = Path(__file__).parents[1] / "src"


def test_the_public_surface_is_pinned():
    assert sorted(assay.__all__) == [
        "Action",
        "AssayError",
        "Claim",
        "Document",
        "Engine",
        "Evidence",
        "Finding",
        "Memory",
        "Policy",
        "Report",
        "Span",
        "Verdict",
        "__version__",
        "acheck",
        "ask",
        "check",
        "check_many",
        "grounded",
        "guard",
        "verify",
    ]
    for name in assay.__all__:
        assert getattr(assay, name) is not None


def test_importing_assay_opens_no_heavy_room():
    code = "import sys, assay; assay.check; assay.Policy; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "onnxruntime", "tokenizers", "sqlalchemy", "typer", "rich", "pydantic", "usearch", "yaml"}
    assert not heavy & set(loaded)


def test_what_people_call_has_an_example():
    """The examples are run as doctests."""
    called = [name for name in assay.__all__ if isfunction(getattr(assay, name))]
    for name in (*called, "Document", "Engine", "Memory", "Policy", "Report"):
        assert ">>> " in (getattr(assay, name).__doc__ or ""), name


def test_no_two_modules_define_a_class_of_the_same_name():
    places = defaultdict(list)
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(SRC)))
    assert len(places) > 300  # the walk found the package
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}
