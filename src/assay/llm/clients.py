"""What the hosted generators share: a client for each event loop, and errors that say what to do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from assay.errors import GeneratorError, UsageError
from assay.policy import Policy

Client = TypeVar("Client")
Request = dict[str, Any]


class Clients(Generic[Client]):
    """One client for each event loop: the connections of a client belong to the loop that opened them."""

    def __init__(self, make: Callable[[], Client]) -> None:
        self._make = make
        self._held: WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = WeakKeyDictionary()

    def get(self) -> Client:
        loop = asyncio.get_running_loop()
        if loop not in self._held:
            self._held[loop] = self._make()
        return self._held[loop]


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


def missing_key(name: str, key: str) -> UsageError:
    return UsageError(f"{name} needs a key: set {key}")


def cut_short(name: str) -> GeneratorError:
    return GeneratorError(f"the stream of {name} was cut before its end")


def _said(problem: Any) -> str:
    return " ".join(str(getattr(problem, "message", "") or problem).split())[:300]
