"""The HTTP connection: a time limit for request headers, and responses written in one piece."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from assay.server.run import SETTINGS_VARIABLE

_DEFAULT_SECONDS = 10.0
_BUFFER_BYTES = 65_536  # bytes


class HeaderTimeoutProtocol(H11Protocol):
    """HTTP/1.1 that closes a connection on which no complete request head arrives in time."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", BufferedTransport(transport, self.loop)))
        self._deadline = self.loop.call_later(_header_seconds(), self._close_idle)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_received() and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def _close_idle(self) -> None:
        if not self._head_received() and not self.transport.is_closing():
            self.transport.close()

    def _head_received(self) -> bool:
        """Whether a whole head has come: the cycle of a request exists from then on."""
        return bool(self.cycle)


def _header_seconds() -> float:
    """From the settings handed down to this process; a protocol class is made by uvicorn and cannot be given them."""
    given: dict[str, Any] = json.loads(os.environ.get(SETTINGS_VARIABLE, "{}"))
    return float(given.get("header_seconds", _DEFAULT_SECONDS))


class BufferedTransport:
    """A transport that sends what is written within one turn of the event loop in one piece.

    Head, body and end of an answer are written one after the other. Each piece sent by itself would let go of the
    interpreter, and with judging threads at work the event loop waits for its turn every time.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._buffer: list[bytes] = []
        self._size = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._buffer:
            self._loop.call_soon(self._send)
        self._buffer.append(data)
        self._size += len(data)
        if self._size > _BUFFER_BYTES:  # the transport's own flow control must be able to act
            self._send()

    def close(self) -> None:
        self._send()
        self._transport.close()

    def _send(self) -> None:
        if self._buffer:
            data, self._buffer, self._size = b"".join(self._buffer), [], 0
            self._transport.write(data)
