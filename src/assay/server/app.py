"""The server as a FastAPI application: routes, middleware, start and shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from assay import __version__
from assay.server import problems
from assay.server.auth import AuthMiddleware
from assay.server.body_limit import BodyLimit
from assay.server.idempotency import IdempotencyMiddleware
from assay.server.problems import MEDIA_TYPE
from assay.server.responses import REFUSALS, Json
from assay.server.routes import ROUTES
from assay.server.run import settings_of_process
from assay.server.settings import Settings
from assay.server.state import AppState
from assay.server.telemetry import MULTIPROCESS, TelemetryMiddleware, log
from assay.workers import release_memory

_DAY = 24 * 3600.0  # seconds
_WATCHED = 1.0  # seconds between two looks at the worker pool
_IDLE = 5.0  # seconds with next to no processor time after which memory is handed back
_WORKED = 0.1  # of a second's processor time that shows work
STATIC = Path(__file__).parent / "static"
EXAMPLES = Path(__file__).with_name("examples.json")  # written by docs/api_examples.py


def make_app(settings: Settings) -> FastAPI:
    """The server's app with a state of its own; nothing is opened before it starts or gets its first request."""
    routers = [import_module(f"assay.server.routes.{name}").router for name in ROUTES]
    app = build_app(
        settings,
        routers,
        title="Assay",
        summary="Tells, claim by claim, whether an answer is backed by its sources, and shows the proof.",
        lifespan=lifespan,
        responses=REFUSALS,
        swagger_ui_oauth2_redirect_url=None,
    )
    app.add_api_route("/docs", _docs, include_in_schema=False)
    if settings.page and STATIC.is_dir():
        app.mount("/", StaticFiles(directory=STATIC, html=True, check_dir=False), name="page")
    _describe(app)
    return app


async def _docs() -> FileResponse:
    return FileResponse(STATIC / "docs.html")


def build_app(settings: Settings, routers: Sequence[APIRouter], **options: Any) -> FastAPI:
    """An app with its state and the middleware that every request passes: telemetry, authentication, body limits."""
    app = FastAPI(
        version=__version__,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        default_response_class=Json,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        **options,
    )
    for router in routers:
        app.include_router(router)
    state = app.state.assay = AppState(settings)
    problems.install(app)
    # The last one added is the first to see a request.
    if not settings.upstream:  # a write to an upstream is the upstream's to recognise
        app.add_middleware(IdempotencyMiddleware, workspaces=state.workspaces, seconds=settings.request_seconds)
    app.add_middleware(BodyLimit, settings=settings, pool=state.pool)
    app.add_middleware(AuthMiddleware, settings=settings, pool=state.pool)
    app.add_middleware(TelemetryMiddleware, metrics=state.metrics)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=["*", "X-Request-ID", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining"],
            max_age=3600,
        )
    return app


def from_environment() -> FastAPI:
    """The app of a worker process."""
    return make_app(settings_of_process())


@contextlib.asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Loads the models while the app already answers; at the end waits for running work and closes every store."""
    state: AppState = app.state.assay
    _close_pool_on_signals(state)
    tasks = [asyncio.create_task(work(state)) for work in (_warm, _purge_daily, _watch, _release_when_idle)]
    yield
    for task in tasks:
        task.cancel()
    state.pool.close()
    await asyncio.to_thread(state.pool.join)
    await asyncio.to_thread(state.workspaces.close)


async def _warm(state: AppState) -> None:
    try:
        if state.settings.warm:
            await asyncio.to_thread(state.workspaces.warm)
    except Exception:
        log.exception("the models could not be loaded; every report will say so")
    state.ready = True


async def _purge_daily(state: AppState) -> None:
    """Empties records that are past their retention, at the start and once a day."""
    while True:
        try:
            if emptied := await asyncio.to_thread(state.workspaces.purge):
                log.info("%d records past their retention were emptied", emptied)
        except Exception:
            log.exception("records past their retention could not be emptied")
        await asyncio.sleep(_DAY)


async def _watch(state: AppState) -> None:
    """Ends a process none of whose threads can be had back; the one that watches over it starts another."""
    while True:
        await asyncio.sleep(_WATCHED)
        if state.pool.stuck and MULTIPROCESS in os.environ:
            log.critical("every thread works for a request that was given up; this process is replaced")
            os._exit(1)


async def _release_when_idle(_: AppState) -> None:
    """Hands back, once after work, what malloc keeps of it; under load it is kept, as new memory costs time."""
    owed = False
    while True:
        used = time.process_time()
        await asyncio.sleep(_IDLE)
        if time.process_time() - used > _WORKED * _IDLE:
            owed = True
        elif owed:
            owed = False
            await asyncio.to_thread(release_memory)


def _close_pool_on_signals(state: AppState) -> None:
    """On SIGTERM and SIGINT waiting requests get 503 at once; uvicorn's own handler then lets running ones finish."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def handle(got: int, frame: Any, before: Any = before) -> None:
            loop.call_soon_threadsafe(state.pool.close)
            if callable(before):
                before(got, frame)

        signal.signal(number, handle)


def _describe(app: FastAPI) -> None:
    """The OpenAPI document says how a key is given and which headers writes may carry; it has a name and an example for
    every answer."""
    make = app.openapi

    def described() -> dict[str, Any]:
        document = make()
        parts = document.setdefault("components", {})
        parts["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        document["security"] = [{"bearer": []}, {"header": []}, {}]
        schemas = parts.setdefault("schemas", {})
        examples = json.loads(EXAMPLES.read_text("utf-8")) if EXAMPLES.is_file() else {}
        for methods in document["paths"].values():
            for method, operation in methods.items():
                _name_schemas(operation, schemas)
                _show_examples(operation, examples)
                if method != "get" and not any(one["name"] == _KEY["name"] for one in operation.get("parameters", ())):
                    operation.setdefault("parameters", []).append(_KEY)
        return document

    app.openapi = described  # type: ignore[method-assign]


_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Sent again with the same key within a day, a write is not done twice: the first answer comes back.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


def _name_schemas(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    """Moves the schema of each answer to the named ones: VerifyResponse, ListDocumentsResponse, Problem."""
    words = operation["operationId"].split("_")
    own = "".join(word[:1].upper() + word[1:] for word in words) + "Response"
    for answer in operation["responses"].values():
        for media, content in answer.get("content", {}).items():
            schema = content.get("schema", {})
            if "properties" in schema:
                name = "Problem" if media == MEDIA_TYPE else own
                schemas.setdefault(name, schema)
                content["schema"] = {"$ref": f"#/components/schemas/{name}"}


def _show_examples(operation: dict[str, Any], examples: dict[str, Any]) -> None:
    """Puts to each answer of an operation what a server answered to the example of its request."""
    known = examples.get(operation["operationId"], {})
    for status, answer in operation["responses"].items():
        for media, content in answer.get("content", {}).items():
            if status.startswith("2") and media in known:
                content["example"] = known[media]
