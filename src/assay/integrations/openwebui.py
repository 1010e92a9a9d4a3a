"""Open WebUI: a filter that checks each answer against the sources it was written from.

As a function of Open WebUI: `examples/integrations/openwebui_filter.py`, pasted in the admin panel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from assay.integrations.adapter import Outcome, assess, engine_for, missing_framework, text_of

try:
    from pydantic import BaseModel, Field
except ImportError as problem:
    raise missing_framework("Open WebUI", "openwebui") from problem


class Filter:
    """An outlet filter; answers without sources (plain chats) are left alone."""

    class Valves(BaseModel):
        """The settings an administrator sees."""

        judge: str = Field(default="cascade", description="The judge of the verifier: lexical, small, base or cascade.")
        policy: str = Field(default="", description="A policy file on the server; empty for the default policy.")
        on_fail: str = Field(default="note", description="note: append what fails. block: replace the answer.")
        priority: int = Field(default=0, description="The order among filters.")

    def __init__(self) -> None:
        self.valves = self.Valves()

    async def outlet(
        self, body: dict[str, Any], __event_emitter__: Callable[[Any], Awaitable[None]] | None = None
    ) -> dict[str, Any]:
        """The body of the chat with its last answer checked."""
        messages = body.get("messages") or []
        last = messages[-1] if messages else {}
        sources = list(documents_of(last.get("sources")))
        if last.get("role") != "assistant" or not sources:
            return body
        question = next((text_of(m) for m in reversed(messages) if m.get("role") == "user"), None)
        engine = engine_for(self.valves.judge, self.valves.policy or None)
        found = await asyncio.to_thread(assess, last, sources, question, engine=engine)
        if __event_emitter__ is not None:
            told = f"Assay: {found.report.verdict.value}"
            await __event_emitter__({"type": "status", "data": {"description": told, "done": True}})
        if not found.passed:
            last["content"] = _note(found, text_of(last), self.valves.on_fail)
        return body


def documents_of(sources: Any) -> Iterator[dict[str, Any]]:
    """The texts of a message's citations, each named after its file."""
    for source in sources or ():
        metadata = source.get("metadata") or []
        named = source.get("source")
        name = named.get("name") if isinstance(named, Mapping) else named
        for number, text in enumerate(source.get("document") or ()):
            known = metadata[number] if number < len(metadata) else {}
            yield {"text": text, "source": known.get("name") or name or known.get("source"), "page": known.get("page")}


def _note(found: Outcome, answer: str, on_fail: str) -> str:
    lines = [f"- {finding.text} ({finding.verdict.value.lower()}) {finding.explanation}" for finding in found.failing]
    told = "\n".join(lines) or found.reason
    if on_fail == "block":
        return f"The answer was withheld: its sources do not support all of it.\n\n{told}"
    return f"{answer}\n\n---\n**Not supported by the sources:**\n{told}"
