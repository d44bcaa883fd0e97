"""How a login is made: password, agent or key file, and never two of them."""

from __future__ import annotations

import socket
from types import SimpleNamespace

import netmiko
import pytest

from fabric.core.errors import ConnectionLostError
from fabric.devices.connections import connections
from fabric.devices.driver import Connection
from fabric.devices.ssh import ShellSession
from fabric.systems.eos.drivers import EosDriver


def login(monkeypatch, **fields) -> dict:
    """Return what netmiko is told for a connection."""
    told: dict = {}
    plain = SimpleNamespace(close=lambda: told.update(closed=True))
    sock = SimpleNamespace(settimeout=lambda idle_s: told.update(idle_s=idle_s))
    channel = SimpleNamespace(get_transport=lambda: SimpleNamespace(sock=sock))
    session = SimpleNamespace(
        establish_connection=lambda: None, write_channel=lambda _: None, remote_conn_pre=channel
    )
    monkeypatch.setattr(socket, "create_connection", lambda *_: plain)
    monkeypatch.setattr(netmiko, "ConnectHandler", lambda **more: told.update(more) or session)
    ShellSession(Connection("leaf1", "sonic", "192.0.2.1", 22, "admin", **fields)).open()
    assert told["sock"] is plain
    assert "closed" not in told
    return told


def test_an_idle_session_sleeps(monkeypatch) -> None:
    assert login(monkeypatch, password="p")["idle_s"] >= 5, "2,000 of them cost a core at 0.1 s"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"password": "p"}, ("p", False, None, False)),
        ({}, (None, False, None, True)),
        ({"key_file": "/k"}, (None, True, "/k", True)),
        ({"password": "p", "key_file": "/k"}, ("p", False, "/k", False)),
    ],
)
def test_one_way_to_log_in(monkeypatch, fields, expected):
    told = login(monkeypatch, **fields)
    names = ("password", "use_keys", "key_file", "allow_agent")
    assert tuple(told[name] for name in names) == expected
    assert told["ssh_strict"] is True


def test_key_comes_from_the_file_or_the_environment(monkeypatch, tmp_path):
    monkeypatch.delenv("ROCEFAB_PASSWORD", raising=False)
    monkeypatch.setenv("ROCEFAB_SSH_KEY", "/from/environment")
    assert connections(None, {"leaf1": "sonic"})["leaf1"].key_file == "/from/environment"
    file = tmp_path / "connections.json"
    file.write_text('{"key_file": "/from/file"}')
    assert connections(file, {"leaf1": "sonic"})["leaf1"].key_file == "/from/file"


def test_eapi_without_a_password_says_what_to_do():
    driver = EosDriver(Connection("spine1", "eos", "192.0.2.1", 443, "admin"))
    with pytest.raises(ConnectionLostError, match="set ROCEFAB_PASSWORD"):
        driver.open()
