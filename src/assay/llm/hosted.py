"""What the generators behind a server have in common: a name, a price, a client for each event loop, plain errors."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any
from weakref import WeakKeyDictionary

from assay.errors import GeneratorError, UsageError, missing_extra
from assay.llm.prices import Price, find_price
from assay.policy import Policy
from assay.text.tokens import count_tokens

Request = dict[str, Any]


def whole_time(policy: Policy) -> float:
    """Seconds after which a call is given up, all of its retries together."""
    return policy.generator_timeout_s * (policy.generator_retries + 1)


@asynccontextmanager
async def told_plainly(sdk: Any, name: str, key: str) -> AsyncIterator[None]:
    """Turns what an SDK raises into a GeneratorError that says what was wrong and what to do.

    Both SDKs have exceptions of the same names; they have tried again before these are raised.
    """
    try:
        yield
    except (sdk.APITimeoutError, TimeoutError) as problem:
        raise GeneratorError(f"{name} did not answer in time; raise generator_timeout_s if it is slow") from problem
    except sdk.APIConnectionError as problem:
        cause = problem.__cause__ or problem
        raise GeneratorError(
            f"{name} cannot be reached ({cause}); is the address right and the server up?"
        ) from problem
    except sdk.AuthenticationError as problem:
        raise GeneratorError(f"{name} refused the key; set {key}") from problem
    except sdk.RateLimitError as problem:
        raise GeneratorError(f"{name} is limiting the rate, also after waiting: {_said(problem)}") from problem
    except sdk.NotFoundError as problem:
        raise GeneratorError(f"{name} was not found there: {_said(problem)}; is the model's name right?") from problem
    except sdk.APIStatusError as problem:
        raise GeneratorError(f"{name} answered with status {problem.status_code}: {_said(problem)}") from problem
    except sdk.APIError as problem:
        raise GeneratorError(f"{name} failed: {_said(problem)}") from problem
    except (ValueError, AttributeError, TypeError, IndexError, KeyError) as problem:
        # The SDKs hand on what they cannot read: a body or an event that is not JSON, or JSON of another shape.
        raise GeneratorError(f"{name} answered with something that is no completion: {problem}") from problem
    except Exception as problem:
        if type(problem).__module__.partition(".")[0] not in ("httpx", "httpx2", "httpcore", "httpcore2", "h11"):
            raise
        raise GeneratorError(f"the connection to {name} broke: {problem or type(problem).__name__}") from problem


def cut_short(name: str) -> GeneratorError:
    return GeneratorError(f"the stream of {name} was cut before its end")


def _said(problem: Any) -> str:
    return " ".join(str(getattr(problem, "message", "") or problem).split())[:300]


class Hosted:
    """A model behind a protocol; the SDK tries again with back-off and heeds Retry-After."""

    provider: str  # the names of its SDK and of the extra that installs it too
    key: str  # the environment variable of the key
    client_class: str  # the class of its clients
    wanted: str  # what is missing without the SDK

    def __init__(
        self, model: str, base_url: str | None = None, *, api_key: str | None = None, policy: Policy | None = None
    ) -> None:
        self.model, self.base_url = model, base_url
        self.name = f"{self.provider}:{model}"
        self.policy = policy or Policy()
        self._api_key = api_key
        # One for each event loop: the connections of a client belong to the loop that opened them.
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Any] = WeakKeyDictionary()

    @property
    def price(self) -> Price | None:
        """What the model costs; None if nobody said."""
        return find_price(self.provider, self.model, own_server=self.base_url is not None)

    def count_tokens(self, text: str) -> int:
        """About how many tokens; what is billed is what the server reports."""
        return count_tokens(text)

    def _sdk(self) -> Any:
        try:
            return import_module(self.provider)
        except ImportError as problem:
            raise missing_extra(self.wanted, self.provider) from problem

    def _client(self) -> Any:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            self._clients[loop] = getattr(self._sdk(), self.client_class)(**self._settings())
        return self._clients[loop]

    def _settings(self) -> dict[str, Any]:
        """What every client is made with; a server of one's own seldom wants a key, but the SDKs always do."""
        key = self._api_key or os.environ.get(self.key) or (None if self.base_url is None else "none")
        if key is None:
            raise UsageError(f"{self.name} needs a key: set {self.key}")
        return {
            "api_key": key,
            "base_url": self.base_url,
            "timeout": self.policy.generator_timeout_s,
            "max_retries": self.policy.generator_retries,
        }

    def _cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        price = self.price
        return None if price is None else price.of(prompt_tokens, completion_tokens)

    @asynccontextmanager
    async def _asking(self, sdk: Any) -> AsyncIterator[None]:
        """One request that waits for its whole answer: bounded in time, its errors told plainly."""
        async with told_plainly(sdk, self.name, self.key), asyncio.timeout(whole_time(self.policy)):
            yield
