"""What every route takes: the app's own state, and the caller with the right to ask."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request

from assay.server.door import Caller, at_least
from assay.server.gate import Gate
from assay.server.house import House
from assay.server.settings import Settings
from assay.server.watch import Metrics


class Desk:
    """The shared state of one app: settings, open rooms, the gate to the threads, and the metrics."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.house = House(settings)
        self.gate = Gate(settings.threads, settings.queue, settings.request_seconds, settings.queue_seconds)
        self.streams = 0
        self.ready = False
        self.metrics = Metrics()


async def desk_of(request: Request) -> Desk:
    """The state of the app a request came to; a coroutine, so that nothing goes through a thread for it."""
    desk: Desk = request.app.state.desk
    return desk


At = Annotated[Desk, Depends(desk_of)]
Reader = Annotated[Caller, Depends(at_least("reader"))]
Writer = Annotated[Caller, Depends(at_least("writer"))]
Admin = Annotated[Caller, Depends(at_least("admin"))]

_PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "instance": {"type": "string"},
        "request_id": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail", "request_id"],
}


def _refusal(what: str) -> dict[str, Any]:
    return {"description": what, "content": {"application/problem+json": {"schema": _PROBLEM}}}


REFUSALS: dict[int | str, dict[str, Any]] = {
    400: _refusal("Not a request that can be read"),
    401: _refusal("No API key, or one that is not known"),
    403: _refusal("The key's role does not allow this"),
    404: _refusal("Not there, or not in this workspace"),
    408: _refusal("The body came too slowly"),
    413: _refusal("Too large"),
    422: _refusal("Understood, and cannot be done as asked"),
    429: _refusal("Too often, or the server is at its capacity; see Retry-After"),
    502: _refusal("The language model failed"),
    503: _refusal("Shutting down, or a store or model is not available; see Retry-After"),
    504: _refusal("It took too long"),
}
