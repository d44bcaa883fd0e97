"""HTTPS to switches: one certificate is trusted, an answer has an end, a session can be cut.

A connection stays open between requests, as a TLS handshake costs more than a request. A request is
sent once: one that may have arrived is repeated only where it reads.
"""

from __future__ import annotations

import re
import select
import socket
import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from typing import TYPE_CHECKING, Any

from fabric.devices import limits
from fabric.devices.answers import allowance

if TYPE_CHECKING:
    from collections.abc import Mapping

#: An idle connection is not used again after this time: the server, or a firewall on the way, may
#: have forgotten it. nginx, which serves eAPI and NX-API, closes one after 75 s by default
#: (ngx_http_core_module, keepalive_timeout), Apache after 5 s (core, KeepAliveTimeout).
_IDLE_S = 4.0
#: How a connection looks that the switch had closed before a request came.
_CLOSED = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)
_PEM = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)


class OtherCertificateError(Exception):
    """The switch shows another certificate than the one that is trusted."""

    def __init__(self) -> None:
        super().__init__("its certificate is not the one given as 'trust'")


def pinned_der(trust: str) -> bytes:
    """Return the one trusted certificate as DER; empty where the known authorities decide.

    Raises
    ------
    ValueError
        When the text holds no certificate, or more than one.
    """
    if not trust.strip():
        return b""
    certificates = _PEM.findall(trust)
    if len(certificates) != 1:
        raise ValueError("'trust' must be one certificate as PEM: that of the switch itself")
    return ssl.PEM_cert_to_DER_cert(certificates[0])


@cache
def _context(*, is_pinned: bool) -> ssl.SSLContext:
    """Return what all connections of a kind share; to read the known authorities takes 30 ms."""
    if not is_pinned:
        return ssl.create_default_context()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The certificate is compared: neither who signed it nor its names matter.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class CappedResponse(HTTPResponse):
    """An answer whose body is not read beyond the longest that a device may send."""

    def read(self, amt: int | None = None) -> bytes:
        """Return the body.

        Raises
        ------
        AnswerTooLongError
            When it is longer than any answer can be.
        """
        if amt is not None or self.fp is None:
            return super().read(amt)
        try:
            return self._whole()
        finally:
            self.close()

    def _whole(self) -> bytes:
        can_say = allowance()
        if self.length is not None and not self.chunked:
            can_say.take(self.length)
            return super().read()
        body = super().read(can_say.left + 1)
        can_say.take(len(body))
        return body


def in_url(host: str) -> str:
    """Return a name or an address as it stands before a port (RFC 3986 section 3.2.2)."""
    return f"[{host}]" if ":" in host else host


@dataclass(frozen=True, slots=True)
class Answer:
    """What a switch answers to one request."""

    status: int
    reason: str
    body: bytes


class PinnedConnection(HTTPSConnection):
    """HTTPS to one switch.

    Parameters
    ----------
    path : str
        Of the API, for messages.
    trust : str
        The certificate of the switch as PEM; without it the known authorities decide.
    timeout_s : float
        How long the switch may be silent once it is connected.
    """

    response_class = CappedResponse

    def __init__(self, host: str, port: int, *, path: str, trust: str, timeout_s: float) -> None:
        self._pinned = pinned_der(trust)
        context = _context(is_pinned=bool(self._pinned))
        super().__init__(host, port, context=context)
        self._tls = context
        self._quiet_s = timeout_s
        self.path = path
        self._is_cut = False
        self._connected: socket.socket | None = None
        self._used_s = 0.0

    def __str__(self) -> str:
        return f"https://{in_url(self.host)}:{self.port}{self.path}"

    def connect(self) -> None:
        """Connect; nothing is sent to a switch that shows another certificate.

        Raises
        ------
        OtherCertificateError
            When it does.
        HTTPException
            When the session was cut.
        """
        self._check_going()
        plain = socket.create_connection((self.host, self.port), limits.CONNECT_S)
        # Head and body are two pieces: the second would wait until the first one is acknowledged.
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.settimeout(limits.LOGIN_S)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)
        shown: Any = self.sock
        shown.settimeout(self._quiet_s)
        self._connected = shown
        if self._pinned and shown.getpeercert(binary_form=True) != self._pinned:
            self.close()
            raise OtherCertificateError
        self._check_going()

    def _check_going(self) -> None:
        if self._is_cut:
            self.close()
            raise HTTPException("the session was cut")

    def post(self, body: bytes, headers: Mapping[str, str], *, reads: bool) -> Answer:
        """Send one request and return its answer; the connection stays open.

        Parameters
        ----------
        body : bytes
            Content of the request.
        headers : mapping of str to str
            Besides those of HTTP itself.
        reads : bool
            Whether it changes nothing: it is sent again, once, where the switch closed the
            connection just before.

        Raises
        ------
        OSError, HTTPException, AnswerTooLongError, OtherCertificateError
            When there is no answer; whether the request arrived is unknown then.
        """
        self._leave_old()
        is_used = self.sock is not None
        try:
            return self._exchange(body, headers)
        except _CLOSED:
            if not (is_used and reads):
                raise
            return self._exchange(body, headers)

    def _exchange(self, body: bytes, headers: Mapping[str, str]) -> Answer:
        try:
            self.request("POST", self.path, body, headers)
            response = self.getresponse()
            answer = Answer(response.status, response.reason, response.read())
        except BaseException:
            self.close()
            raise
        self._used_s = time.monotonic()
        return answer

    def _leave_old(self) -> None:
        """Close a connection that the switch has closed, or may have: nothing was sent on it."""
        if self.sock is None:
            return
        poll = select.poll()
        poll.register(self.sock, select.POLLIN)
        if poll.poll(0) or time.monotonic() - self._used_s > _IDLE_S:
            self.close()

    def cut(self) -> None:
        """End what is under way, and send nothing any more."""
        self._is_cut = True
        if self._connected is not None:
            with suppress(OSError):  # it is closed already
                self._connected.shutdown(socket.SHUT_RDWR)
