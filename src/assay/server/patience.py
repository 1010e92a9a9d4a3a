"""How long a client may take to say what it wants."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

_DEFAULT_SECONDS = 10.0


class PatientProtocol(H11Protocol):
    """HTTP/1.1 that hangs up on a client whose first headers do not come: it would hold a connection for ever."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
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
