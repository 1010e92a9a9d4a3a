"""Errors as `application/problem+json`: what was wrong, where, and what to do."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Scope

from assay.errors import (
    AnswerError,
    AssayError,
    ContractError,
    DatabaseError,
    GeneratorError,
    LedgerError,
    MemoryStoreError,
    ModelError,
    PolicyError,
    SourceError,
    UsageError,
)

if TYPE_CHECKING:
    from fastapi import FastAPI

MEDIA_TYPE = "application/problem+json"

log = logging.getLogger("assay.server")


class Problem(Exception):  # noqa: N818 – the name the standard has for it
    """A request that ends with a status, a reason, and headers such as Retry-After."""

    def __init__(self, status: int, detail: str, *, kind: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, dict(headers or {})
        self.kind = kind or HTTPStatus(status).phrase.lower().replace(" ", "-")


# The most particular first: a PolicyError is a UsageError too.
_STATUS: tuple[tuple[type[AssayError], int, str], ...] = (
    (PolicyError, 422, "policy"),
    (SourceError, 422, "source"),
    (AnswerError, 422, "answer"),
    (ContractError, 422, "contract"),
    (UsageError, 422, "usage"),
    (GeneratorError, 502, "generator"),
    (ModelError, 503, "model"),
    (MemoryStoreError, 503, "memory"),
    (LedgerError, 503, "ledger"),
    (DatabaseError, 503, "database"),
)
_RETRY = {"Retry-After": "5"}


def problem_of(error: Exception) -> Problem:
    """The problem an error stands for; an unexpected one reveals nothing of the server."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        return Problem(error.status_code, str(error.detail), headers=error.headers)
    if isinstance(error, RequestValidationError) and (broken := _broken_json(error)) is not None:
        return Problem(422, bad_json(broken), kind="invalid-json")
    if isinstance(error, RequestValidationError):
        return Problem(422, explain(error.errors()), kind="invalid-request")
    if isinstance(error, RecursionError):
        return Problem(400, "the request is nested too deeply", kind="too-deep")
    if isinstance(error, MemoryError):
        return Problem(503, "this needs more memory than the server has; send less at once", kind="memory-limit")
    for kind, status, name in _STATUS:
        if isinstance(error, kind):
            return Problem(status, str(error), kind=name, headers=_RETRY if status == 503 else None)
    if _is_database_failure(error):
        return Problem(
            503, "the database cannot be reached or written now; try again later", kind="database", headers=_RETRY
        )
    return Problem(500, "the server failed on this request; its log has the reason under the request id")


def parse_json(body: bytes) -> Any:
    """The value of a JSON text; 400 with the line and the column of the first mistake.

    >>> parse_json(b'{"a":\\n x}')
    Traceback (most recent call last):
    ...
    assay.server.problems.Problem: the body is not valid JSON: line 2, column 2: Expecting value
    """
    try:
        return json.loads(body)
    except json.JSONDecodeError as error:
        raise Problem(400, bad_json(error), kind="invalid-json") from error
    except (ValueError, RecursionError) as error:
        raise Problem(400, "the body is not valid JSON in UTF-8", kind="invalid-json") from error


def bad_json(error: json.JSONDecodeError) -> str:
    return f"the body is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}"


def _is_database_failure(error: Exception) -> bool:
    """Whether a database failed as a whole, and not over something in this request."""
    from sqlalchemy.exc import InterfaceError, OperationalError, TimeoutError

    found: BaseException | None = error.__cause__ if isinstance(error, AssayError) else error
    return isinstance(found, OperationalError | InterfaceError | TimeoutError)


def problem_body(problem: Problem, request_id: str, instance: str = "") -> dict[str, Any]:
    return {
        "type": f"urn:assay:problem:{problem.kind}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "instance": instance,
        "request_id": request_id,
    }


def problem_response(problem: Problem, scope: Scope) -> Response:
    """The response to a request that ends with a problem; clients of the guard also find it in their own spelling."""
    state = scope.get("state", {})
    body = problem_body(problem, str(state.get("request_id", "")), scope.get("path", ""))
    if getattr(scope["app"].state, "openai_errors", False):
        body["error"] = {"message": problem.detail, "type": problem.kind, "param": None, "code": problem.kind}
    return Response(json.dumps(body).encode("ascii"), problem.status, headers=problem.headers, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Turns the expected errors of an app into problems; the telemetry middleware handles unexpected ones."""

    async def handle(request: Request, error: Exception) -> Response:
        problem = problem_of(error)
        if problem.status >= 500 and not isinstance(error, Problem):
            log.error("%s", problem.detail, extra={"request_id": request.scope["state"].get("request_id", "")})
        return problem_response(problem, request.scope)

    for kind in (Problem, HTTPException, RequestValidationError, AssayError, RecursionError):
        app.add_exception_handler(kind, handle)


def _broken_json(error: RequestValidationError) -> json.JSONDecodeError | None:
    """The mistake in a body that is not JSON, of which the framework says only the offset."""
    first = next(iter(error.errors()), None)
    if first is None or first["type"] != "json_invalid" or not isinstance(error.body, str):
        return None
    place = first["loc"][-1]
    return json.JSONDecodeError(first["ctx"]["error"], error.body, place if isinstance(place, int) else 0)


def explain(mistakes: Sequence[Any]) -> str:
    """'sources.0.text: Field required', one line for each mistake; never the input itself, which may be secret."""
    lines = []
    for item in mistakes[:10]:
        place = ".".join(str(part) for part in item["loc"] if part != "body")
        lines.append(f"{place or 'body'}: {item['msg']}")
    return "; ".join(lines)
