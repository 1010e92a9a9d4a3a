"""Anything that speaks OpenAI's chat protocol (OpenAI itself, vLLM, Ollama, llama.cpp, …), through the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import missing_extra
from assay.llm.clients import Request, cut_short, told_plainly
from assay.llm.hosted import Hosted
from assay.llm.values import Completion, Message, Schema, TokenLogprob
from assay.policy import Policy
from assay.text.tokens import count_tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAI(Hosted["AsyncOpenAI"]):
    """A model behind OpenAI's protocol."""

    provider = "openai"
    key = "OPENAI_API_KEY"

    def __init__(
        self, model: str, base_url: str | None = None, *, api_key: str | None = None, policy: Policy | None = None
    ) -> None:
        super().__init__(model, base_url, api_key=api_key, policy=policy)
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
        async with self._asking(sdk):
            answer = await self._send(sdk, request)
            choice = answer.choices[0]
            usage = answer.usage
            text = choice.message.content
            refusal = getattr(choice.message, "refusal", None)
            used = (usage.prompt_tokens, usage.completion_tokens) if usage else self._estimate(messages, text or "")
            return Completion(
                text=text or refusal or "",
                model=answer.model or self.model,
                prompt_tokens=used[0],
                completion_tokens=used[1],
                cost_usd=self._cost(*used),
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
        async with told_plainly(sdk, self.name, self.key):
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
            except (sdk.BadRequestError, sdk.UnprocessableEntityError) as problem:
                refused = [name for name in OTHERWISE if name in sent and name in str(problem)]
                if not refused or refused[0] in self._unknown:
                    raise
                self._unknown.add(refused[0])

    def _make_client(self) -> AsyncOpenAI:
        client: AsyncOpenAI = _import().AsyncOpenAI(**self._settings())
        return client

    def _estimate(self, messages: Sequence[Message], text: str) -> tuple[int, int]:
        return sum(count_tokens(message.content) for message in messages), count_tokens(text)


def _rename_limit(request: Request) -> None:
    if "max_tokens" in request:
        request["max_completion_tokens"] = request.pop("max_tokens")


def _drop_logprobs(request: Request) -> None:
    for name in ("logprobs", "top_logprobs"):
        request.pop(name, None)


# Options that not every model takes, and what to do without them; a schema is checked again when the reply is read.
OTHERWISE: dict[str, Callable[[Request], object]] = {
    "max_tokens": _rename_limit,
    "temperature": lambda request: request.pop("temperature", None),
    "seed": lambda request: request.pop("seed", None),
    "response_format": lambda request: request.pop("response_format", None),
    "logprobs": _drop_logprobs,
}


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
