"""Starts the server: one process or several, over the same data, and one that watches over them.

A request can keep the interpreter busy, so that a process answers nobody. The watching process stops it and starts
another; requests that it had accepted are lost, those that come meanwhile wait.
"""

from __future__ import annotations

import contextlib
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
        import uvicorn  # noqa: F401
    except ImportError as problem:
        raise missing_extra("the server", "server") from problem
    from assay.server.telemetry import MULTIPROCESS, log_to_stderr

    log_to_stderr(settings.log)
    os.environ[SETTINGS_VARIABLE] = settings.to_json()
    config = configure(settings, factory)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _exit)  # the server raises the signal once more when it has shut down in order
    from uvicorn.supervisors import Multiprocess

    with tempfile.TemporaryDirectory(prefix="assay-metrics-") as folder:
        os.environ[MULTIPROCESS] = folder
        Multiprocess(config, sockets=[config.bind_socket()]).run()


def settings_of_process() -> Settings:
    """The settings handed to this worker process, with its log, thread switching and parent watch set up."""
    from assay.server.telemetry import MULTIPROCESS, log_to_stderr

    settings = Settings.from_json(os.environ[SETTINGS_VARIABLE])
    log_to_stderr(settings.log)
    if settings.otel:
        from assay.server.tracing import export

        export()
    # A judging thread holds the interpreter for this long before the event loop gets a turn, and the loop needs a turn
    # for everything it receives or sends. At the usual 5 ms a full queue would make even a refusal slow; so short a
    # time costs the judging nothing that could be measured.
    sys.setswitchinterval(0.0001)
    if settings.max_memory_mb:
        _limit_memory(settings.max_memory_mb * 1024 * 1024)
    if MULTIPROCESS in os.environ:
        threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    return settings


def _limit_memory(most: int) -> None:
    """Makes whatever needs more fail with a MemoryError, where the system can do that."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


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
        timeout_worker_healthcheck=max(
            1, round(settings.frozen_seconds)
        ),  # a busy process answers, as a thread of its own is asked
    )
