"""The NX-API client of NAPALM with one session, and a certificate that is pinned.

NAPALM's own (napalm 5.2.0 ``nxapi_plumbing``) opens a connection for each request and cannot leave
out the host name when it verifies a certificate.
"""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, Any

import requests
from napalm.nxapi_plumbing import Device, NXAPIAuthError
from napalm.nxapi_plumbing.api_client import RPCClient
from requests.adapters import HTTPAdapter

if TYPE_CHECKING:
    from fabric.devices.driver import Connection

#: A rollback of a whole switch takes longer than a show command (NAPALM waits 90 s for it).
TIMEOUT_S = 180
_UNAUTHORIZED = 401


class _Unnamed(HTTPAdapter):
    """Verifies a certificate and not the name in it: the certificate itself is pinned."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs, assert_hostname=False)


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
        self._pem = tempfile.NamedTemporaryFile("w", suffix=".pem")  # noqa: SIM115 - see close
        if connection.trust:
            self._pem.write(connection.trust)
            self._pem.flush()
            self._session.verify = self._pem.name
            self._session.mount("https://", _Unnamed())

    def close(self) -> None:
        """Close the connection and forget the certificate."""
        self._session.close()
        self._pem.close()

    def _send_request(self, commands: list[str], method: str) -> requests.Response:
        response = self._session.post(
            self.url,
            data=self._build_payload(commands, method),
            headers=self.headers,
            timeout=TIMEOUT_S,
        )
        if response.status_code == _UNAUTHORIZED:
            message = "the switch refuses this username and password"
            raise NXAPIAuthError(message)
        return response


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
