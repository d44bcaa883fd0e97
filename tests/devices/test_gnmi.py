"""gNMI over TLS against the target of the lab: trust, accounts, forms, lies, hangs."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace

import pytest

from fabric.core.errors import ConnectionLostError, RefusedError
from fabric.devices import answers, gnmi
from fabric.devices.driver import Connection
from fabric.devices.gnmi import GnmiDriver
from fabric.devices.limits import timed
from fabric.observe import openconfig
from fabric.observe.collect import snapshot_of
from fabric.observe.state import BgpPeer, LldpNeighbour
from tests.devices.certificates import Authority
from tests.devices.gnmi_target import GnmiTarget

PASSWORD = "a-password-of-the-test"
OTHERS = "/network-instances/network-instance[name=default]/protocols/protocol"
PEER = f"{OTHERS}[identifier=BGP][name=BGP]/bgp/neighbors/neighbor[neighbor-address=10.0.0.1]/state"
PORT = "/interfaces/interface[name=Ethernet1/1]/state"
SEEN = "/lldp/interfaces/interface[name=Ethernet1/1]/neighbors/neighbor[id=1]/state"
LEAVES = {
    "/system/state/hostname": "spine01",
    "/system/state/boot-time": 1_700_000_000 * 10**9,
    "/system/state/current-datetime": "2023-11-14T22:15:20Z",
    f"{PORT}/oper-status": "UP",
    f"{PORT}/admin-status": "UP",
    f"{PORT}/mtu": 9214,
    f"{PORT}/counters/in-octets": 2**63 + 1,
    f"{PORT}/counters/out-discards": 7,
    f"{SEEN}/system-name": "su1-rail0",
    f"{SEEN}/port-id": "Ethernet128",
    f"{PEER}/session-state": "ESTABLISHED",
    f"{PEER}/peer-as": 4_200_000_001,
}


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority()


def connection(target: GnmiTarget, authority: Authority, **more) -> Connection:
    words = {"password": PASSWORD, "gnmi_trust": authority.pem, "gnmi_port": target.port, **more}
    return Connection("spine01", "eos", "127.0.0.1", 443, "admin", **words)


def target(authority: Authority, *names: str, **more) -> GnmiTarget:
    return GnmiTarget(*authority.issued(*names), "admin", PASSWORD, dict(LEAVES), **more)


def read(driver: GnmiDriver):
    driver.open()
    try:
        return snapshot_of("spine01", openconfig.READINGS, driver.read_state(openconfig.READINGS))
    finally:
        driver.close()


def test_a_device_that_is_reached_over_ipv6(authority: Authority) -> None:
    """Its address stands in brackets before the port."""
    with target(authority, "leaf.example", where="[::1]") as served:
        reach = connection(served, authority, gnmi_name="leaf.example")
        check(read(GnmiDriver(replace(reach, address="::1"))))


def check(seen) -> None:
    assert seen.unknown == ()
    assert seen.facts.hostname == "spine01"
    assert seen.facts.uptime_s == 120
    port = seen.interfaces["Ethernet1/1"]
    assert (port.up, port.enabled, port.mtu_bytes) == (True, True, 9214)
    assert port.counters == {"in_bytes": 2**63 + 1, "out_discards": 7}
    assert seen.lldp == {"Ethernet1/1": (LldpNeighbour("su1-rail0", "Ethernet128"),)}
    assert seen.bgp == {"10.0.0.1": BgpPeer(True, "Established", 4_200_000_001)}


@pytest.mark.parametrize("encodings", [("PROTO",), ("JSON_IETF", "JSON"), ("JSON",), ()])
def test_leaves_in_every_encoding(authority, encodings) -> None:
    with target(authority, encodings=encodings) as there:
        check(read(GnmiDriver(connection(there, authority))))
        assert there.asked == list(openconfig.READINGS)


def test_a_collector_is_told_the_name_of_the_device(authority) -> None:
    """It demands a target in the prefix; one that it does not have is no model that is missing."""
    with target(authority, encodings=(), collected=["spine01", "spine02"]) as there:
        check(read(GnmiDriver(connection(there, authority))))
    with target(authority, collected=["spine02"]) as there:
        message = 'no such target: "spine01"; give the device the same name there'
        with pytest.raises(ConnectionLostError, match=message):
            read(GnmiDriver(connection(there, authority)))


def test_a_key_may_hold_colons(authority) -> None:
    path = PEER.replace("10.0.0.1", "fd00::1")
    with target(authority) as there:
        there.leaves[f"{path}/peer-as"] = 65000
        driver = GnmiDriver(connection(there, authority))
        driver.open()
        try:
            texts = driver.read_state([path])
        finally:
            driver.close()
    assert json.loads(texts[path]) == [[f"{path}/peer-as", 65000]]


def test_lists_are_asked_for_with_their_keys(authority) -> None:
    """Servers of openconfig/gnmi answer nothing to a list without its keys."""
    assert [
        path for path in openconfig.READINGS if re.search(r"/(interface|neighbor)/", path)
    ] == []
    with target(authority) as there:
        driver = GnmiDriver(connection(there, authority))
        driver.open()
        try:
            texts = driver.read_state(["/interfaces/interface/state"])
        finally:
            driver.close()
    assert json.loads(texts["/interfaces/interface/state"]) == []


def test_trees_of_json(authority) -> None:
    with target(authority) as there:
        there.leaves = {
            "/system/state": {
                f"openconfig-system:{name}": LEAVES[f"/system/state/{name}"]
                for name in ("hostname", "boot-time", "current-datetime")
            },
            PORT: {
                "oper-status": "UP",
                "admin-status": "UP",
                "mtu": 9214,
                "counters": {"in-octets": str(2**63 + 1), "out-discards": "7"},
            },
            SEEN: {"system-name": "su1-rail0", "port-id": "Ethernet128"},
            PEER: {"session-state": "ESTABLISHED", "peer-as": 4_200_000_001},
        }
        check(read(GnmiDriver(connection(there, authority))))


def test_a_name_of_the_certificate(authority) -> None:
    with target(authority, "spine01.example.net") as there:
        check(read(GnmiDriver(connection(there, authority, gnmi_name="spine01.example.net"))))


def test_a_certificate_of_somebody_else_is_refused(authority, monkeypatch) -> None:
    monkeypatch.setattr(gnmi.limits, "LOGIN_S", 1.0)
    with target(Authority()) as there:
        with pytest.raises(ConnectionLostError, match="cannot log in: no TLS connection") as error:
            GnmiDriver(connection(there, authority)).open()
        assert there.asked == []
    assert PASSWORD not in str(error.value)


def test_a_wrong_password_is_a_refusal_that_does_not_show_it(authority) -> None:
    with target(authority) as there:
        wrong = connection(there, authority, password="another-word-of-the-test")
        with pytest.raises(RefusedError, match="UNAUTHENTICATED: no such account") as error:
            GnmiDriver(wrong).open()
    assert "another-word" not in str(error.value)
    assert "another-word" not in repr(wrong)


def test_no_password(authority) -> None:
    with (
        target(authority) as there,
        pytest.raises(ConnectionLostError, match="set ROCEFAB_PASSWORD"),
    ):
        GnmiDriver(connection(there, authority, password="")).open()


def test_what_a_target_does_not_have_is_unknown(authority) -> None:
    with target(authority) as there:
        there.leaves = {"/system/state/hostname": "spine01"}
        seen = read(GnmiDriver(connection(there, authority)))
    assert seen.facts.uptime_s is None
    assert (seen.interfaces, seen.bgp, seen.lldp) == (None, None, None)
    assert seen.unknown == tuple(openconfig.READINGS)[1:], "nothing told is not nothing there"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"{PORT}/counters/in-octets", "-1"),
        (f"{PORT}/counters/in-octets", 2**63 * 2),
        (f"{PORT}/counters/in-octets", "9" * 5000),
        (f"{PORT}/counters/in-octets", True),
        (f"{PORT}/oper-status", 3),
        (f"{PORT}/description", "\x1b[2J"),
        (f"{PORT}/description", "x" * 5000),
        (f"{PORT}/mtu", ["a"]),
    ],
)
def test_values_that_cannot_be_make_the_reading_unknown(path: str, value: object) -> None:
    leaves = json.dumps([[name, was] for name, was in (LEAVES | {path: value}).items()])
    seen = snapshot_of("a", openconfig.READINGS, dict.fromkeys(openconfig.READINGS, leaves))
    assert seen.unknown == ("/interfaces/interface[name=*]/state",)
    assert seen.bgp


def test_a_target_that_lies(authority) -> None:
    with target(authority) as there:
        messages = there._messages
        path = messages.Path(elem=[messages.PathElem(name="system")])
        broken = messages.TypedValue(json_ietf_val=b"{\xff\xfe nothing")
        update = messages.Notification(update=[messages.Update(path=path, val=broken)])
        there.lies = [messages.SubscribeResponse(update=update)]
        driver = GnmiDriver(connection(there, authority))
        with pytest.raises(ConnectionLostError, match="cannot read /system/state"):
            read(driver)


def test_an_answer_without_end_is_cut(authority, monkeypatch) -> None:
    monkeypatch.setattr(gnmi, "LONGEST_READING_CHARACTERS", 1 << 20)
    monkeypatch.setattr(answers, "LONGEST_ANSWER_CHARACTERS", 1 << 20)
    with target(authority) as there:
        messages = there._messages
        value = messages.TypedValue(string_val="x" * 100_000)
        path = messages.Path(elem=[messages.PathElem(name="a")])
        update = messages.Notification(update=[messages.Update(path=path, val=value)])
        there.lies = [messages.SubscribeResponse(update=update)] * 500  # 50 MB
        with pytest.raises(ConnectionLostError, match="its answer is longer than"):
            read(GnmiDriver(connection(there, authority)))
        there.lies = [
            messages.SubscribeResponse(
                update=messages.Notification(
                    update=[
                        messages.Update(
                            path=path, val=messages.TypedValue(string_val="x" * (2 << 20))
                        )
                    ]
                )
            )
        ]
        with pytest.raises(ConnectionLostError, match="RESOURCE_EXHAUSTED"):
            read(GnmiDriver(connection(there, authority)))


def test_a_target_that_hangs_is_cut(authority) -> None:
    with target(authority, hangs=True) as there:
        driver = timed(GnmiDriver(connection(there, authority)), within_s=2)
        driver.open()
        begin_s = time.monotonic()
        with pytest.raises(ConnectionLostError, match="took longer than 2 s"):
            driver.read_state(["/system/state"])
        assert time.monotonic() - begin_s < 10


def test_a_damaged_tree_has_bounded_depth() -> None:
    tree: object = 1
    for _ in range(5000):
        tree = {"a": tree}
    assert len(list(gnmi._flat("/x", tree))) == 1
