"""The guard as an application."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI, Request
from starlette.background import BackgroundTask
from starlette.responses import Response, StreamingResponse

from assay.server.app import build_app, lifespan
from assay.server.auth import Caller
from assay.server.guard.answers import AnswerGuard
from assay.server.guard.anthropic import AnthropicWire
from assay.server.guard.chat import ChatWire
from assay.server.guard.request import read_request
from assay.server.guard.responses import ResponsesWire
from assay.server.guard.stream import StreamGuard
from assay.server.guard.upstream import Upstream, explained, headers_of
from assay.server.guard.wire import Event, Wire
from assay.server.problems import Problem, parse_json, problem_of
from assay.server.responses import Json
from assay.server.routes import health
from assay.server.run import settings_of_process
from assay.server.settings import Settings
from assay.server.state import AppState, Reader, State
from assay.server.tracing import AnswerSpan

if TYPE_CHECKING:
    import httpx

router = APIRouter(tags=["guard"])

_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]


def make_guard(settings: Settings) -> FastAPI:
    """An app that answers like the upstream, with every answer checked on the way."""
    settings.check_upstream()

    @asynccontextmanager
    async def lifespan_with_upstream(app: FastAPI) -> AsyncIterator[None]:
        async with lifespan(app):
            yield
        await app.state.upstream.close()

    app = build_app(settings, [health.router, router], title="Assay guard", lifespan=lifespan_with_upstream)
    app.state.openai_errors = True
    app.state.upstream = Upstream(settings)
    return app


def from_environment() -> FastAPI:
    """The guard of a worker process."""
    return make_guard(settings_of_process())


@router.post("/v1/chat/completions", summary="The upstream's answer, checked; streaming or not")
async def chat(request: Request, state: State, caller: Reader) -> Response:
    return await _checked(ChatWire, request, state, caller)


@router.post("/v1/responses", summary="The upstream's response, checked; streaming or not")
async def responses(request: Request, state: State, caller: Reader) -> Response:
    return await _checked(ResponsesWire, request, state, caller)


@router.post("/v1/messages", summary="The upstream's message, checked; streaming or not")
async def messages(request: Request, state: State, caller: Reader) -> Response:
    return await _checked(AnthropicWire, request, state, caller)


@router.api_route("/v1/{path:path}", methods=_METHODS, summary="Anything else: to the upstream and back as it is")
async def pass_through(path: str, request: Request, caller: Reader) -> Response:
    return await _upstream(request).pass_through(request)


async def _checked(
    make: type[ChatWire] | type[ResponsesWire] | type[AnthropicWire], request: Request, state: AppState, caller: Caller
) -> Response:
    raw = await request.body()
    body = parse_json(raw)
    if not isinstance(body, dict):
        raise Problem(400, "the request is a JSON object")
    wire: Wire = make(body)
    stack = AsyncExitStack()
    span = AnswerSpan(wire.operation, wire.provider, state.settings.upstream, body)
    stack.callback(span.end)
    try:
        return await _answer(request, raw, wire, state, caller, body, span, stack)
    except BaseException as error:
        if isinstance(error, Exception):
            problem = problem_of(error)
            span.fail(problem.kind, problem.detail)
        await stack.aclose()
        raise


async def _answer(
    request: Request,
    raw: bytes,
    wire: Wire,
    state: AppState,
    caller: Caller,
    body: dict[str, Any],
    span: AnswerSpan,
    stack: AsyncExitStack,
) -> Response:
    guard = await state.pool.run(_make_answer_guard, state, caller, body, wire, span)
    asked = guard.request
    if asked.upstream.get("background") and asked.mode != "annotate":
        raise Problem(400, f"an answer written in the background cannot be checked in the mode {asked.mode}")
    if len(asked.upstream) != len(body):
        raw = json.dumps(asked.upstream).encode()
    stack.callback(await state.slots.take())
    response = await _upstream(request).ask(request, wire.path, raw)
    stack.push_async_callback(response.aclose)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if response.status_code >= 300:
        span.fail(str(response.status_code), "the upstream refused")
        answer: Response = Response(await _read(response), response.status_code)
    elif asked.stream:
        return _stream(request, state, guard, wire, response, kind, stack)
    else:
        whole = _parse(await _read(response))
        span.note(wire.facts(whole))
        await guard.settle_whole(whole, wire)
        answer = Json(whole)
    await stack.aclose()
    _add_headers(answer, response)
    return answer


def _stream(
    request: Request,
    state: AppState,
    guard: AnswerGuard,
    wire: Wire,
    response: httpx.Response,
    kind: str,
    stack: AsyncExitStack,
) -> Response:
    async def events() -> AsyncIterator[Event | None]:
        if kind == "application/json":  # an upstream that does not stream
            for event in wire.events(_parse(await _read(response))):
                yield event
            return
        async for each in _upstream(request).events(response):
            yield each

    async def frames() -> AsyncIterator[bytes]:
        try:
            async for frame in StreamGuard(state, guard, wire).frames(events()):
                yield frame
        finally:
            await stack.aclose()

    answer = StreamingResponse(
        frames(), media_type="text/event-stream", headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    )
    answer.background = BackgroundTask(stack.aclose)  # also when the client left before the first frame
    _add_headers(answer, response)
    return answer


def _add_headers(answer: Response, response: httpx.Response) -> None:
    """The upstream's headers, but for those that describe a body which is another now."""
    own = {name for name, _ in answer.raw_headers}
    answer.raw_headers += [(name, value) for name, value in headers_of(response) if name not in own]


async def _read(response: httpx.Response) -> bytes:
    with explained():
        return await response.aread()


def _parse(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise Problem(502, "the upstream answered with something that is not JSON", kind="upstream-answer") from problem
    if not isinstance(answer, dict):
        raise Problem(502, "the upstream answered with JSON that is not an object", kind="upstream-answer")
    return answer


def _make_answer_guard(
    state: AppState, caller: Caller, body: dict[str, Any], wire: Wire, span: AnswerSpan
) -> AnswerGuard:
    has_memory = state.workspaces.has_memory(caller.workspace)
    request = read_request(body, wire, state.settings, mode=state.settings.guard, has_memory=has_memory)
    if caller.guard:  # what a key prescribes, a request cannot soften
        request = replace(request, mode=caller.guard)
    return AnswerGuard(state, caller.workspace, caller.name, request, span)


def _upstream(request: Request) -> Upstream:
    upstream: Upstream = request.app.state.upstream
    return upstream
