"""The shared state of one app, and what every route takes: that state, and a caller with the right to ask."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import update_wrapper
from typing import Annotated, Any

from fastapi import Depends, Request, Response

from assay.server.auth import Caller, at_least
from assay.server.settings import Settings
from assay.server.telemetry import Metrics
from assay.server.worker_pool import StreamSlots, WorkerPool
from assay.server.workspaces import WorkspaceRegistry


class AppState:
    """Settings, open workspaces, the worker pool and the metrics of one app."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.workspaces = WorkspaceRegistry(settings)
        self.pool = WorkerPool(settings.threads, settings.queue, settings.request_seconds, settings.queue_seconds)
        self.slots = StreamSlots(settings.streams, settings.queue, settings.queue_seconds)
        self.ready = False
        self.metrics = Metrics()


async def get_state(request: Request) -> AppState:
    """The state of the app a request came to; a coroutine, so that no thread is needed for it."""
    state: AppState = request.app.state.assay
    return state


State = Annotated[AppState, Depends(get_state)]
Reader = Annotated[Caller, Depends(at_least("reader"))]
Writer = Annotated[Caller, Depends(at_least("writer"))]
Admin = Annotated[Caller, Depends(at_least("admin"))]


def pooled(handler: Callable[..., Response]) -> Callable[..., Awaitable[Response]]:
    """The endpoint that runs a blocking handler in the worker pool of the `state` it takes."""

    async def endpoint(**given: Any) -> Response:
        state: AppState = given["state"]
        return await state.pool.run(handler, **given)

    update_wrapper(endpoint, handler)
    del endpoint.__wrapped__  # type: ignore[attr-defined]  # the framework would take it for a blocking endpoint
    # Resolved here: the framework would look the names up in this module instead of the handler's.
    endpoint.__signature__ = inspect.signature(handler, eval_str=True)  # type: ignore[attr-defined]
    return endpoint
