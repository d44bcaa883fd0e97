"""gNMI against a server from the Go code of openconfig/gnmi: its packages cache and subscribe.

It demands a target in the prefix, answers nothing to a list without its keys, sends each leaf on
its own, and has no Capabilities.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson
from pygnmi.spec.v080 import gnmi_pb2 as gnmi

from fabric.core.errors import ConnectionLostError
from fabric.devices.driver import Connection
from fabric.devices.gnmi import _ELEMENT, _KEY, GnmiDriver
from fabric.observe import openconfig
from fabric.observe.collect import snapshot_of
from fabric.observe.snapshot import Snapshot
from tests.devices.certificates import Authority
from tests.devices.gnmi_target import GnmiTarget
from tests.devices.test_gnmi import LEAVES, PORT, check
from tests.judges.conftest import missing_judge

SOURCE = Path(__file__).with_name("gnmi_target")
BUILD_S = 300
PASSWORD = "a-password-of-the-test"
EVERY = "/interfaces/interface[name=*]"
OTHER = "/interfaces/interface[name=Ethernet1/2]/state"
#: With keys, with wildcards, without either, and to what is not there.
PATHS = [
    "/interfaces/interface[name=*]/state",
    "/interfaces/interface[name=Ethernet1/1]/state",
    "/interfaces/interface[name=Ethernet1/2]/state",
    "/interfaces/interface[name=*]/state/mtu",
    "/interfaces/interface[name=*]/*/mtu",
    "/interfaces/interface[name=*]/sta",
    "/interfaces/interface/state",
    "/interfaces/interface",
    "/interfaces",
    "/network-instances/network-instance[name=*]/protocols/protocol[name=*][identifier=*]/bgp",
    "/network-instances/*/*/protocols/protocol[identifier=BGP][name=*]",
    "/components/component[name=*]/state",
]


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """Return the server: Go keeps what it compiled, so that a second build takes two seconds."""
    go = shutil.which("go")
    if go is None:
        missing_judge("go (Debian package golang-go)")
    program = tmp_path_factory.mktemp("gnmi") / "gnmi_target"
    built = subprocess.run(
        [go, "build", "-buildvcs=false", "-o", program, "."],
        check=False,
        cwd=SOURCE,
        env={**os.environ, "GOTOOLCHAIN": "local"},
        capture_output=True,
        text=True,
        timeout=BUILD_S,
    )
    if built.returncode:
        missing_judge(f"the module of {SOURCE.name}/go.mod ({built.stderr.strip()[-400:]})")
    return program


class Server:
    """The server as a process: its port, and a line for its cache at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.port = int(self._answer())

    def tell(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        assert self._answer() == "ok"

    def _answer(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def put(self, leaves: dict[str, Any], *, below: str = "", **more: Any) -> None:
        """Give the cache leaves, or what else a notification holds."""
        rows = [gnmi.Update(path=path(name), val=value(what)) for name, what in leaves.items()]
        prefix = gnmi.Path(target="spine01", elem=path(below).elem)
        more = {"timestamp": 1, "update": rows, "prefix": prefix, **more}
        self.tell(MessageToJson(gnmi.Notification(**more), indent=None))


def path(text: str) -> gnmi.Path:
    return gnmi.Path(
        elem=[
            gnmi.PathElem(name=name, key=dict(_KEY.findall(keys)))
            for name, keys in _ELEMENT.findall(text)
        ]
    )


def value(what: Any) -> gnmi.TypedValue:
    kind = {bool: "bool_val", int: "uint_val", str: "string_val", bytes: "json_ietf_val"}
    return gnmi.TypedValue(**{kind[type(what)]: what})


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


@contextmanager
def served(program: Path, authority: Authority, folder: Path, *names: str) -> Iterator[Server]:
    """Run the server with the leaves of the stand-in for the targets of these names."""
    files = [folder / "certificate.pem", folder / "key.pem"]
    for file, text in zip(files, authority.issued(), strict=True):
        file.write_bytes(text)
    words = [program, *files, *(names or ["spine01"])]
    pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(words, text=True, **pipe) as process:
        server = Server(process)
        if not names:
            server.put(LEAVES)
        yield server
        process.kill()


@pytest.fixture
def server(program, authority, tmp_path) -> Iterator[Server]:
    with served(program, authority, tmp_path) as server:
        yield server


@contextmanager
def session(server: Server | GnmiTarget, authority: Authority) -> Iterator[GnmiDriver]:
    words = {"password": PASSWORD, "gnmi_trust": authority.pem, "gnmi_port": server.port}
    driver = GnmiDriver(Connection("spine01", "eos", "127.0.0.1", 443, "admin", **words))
    driver.open()
    yield driver
    driver.close()


def read(server: Server, authority: Authority) -> Snapshot:
    with session(server, authority) as driver:
        readings = openconfig.READINGS
        return snapshot_of("spine01", readings, driver.read_state(list(readings)))


def leaves(server: Server | GnmiTarget, authority: Authority) -> dict[str, list[list[Any]]]:
    with session(server, authority) as driver:
        return {name: sorted(json.loads(text)) for name, text in driver.read_state(PATHS).items()}


def test_all_that_is_read_has_its_value(server, authority) -> None:
    """Nothing is unknown: no Capabilities, a target in the prefix, lists with wildcards."""
    check(read(server, authority))


def test_paths_lead_where_those_of_the_stand_in_lead(server, authority) -> None:
    server.put({f"{OTHER}/mtu": 1500})
    answers = leaves(server, authority)
    rows = {**LEAVES, f"{OTHER}/mtu": 1500}
    words = *authority.issued(), "admin", PASSWORD, rows
    with GnmiTarget(*words, encodings=(), collected=["spine01"]) as stand_in:
        assert leaves(stand_in, authority) == answers
    assert set(answers) == set(PATHS)
    assert len(answers[f"{EVERY}/state"]) == 6
    assert answers[f"{EVERY}/state/mtu"] == [[f"{PORT}/mtu", 9214], [f"{OTHER}/mtu", 1500]]
    assert answers[OTHER] == [[f"{OTHER}/mtu", 1500]]
    assert answers["/interfaces/interface/state"] == []
    assert answers["/components/component[name=*]/state"] == []


def test_what_is_deleted_is_gone_and_the_rest_is_not(server, authority) -> None:
    server.put({f"{OTHER}/oper-status": "UP", f"{OTHER}/mtu": 1500})
    assert set(read(server, authority).interfaces) == {"Ethernet1/1", "Ethernet1/2"}
    server.put({}, timestamp=2, delete=[path(f"{OTHER}/oper-status")])
    port = read(server, authority).interfaces["Ethernet1/2"]
    assert (port.up, port.mtu_bytes) == (None, 1500)
    server.put({}, timestamp=3, delete=[path("/interfaces/interface[name=Ethernet1/2]")])
    check(read(server, authority))
    server.put({}, timestamp=4, delete=[path("/interfaces")])
    seen = read(server, authority)
    assert seen.unknown == (f"{EVERY}/state",), "nothing told is not nothing there"
    assert seen.lldp


def test_an_atomic_group_and_a_later_value(server, authority) -> None:
    """Updates that belong together come in a notification below its prefix."""
    group = {"/counters/in-octets": 5, "/counters/out-octets": 6, "/mtu": b'"1500"'}
    server.put(group, below=OTHER, atomic=True)
    port = read(server, authority).interfaces["Ethernet1/2"]
    assert (port.counters, port.mtu_bytes) == ({"in_bytes": 5, "out_bytes": 6}, 1500)
    server.put({f"{PORT}/mtu": 9000}, timestamp=2)
    assert read(server, authority).interfaces["Ethernet1/1"].mtu_bytes == 9000


def test_a_stream_that_ends_in_the_middle_is_no_reading(server, authority) -> None:
    for count in (0, 3):
        server.tell(f"cut {count}")
        with pytest.raises(ConnectionLostError, match="the answer has no end"):
            read(server, authority)
    server.tell("cut -1")
    check(read(server, authority))


def test_a_server_that_dies_between_two_readings(server, authority) -> None:
    with session(server, authority) as driver:
        assert driver.read_state(["/system/state"])
        server.process.kill()
        server.process.wait()
        with pytest.raises(ConnectionLostError, match="cannot read /system/state: UNAVAILABLE"):
            driver.read_state(["/system/state"])


def test_a_device_that_it_does_not_have_is_named(program, authority, tmp_path) -> None:
    with (
        served(program, authority, tmp_path, "spine02") as server,
        pytest.raises(ConnectionLostError, match='no such target: "spine01"; give the device'),
    ):
        read(server, authority)
