"""Anthropic's models, through the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, Unpack

from assay.errors import UsageError
from assay.llm.hosted import Hosted, Request, cut_short, told_plainly
from assay.llm.values import CallOptions, Completion, Message, Sampling

ENDINGS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}


class Anthropic(Hosted):
    """A model behind Anthropic's protocol, which knows neither seeds nor log-probabilities."""

    provider = "anthropic"
    key = "ANTHROPIC_API_KEY"
    client_class = "AsyncAnthropic"
    wanted = "a model of Anthropic"
    _takes_temperature = True

    async def complete(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> Completion:
        asked = Sampling(**options)
        if asked.logprobs:
            raise UsageError(f"{self.name} gives no log-probabilities; ask without them, or use another generator")
        request = self._request(messages, asked)
        if asked.schema is not None:
            request["output_config"] = {"format": {"type": "json_schema", "schema": dict(asked.schema)}}
        sdk = self._sdk()
        async with self._asking(sdk):
            answer = await self._send(sdk, request, asked.temperature)
            text = "".join(block.text for block in answer.content if block.type == "text")
            used = (answer.usage.input_tokens, answer.usage.output_tokens)
            return Completion(
                text=text,
                model=answer.model or self.model,
                prompt_tokens=used[0],
                completion_tokens=used[1],
                cost_usd=self._cost(*used),
                finish_reason=ENDINGS.get(answer.stop_reason or "", answer.stop_reason or "stop"),
            )

    async def stream(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> AsyncIterator[str]:
        asked, sdk = Sampling(**options), self._sdk()
        ended = False
        async with told_plainly(sdk, self.name, self.key):
            events = await self._send(sdk, self._request(messages, asked) | {"stream": True}, asked.temperature)
            try:
                async for event in events:
                    if event.type == "content_block_delta" and event.delta.type == "text_delta":
                        yield event.delta.text
                    ended = ended or event.type == "message_stop"
            finally:
                await events.close()
        if not ended:
            raise cut_short(self.name)

    def _request(self, messages: Sequence[Message], asked: Sampling) -> Request:
        system = "\n\n".join(message.content for message in messages if message.role == "system")
        request: Request = {
            "model": self.model,
            "messages": [message.to_dict() for message in messages if message.role != "system"],
            "max_tokens": asked.max_tokens,
        }
        return request | {"system": system} if system else request

    async def _send(self, sdk: Any, request: Request, temperature: float) -> Any:
        """Sends a request; newer models refuse a temperature, which is then left out for good."""
        client = self._client()
        if self._takes_temperature:
            try:
                return await client.messages.create(**request, extra_body={"temperature": temperature})
            except sdk.BadRequestError as problem:
                if "temperature" not in str(problem):
                    raise
                self._takes_temperature = False
        return await client.messages.create(**request)
