"""Real servers on this machine's own address, for clients that need one."""

import contextlib
import json
import threading
import time

import uvicorn
from fastapi import FastAPI, Request
from starlette.responses import JSONResponse, StreamingResponse


@contextlib.contextmanager
def running(app, **options):
    """An app behind a real socket; its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none", loop="asyncio", **options)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    for _ in range(2_000):
        if server.started or not thread.is_alive():
            break
        time.sleep(0.01)
    assert server.started, "the server did not start"
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)


def parrot(replies):
    """An OpenAI-compatible upstream that says what it is told to; `app.state.seen` is what it was asked."""
    app = FastAPI()
    app.state.seen = []

    @app.get("/v1/models")
    def models():
        return {"object": "list", "data": [{"id": "parrot", "object": "model", "created": 0, "owned_by": "nobody"}]}

    @app.post("/v1/chat/completions")
    async def chat(request: Request):
        body = await request.json()
        app.state.seen.append((body, dict(request.headers)))
        reply = replies[body["model"]]
        if isinstance(reply, int):
            return JSONResponse({"error": {"message": "no", "type": "x", "code": "y"}}, reply, {"Retry-After": "7"})
        common = {"id": "chatcmpl-1", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            message = {"role": "assistant", **(reply if isinstance(reply, dict) else {"content": reply})}
            choices = [
                {"index": n, "message": dict(message), "logprobs": None, "finish_reason": "stop"}
                for n in range(body.get("n") or 1)
            ]
            usage = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
            return common | {"object": "chat.completion", "choices": choices, "usage": usage}
        return StreamingResponse(chunks(common, reply, body), media_type="text/event-stream")

    return app


async def chunks(common, reply, body):
    common = common | {"object": "chat.completion.chunk"}

    def choice(delta, finish=None):
        return common | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    sent = [choice({"role": "assistant", "content": ""})]
    fields = reply if isinstance(reply, dict) else {"content": reply}
    for name in ("reasoning_content", "reasoning", "content", "refusal"):
        value = fields.get(name)
        if isinstance(value, list):
            sent += [choice({name: [part]}) for part in value]
        elif value:
            sent += [choice({name: piece + " "}) for piece in value.split(" ")]
    sent += [choice({}, "stop")]
    if (body.get("stream_options") or {}).get("include_usage"):
        sent += [common | {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}]
    for item in sent:
        yield f"data: {json.dumps(item)}\n\n"
    yield "data: [DONE]\n\n"
