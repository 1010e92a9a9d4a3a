"""LiteLLM: a guardrail that lets only grounded answers through, in the proxy or in the Python SDK.

guardrails:  # in the config.yaml of the proxy
  - guardrail_name: assay
    litellm_params: {guardrail: guard_file.AssayGuardrail, mode: post_call, default_on: true}
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

from assay.integrations.adapter import assess, engine_for, missing_framework, sources_of

try:
    import litellm
    from litellm.exceptions import GuardrailRaisedException
    from litellm.integrations.custom_guardrail import CustomGuardrail
    from litellm.types.guardrails import GuardrailEventHooks
except ImportError as problem:
    raise missing_framework("LiteLLM", "litellm") from problem

from assay.server.guard.request import context_of, find_question


class AssayGuardrail(CustomGuardrail):  # type: ignore[misc]
    """Refuses an answer with a claim that its sources do not support.

    The sources are `metadata: {"sources": [...]}` of the request; without them, what the prompt gives the model to lean
    on. A stream is held back until it has been checked.
    """

    def __init__(self, judge: str = "cascade", policy: str | None = None, **settings: Any) -> None:
        self.judge, self.policy = judge, policy
        super().__init__(**{"supported_event_hooks": [GuardrailEventHooks.post_call], **settings})

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:
        if self.should_run_guardrail(data, GuardrailEventHooks.post_call):
            await self._check(data, response)
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        if not self.should_run_guardrail(request_data, GuardrailEventHooks.post_call):
            async for chunk in response:
                yield chunk
            return
        chunks = [chunk async for chunk in response]
        await self._check(request_data, litellm.stream_chunk_builder(chunks))
        for chunk in chunks:
            yield chunk

    async def _check(self, data: Mapping[str, Any], response: Any) -> None:
        messages = data.get("messages") or []
        given = (data.get("metadata") or {}).get("sources")
        sources = context_of(messages) if given is None else sources_of(given)
        for choice in getattr(response, "choices", None) or ():
            answer = getattr(getattr(choice, "message", None), "content", None)
            if not answer:
                continue
            engine = engine_for(self.judge, self.policy)
            found = await asyncio.to_thread(assess, answer, sources, find_question(messages), engine=engine)
            if not found.passed:
                raise GuardrailRaisedException(self.guardrail_name, found.reason, blocked_content=True)
