"""Clients of others through the guard: LangChain, and the official ones of Node; `make test-clients` brings them."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.test_guard import FALSE, SOURCE, TRUE
from tests.server.test_guard_protocols import MODES, SAFE, guards, upstream  # noqa: F401

ROOT = Path(__file__).parents[2]
MODULES = Path(os.environ.get("ASSAY_NODE_MODULES", ROOT / "tests" / "clients" / "node_modules"))


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    """Runs a script of tests/clients with what npm installed; its JSON."""
    if shutil.which("node") is None or not (MODULES / "openai").is_dir():
        pytest.skip("node or its packages are not there; `make test-clients` brings them")
    folder = tmp_path_factory.mktemp("node")
    (folder / "node_modules").symlink_to(MODULES)
    script = folder / "openai_client.mjs"
    script.write_text((ROOT / "tests" / "clients" / script.name).read_text("utf-8"), "utf-8")

    def run(*arguments):
        ended = subprocess.run(["node", str(script), *arguments], capture_output=True, text=True, timeout=120)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


@pytest.mark.parametrize("mode", MODES)
def test_the_clients_of_node_show_no_refuted_text(guards, node, mode):  # noqa: F811
    seen = node(guards(mode), "false", SOURCE)
    assert seen.pop("embeddings") == {"vector": [0.25, -1.5]}
    for name, got in seen.items():
        assert "error" not in got, (name, got)
        if mode == "annotate":
            assert got["text"].strip() == FALSE
            continue
        assert "8,489" not in got["text"], name
        if mode == "hold":
            assert got["text"].strip() == SAFE, name
        if mode != "repair":
            assert got["end"] in ("content_filter", "incomplete", "refusal"), name
        if name == "responsesStream":
            assert got["repeated"] == got["text"]


@pytest.mark.parametrize("way", ["cut", "reset", "error"])
def test_the_clients_of_node_are_told_of_a_broken_stream(guards, node, way):  # noqa: F811
    seen = node(guards("hold"), f"true/{way}", SOURCE)
    assert {name for name, got in seen.items() if "error" in got} == {"chatStream", "responsesStream", "messagesStream"}


@pytest.mark.parametrize("responses", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_langchain(guards, mode, responses):  # noqa: F811
    chat = pytest.importorskip("langchain_openai").ChatOpenAI
    model = chat(
        model="false",
        base_url=f"{guards(mode)}/v1",
        api_key="k",
        max_retries=0,
        use_responses_api=responses,
        stream_usage=True,
        extra_body={"sources": [SOURCE]},
    )
    whole = model.invoke("Tell me about Everest, please.").text
    chunks = list(model.stream("Tell me about Everest, please."))
    streamed = "".join(chunk.text for chunk in chunks)
    if mode == "annotate":
        assert whole.strip() == streamed.strip() == FALSE
        assert sum((chunk.usage_metadata or {}).get("output_tokens", 0) for chunk in chunks) == 7
        return
    assert "8,489" not in whole + streamed
    assert whole.strip() == streamed.strip()
    assert (
        chat(model="true", base_url=f"{guards(mode)}/v1", api_key="k", extra_body={"sources": [SOURCE]})
        .invoke("x")
        .text.strip()
        == TRUE
    )
