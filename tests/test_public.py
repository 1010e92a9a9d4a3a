import subprocess
import sys

import assay


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
