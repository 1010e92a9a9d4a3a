"""The real libraries of two providers, talking to a server that lives in this process."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest

from assay.engine import Engine
from assay.errors import UsageError
from assay.inline import guard
from tests.inline.streams import BAD, GOOD, SOURCE, WRONG, tokens

httpx = pytest.importorskip("httpx")
openai = pytest.importorskip("openai")
anthropic = pytest.importorskip("anthropic")

try:  # newer versions of this library bring a wire of their own
    import httpx2 as wire
except ImportError:
    wire = httpx

ENGINE = Engine(judge="lexical")
ASKED = [{"role": "user", "content": "Tell me about mountains, rivers and towers."}]


def openai_chunk(delta: dict, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return f"data: {json.dumps(chunk)}\n\n".encode()


def openai_reply(request: httpx.Request, text: str) -> httpx.Response:
    if not json.loads(request.content).get("stream"):
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return httpx.Response(
            200, json={"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        )
    body = [openai_chunk({"role": "assistant", "content": ""})]
    body += [openai_chunk({"content": token}) for token in tokens(text)]
    body += [openai_chunk({}, "stop"), b"data: [DONE]\n\n"]
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=b"".join(body))


def anthropic_reply(request: wire.Request, text: str) -> wire.Response:
    usage = {"input_tokens": 3, "output_tokens": 5}
    message = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_reason": None, "usage": usage}
    if not json.loads(request.content).get("stream"):
        return wire.Response(
            200, json=message | {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
        )
    events = [
        {"type": "message_start", "message": message | {"content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": token}}
            for token in tokens(text)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return wire.Response(200, headers={"content-type": "text/event-stream"}, content=body.encode())


def openai_client(text: str, kind=openai.OpenAI):
    transport = httpx.MockTransport(lambda request: openai_reply(request, text))
    http = httpx.Client(transport=transport) if kind is openai.OpenAI else httpx.AsyncClient(transport=transport)
    return kind(api_key="k", base_url="http://test.invalid/v1", http_client=http)


def anthropic_client(text: str, kind=anthropic.Anthropic):
    transport = wire.MockTransport(lambda request: anthropic_reply(request, text))
    http = wire.Client(transport=transport) if kind is anthropic.Anthropic else wire.AsyncClient(transport=transport)
    return kind(api_key="k", base_url="http://test.invalid", http_client=http)


def guarded(client, release="stream"):
    return guard(client, sources=[SOURCE], engine=ENGINE, release=release)


def said(chunks) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def anthropic_said(events) -> str:
    return "".join(event.delta.text for event in events if event.type == "content_block_delta")


def idle() -> bool:
    return not [
        thread
        for thread in threading.enumerate()
        if thread.name.startswith("assay-") and not thread.name.startswith(("assay-generators", "assay-model"))
    ]


def test_a_right_openai_stream_passes_chunk_by_chunk():
    stream = guarded(openai_client(GOOD)).chat.completions.create(model="m", messages=ASKED, stream=True)
    chunks = list(stream)
    assert said(chunks) == GOOD
    assert chunks[-1].choices[0].finish_reason == "stop"
    assert len(chunks) == len(tokens(GOOD)) + 2
    assert stream.halt is None
    assert stream.done.report.grounded
    assert stream.done.report.question == ASKED[0]["content"]
    assert idle()


@pytest.mark.parametrize("release", ["stream", "hold"])
def test_a_refuted_openai_stream_ends_with_a_proper_last_chunk(release):
    stream = guarded(openai_client(BAD), release).chat.completions.create(model="m", messages=ASKED, stream=True)
    chunks = list(stream)
    assert "stands in Paris" not in said(chunks)
    assert release == "stream" or WRONG not in said(chunks)
    assert chunks[-1].choices[0].finish_reason == "content_filter"
    assert "1889" in chunks[-1].assay["halt"]["reason"]
    assert type(chunks[-1]).model_validate(chunks[-1].model_dump()).choices[0].finish_reason == "content_filter"
    assert stream.halt.finding.text == WRONG
    assert idle()


def test_an_asynchronous_openai_stream_is_guarded_the_same():
    async def run():
        client = guarded(openai_client(BAD, openai.AsyncOpenAI), "hold")
        stream = await client.chat.completions.create(model="m", messages=ASKED, stream=True)
        return [chunk async for chunk in stream], stream

    chunks, stream = asyncio.run(run())
    assert said(chunks).strip() == GOOD
    assert stream.done.halted
    assert idle()


def test_leaving_a_plain_stream_early_leaves_no_thread():
    stream = guarded(openai_client(GOOD)).chat.completions.create(model="m", messages=ASKED, stream=True)
    with stream:
        next(stream)
    assert idle()


def test_a_whole_answer_carries_its_report():
    answer = guarded(openai_client(BAD)).chat.completions.create(model="m", messages=ASKED)
    assert answer.choices[0].message.content == BAD
    assert answer.assay["report"]["verdict"] == "REFUTED"
    assert not answer.assay["withheld"]


def test_a_refuted_whole_answer_is_withheld_when_held():
    async def run():
        client = guarded(openai_client(BAD, openai.AsyncOpenAI), "hold")
        return await client.chat.completions.create(model="m", messages=ASKED)

    answer = asyncio.run(run())
    assert answer.choices[0].message.content.startswith("I cannot provide a verified answer")
    assert answer.choices[0].finish_reason == "content_filter"
    assert answer.assay["withheld"]


@pytest.mark.parametrize("release", ["stream", "hold"])
def test_a_refuted_anthropic_stream_ends_as_its_protocol_wants(release):
    stream = guarded(anthropic_client(BAD), release).messages.create(
        model="m", max_tokens=9, messages=ASKED, stream=True
    )
    events = list(stream)
    assert "stands in Paris" not in anthropic_said(events)
    assert release == "stream" or WRONG not in anthropic_said(events)
    assert [event.type for event in events[-3:]] == ["content_block_stop", "message_delta", "message_stop"]
    assert events[-2].delta.stop_reason == "refusal"
    assert "1889" in events[-1].assay["halt"]["reason"]
    assert idle()


def test_a_right_anthropic_stream_and_answer_pass():
    async def run():
        client = guarded(anthropic_client(GOOD, anthropic.AsyncAnthropic))
        stream = await client.messages.create(model="m", max_tokens=9, messages=ASKED, stream=True)
        events = [event async for event in stream]
        return events, await client.messages.create(model="m", max_tokens=9, messages=ASKED)

    events, answer = asyncio.run(run())
    assert anthropic_said(events) == GOOD
    assert events[-1].type == "message_stop"
    assert answer.assay["report"]["verdict"] == "SUPPORTED"
    assert idle()


def test_a_refuted_anthropic_answer_is_withheld_when_held():
    answer = guarded(anthropic_client(BAD), "hold").messages.create(model="m", max_tokens=9, messages=ASKED)
    assert answer.content[0].text.startswith("I cannot provide a verified answer")
    assert answer.stop_reason == "refusal"


def test_ways_around_the_guard_are_closed():
    client = guarded(openai_client(GOOD))
    with pytest.raises(UsageError, match="not guarded"):
        client.responses.create(model="m", input="x")
    with pytest.raises(UsageError, match="not guarded"):
        client.chat.completions.parse(model="m", messages=ASKED)
    with pytest.raises(UsageError, match="one answer"):
        client.chat.completions.create(model="m", messages=ASKED, n=2)
    with pytest.raises(UsageError, match="not guarded"):
        guarded(anthropic_client(GOOD)).messages.stream(model="m")
    assert client.base_url.host == "test.invalid"
    with pytest.raises(UsageError, match="not guarded"):
        client.with_options(timeout=3).responses.create(model="m", input="x")


def test_an_error_of_the_provider_is_passed_on():
    transport = httpx.MockTransport(lambda request: httpx.Response(429, json={"error": {"message": "slow down"}}))
    client = openai.OpenAI(
        api_key="k", base_url="http://test.invalid/v1", http_client=httpx.Client(transport=transport), max_retries=0
    )
    with pytest.raises(openai.RateLimitError):
        guarded(client).chat.completions.create(model="m", messages=ASKED, stream=True)
    assert idle()
