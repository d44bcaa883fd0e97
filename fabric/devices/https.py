"""HTTPS to switches: one certificate is trusted, an answer has an end, a session can be cut."""

from __future__ import annotations

import hashlib
import re
import socket
import ssl
from contextlib import suppress
from functools import cache
from http.client import HTTPException, HTTPResponse, HTTPSConnection
from typing import Any

from fabric.devices import limits
from fabric.devices.answers import LONGEST_ANSWER_CHARACTERS, AnswerTooLongError

LONGEST_BODY_BYTES = LONGEST_ANSWER_CHARACTERS
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


def sha256_of(der: bytes) -> str:
    """Return the fingerprint of a certificate."""
    return hashlib.sha256(der).hexdigest()


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
        if self.length is not None and not self.chunked:
            if self.length > LONGEST_BODY_BYTES:
                raise AnswerTooLongError
            return super().read()
        body = super().read(LONGEST_BODY_BYTES + 1)
        if len(body) > LONGEST_BODY_BYTES:
            raise AnswerTooLongError
        return body


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

    def __str__(self) -> str:
        return f"https://{self.host}:{self.port}{self.path}"

    def connect(self) -> None:
        """Connect; nothing is sent to a switch that shows another certificate.

        Raises
        ------
        OtherCertificateError
            When it does.
        HTTPException
            When the session was cut.
        """
        plain = socket.create_connection((self.host, self.port), limits.CONNECT_S)
        plain.settimeout(limits.LOGIN_S)
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)
        shown: Any = self.sock
        shown.settimeout(self._quiet_s)
        self._connected = shown
        if self._pinned and shown.getpeercert(binary_form=True) != self._pinned:
            self.close()
            raise OtherCertificateError
        if self._is_cut:
            self.close()
            raise HTTPException("the session was cut")

    def cut(self) -> None:
        """End what is under way, and send nothing any more."""
        self._is_cut = True
        if self._connected is not None:
            with suppress(OSError):  # it is closed already
                self._connected.shutdown(socket.SHUT_RDWR)
