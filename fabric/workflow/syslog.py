"""Events to a syslog server: RFC 5424, over UDP (RFC 5426), TCP (RFC 6587) or a local socket."""

from __future__ import annotations

import os
import re
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity

if TYPE_CHECKING:
    from fabric.core.events import Event

#: Facility local0, and severities of RFC 5424, section 6.2.1.
_FACILITY = 16
_SEVERITIES = {Severity.ERROR: 3, Severity.WARNING: 4, Severity.INFO: 6}
_NOTICE = 5
_PORTS = {"udp": 514, "tcp": 601}
#: A receiver of UDP takes at least so many bytes (RFC 5426, section 3.2).
_LONGEST_UDP = 2048
_TIMEOUT_S = 5.0
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Syslog:
    """A syslog server.

    Parameters
    ----------
    address : str
        ``udp://HOST:PORT``, ``tcp://HOST:PORT`` or ``unix:/dev/log``.

    Raises
    ------
    InputError
        When the address has another form.
    """

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._scheme, self._path = parts.scheme, parts.path
        try:
            self._end = (parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0))
        except ValueError:
            self._end = ("", 0)
        is_local = self._scheme == "unix" and self._path
        if not is_local and not (self._scheme in _PORTS and all(self._end)):
            message = f"{address[:80]!a} is not the address of a syslog server"
            fix = "use udp://HOST:PORT, tcp://HOST:PORT or unix:/dev/log"
            finding = Finding("EVT001", Severity.ERROR, message, fix, "--syslog")
            raise InputError("events cannot be sent", [finding])
        self._socket: socket.socket | None = None

    def send(self, event: Event) -> None:
        """Send an event; a broken connection is opened once more.

        Raises
        ------
        OSError
            When the server cannot be reached.
        """
        text = message(event).encode()
        # octet counting, RFC 6587, section 3.4.1
        text = b"%d %s" % (len(text), text) if self._scheme == "tcp" else text[:_LONGEST_UDP]
        try:
            self._opened().sendall(text)
        except OSError:
            self.close()
            self._opened().sendall(text)

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _opened(self) -> socket.socket:
        if self._socket is None:
            if self._scheme == "tcp":
                self._socket = socket.create_connection(self._end, timeout=_TIMEOUT_S)
            elif self._scheme == "udp":
                ((family, kind, _, _, end), *_) = socket.getaddrinfo(
                    *self._end, type=socket.SOCK_DGRAM
                )
                self._socket = socket.socket(family, kind)
                self._socket.connect(end)
            else:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                self._socket.connect(self._path)
        return self._socket


def message(event: Event) -> str:
    """Return an event as a message; what a device wrote cannot begin another one."""
    finding = event.finding
    severity = _SEVERITIES[finding.severity] if event.is_open else _NOTICE
    stamp = event.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    header = f"<{_FACILITY * 8 + severity}>1 {stamp} {socket.gethostname()} rocefab {os.getpid()}"
    return f"{header} {finding.rule} - {_UNPRINTABLE.sub(' ', str(event))}"
