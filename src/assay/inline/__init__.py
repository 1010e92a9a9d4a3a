"""The streaming guard: verification while an answer is being written.

async for event in guard(stream, memory=memory):
    if event.kind == "token":
        print(event.text, end="")
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.inline.events import Checked, ClaimFound, Done, Event, Halt, Retract, Token

if TYPE_CHECKING:
    from assay.engine import Engine, Source
    from assay.memory import Memory
    from assay.policy import Policy

__all__ = ["Checked", "ClaimFound", "Done", "Event", "Halt", "Retract", "Token", "guard"]


def guard(
    stream_or_client: Any,
    *,
    memory: Memory | None = None,
    sources: Iterable[Source] | Source = (),
    question: str | None = None,
    policy: Policy | None = None,
    engine: Engine | None = None,
    release: str | None = None,
) -> Any:
    """A guarded stream, or a client whose answers are guarded.

    A stream is anything that gives text piece by piece, asynchronously or not; the result is an asynchronous iterator
    of events. An OpenAI or Anthropic client comes back as one that is used in the same way. `release` is `stream` (text
    is shown at once and a refuted sentence is retracted) or `hold` (a sentence is shown once it is checked); without
    it the policy decides.
    """
    from assay.inline.inspector import Inspector
    from assay.inline.watch import watch

    chosen, way = _settle(policy, engine, release)
    given = _sources(sources, memory)
    if hasattr(stream_or_client, "chat") or hasattr(stream_or_client, "messages"):
        from assay.inline.clients import wrap_client

        return wrap_client(stream_or_client, chosen, given, question, way)
    stream = _pieces(stream_or_client)
    return watch(stream, Inspector(chosen, given, question), way)


def _settle(policy: Policy | None, engine: Engine | None, release: str | None) -> tuple[Engine, str]:
    from assay.engine import Engine

    if engine is not None and policy is not None and engine.policy != policy:
        raise UsageError("give a policy or an engine, not both: the engine has a policy of its own")
    chosen = engine if engine is not None else Engine(policy)
    way = release or chosen.policy.release
    if way not in ("stream", "hold"):
        raise UsageError(f"release is 'stream' or 'hold', not {way!r}")
    return chosen, way


def _sources(sources: Iterable[Source] | Source, memory: Memory | None) -> list[Source]:
    import os

    from assay.types import Document

    single = isinstance(sources, str | os.PathLike | Document) or hasattr(sources, "retrieve_all")
    listed: list[Any] = [sources] if single else list(sources)  # type: ignore[arg-type]
    return listed if memory is None else [*listed, memory]


def _pieces(stream: Any) -> AsyncIterator[str]:
    if isinstance(stream, str):
        raise UsageError("a stream gives text piece by piece; to check a whole text use assay.check")
    if isinstance(stream, AsyncIterable):
        return aiter(stream)
    if isinstance(stream, Iterable):
        from assay.inline.bridges import read_in_thread

        return read_in_thread(stream)
    raise UsageError(f"a {type(stream).__name__} is neither a stream of text nor a client that can be guarded")
