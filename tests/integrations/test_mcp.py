"""A real client session over standard input and output."""

import asyncio
import json
import os
import sys

import pytest

mcp = pytest.importorskip("mcp")
from mcp import ClientSession, StdioServerParameters  # noqa: E402
from mcp.client.stdio import stdio_client  # noqa: E402

SOURCE = "Mount Everest is 8,849 m high. Hillary and Tenzing first climbed it in 1953."
WRONG = "Mount Everest is 8,489 m high."
PROGRAM = "import typer; from assay.cli.serve import mcp; typer.run(mcp)"


def converse(tmp_path, talk):
    """Starts the server as an assistant would, and talks to it."""
    folder = str(tmp_path / "memory")
    arguments = ["-c", PROGRAM, "--memory", folder, "--judge", "lexical", "--embedder", "static"]

    async def session():
        async with (
            stdio_client(StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))) as (
                read,
                write,
            ),
            ClientSession(read, write) as client,
        ):
            await client.initialize()

            async def call(tool, **given):
                result = await client.call_tool(tool, given)
                text = result.content[0].text
                return (None, text) if result.is_error else (json.loads(text), None)

            return await talk(client, call)

    return asyncio.run(session())


def test_an_assistant_checks_stores_finds_and_audits(tmp_path):
    async def talk(client, call):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"verify", "retrieve", "add_documents", "audit_reasoning", "detect_hallucinations"}
        assert all(tool.description for tool in tools.values())
        assert [name for name, tool in tools.items() if not tool.annotations.read_only_hint] == ["add_documents"]
        for tool in tools.values():
            assert all(field.get("description") for field in tool.input_schema["properties"].values()), tool.name

        report, _ = await call("verify", answer=WRONG, sources=[SOURCE])
        assert report["verdict"] == "REFUTED"
        assert set(report["claims"][0]) <= {
            "text",
            "spans",
            "verdict",
            "support",
            "confidence",
            "explanation",
            "evidence",
        }
        both, _ = await call("verify", answer=f"{WRONG} {SOURCE}", sources=[SOURCE])
        assert [claim["text"] for claim in both["claims"]] == [WRONG]
        assert both["claims_checked"] >= 3
        whole, _ = await call("verify", answer=f"{WRONG} {SOURCE}", sources=[SOURCE], whole=True)
        assert len(whole["claims"]) == both["claims_checked"]
        assert whole["policy_sha256"]
        evidence = report["claims"][0]["evidence"][0]
        assert SOURCE[evidence["start"] : evidence["end"]] == evidence["quote"]

        added, _ = await call("add_documents", documents=[{"id": "everest", "text": SOURCE}])
        assert added["added"] == ["everest"]
        found, _ = await call("retrieve", query="How high is Everest?", k=1)
        assert found["passages"][0]["document_id"] == "everest"
        named = found["passages"][0]["sha256"][:8]
        report, _ = await call("verify", answer=f"Mount Everest is 8,849 m high [cite:{named}].", use_memory=True)
        assert (report["verdict"], report.get("risk_flags", [])) == ("SUPPORTED", [])
        report, _ = await call("verify", answer="Mount Everest is 8,849 m high.", use_memory=True)
        assert report["verdict"] == "SUPPORTED"

        steps = [{"claim": "Mount Everest is 8,849 m high.", "cites": ["atlas"]}]
        audited, _ = await call("audit_reasoning", steps=steps, sources=[{"id": "guide", "text": SOURCE}])
        assert audited["steps"][0]["gap_type"] == "phantom_citation"
        response = f"{WRONG} {SOURCE} {WRONG}"
        found, _ = await call("detect_hallucinations", response=response, context=[SOURCE])
        assert found["flagged_claims"] >= 1

        nothing, said = await call("add_documents", documents=[])
        assert nothing is None
        assert "no document" in said
        text, _ = await call("verify", answer="Root is a user.", sources=["/etc/passwd"])
        assert "root:" not in json.dumps(text)

    converse(tmp_path, talk)


def test_lone_surrogates_go_through_every_tool_without_a_raw_failure(tmp_path):
    from assay.integrations.mcp import McpTools, encodable

    workshop = McpTools(str(tmp_path / "memory"), judge="lexical", embedder="static")
    bad = "Mount Everest\ud800 is 8,849 m high."
    given = [{"text": bad, "id": "a\udc80", "title": "\udfff"}]
    results = [
        workshop.add_documents(given),
        workshop.verify(bad, given, "\ud800?", use_memory=True, whole=True),
        workshop.retrieve(bad, 3),
        workshop.detect_hallucinations(bad, given, None),
        workshop.audit_reasoning([{"claim": bad, "cites": ["a\udc80"]}], given, None),
    ]
    for result in results:
        json.dumps(encodable(result), ensure_ascii=False).encode("utf-8")
    (claim,) = encodable(results[1])["claims"]
    assert claim["spans"] == [{"start": 0, "end": len(bad)}]  # offsets still fit
    assert len(claim["evidence"][0]["quote"]) == claim["evidence"][0]["end"] - claim["evidence"][0]["start"]
    assert workshop.memory.get("a\udc80").text == bad
    assert workshop.memory.get("\ud800nobody") is None
    assert workshop.memory.versions("\ud800") == workshop.memory.passages("\ud800") == []
    assert workshop.memory.remove("\ud800") == 0
    workshop.memory.close()


def test_files_are_sources_like_texts_but_only_from_the_folders_given(tmp_path):
    from assay.errors import UsageError
    from assay.integrations.mcp import McpTools

    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "everest.md").write_text(SOURCE, "utf-8")
    (tmp_path / "secret.txt").write_text("Mount Everest is 1 m high.", "utf-8")
    tools = McpTools(str(tmp_path / "memory"), judge="lexical", embedder="static", folders=(folder,))
    for path in ("everest.md", str(folder / "everest.md"), str(folder)):
        assert tools.verify(WRONG, [{"path": path}], None, use_memory=False)["verdict"] == "REFUTED"
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    for path in ("../secret.txt", str(tmp_path / "secret.txt"), "link.txt", "/etc/passwd", "none.txt"):
        with pytest.raises(UsageError, match="no file"):
            tools.verify(WRONG, [{"path": path}], None, use_memory=False)
    added = tools.add_documents([SOURCE, {"path": "everest.md"}, {"id": "x", "text": SOURCE}])
    assert len(added["added"]) == 3
    tools.memory.close()


def test_the_same_tools_over_streamable_http(tmp_path):
    import anyio
    from mcp.client.streamable_http import streamable_http_client

    from assay.integrations.mcp import McpTools, make_server
    from tests.server.loopback import running

    tools = McpTools(str(tmp_path / "memory"), judge="lexical", embedder="static")

    async def talk(address):
        async with streamable_http_client(f"{address}/mcp") as streams, ClientSession(streams[0], streams[1]) as client:
            await client.initialize()
            got = await client.call_tool("verify", {"answer": WRONG, "sources": [SOURCE]})
            return json.loads(got.content[0].text)

    with running(make_server(tools).streamable_http_app()) as address:
        assert anyio.run(talk, address)["verdict"] == "REFUTED"
