"""How a connection is treated: how long a client may take to say what it wants, and in how many pieces it is told."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

_DEFAULT_SECONDS = 10.0
_MOST_HELD = 65_536  # bytes


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on a client whose first headers do not come: it would hold a connection for ever."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", Corked(transport, self.loop)))
        self._deadline = self.loop.call_later(_patience(), self._give_up)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._asked() and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _give_up(self) -> None:
        if not self._asked() and not self.transport.is_closing():
            self.transport.close()

    def _asked(self) -> bool:
        """Whether a whole head has come: the cycle of a request exists from then on."""
        return bool(self.cycle)


def _patience() -> float:
    """From the settings handed down to this process; a protocol class is made by uvicorn and cannot be given them."""
    given: dict[str, Any] = json.loads(os.environ.get("ASSAY_SERVER_SETTINGS", "{}"))
    return float(given.get("header_seconds", _DEFAULT_SECONDS))


class Corked:
    """A transport that sends what is written within one turn of the event loop in one piece.

    Head, body and end of an answer are written one after the other. Each piece sent by itself would let go of the
    interpreter, and with judging threads at work the event loop waits for its turn every time.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._held: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._held:
            self._loop.call_soon(self._send)
        self._held.append(data)
        self._size += len(data)
        if self._size > _MOST_HELD:  # the transport's own brake must be able to take hold
            self._send()

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._held:
            held, self._held, self._size = b"".join(self._held), [], 0
            self._transport.write(held)
