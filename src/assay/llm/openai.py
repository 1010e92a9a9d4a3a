"""Anything that speaks OpenAI's chat protocol (OpenAI itself, vLLM, Ollama, llama.cpp, …), through the official SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import missing_extra
from assay.llm.clients import Clients, Request, cut_short, missing_key, told_plainly, whole_time
from assay.llm.prices import find_price
from assay.llm.values import Completion, Message, Schema, TokenLogprob
from assay.policy import Policy
from assay.text.tokens import count_tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI

KEY = "OPENAI_API_KEY"


class OpenAI:
    """A model behind OpenAI's protocol; the SDK tries again with back-off and heeds Retry-After."""

    def __init__(
        self, model: str, base_url: str | None = None, *, api_key: str | None = None, policy: Policy | None = None
    ) -> None:
        self.model, self.base_url = model, base_url
        self.name = f"openai:{model}"
        self.policy = policy or Policy()
        self._api_key = api_key
        self._clients: Clients[AsyncOpenAI] = Clients(self._make_client)
        self._unknown: set[str] = set()  # options the server has refused

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
        request = self._request(messages, temperature, max_tokens, seed)
        if schema is not None:
            shape = {"name": "reply", "schema": dict(schema), "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": shape}
        if logprobs:
            request |= {"logprobs": True, "top_logprobs": logprobs}
        sdk = _import()
        async with told_plainly(sdk, self.name, KEY), asyncio.timeout(whole_time(self.policy)):
            answer = await self._send(sdk, request)
            choice = answer.choices[0]
            usage = answer.usage
            text = choice.message.content
            refusal = getattr(choice.message, "refusal", None)
            used = (usage.prompt_tokens, usage.completion_tokens) if usage else self._estimate(messages, text or "")
            price = find_price("openai", self.model, own_server=self.base_url is not None)
            return Completion(
                text=text or refusal or "",
                model=answer.model or self.model,
                prompt_tokens=used[0],
                completion_tokens=used[1],
                cost_usd=price.of(*used),
                logprobs=_logprobs(choice) if logprobs else None,
                finish_reason="refusal" if refusal and not text else choice.finish_reason or "stop",
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
            request = self._request(messages, temperature, max_tokens, seed)
            chunks = await self._send(sdk, request | {"stream": True})
            try:
                async for chunk in chunks:
                    for choice in chunk.choices[:1]:
                        ended = ended or choice.finish_reason is not None
                        if choice.delta.content:
                            yield choice.delta.content
            finally:
                await chunks.close()
        if not ended:
            raise cut_short(self.name)

    def count_tokens(self, text: str) -> int:
        """About how many tokens; what is billed is what the server reports."""
        return count_tokens(text)

    def _request(self, messages: Sequence[Message], temperature: float, max_tokens: int, seed: int | None) -> Request:
        request: Request = {
            "model": self.model,
            "messages": [message.to_dict() for message in messages],
            "temperature": temperature,
            "max_tokens": max_tokens,
        }
        return request if seed is None else request | {"seed": seed}

    async def _send(self, sdk: Any, request: Request) -> Any:
        """Sends a request; an option the server does not know is put in another way, or left out, and remembered."""
        client = self._clients.get()
        while True:
            sent = dict(request)
            for option in self._unknown & set(OTHERWISE):
                OTHERWISE[option](sent)
            try:
                return await client.chat.completions.create(**sent)
            except sdk.BadRequestError as problem:
                refused = [name for name in OTHERWISE if name in sent and name in str(problem)]
                if not refused or refused[0] in self._unknown:
                    raise
                self._unknown.add(refused[0])

    def _make_client(self) -> AsyncOpenAI:
        sdk = _import()
        # A server of one's own seldom wants a key, but the SDK always does.
        key = self._api_key or (None if self.base_url is None else _own_key())
        try:
            client: AsyncOpenAI = sdk.AsyncOpenAI(
                api_key=key,
                base_url=self.base_url,
                timeout=self.policy.generator_timeout_s,
                max_retries=self.policy.generator_retries,
            )
        except sdk.OpenAIError as problem:
            raise missing_key(self.name, KEY, problem) from problem
        return client

    def _estimate(self, messages: Sequence[Message], text: str) -> tuple[int, int]:
        return sum(count_tokens(message.content) for message in messages), count_tokens(text)


def _rename_limit(request: Request) -> None:
    if "max_tokens" in request:
        request["max_completion_tokens"] = request.pop("max_tokens")


# Options that not every model takes, and what to do without them; a schema is checked again when the reply is read.
OTHERWISE: dict[str, Callable[[Request], object]] = {
    "max_tokens": _rename_limit,
    "temperature": lambda request: request.pop("temperature", None),
    "seed": lambda request: request.pop("seed", None),
    "response_format": lambda request: request.pop("response_format", None),
}


def _own_key() -> str:
    import os

    return os.environ.get(KEY) or "none"


def _logprobs(choice: Any) -> tuple[TokenLogprob, ...] | None:
    content = choice.logprobs.content if choice.logprobs else None
    if content is None:
        return None
    return tuple(
        TokenLogprob(item.token, item.logprob, {top.token: top.logprob for top in item.top_logprobs or ()})
        for item in content
    )


def _import() -> Any:
    try:
        import openai
    except ImportError as problem:
        raise missing_extra("a model behind OpenAI's protocol", "openai") from problem
    return openai
