"""Policies by fabric, role, device and port: what wins, and where it was written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.design.host import HostDesigner
from fabric.design.host_model import HostDesign
from fabric.design.model import DeviceDesign
from fabric.design.switch import SwitchDesigner
from fabric.intent.policy import EcnPolicy, LosslessPolicy, merge, set_paths
from fabric.intent.resolve import PolicyResolver, field_value
from fabric.topology import Fabric
from tests.topology.fabrics import fabric

DEVICES = """\
devices:
  - names: su1-rail[0-1]
    lossless: {ecn: {kmax_bytes: 3000000}}
    ports:
      Ethernet0: {lossless: {ecn: {kmin_bytes: 1000}}, description: first}
      Ethernet8: {lossless: {pfc: false}}
      Ethernet16: {lossless: {ecn: {kmin_bytes: 1000}}}
  - names: su1-rail0
    lossless: {ecn: {pmax_percent: 20}}
    mac: "52:54:00:00:00:01"
    ports:
      Ethernet0: {cable_m: 40}
  - {names: su1-rail0, serial: ABC}
"""
HOSTS = """\
hosts:
  - names: a1
    serial: XYZ
    nics: [{rail: 1, mac: "52:54:00:00:00:02"}]
  - names: a[1-2]
    lossless: {roce_dscp: 34}
    nics: [{rail: 1, interface: ens2}, {rail: 1, rdma_device: mlx5_9}]
"""
ROLE = {"sku": "ACS-MSN4700", "lossless": {"ecn": {"kmax_bytes": 2_000_000, "pmax_percent": 50}}}


def made() -> Fabric:
    """Return a fabric with overrides at every level."""
    changes: dict[str, Any] = {"platforms__leaf": ROLE, "lossless": {"ecn": {"kmin_bytes": 50_000}}}
    return fabric(DEVICES, HOSTS, **changes)


def switch(name: str, network: Fabric | None = None) -> DeviceDesign:
    """Return the design of one switch."""
    network = network or made()
    designer = SwitchDesigner(network, PolicyResolver(network.intent))
    return designer.design(network.switch_row[name])


def host(name: str) -> HostDesign:
    """Return the design of one host."""
    network = made()
    designer = HostDesigner(network, PolicyResolver(network.intent))
    return designer.design(network.host_row[name])


@pytest.mark.parametrize(
    ("field", "port", "value", "level", "place"),
    [
        ("ecn.kmin_bytes", "", 50_000, "fabric", "inventory/fabric.yaml"),
        ("ecn.kmin_bytes", "Ethernet0", 1000, "port Ethernet0", "inventory/devices/test.yaml:5:"),
        ("ecn.kmin_bytes", "Ethernet8", 50_000, "fabric", "inventory/fabric.yaml"),
        ("ecn.kmax_bytes", "", 3_000_000, "device su1-rail0", "inventory/devices/test.yaml:3:"),
        ("ecn.pmax_percent", "", 20, "device su1-rail0", "inventory/devices/test.yaml:9:"),
        ("pfc", "Ethernet8", False, "port Ethernet8", "inventory/devices/test.yaml:6:"),
        ("pfc", "Ethernet0", True, "default", "None"),
        ("roce_dscp", "", 26, "default", "None"),
    ],
)
def test_the_narrowest_word_counts(
    field: str, port: str, value: object, level: str, place: str
) -> None:
    """And its place is known."""
    resolver = PolicyResolver(made().intent)
    policy = resolver.switch("su1-rail0", "leaf", port)
    assert field_value(policy, field) == value
    origin = resolver.switch_origin(field, "su1-rail0", "leaf", port)
    assert origin.level == level
    assert str(origin.position).startswith(place)


@pytest.mark.parametrize(
    ("field", "port", "level"),
    [
        ("ecn", "", "device su1-rail0"),
        ("ecn", "Ethernet0", "port Ethernet0"),
        ("mtu", "", "default"),
    ],
)
def test_a_section_stands_where_one_of_its_fields_is_set(field: str, port: str, level: str) -> None:
    origin = PolicyResolver(made().intent).switch_origin(field, "su1-rail0", "leaf", port)
    assert (origin.level, bool(origin.position)) == (level, level != "default")


def test_roles_and_hosts_have_their_own() -> None:
    """A role changes its switches only, a host override its hosts only."""
    resolver = PolicyResolver(made().intent)
    assert resolver.switch("su2-rail0", "leaf").ecn.kmax_bytes == 2_000_000
    origin = resolver.switch_origin("ecn.kmax_bytes", "su2-rail0", "leaf")
    assert (origin.level, origin.field) == (
        "role leaf",
        "fabric.platforms.leaf.lossless.ecn.kmax_bytes",
    )
    assert resolver.switch("spine01", "spine").ecn.kmax_bytes == 1_500_000
    assert [resolver.host(name).roce_dscp for name in ("a1", "a2", "a3")] == [34, 34, 26]
    assert resolver.host_origin("roce_dscp", "a2").field == "hosts[1].lossless.roce_dscp"


def test_profiles_are_numbered_as_ports_ask_for_them() -> None:
    """Equal policies share a profile; index 0 is the device's own."""
    device = switch("su1-rail0")
    assert [(item.index, item.suffix) for item in device.qos_profiles] == [
        (0, ""),
        (1, "_1"),
        (2, "_2"),
    ]
    by_port = {port.name: port.qos.index for port in device.ports if port.qos}
    assert (by_port["Ethernet0"], by_port["Ethernet8"], by_port["Ethernet16"]) == (1, 2, 1)
    assert set(by_port.values()) == {0, 1, 2}
    assert by_port["Ethernet128"] == 0
    assert device.qos_profiles[1].classes[0].kmin_bytes == 1000
    assert not device.qos_profiles[2].pfc
    assert [port.headroom for port in device.ports if port.name == "Ethernet8"] == [None]


def test_ports_without_a_cable_have_the_mtu_of_their_switch() -> None:
    text = DEVICES.replace("{ecn: {kmax_bytes: 3000000}}", "{mtu: {port_bytes: 9216}}")
    unused = [port for port in switch("su1-rail0", fabric(text)).ports if not port.peer]
    assert unused
    assert {port.mtu_bytes for port in unused} == {9216}
    assert {port.mtu_bytes for port in switch("spine01", fabric(text)).ports} == {9100}


def test_overrides_of_one_thing_add_up() -> None:
    """Field by field: the later word on another field does not undo the earlier one."""
    device = switch("su1-rail0")
    first = device.ports[0]
    assert (first.description, first.cable_m) == ("first", 40)
    assert first.qos is not None
    assert first.qos.classes[0].kmin_bytes == 1000
    assert (device.mac, device.serial) == ("52:54:00:00:00:01", "ABC")
    nic = host("a1").nics[1]
    assert (nic.mac, nic.interface, nic.rdma_device) == ("52:54:00:00:00:02", "ens2", "mlx5_9")
    assert host("a1").serial == "XYZ"
    assert device.ports[0].peer_port == "eth1"
    assert switch("su1-rail1").ports[0].peer_port == "ens2"


@pytest.mark.parametrize(
    ("gpus", "rails", "expected"),
    [
        (8, 8, [[0], [1], [2], [3], [4], [5], [6], [7]]),
        (8, 2, [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (8, 1, [[0, 1, 2, 3, 4, 5, 6, 7]]),
        (2, 2, [[0], [1]]),
        (3, 2, [[0, 1], [2]]),
    ],
)
def test_gpus_are_shared_out_in_blocks(gpus: int, rails: int, expected: list[list[int]]) -> None:
    """Every GPU has one NIC."""
    network = fabric(rails=rails, host__gpus=gpus)
    design = HostDesigner(network, PolicyResolver(network.intent)).design(0)
    assert [list(nic.gpus) for nic in design.nics] == expected


LEAVES = {
    "roce_dscp": st.integers(0, 63),
    "pfc_priority": st.integers(0, 7),
    "pfc": st.booleans(),
    "dynamic_th": st.integers(-8, 7),
}
ECN = {
    "kmin_bytes": st.integers(1, 2**40),
    "kmax_bytes": st.integers(1, 2**40),
    "pmax_percent": st.integers(1, 100),
}
PARTS = st.fixed_dictionaries(
    {}, optional=LEAVES | {"ecn": st.fixed_dictionaries({}, optional=ECN)}
)


def _flat(part: dict[str, Any]) -> dict[str, Any]:
    ecn = {f"ecn.{name}": value for name, value in part.get("ecn", {}).items()}
    return {name: value for name, value in part.items() if name != "ecn"} | ecn


@given(PARTS, PARTS, PARTS)
def test_merge_is_a_dictionary_update(
    first: dict[str, Any], second: dict[str, Any], third: dict[str, Any]
) -> None:
    """Only what is written counts, the last word wins, and grouping does not matter."""
    base, middle, last = (LosslessPolicy(**part) for part in (first, second, third))
    merged = merge(merge(base, middle), last)
    expected = _flat(first) | _flat(second) | _flat(third)
    assert {name: field_value(merged, name) for name in expected} == expected
    assert {".".join(path) for path in set_paths(merged)} == set(expected)
    assert merge(base, merge(middle, last)) == merged
    assert merge(base, None) is base
    assert merge(base, LosslessPolicy()) is base
    untouched = set(LosslessPolicy.model_fields) - {name.partition(".")[0] for name in expected}
    assert all(getattr(merged, name) == getattr(LosslessPolicy(), name) for name in untouched)
    assert isinstance(merged.ecn, EcnPolicy)
