"""HTTP over a connection, with a limit of time for the head of a request.

uvicorn limits the time between requests (``timeout_keep_alive``) and the guard that of a request
whose head has come. A client that sends a head byte by byte, or nothing, would hold its connection
without end (CWE-400; known as Slowloris).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

#: How long the head of a request may take, from the connection or from its first byte.
HEAD_S = 10.0


class LimitedProtocol(HttpToolsProtocol):
    """Closes a connection whose next request does not begin in time."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes; those of a head that is not whole do not extend its time."""
        super().data_received(data)
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if not is_answering and not self.transport.is_closing():
            self._wait()

    def on_headers_complete(self) -> None:
        """Take a head that is whole."""
        self._stop()
        super().on_headers_complete()

    def _wait(self) -> None:
        if self._limit is None:
            self._limit = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
