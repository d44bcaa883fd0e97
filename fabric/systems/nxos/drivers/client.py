"""The NX-API client of NAPALM with one session, and a certificate that is pinned.

NAPALM's own (napalm 5.2.0 ``nxapi_plumbing``) opens a connection for each request and cannot leave
out the host name when it verifies a certificate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import requests
from napalm.nxapi_plumbing import Device, NXAPIAuthError, NXAPIConnectionError
from napalm.nxapi_plumbing.api_client import RPCClient
from requests.adapters import HTTPAdapter
from urllib3 import HTTPSConnectionPool
from urllib3.connection import HTTPSConnection

from fabric.devices import limits
from fabric.devices.answers import AnswerTooLongError
from fabric.devices.https import LONGEST_BODY_BYTES, pinned_der, sha256_of

if TYPE_CHECKING:
    import socket

    from fabric.devices.driver import Connection

#: A rollback of a whole switch takes longer than a show command (NAPALM waits 90 s for it).
TIMEOUT_S = 180
_UNAUTHORIZED = 401
_PIECE_BYTES = 2**16


class _Connection(HTTPSConnection):
    """Waits longer for TLS than for TCP."""

    def _new_conn(self) -> socket.socket:
        connected = super()._new_conn()
        connected.settimeout(limits.LOGIN_S)
        return connected


class _Pool(HTTPSConnectionPool):
    ConnectionCls = _Connection


class _Adapter(HTTPAdapter):
    """Trusts the given certificate, whoever signed it and whatever names are in it."""

    def __init__(self, fingerprint: str) -> None:
        """Take a fingerprint; without one the known authorities decide."""
        self._pinned: dict[str, Any] = {"assert_fingerprint": fingerprint} if fingerprint else {}
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        kwargs |= self._pinned
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = {"https": _Pool}


class PinnedClient(RPCClient):  # type: ignore[misc]
    """JSON-RPC to one switch.

    Parameters
    ----------
    connection : Connection
        ``trust`` is the certificate as PEM; without it the known authorities decide.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(
            connection.address, connection.username, connection.password, port=connection.port
        )
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.auth = (connection.username, connection.password)
        self._is_cut = False
        pinned = pinned_der(connection.trust)
        self._session.verify = not pinned  # urllib3 compares the fingerprint instead
        self._session.mount("https://", _Adapter(sha256_of(pinned) if pinned else ""))

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def cut(self) -> None:
        """Send nothing any more, and read nothing of what still comes."""
        self._is_cut = True

    def _send_request(self, commands: list[str], method: str) -> requests.Response:
        self._check_going()
        response = self._session.post(
            self.url,
            data=self._build_payload(commands, method),
            headers=self.headers,
            timeout=(limits.CONNECT_S, TIMEOUT_S),
            stream=True,
        )
        with response:
            response._content = self._body(response)  # noqa: SLF001 - what requests keeps itself
        if response.status_code == _UNAUTHORIZED:
            raise NXAPIAuthError("the switch rejects this username and password")
        return response

    def _body(self, response: requests.Response) -> bytes:
        body = bytearray()
        while piece := response.raw.read1(_PIECE_BYTES, decode_content=True):
            self._check_going()
            body += piece
            if len(body) > LONGEST_BODY_BYTES:
                raise AnswerTooLongError
        return bytes(body)

    def _check_going(self) -> None:
        if self._is_cut:
            self._session.close()
            raise NXAPIConnectionError("the session was cut")


def open_device(connection: Connection) -> Any:
    """Return NAPALM's NX-API device with a client of ours."""
    device = Device(
        connection.address,
        connection.username,
        connection.password,
        transport="https",
        port=connection.port,
    )
    device.api = PinnedClient(connection)
    return device
