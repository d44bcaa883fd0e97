"""HTTP over a connection, with limits of time and size for what is not the body of a request.

uvicorn limits the time between requests (``timeout_keep_alive``) and the guard that of a request
whose head has come. A client that sends a head byte by byte, or nothing, would hold its connection
without end (CWE-400; known as Slowloris). One that sends a header without end would hold everybody:
httptools joins its parts (``httptools/parser/parser.pyx``, ``_on_header_value``), each time over
the whole of what has come.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from fabric.serve.problem import MEDIA_TYPE, Problem, refused

if TYPE_CHECKING:
    import asyncio

#: How long the head of a request may take, from the connection or from its first byte.
HEAD_S = 10.0
#: Largest head of a request, and most headers in it: what Python's own client takes of an answer
#: (CPython ``Lib/http/client.py``, ``_MAXLINE`` and ``_MAXHEADERS``).
HEAD_BYTES, HEADERS = 1 << 16, 100
#: What the parser gets at a time, our choice: a head may be so much longer where it begins in the
#: middle of a part.
_PART_BYTES = 1 << 14


class _TooManyHeadersError(Exception):
    """Ends the parser; it passes on no request that has more headers."""


class LimitedProtocol(HttpToolsProtocol):
    """Closes a connection whose next request does not begin in time, or has too large a head."""

    _limit: asyncio.TimerHandle | None = None
    #: Bytes since the last head, part of a body, or message: of a head, of trailers, of the length
    #: of a chunk, of line breaks between requests.
    _bytes = 0
    _is_over = False

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
        start = 0
        while start < len(data) and not self.transport.is_closing():  # TLS gives more then
            end = start + min(_PART_BYTES, HEAD_BYTES - self._bytes)
            self._take(data[start:end])
            start = end
        if not self._is_answering() and not self.transport.is_closing():
            self._wait()

    def _take(self, part: bytes) -> None:
        self._is_over = False
        super().data_received(part)
        self._bytes = 0 if self._is_over else self._bytes + len(part)
        if self._bytes == HEAD_BYTES and not self.transport.is_closing():
            self._refuse(_too_large(f"more than {HEAD_BYTES:,} bytes"))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header, of a head or behind a body.

        Raises
        ------
        _TooManyHeadersError
            When it is beyond the limit.
        """
        super().on_header(name, value)
        if len(self.headers) > HEADERS:
            raise _TooManyHeadersError

    def on_headers_complete(self) -> None:
        """Take a head that is whole."""
        self._stop()
        self._is_over = True
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        """Begin to count again behind the length of a chunk."""
        self._is_over = True

    def on_body(self, body: bytes) -> None:
        """Take a part of a body, which the guard counts."""
        self._is_over = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Take the end of a request."""
        self._is_over = True
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, or has too many headers."""
        if self.headers is not None and len(self.headers) > HEADERS:
            self._refuse(_too_large(f"more than {HEADERS} headers"))
        else:
            fix = "send HTTP/1.1"
            self._refuse(refused(HTTPStatus.BAD_REQUEST, "SRV008", "", msg.rstrip("."), fix))

    def _refuse(self, problem: Problem) -> None:
        """Send a problem and close the connection; an answer that has begun is cut off."""
        if not self._is_answering():
            content = problem.content()
            head = (
                f"HTTP/1.1 {problem.status} {HTTPStatus(problem.status).phrase}\r\n"
                f"content-type: {MEDIA_TYPE}\r\ncontent-length: {len(content)}\r\n"
                "connection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + content)
        self.transport.abort()  # close() would wait for the end of TLS, and read until it comes

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        if self._limit is None:
            self._limit = self.loop.call_later(HEAD_S, self.transport.abort)

    def _stop(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None


def _too_large(what: str) -> Problem:
    """Return the problem of a head above a limit (RFC 6585, section 5)."""
    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    return refused(status, "SRV008", "", f"the head of the request has {what}", "send less")
