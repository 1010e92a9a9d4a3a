"""The guard as an application."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from assay import __version__
from assay.errors import UsageError
from assay.server import problems
from assay.server.app import HANDED_DOWN, dress, live
from assay.server.door import Caller
from assay.server.guard.chunks import guarded
from assay.server.guard.messages import put_text, visible_texts, worst_note
from assay.server.guard.requests import read_request
from assay.server.guard.upstream import Refused, Upstream
from assay.server.guard.verdicts import Bench
from assay.server.problems import Problem
from assay.server.routes import health
from assay.server.routes.parts import At, Desk, Reader
from assay.server.run import prepare
from assay.server.settings import Settings
from assay.server.wire import Json

router = APIRouter(tags=["guard"])

# What is left after decoding must mean the same to the upstream: no escapes, no query, no fragment, no backslash.
_MODEL = re.compile(r"[\w.:@+~/-]{1,300}")


def make_guard(settings: Settings) -> FastAPI:
    """An app that answers like the upstream, with every answer checked on the way."""
    if not settings.upstream.startswith(("http://", "https://")):
        raise UsageError("the guard needs the address of an upstream, like --upstream http://127.0.0.1:11434/v1")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with live(app):
            yield
        await app.state.upstream.close()

    app = FastAPI(
        title="Assay guard",
        version=__version__,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        default_response_class=Json,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.openai_errors = True
    app.state.upstream = Upstream(settings)
    app.include_router(router)
    app.include_router(health.router)
    return dress(app, Desk(settings))


def from_environment() -> FastAPI:
    """The guard of a worker process."""
    settings = Settings.from_json(os.environ[HANDED_DOWN])
    prepare(settings)
    return make_guard(settings)


@router.get("/v1/models", summary="The upstream's models")
async def models(request: Request, caller: Reader) -> Response:
    return await _upstream(request).get("models", request.headers.get("authorization"))


@router.get("/v1/models/{model:path}", summary="One of the upstream's models")
async def model(model: str, request: Request, caller: Reader) -> Response:
    if not _MODEL.fullmatch(model) or {".", "..", ""} & set(model.split("/")):
        raise Problem(404, f"there is no model {model!r}")
    return await _upstream(request).get(f"models/{model}", request.headers.get("authorization"))


@router.post("/v1/chat/completions", summary="The upstream's answer, checked; streaming or not")
async def chat(request: Request, desk: At, caller: Reader) -> Response:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as problem:
        raise Problem(400, "the body is not valid JSON") from problem
    bench = await desk.gate.run(_bench, desk, caller, body)
    authorization = request.headers.get("authorization")
    if desk.streams >= desk.settings.streams:
        raise Problem(429, "too many answers are being guarded", kind="capacity", headers={"Retry-After": "2"})
    desk.streams += 1
    stack = AsyncExitStack()
    stack.callback(_release, desk)
    try:
        if not bench.wish.stream:
            async with stack:
                return await _whole(desk, bench, _upstream(request), authorization)
        chunks = await stack.enter_async_context(_upstream(request).stream(bench.wish.upstream, authorization))
        return StreamingResponse(
            _finished(guarded(desk, bench, chunks), stack),
            media_type="text/event-stream",
            background=BackgroundTask(stack.aclose),
        )
    except Refused as refusal:
        await stack.aclose()
        return refusal.response()
    except BaseException:
        await stack.aclose()
        raise


async def _whole(desk: Desk, bench: Bench, upstream: Upstream, authorization: str | None) -> Response:
    answer = await upstream.complete(bench.wish.upstream, authorization)
    notes: list[dict[str, Any] | None] = []
    for choice in answer["choices"]:
        message = choice.get("message") if isinstance(choice, dict) else None
        texts = visible_texts(message) if isinstance(message, dict) else {}
        if not isinstance(message, dict) or not texts:
            notes.append(None)  # a tool call: nothing is claimed
            continue
        outcomes = {name: await desk.gate.run(bench.settle, text) for name, text in texts.items()}
        for name, outcome in outcomes.items():
            if outcome.text != texts[name]:
                put_text(message, name, outcome.text)
        stopped = next((outcome.finish_reason for outcome in outcomes.values() if outcome.finish_reason), None)
        choice["finish_reason"] = stopped or choice.get("finish_reason")
        notes.append(worst_note(outcomes))
        if stopped:
            desk.metrics.halts.inc()
    answer["assay"] = (notes[0] if notes else None) if len(notes) < 2 else {"choices": notes}
    return Json(answer)


def _bench(desk: Desk, caller: Caller, body: Any) -> Bench:
    has_memory = desk.house.has_memory(caller.workspace)
    wish = read_request(body, desk.settings, mode=desk.settings.guard, has_memory=has_memory)
    if caller.guard:  # what a key prescribes, a request cannot soften
        wish = replace(wish, mode=caller.guard)
    return Bench(desk, caller.workspace, caller.name, wish)


async def _finished(chunks: AsyncIterator[bytes], stack: AsyncExitStack) -> AsyncIterator[bytes]:
    """The chunks; a failure in the middle ends with an event that clients of OpenAI understand."""
    try:
        async for chunk in chunks:
            yield chunk
    except Exception as error:
        problem = problems.problem_of(error)
        problems.log.error("a guarded stream failed", exc_info=error)
        said = {"error": {"message": problem.detail, "type": problem.kind, "code": problem.kind}}
        yield b"data: " + json.dumps(said).encode("ascii") + b"\n\n"
    finally:
        await stack.aclose()


def _release(desk: Desk) -> None:
    desk.streams -= 1


def _upstream(request: Request) -> Upstream:
    upstream: Upstream = request.app.state.upstream
    return upstream
