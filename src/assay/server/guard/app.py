"""The guard as an application."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from assay.server import problems
from assay.server.app import build_app, lifespan
from assay.server.auth import Caller
from assay.server.guard.answers import AnswerGuard, worst_note
from assay.server.guard.chunks import guarded
from assay.server.guard.messages import put_text, read_request, visible_texts
from assay.server.guard.upstream import Upstream, UpstreamRefusal
from assay.server.problems import Problem
from assay.server.responses import Json
from assay.server.routes import health
from assay.server.run import settings_of_process
from assay.server.settings import Settings
from assay.server.state import AppState, Reader, State

router = APIRouter(tags=["guard"])

# What is left after decoding must mean the same to the upstream: no escapes, no query, no fragment, no backslash.
_MODEL = re.compile(r"[\w.:@+~/-]{1,300}")


def make_guard(settings: Settings) -> FastAPI:
    """An app that answers like the upstream, with every answer checked on the way."""
    settings.check_upstream()

    @asynccontextmanager
    async def lifespan_with_upstream(app: FastAPI) -> AsyncIterator[None]:
        async with lifespan(app):
            yield
        await app.state.upstream.close()

    app = build_app(settings, [router, health.router], title="Assay guard", lifespan=lifespan_with_upstream)
    app.state.openai_errors = True
    app.state.upstream = Upstream(settings)
    return app


def from_environment() -> FastAPI:
    """The guard of a worker process."""
    return make_guard(settings_of_process())


@router.get("/v1/models", summary="The upstream's models")
async def models(request: Request, caller: Reader) -> Response:
    return await _upstream(request).get("models", request.headers.get("authorization"))


@router.get("/v1/models/{model:path}", summary="One of the upstream's models")
async def model(model: str, request: Request, caller: Reader) -> Response:
    if not _MODEL.fullmatch(model) or {".", "..", ""} & set(model.split("/")):
        raise Problem(404, f"there is no model {model!r}")
    return await _upstream(request).get(f"models/{model}", request.headers.get("authorization"))


@router.post("/v1/chat/completions", summary="The upstream's answer, checked; streaming or not")
async def chat(request: Request, state: State, caller: Reader) -> Response:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError) as problem:
        raise Problem(400, "the body is not valid JSON") from problem
    guard = await state.pool.run(_make_answer_guard, state, caller, body)
    authorization = request.headers.get("authorization")
    stack = AsyncExitStack()
    stack.callback(state.open_stream("too many answers are being guarded"))
    try:
        if not guard.request.stream:
            async with stack:
                return await _whole(state, guard, _upstream(request), authorization)
        chunks = await stack.enter_async_context(_upstream(request).stream(guard.request.upstream, authorization))
        return StreamingResponse(
            _finished(guarded(state, guard, chunks), stack),
            media_type="text/event-stream",
            background=BackgroundTask(stack.aclose),
        )
    except UpstreamRefusal as refusal:
        await stack.aclose()
        return refusal.response()
    except BaseException:
        await stack.aclose()
        raise


async def _whole(state: AppState, guard: AnswerGuard, upstream: Upstream, authorization: str | None) -> Response:
    answer = await upstream.complete(guard.request.upstream, authorization)
    notes: list[dict[str, Any] | None] = []
    for choice in answer["choices"]:
        message = choice.get("message") if isinstance(choice, dict) else None
        texts = visible_texts(message) if isinstance(message, dict) else {}
        if not isinstance(message, dict) or not texts:
            notes.append(None)  # a tool call: nothing is claimed
            continue
        outcomes = {name: await state.pool.run(guard.settle, text) for name, text in texts.items()}
        for name, outcome in outcomes.items():
            if outcome.text != texts[name]:
                put_text(message, name, outcome.text)
        stopped = next((outcome.finish_reason for outcome in outcomes.values() if outcome.finish_reason), None)
        choice["finish_reason"] = stopped or choice.get("finish_reason")
        notes.append(worst_note(outcomes))
        if stopped:
            state.metrics.halts.inc()
    answer["assay"] = (notes[0] if notes else None) if len(notes) < 2 else {"choices": notes}
    return Json(answer)


def _make_answer_guard(state: AppState, caller: Caller, body: Any) -> AnswerGuard:
    has_memory = state.workspaces.has_memory(caller.workspace)
    request = read_request(body, state.settings, mode=state.settings.guard, has_memory=has_memory)
    if caller.guard:  # what a key prescribes, a request cannot soften
        request = replace(request, mode=caller.guard)
    return AnswerGuard(state, caller.workspace, caller.name, request)


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


def _upstream(request: Request) -> Upstream:
    upstream: Upstream = request.app.state.upstream
    return upstream
