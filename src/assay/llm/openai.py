"""Anything that speaks OpenAI's chat protocol (OpenAI itself, vLLM, Ollama, llama.cpp, …), through the official SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Unpack

from assay.llm.hosted import Hosted, Request, cut_short, told_plainly
from assay.llm.values import CallOptions, Completion, Message, Sampling, TokenLogprob
from assay.policy import Policy
from assay.text.tokens import count_tokens


class OpenAI(Hosted):
    """A model behind OpenAI's protocol."""

    provider = "openai"
    key = "OPENAI_API_KEY"
    client_class = "AsyncOpenAI"
    wanted = "a model behind OpenAI's protocol"

    def __init__(
        self, model: str, base_url: str | None = None, *, api_key: str | None = None, policy: Policy | None = None
    ) -> None:
        super().__init__(model, base_url, api_key=api_key, policy=policy)
        self._unknown: set[str] = set()  # options the server has refused

    async def complete(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> Completion:
        asked, sdk = Sampling(**options), self._sdk()
        async with self._asking(sdk):
            answer = await self._send(sdk, asked.chat_request(messages, strict=True, model=self.model))
            choice, usage = answer.choices[0], answer.usage
            text = choice.message.content
            refusal = getattr(choice.message, "refusal", None)
            used = (
                (usage.prompt_tokens, usage.completion_tokens)
                if usage
                else (sum(count_tokens(message.content) for message in messages), count_tokens(text or ""))
            )
            return Completion(
                text=text or refusal or "",
                model=answer.model or self.model,
                prompt_tokens=used[0],
                completion_tokens=used[1],
                cost_usd=self._cost(*used),
                logprobs=_logprobs(choice) if asked.logprobs else None,
                finish_reason="refusal" if refusal and not text else choice.finish_reason or "stop",
            )

    async def stream(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> AsyncIterator[str]:
        sdk = self._sdk()
        ended = False
        async with told_plainly(sdk, self.name, self.key):
            chunks = await self._send(sdk, Sampling(**options).chat_request(messages, model=self.model, stream=True))
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

    async def _send(self, sdk: Any, request: Request) -> Any:
        """Sends a request; an option the server does not know is put in another way, or left out, and remembered."""
        client = self._client()
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


def _drop(*names: str) -> Callable[[Request], object]:
    return lambda request: [request.pop(name, None) for name in names]


# Options that not every model takes, and what to do without them; a schema is checked again when the reply is read.
OTHERWISE: dict[str, Callable[[Request], object]] = {
    "max_tokens": lambda request: request.update(max_completion_tokens=request.pop("max_tokens")),
    "temperature": _drop("temperature"),
    "seed": _drop("seed"),
    "response_format": _drop("response_format"),
    "logprobs": _drop("logprobs", "top_logprobs"),
}


def _logprobs(choice: Any) -> tuple[TokenLogprob, ...] | None:
    content = choice.logprobs.content if choice.logprobs else None
    if content is None:
        return None
    return tuple(
        TokenLogprob(item.token, item.logprob, {top.token: top.logprob for top in item.top_logprobs or ()})
        for item in content
    )
