"""An upstream that speaks the three protocols of the guard: the events the real ones send, and their failures.

The model's name says what it does: `NAME` says what `TEXTS` has under it; `NAME/cut`, `/reset`, `/error`, `/plain`,
`/nodone`, `/nofinish`, `/slow` fail or behave in their way in a stream.
"""

import asyncio
import json

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

HEADERS = {"x-request-id": "req-of-the-upstream", "openai-version": "2020-10-01", "x-ratelimit-remaining": "41"}
USAGE = {"input_tokens": 11, "output_tokens": 7, "total_tokens": 18}


def make_upstream(texts):
    app = FastAPI()
    app.state.seen = []
    app.state.bodies = []

    @app.post("/v1/chat/completions")
    async def chat(request: Request):
        return await answer(app, request, texts, chat_whole, chat_events)

    @app.post("/v1/responses")
    async def responses(request: Request):
        return await answer(app, request, texts, response_whole, response_events)

    @app.post("/v1/messages")
    async def messages(request: Request):
        return await answer(app, request, texts, message_whole, message_events)

    @app.api_route("/v1/{path:path}", methods=["GET", "POST", "DELETE", "HEAD"])
    async def other(path: str, request: Request):
        app.state.seen.append((request.method, request.scope["raw_path"], request.url.query, dict(request.headers)))
        app.state.bodies.append(await request.body())
        if path == "embeddings":
            data = [{"object": "embedding", "index": 0, "embedding": [0.25, -1.5]}]
            used = {"prompt_tokens": 1, "total_tokens": 1}
            return JSONResponse({"object": "list", "data": data, "model": "e", "usage": used}, headers=HEADERS)
        if path == "completions":
            choice = {"index": 0, "text": texts["false"], "finish_reason": "stop", "logprobs": None}
            return JSONResponse(
                {"id": "c", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]},
                headers=HEADERS,
            )
        if path.startswith("models/"):
            model = {"id": path[7:], "object": "model", "created": 0, "owned_by": "nobody"}
            return JSONResponse(model, headers=HEADERS)
        if path == "audio/speech":
            return Response(bytes(range(256)), media_type="audio/mpeg", headers=HEADERS)
        if path == "audio/transcriptions":
            return JSONResponse({"text": "heard"}, headers=HEADERS)
        return JSONResponse({"error": {"message": f"no {path}", "type": "t", "code": "c"}}, 404, headers=HEADERS)

    return app


async def answer(app, request, texts, whole, events):
    body = await request.json()
    app.state.seen.append((request.method, request.scope["raw_path"], request.url.query, dict(request.headers)))
    app.state.bodies.append(body)
    name, _, way = body["model"].partition("/")
    text = texts[name]
    if not body.get("stream") or way == "plain":
        return JSONResponse(whole(body, text), headers=HEADERS)
    return StreamingResponse(play(events(body, text), way), media_type="text/event-stream", headers=HEADERS)


async def play(events, way):
    events = list(events)
    named = "type" in events[0]
    half = len(events) // 2
    if way in ("cut", "reset", "error"):
        events = events[:half]
    if way == "nofinish":
        events = [one for one in events if not any(c.get("finish_reason") for c in one.get("choices", ()))]
    for event in events:
        yield (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
        if way == "slow":
            await asyncio.sleep(0.01)
    if way == "error":
        said = {"message": "the GPU is on fire", "type": "server_error", "code": "overloaded"}
        yield ("event: error\n" if named else "") + f"data: {json.dumps({'type': 'error', 'error': said})}\n\n"
    if way == "reset":
        raise ConnectionResetError("as the test wants it")
    if not named and way not in ("cut", "error", "nodone"):
        yield "data: [DONE]\n\n"


def words(text):
    return [piece + " " for piece in text.split(" ")]


def chat_whole(body, text):
    choices = [
        {"index": n, "message": {"role": "assistant", "content": text}, "logprobs": None, "finish_reason": "stop"}
        for n in range(body.get("n") or 1)
    ]
    used = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    head = {"id": "chatcmpl-7", "object": "chat.completion", "created": 1, "model": "m-1"}
    return head | {"system_fingerprint": "fp_9", "choices": choices, "usage": used}


def chat_events(body, text):
    head = {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 1, "model": "m-1"}
    head |= {"system_fingerprint": "fp_9"}
    count = body.get("n") or 1

    def chunk(number, delta, finish=None):
        return head | {"choices": [{"index": number, "delta": delta, "logprobs": None, "finish_reason": finish}]}

    for number in range(count):
        yield chunk(number, {"role": "assistant", "content": ""})
    for piece in words(text):
        for number in range(count):
            yield chunk(number, {"content": piece})
    for number in range(count):
        yield chunk(number, {}, "stop")
    if (body.get("stream_options") or {}).get("include_usage"):
        yield head | {"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}


def response_whole(body, text):
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    message = {"id": "msg_3", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    thought = {"id": "rs_2", "type": "reasoning", "summary": [{"type": "summary_text", "text": "Let me see."}]}
    return {
        "id": "resp_5",
        "object": "response",
        "created_at": 1,
        "model": "m-1",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "output": [thought, message],
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": USAGE
        | {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}},
    }


def response_events(body, text):
    whole = response_whole(body, "".join(words(text)))
    begun = whole | {"status": "in_progress", "output": [], "usage": None}
    thought, message = whole["output"]
    made = [("response.created", {"response": begun}), ("response.in_progress", {"response": begun})]
    at = {"item_id": "rs_2", "output_index": 0}
    summary = thought["summary"][0]
    made += [("response.output_item.added", {"output_index": 0, "item": thought | {"summary": []}})]
    made += [("response.reasoning_summary_part.added", {**at, "summary_index": 0, "part": summary | {"text": ""}})]
    made += [("response.reasoning_summary_text.delta", {**at, "summary_index": 0, "delta": "Let me see."})]
    made += [("response.reasoning_summary_text.done", {**at, "summary_index": 0, "text": "Let me see."})]
    made += [("response.reasoning_summary_part.done", {**at, "summary_index": 0, "part": summary})]
    made += [("response.output_item.done", {"output_index": 0, "item": thought})]
    at, part = {"item_id": "msg_3", "output_index": 1}, message["content"][0]
    bare = message | {"content": [], "status": "in_progress"}
    made += [("response.output_item.added", {"output_index": 1, "item": bare})]
    made += [("response.content_part.added", {**at, "content_index": 0, "part": part | {"text": ""}})]
    for piece in words(text):
        made += [("response.output_text.delta", {**at, "content_index": 0, "delta": piece, "logprobs": []})]
    made += [("response.output_text.done", {**at, "content_index": 0, "text": part["text"], "logprobs": []})]
    made += [("response.content_part.done", {**at, "content_index": 0, "part": part})]
    made += [("response.output_item.done", {"output_index": 1, "item": message})]
    made += [("response.completed", {"response": whole})]
    for number, (kind, fields) in enumerate(made):
        yield {"type": kind, "sequence_number": number, **fields}


def message_whole(body, text):
    # With citations a sentence is cut into several blocks.
    cut = len(text) // 2
    blocks = [{"type": "text", "text": text[:cut]}, {"type": "text", "text": text[cut:], "citations": None}]
    usage = {"input_tokens": 11, "output_tokens": 7}
    head = {"id": "msg_01", "type": "message", "role": "assistant", "model": "m-1", "content": blocks}
    return head | {"stop_reason": "end_turn", "stop_sequence": None, "usage": usage}


def message_events(body, text):
    whole = message_whole(body, text)
    yield {"type": "message_start", "message": whole | {"content": [], "stop_reason": None}}
    yield {"type": "ping"}
    for index, block in enumerate(whole["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        text = block["text"]
        for start in range(0, len(text), 7):
            delta = {"type": "text_delta", "text": text[start : start + 7]}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 7}}
    yield {"type": "message_stop"}
