"""NX-API on a connection of ours: which requests may be repeated."""

from __future__ import annotations

import pytest
from napalm.nxapi_plumbing import NXAPIAuthError

from fabric.devices.driver import Connection
from fabric.devices.https import Answer
from fabric.systems.nxos.drivers.client import PinnedClient


class Switch:
    """Takes requests as a connection does."""

    def __init__(self, status: int = 200) -> None:
        self.reads: list[bool] = []
        self._status = status

    def post(self, body: bytes, headers: dict[str, str], *, reads: bool) -> Answer:
        assert body.startswith(b'[{"jsonrpc": "2.0"')
        assert headers["authorization"] == "Basic YWRtaW46aHVudGVyMg=="
        self.reads.append(reads)
        return Answer(self._status, "", "[Zürich]".encode("latin-1"))


def client(switch):
    made = PinnedClient(Connection("leaf1", "nxos", "192.0.2.1", 443, "admin", "hunter2"))
    made._https = switch
    return made


@pytest.mark.parametrize(
    ("commands", "reads"),
    [
        (["show version", "show vdc"], True),
        (["terminal dont-ask", "show version"], False),
        (["configure terminal", "no feature bgp"], False),
        (["copy running-config startup-config"], False),
    ],
)
def test_only_what_reads_may_be_repeated(commands, reads):
    switch = Switch()
    answer = client(switch)._send_request(commands, "cli_ascii")
    assert switch.reads == [reads]
    assert answer.text == "[Z\N{REPLACEMENT CHARACTER}rich]"


def test_a_wrong_password_is_said():
    with pytest.raises(NXAPIAuthError, match="rejects this username"):
        client(Switch(401))._send_request(["show version"], "cli")
