"""A request taken apart: what goes upstream, and what the answer is checked against."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from assay.errors import UsageError
from assay.judges import split_judge_name
from assay.server.bodies import Sources
from assay.server.guard.wire import Wire, text_of
from assay.server.problems import Problem
from assay.server.settings import GUARD_MODES, Settings
from assay.server.sources import documents_of
from assay.types import Document

_PARAGRAPHS = re.compile(r"\n\s*\n")
_ASKING = re.compile(r"\s*(?:question|query|q|task|instructions?)\s*:", re.IGNORECASE)
_SHORTEST_CONTEXT = 40  # characters; below it a paragraph is a greeting or an order, not something to lean on
_SOURCES: TypeAdapter[Sources] = TypeAdapter(Sources)
_OWN_FIELDS = ("sources", "assay")


@dataclass(frozen=True)
class GuardRequest:
    """A chat request taken apart."""

    upstream: Mapping[str, Any]  # the body without our own fields
    documents: tuple[Document, ...]
    origin: str  # 'field', 'memory' or 'prompt'
    question: str | None
    mode: str
    judge: str | None
    stream: bool


def read_request(body: Any, wire: Wire, settings: Settings, *, mode: str, has_memory: bool) -> GuardRequest:
    """The parts of a request; fields of the guard are `sources` and `assay: {mode, judge, use_memory}`."""
    if not isinstance(body, dict):
        raise Problem(400, "the request is a JSON object")
    messages = wire.messages(body)
    options = body.get("assay") or {}
    if not isinstance(options, dict):
        raise Problem(400, "'assay' is an object with mode, judge or use_memory")
    documents, origin = _documents(body.get("sources"), messages, options, settings, has_memory)
    return GuardRequest(
        upstream={name: value for name, value in body.items() if name not in _OWN_FIELDS},
        documents=tuple(documents),
        origin=origin,
        question=find_question(messages),
        mode=_choose("mode", options.get("mode", mode), GUARD_MODES),
        judge=_read_judge(options.get("judge")),
        stream=body.get("stream") is True,
    )


def _read_judge(value: Any) -> str | None:
    if value is None:
        return None
    try:
        split_judge_name(value if isinstance(value, str) else "")
    except UsageError as problem:
        raise Problem(400, f"'assay.judge': {problem}") from problem
    return str(value)


def _choose(name: str, value: Any, known: Sequence[str]) -> str:
    if value not in known:
        raise Problem(400, f"'assay.{name}' is one of {', '.join(known)}, not {value!r}")
    return str(value)


def _documents(
    given: Any, messages: Sequence[Mapping[str, Any]], options: Mapping[str, Any], settings: Settings, has_memory: bool
) -> tuple[list[Document], str]:
    if given is not None:
        try:
            return documents_of(_SOURCES.validate_python(given), settings), "field"
        except ValidationError as problem:
            first = problem.errors()[0]
            raise Problem(400, f"'sources' is a list of texts or of objects with a text: {first['msg']}") from problem
    if has_memory and options.get("use_memory", True) is not False:
        return [], "memory"
    return context_of(messages), "prompt"


def context_of(messages: Sequence[Mapping[str, Any]]) -> list[Document]:
    """What the prompt itself gives the model to lean on: all but what is asked, and nothing the model said itself."""
    documents = []
    for number, message in enumerate(messages, 1):
        if message.get("role") == "assistant":
            continue
        text = text_of(message.get("content"))
        if message.get("role") == "tool":  # what a tool found is there to be leant on, however short
            kept = [text] if text.strip() else []
        else:
            kept = [part for part in _PARAGRAPHS.split(text) if not _asks(part)]
        if kept:
            documents.append(Document(f"prompt-{number}", "\n\n".join(kept), title=f"message {number} of the prompt"))
    return documents


def find_question(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """What the last message of the user asks; a false premise in it must not count as a source."""
    for message in reversed(messages):
        if message.get("role") == "user":
            asked = [part.strip() for part in _PARAGRAPHS.split(text_of(message.get("content"))) if _asks(part)]
            return asked[-1][:1_000] if asked else None
    return None


def _asks(paragraph: str) -> bool:
    text = paragraph.strip()
    return len(text) < _SHORTEST_CONTEXT or text.endswith("?") or bool(_ASKING.match(text))
