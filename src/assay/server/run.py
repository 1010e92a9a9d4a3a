"""Starts the server: one process or several, over the same data."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING

from assay.errors import missing_extra
from assay.server.settings import Settings

if TYPE_CHECKING:
    import uvicorn

FACTORY = "assay.server.app:from_environment"
SETTINGS_VARIABLE = "ASSAY_SERVER_SETTINGS"
"""The environment variable in which worker processes find their settings."""


def run(settings: Settings, factory: str = FACTORY) -> None:
    """Serves until told to stop; accepted requests are finished, waiting ones get 503."""
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn
    except ImportError as problem:
        raise missing_extra("the server", "server") from problem
    from assay.server.telemetry import MULTIPROCESS, log_to_stderr

    log_to_stderr(settings.log)
    os.environ[SETTINGS_VARIABLE] = settings.to_json()
    config = configure(settings, factory)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _exit)  # the server raises the signal once more when it has shut down in order
    if settings.workers == 1:
        uvicorn.Server(config).run()
        return
    from uvicorn.supervisors import Multiprocess

    with tempfile.TemporaryDirectory(prefix="assay-metrics-") as folder:
        os.environ[MULTIPROCESS] = folder
        Multiprocess(config, sockets=[config.bind_socket()]).run()


def settings_of_process() -> Settings:
    """The settings handed to this worker process, with its log, thread switching and parent watch set up."""
    from assay.server.telemetry import log_to_stderr

    settings = Settings.from_json(os.environ[SETTINGS_VARIABLE])
    log_to_stderr(settings.log)
    if settings.otel:
        from assay.server.tracing import export

        export()
    # A judging thread holds the interpreter for this long before the event loop gets a turn, and the loop needs a turn
    # for everything it receives or sends. At the usual 5 ms a full queue would make even a refusal slow; so short a
    # time costs the judging nothing that could be measured.
    sys.setswitchinterval(0.0001)
    if settings.workers > 1:
        threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    return settings


def _exit_with_parent(parent: int) -> None:
    """Stops this worker in order once the process that started it is gone, so that it does not keep the port."""
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGTERM)


def _exit(_: int, __: FrameType | None) -> None:
    sys.exit(0)


def configure(settings: Settings, factory: str) -> uvicorn.Config:
    import uvicorn

    from assay.server.connection import HeaderTimeoutProtocol

    return uvicorn.Config(
        factory,
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=HeaderTimeoutProtocol,
        ws="none",
        loop="asyncio",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=int(settings.shutdown_seconds),
        h11_max_incomplete_event_size=32_768,
        backlog=1_024,
        timeout_keep_alive=30,  # a client that thinks a while need not connect again
        timeout_worker_healthcheck=60,  # a worker that is busy or loads its models is not to be taken for dead
    )
