"""The NX-API client of NAPALM on a connection of ours that stays open.

NAPALM's own (napalm 5.2.0 ``nxapi_plumbing``) opens a connection for each request and cannot leave
out the host name when it verifies a certificate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from napalm.nxapi_plumbing import Device, NXAPIAuthError
from napalm.nxapi_plumbing.api_client import RPCClient
from urllib3.util import make_headers

from fabric.devices.https import PinnedConnection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.devices.driver import Connection

_API = "/ins"  # napalm nxapi_plumbing/api_client.py
#: A rollback of a whole switch takes longer than a show command (NAPALM waits 90 s for it).
TIMEOUT_S = 180
_UNAUTHORIZED = 401


@dataclass(frozen=True, slots=True)
class _Text:
    """An answer as NAPALM reads it."""

    text: str


class PinnedClient(RPCClient):  # type: ignore[misc]
    """JSON-RPC to one switch.

    Parameters
    ----------
    connection : Connection
        ``trust`` is the certificate as PEM; without it the known authorities decide.
    """

    def __init__(self, connection: Connection) -> None:
        user, password = connection.username, connection.password
        super().__init__(connection.address, user, password, port=connection.port)
        self.headers |= make_headers(basic_auth=f"{user}:{password}")
        self._https = PinnedConnection(
            connection.address,
            connection.port,
            path=_API,
            trust=connection.trust,
            timeout_s=TIMEOUT_S,
        )

    def close(self) -> None:
        """Close the connection."""
        self._https.close()

    def cut(self) -> None:
        """End what is under way, and send nothing any more."""
        self._https.cut()

    def _send_request(self, commands: Sequence[str], method: str) -> _Text:
        reads = all(command.startswith("show ") for command in commands)
        body = self._build_payload(commands, method).encode()
        answer = self._https.post(body, self.headers, reads=reads)
        if answer.status == _UNAUTHORIZED:
            raise NXAPIAuthError("the switch rejects this username and password")
        return _Text(answer.body.decode(errors="replace"))


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
