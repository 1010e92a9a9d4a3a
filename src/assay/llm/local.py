"""A GGUF model in this process, through llama.cpp: no server, no network."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Unpack

from assay.errors import GeneratorError, UsageError, missing_extra
from assay.llm.hosted import Request
from assay.llm.values import CallOptions, Completion, Message, Sampling, TokenLogprob
from assay.policy import Policy
from assay.text.tokens import count_tokens

_STREAMED: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}


class Local:
    """A model file; it is loaded when first used and kept. One text is written at a time, the others wait."""

    def __init__(self, path: Path, *, policy: Policy | None = None) -> None:
        self.path = path
        self.policy = policy or Policy()
        self.name = f"local:{path.name}"
        self._lock = threading.Lock()
        self._server: Any = None
        if not path.is_file():
            raise UsageError(
                f"there is no model file {path}; give the path of a .gguf file, or take a small one with: "
                "python -m assay.llm.fetch FOLDER"
            )

    async def complete(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> Completion:
        asked = Sampling(**options)
        pieces: list[str] = []
        tokens: list[TokenLogprob] = []
        ending: dict[str, Any] = {}
        async for chunk in self._chunks(asked.chat_request(messages, **_STREAMED)):
            choices = chunk.get("choices") or [{}]
            pieces.append(choices[0].get("delta", {}).get("content") or "")
            tokens.extend(_logprobs(choices[0]))
            if choices[0].get("finish_reason"):
                ending["finish_reason"] = choices[0]["finish_reason"]
            ending |= {key: chunk[key] for key in ("usage", "timings") if chunk.get(key)}
        text = "".join(pieces)
        usage = ending.get("usage") or {}
        return Completion(
            text=text,
            model=self.name,
            prompt_tokens=int(usage.get("prompt_tokens") or sum(count_tokens(m.content) for m in messages)),
            completion_tokens=int(usage.get("completion_tokens") or count_tokens(text)),
            logprobs=tuple(tokens) if asked.logprobs else None,
            finish_reason=str(ending.get("finish_reason", "stop")),
        )

    async def stream(self, messages: Sequence[Message], **options: Unpack[CallOptions]) -> AsyncIterator[str]:
        chunks = self._chunks(Sampling(**options).chat_request(messages, **_STREAMED))
        try:
            async for chunk in chunks:
                for choice in chunk.get("choices", ())[:1]:
                    if text := choice.get("delta", {}).get("content"):
                        yield text
        finally:
            await chunks.aclose()

    def count_tokens(self, text: str) -> int:
        """About how many tokens; a completion carries the model's own count."""
        return count_tokens(text)

    async def _chunks(self, request: Request) -> Any:
        """What the model says, as it says it; the writing stops when nobody listens any more."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[dict[str, Any] | BaseException | None] = asyncio.Queue()
        stop = threading.Event()

        def put(item: dict[str, Any] | BaseException | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(queue.put_nowait, item)

        def take(chunk: dict[str, Any]) -> bool:
            put(chunk)
            return stop.is_set()

        def write() -> None:
            try:
                self._load().handle_chat_completions(request, take)
                put(None)
            except BaseException as problem:
                put(problem)

        # Not the loop's own pool: a model that writes for a minute must not keep others from it, nor hold up the exit.
        threading.Thread(target=write, name="assay-local-model", daemon=True).start()
        try:
            async with asyncio.timeout(self.policy.generator_timeout_s * 10) as limit:
                while (item := await queue.get()) is not None:
                    limit.reschedule(loop.time() + self.policy.generator_timeout_s)
                    if isinstance(item, BaseException):
                        raise (
                            item
                            if isinstance(item, UsageError | GeneratorError)
                            else GeneratorError(f"{self.name} failed: {item}")
                        )
                    if "error" in item:
                        raise GeneratorError(f"{self.name} failed: {item['error'].get('message', item['error'])}")
                    yield item
        except TimeoutError as problem:
            raise GeneratorError(f"{self.name} fell silent; raise generator_timeout_s if it is slow") from problem
        finally:
            stop.set()

    def _load(self) -> Any:
        with self._lock:
            if self._server is None:
                self._server = _open(self.path, self.policy)
            return self._server


def _open(path: Path, policy: Policy) -> Any:
    import secrets

    try:
        import xllamacpp  # type: ignore[import-untyped,unused-ignore]
    except ImportError as problem:
        raise missing_extra("a model in this process", "local") from problem
    settings = xllamacpp.CommonParams()
    settings.model.path = str(path)
    settings.n_ctx = policy.local_context_tokens
    settings.n_parallel = 1
    settings.cpuparams.n_threads = policy.threads
    settings.cpuparams_batch.n_threads = policy.threads
    settings.verbosity = -1
    # The library always listens on a loopback port too; without this key nobody can use it.
    settings.api_keys = [secrets.token_hex(32)]
    try:
        return xllamacpp.Server(settings)
    except Exception as problem:
        raise GeneratorError(f"{path} cannot be loaded as a GGUF model: {problem}") from problem


def _logprobs(choice: dict[str, Any]) -> list[TokenLogprob]:
    listed = (choice.get("logprobs") or {}).get("content") or []
    return [
        TokenLogprob(item["token"], item["logprob"], {top["token"]: top["logprob"] for top in item["top_logprobs"]})
        for item in listed
    ]
