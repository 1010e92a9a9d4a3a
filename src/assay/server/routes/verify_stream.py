"""An answer checked while its sender watches: each claim as it is settled, then the report."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from starlette.responses import StreamingResponse

from assay.server.auth import Caller
from assay.server.bodies import VerifyIn
from assay.server.routes.verify import judge
from assay.server.sources import check_length, documents_of, with_memory
from assay.server.sse import frame, respond
from assay.server.state import AppState, Reader, State

if TYPE_CHECKING:
    from assay.types import Claim, Finding

router = APIRouter(tags=["verify"])

_AT_ONCE = 8  # claims settled between two events; the engine looks at the clock as often

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events: claims, findings, report; error if the check itself fails",
        "content": {"text/event-stream": {"schema": {"type": "object", "properties": {"event": {}, "data": {}}}}},
    }
}


@router.post(
    "/v1/verify/stream",
    summary="Check an answer and hear of its claims as they are settled",
    responses=EVENTS,
    response_class=StreamingResponse,
)
async def verify_stream(body: VerifyIn, state: State, caller: Reader) -> StreamingResponse:
    check_length(body.answer, state.settings)
    release = await state.slots.take()
    return respond(_frames(body, state, caller), state.settings.stream_seconds, release)


async def _frames(body: VerifyIn, state: AppState, caller: Caller) -> AsyncIterator[bytes]:
    """The claims, their findings in parts, and the report, which alone is recorded and may still change a finding."""
    claims = await state.pool.run(_find_claims, body, state)
    yield frame("claims", {"claims": [{"text": one.text, "spans": _places(one)} for one in claims]})
    rules = state.workspaces.rules(body.policy)
    # A budget holds for the whole answer; in parts it would be spent anew by each.
    if len(claims) > _AT_ONCE and not rules.max_ms and not rules.max_usd:
        for start in range(0, len(claims), _AT_ONCE):
            part = claims[start : start + _AT_ONCE]
            findings = await state.pool.run(_settle, part, body, state, caller)
            done = start + len(part)
            shown = [finding.to_dict() for finding in findings]
            yield frame("findings", {"start": start, "findings": shown, "done": done, "all": len(claims)})
    yield frame("report", await state.pool.run(judge, state, caller, body))


def _places(claim: Claim) -> list[dict[str, int]]:
    return [{"start": span.start, "end": span.end} for span in claim.spans]


def _find_claims(body: VerifyIn, state: AppState) -> tuple[Claim, ...]:
    from assay.claims import extract_claims

    return tuple(extract_claims(body.answer, body.question, state.workspaces.rules(body.policy)))


def _settle(part: tuple[Claim, ...], body: VerifyIn, state: AppState, caller: Caller) -> tuple[Finding, ...]:
    """The findings on some of the claims; the workspace's cache keeps what was judged for the report at the end."""
    from assay.engine import Request

    engine = state.workspaces.engine(caller.workspace, body.judge, body.policy).unwatched()
    memory = state.workspaces.memory(caller.workspace) if body.use_memory else None
    sources = with_memory(documents_of(body.sources, state.settings), memory)
    return engine.run(Request(body.answer, sources=sources, question=body.question, claims=part)).report.findings
