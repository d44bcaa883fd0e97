"""Devices that cannot be reached, in the three ways of a network; passwords that are wrong."""

from __future__ import annotations

import json
import os
import socket
import time
from collections import Counter
from contextlib import ExitStack

import pytest

from fabric.core.errors import ConnectionLostError
from fabric.devices import drivers, limits
from fabric.devices.driver import Connection
from fabric.lab.https import standin as https_standin
from fabric.lab.ssh import server as ssh_server
from tests.change import labs
from tests.cli.runs import run

#: A TCP connection to a broadcast address ends with ENETUNREACH on Linux (tcp_v4_connect).
NO_ROUTE = ("255.255.255.255", 22)
#: How long connections get here, and when a device that is away must have been named, in seconds.
CONNECT_S, NAMED_IN_S = 1.0, 8.0


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with (
        pytest.MonkeyPatch.context() as patch,
        labs.running_lab(folder, patch) as (lab, _, connections),
    ):
        yield lab, folder / "inventory", connections


@pytest.fixture
def refused():
    """An address at which a port is bound, and nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()


@pytest.fixture
def black_hole():
    """An address at which Linux drops every SYN: the queue of the listener is full."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield listener.getsockname()


def moved(connections, folder, device, address):
    """Return a connections file in which a device is at another address."""
    data = json.loads(connections.read_text())
    data["devices"][device] |= {"address": address[0], "port": address[1]}
    file = folder / "moved.json"
    file.write_text(json.dumps(data))
    return file


@pytest.mark.fault(13)
@pytest.mark.parametrize("device", [labs.LEAF, labs.SPINE, labs.HOST])
@pytest.mark.parametrize("how", ["refused", "no route", "black hole"])
def test_a_device_that_is_away_is_named_in_time(site, tmp_path, request, monkeypatch, how, device):
    _, inventory, connections = site
    monkeypatch.setattr(limits, "CONNECT_S", CONNECT_S)
    fixture = how.replace(" ", "_")
    address = NO_ROUTE if how == "no route" else request.getfixturevalue(fixture)
    file = moved(connections, tmp_path, device, address)
    words = ("plan", inventory, "--connections", file, "--out", tmp_path / "plan.json")
    begin_s = time.monotonic()
    ended = run(*words)
    assert time.monotonic() - begin_s < NAMED_IN_S
    assert ended.code == 3
    assert f"rocefab: {device}: " in ended.said
    assert "2 of 3 devices were read" in ended.said
    assert "`rocefab plan --allow-missing` plans the others" in ended.said
    assert not (tmp_path / "plan.json").exists()


@pytest.mark.fault(13)
@pytest.mark.parametrize("platform", ["cumulus", "nxos", "vrp8", "comware7", "esonic"])
def test_the_other_protocols_wait_no_longer(black_hole, monkeypatch, platform):
    monkeypatch.setattr(limits, "CONNECT_S", CONNECT_S)
    begin_s = time.monotonic()
    with pytest.raises(ConnectionLostError, match="leaf1: "):
        drivers[platform](Connection("leaf1", platform, *black_hole, "admin", "secret")).open()
    assert time.monotonic() - begin_s < NAMED_IN_S


@pytest.mark.fault(14)
@pytest.mark.parametrize("verb", ["plan", "verify"])
def test_a_wrong_password_is_tried_once_at_each_device(site, monkeypatch, verb):
    """More tries would lock the account of a site that counts them."""
    _, inventory, connections = site
    tries: Counter[str] = Counter()
    by_password = ssh_server._Login.validate_password
    by_header = https_standin.is_authentic

    def password(login, username, password):
        tries[login._stand_in.spec.name] += 1
        return by_password(login, username, password)

    def header(*words):
        tries[labs.SPINE] += 1
        return by_header(*words)

    monkeypatch.setattr(ssh_server._Login, "validate_password", password)
    monkeypatch.setattr(https_standin, "is_authentic", header)
    monkeypatch.setitem(os.environ, "ROCEFAB_PASSWORD", "not-the-password")
    ended = run(verb, inventory, "--connections", connections)
    assert ended.code == 3
    assert tries == {labs.LEAF: 1, labs.SPINE: 1, labs.HOST: 1}
    assert "not-the-password" not in ended.said
