"""The TypeScript client: its generated part is what the server offers, and it works against a running server."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assay.server.app import make_app
from assay.server.settings import Settings
from clients.generate import PLACE, read_document, type_of, write_client
from tests.server.loopback import running

FOLDER = Path(__file__).parents[2] / "clients" / "typescript"
MODULES = Path(os.environ.get("ASSAY_TS_MODULES", FOLDER / "node_modules"))


def test_the_generated_part_is_up_to_date():
    assert PLACE.read_text("utf-8") == write_client(read_document()), "run python clients/generate.py"


def test_every_operation_has_a_method_and_every_answer_a_type():
    text = PLACE.read_text("utf-8")
    operations = [one for methods in read_document()["paths"].values() for one in methods.values()]
    assert text.count("(options: CallOptions") + text.count(", options: CallOptions") == len(operations)
    assert "Promise<unknown>" not in text


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"type": ["string", "null"]}, "string | null"),
        (
            {"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#/SourceIn"}]}},
            "(string | SourceIn)[]",
        ),
        ({"type": "object", "properties": {"a-b": {}}, "required": ["a-b"]}, '{\n  "a-b": unknown;\n}'),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "Record<string, number>"),
        ({"type": "array", "items": {"type": "object", "properties": {"a": {"const": 1}}}}, "{\n  a?: 1;\n}[]"),
        ({}, "unknown"),
    ],
)
def test_schemas_become_types(schema, kind):
    assert type_of(schema) == kind


def test_the_client_is_built_and_works_against_a_running_server(tmp_path):
    if shutil.which("node") is None or not (MODULES / "typescript").is_dir():
        pytest.skip("node or its packages are not there; `make test-clients` brings them")
    package = tmp_path / "client"
    shutil.copytree(FOLDER, package, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (package / "node_modules").symlink_to(MODULES)
    built = subprocess.run(
        [MODULES / ".bin" / "tsc"], cwd=package, capture_output=True, text=True, timeout=600, check=False
    )
    assert built.returncode == 0, built.stdout
    settings = Settings(data=str(tmp_path / "data"), judge="lexical", embedder="static", warm=False)
    with running(make_app(settings)) as address:
        ended = subprocess.run(
            ["node", "--test", "test/"],
            cwd=package,
            env={**os.environ, "ASSAY_URL": address},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
    sys.stdout.write(ended.stdout)
    assert ended.returncode == 0, ended.stdout + ended.stderr
