"""The application: settings in, FastAPI out."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import AsyncIterator
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from assay import __version__
from assay.server import problems
from assay.server.door import Door
from assay.server.intake import Intake
from assay.server.routes import ROUTES
from assay.server.routes.parts import REFUSALS, Desk
from assay.server.run import prepare
from assay.server.settings import Settings
from assay.server.watch import Watch, log
from assay.server.wire import Json

HANDED_DOWN = "ASSAY_SERVER_SETTINGS"
_DAY = 24 * 3600.0  # seconds
"""The environment variable in which worker processes find their settings."""

STATIC = Path(__file__).parent / "static"


def make_app(settings: Settings) -> FastAPI:
    """An app with its own state; nothing is opened before the first request or the start of its life."""
    app = FastAPI(
        title="Assay",
        version=__version__,
        summary="Tells, claim by claim, whether an answer is backed by its sources, and shows the proof.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        default_response_class=Json,
        lifespan=live,
        responses=REFUSALS,
        swagger_ui_oauth2_redirect_url=None,
        redirect_slashes=False,
    )
    for name in ROUTES:
        app.include_router(import_module(f"assay.server.routes.{name}").router)
    if settings.page and STATIC.is_dir():
        app.mount("/", StaticFiles(directory=STATIC, html=True, check_dir=False), name="page")
    _describe_keys(app)
    return dress(app, Desk(settings))


def dress(app: FastAPI, desk: Desk) -> FastAPI:
    """The app with its state and with the layers every request passes: watch, door, intake."""
    app.state.desk = desk
    problems.install(app)
    # The last one added is the first to see a request.
    app.add_middleware(Intake, settings=desk.settings, gate=desk.gate)
    app.add_middleware(Door, settings=desk.settings, gate=desk.gate)
    app.add_middleware(Watch, metrics=desk.metrics)
    return app


def from_environment() -> FastAPI:
    """The app of a worker process."""
    settings = Settings.from_json(os.environ[HANDED_DOWN])
    prepare(settings)
    return make_app(settings)


@contextlib.asynccontextmanager
async def live(app: FastAPI) -> AsyncIterator[None]:
    """The life of an app: models are loaded while it already answers, and at the end everything is closed in order."""
    desk: Desk = app.state.desk
    _hand_back_on_signals(desk)
    tasks = [asyncio.create_task(_warm(desk)), asyncio.create_task(_purge_daily(desk))]
    yield
    for task in tasks:
        task.cancel()
    desk.gate.close()
    await asyncio.to_thread(desk.gate.join)
    await asyncio.to_thread(desk.house.close)


async def _warm(desk: Desk) -> None:
    try:
        if desk.settings.warm:
            await asyncio.to_thread(desk.house.warm)
    except Exception:
        log.exception("the models could not be loaded; every report will say so")
    desk.ready = True


async def _purge_daily(desk: Desk) -> None:
    """Empties records that are past their retention, at the start and once a day."""
    while True:
        try:
            if emptied := await asyncio.to_thread(desk.house.purge):
                log.info("%d records past their retention were emptied", emptied)
        except Exception:
            log.exception("records past their retention could not be emptied")
        await asyncio.sleep(_DAY)


def _hand_back_on_signals(desk: Desk) -> None:
    """Told to stop, what waits is handed back at once; the server's own handler then lets the rest finish."""
    if threading.current_thread() is not threading.main_thread():
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        before = signal.getsignal(number)

        def handle(got: int, frame: Any, before: Any = before) -> None:
            loop.call_soon_threadsafe(desk.gate.close)
            if callable(before):
                before(got, frame)

        signal.signal(number, handle)


def _describe_keys(app: FastAPI) -> None:
    """The OpenAPI document says how a key is given."""
    make = app.openapi

    def described() -> dict[str, Any]:
        document = make()
        parts = document.setdefault("components", {})
        parts["securitySchemes"] = {
            "bearer": {"type": "http", "scheme": "bearer"},
            "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        }
        document["security"] = [{"bearer": []}, {"header": []}, {}]
        return document

    app.openapi = described  # type: ignore[method-assign]
