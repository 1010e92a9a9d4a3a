"""Anthropic's models, through the official SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError, missing_extra
from assay.llm.clients import Clients, Request, cut_short, missing_key, told_plainly, whole_time
from assay.llm.prices import find_price
from assay.llm.values import Completion, Message, Schema
from assay.policy import Policy
from assay.text.tokens import count_tokens

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

KEY = "ANTHROPIC_API_KEY"
ENDINGS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


class Anthropic:
    """A model behind Anthropic's protocol, which knows neither seeds nor log-probabilities."""

    def __init__(
        self, model: str, base_url: str | None = None, *, api_key: str | None = None, policy: Policy | None = None
    ) -> None:
        self.model, self.base_url = model, base_url
        self.name = f"anthropic:{model}"
        self.policy = policy or Policy()
        self._api_key = api_key
        self._clients: Clients[AsyncAnthropic] = Clients(self._make_client)
        self._takes_temperature = True

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int | None = None,
        schema: Schema | None = None,
        logprobs: int = 0,
    ) -> Completion:
        if logprobs:
            raise UsageError(f"{self.name} gives no log-probabilities; ask without them, or use another generator")
        request = self._request(messages, max_tokens)
        if schema is not None:
            request["output_config"] = {"format": {"type": "json_schema", "schema": dict(schema)}}
        sdk = _import()
        async with told_plainly(sdk, self.name, KEY), asyncio.timeout(whole_time(self.policy)):
            answer = await self._send(sdk, request, temperature)
            text = "".join(block.text for block in answer.content if block.type == "text")
            used = (answer.usage.input_tokens, answer.usage.output_tokens)
            return Completion(
                text=text,
                model=answer.model or self.model,
                prompt_tokens=used[0],
                completion_tokens=used[1],
                cost_usd=find_price("anthropic", self.model, own_server=self.base_url is not None).of(*used),
                finish_reason=ENDINGS.get(answer.stop_reason or "", answer.stop_reason or "stop"),
            )

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float = 0.0,
        max_tokens: int = 512,
        seed: int | None = None,
    ) -> AsyncIterator[str]:
        sdk = _import()
        ended = False
        async with told_plainly(sdk, self.name, KEY):
            events = await self._send(sdk, self._request(messages, max_tokens) | {"stream": True}, temperature)
            try:
                async for event in events:
                    if event.type == "content_block_delta" and event.delta.type == "text_delta":
                        yield event.delta.text
                    ended = ended or event.type == "message_stop"
            finally:
                await events.close()
        if not ended:
            raise cut_short(self.name)

    def count_tokens(self, text: str) -> int:
        """About how many tokens; what is billed is what the server reports."""
        return count_tokens(text)

    def _request(self, messages: Sequence[Message], max_tokens: int) -> Request:
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        request: Request = {
            "model": self.model,
            "messages": [message.to_dict() for message in messages if message.role != "system"],
            "max_tokens": max_tokens,
        }
        return request | {"system": system} if system else request

    async def _send(self, sdk: Any, request: Request, temperature: float) -> Any:
        """Sends a request; newer models refuse a temperature, which is then left out for good."""
        client = self._clients.get()
        if self._takes_temperature:
            try:
                return await client.messages.create(**request, extra_body={"temperature": temperature})
            except sdk.BadRequestError as problem:
                if "temperature" not in str(problem):
                    raise
                self._takes_temperature = False
        return await client.messages.create(**request)

    def _make_client(self) -> AsyncAnthropic:
        import os

        sdk = _import()
        key = self._api_key or os.environ.get(KEY) or (None if self.base_url is None else "none")
        if key is None:
            raise missing_key(self.name, KEY, ValueError("there is none"))
        client: AsyncAnthropic = sdk.AsyncAnthropic(
            api_key=key,
            base_url=self.base_url,
            timeout=self.policy.generator_timeout_s,
            max_retries=self.policy.generator_retries,
        )
        return client


def _import() -> Any:
    try:
        import anthropic
    except ImportError as problem:
        raise missing_extra("a model of Anthropic", "anthropic") from problem
    return anthropic
