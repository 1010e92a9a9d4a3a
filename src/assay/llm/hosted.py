"""What the generators behind somebody's server have in common: a name, a price, a client for each event loop."""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

from assay.llm.clients import Clients, missing_key, told_plainly, whole_time
from assay.llm.prices import Price, find_price
from assay.policy import Policy
from assay.text.tokens import count_tokens

Client = TypeVar("Client")


class Hosted(ABC, Generic[Client]):
    """A model behind a protocol; the SDK tries again with back-off and heeds Retry-After."""

    provider: str
    key: str  # the environment variable of the key

    def __init__(
        self, model: str, base_url: str | None = None, *, api_key: str | None = None, policy: Policy | None = None
    ) -> None:
        self.model, self.base_url = model, base_url
        self.name = f"{self.provider}:{model}"
        self.policy = policy or Policy()
        self._api_key = api_key
        self._clients: Clients[Client] = Clients(self._make_client)

    @property
    def price(self) -> Price | None:
        """What the model costs; None if nobody said."""
        return find_price(self.provider, self.model, own_server=self.base_url is not None)

    def count_tokens(self, text: str) -> int:
        """About how many tokens; what is billed is what the server reports."""
        return count_tokens(text)

    @abstractmethod
    def _make_client(self) -> Client: ...

    def _settings(self) -> dict[str, Any]:
        """What every client is made with; a server of one's own seldom wants a key, but the SDKs always do."""
        key = self._api_key or os.environ.get(self.key) or (None if self.base_url is None else "none")
        if key is None:
            raise missing_key(self.name, self.key)
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
