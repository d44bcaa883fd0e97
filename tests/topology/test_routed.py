"""NICs on routed ports: addresses worked out by hand, units that move, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fabric.core.errors import CapacityError, InputError
from fabric.core.units import ipv4_text
from fabric.topology import Fabric
from fabric.topology.model import NO_VLAN
from fabric.topology.site import neighbours_of_host
from tests.cases import each
from tests.topology.fabrics import example, fabric, ipv6_plan

POOL = "10.96.0.0/16"
NONE = {"addressing__vlan_per": "none"}
MIXED: dict[str, Any] = {
    "units": [
        {"name": "su1", "hosts": "a[1-3]"},
        {"name": "su2", "hosts": "b[1-2]", "vlan_per": "none"},
    ],
    "addressing__routed_hosts": POOL,
}


def nic(built: Fabric, host: str, rail: int = 0, port: int = 0) -> tuple[str, str, str]:
    """Return subnet, address of the leaf, and address of a NIC."""
    row = int(built.nics_of_host(built.host_row[host])[rail * built.nic_ports + port])
    subnet = int(built.nics.subnet[row])
    return (
        built.subnets.text(subnet),
        ipv4_text(int(built.subnets.gateway[subnet])),
        ipv4_text(int(built.nics.address[row])),
    )


def test_positions_of_the_example() -> None:
    built = example("routed")
    assert nic(built, "gpu001") == ("10.64.0.0/24", "10.64.0.1", "10.64.0.2")
    assert nic(built, "gpu003") == ("10.96.0.32/31", "10.96.0.32", "10.96.0.33")
    assert nic(built, "gpu004", 1) == ("10.96.128.34/31", "10.96.128.34", "10.96.128.35")


@each(
    ("changes", "host", "expected"),
    [
        ({"addressing__routed_prefix_length": 30}, "b1", ("10.64.0.64/30", "10.64.0.65", "66")),
        ({"addressing__routed_prefix_length": 28}, "a2", ("10.64.0.16/28", "10.64.0.17", "18")),
        ({"addressing__routed_prefix_length": 26}, "b2", ("10.64.4.64/26", "10.64.4.65", "66")),
        ({"nic_ports": 2, "planes": 2}, "a1", ("10.64.0.0/31", "10.64.0.0", "1")),
        ({"addressing__routed_hosts": POOL}, "b1", ("10.96.0.32/31", "10.96.0.32", "33")),
        ({"design": "classic-tor"}, "b1", ("10.64.0.16/31", "10.64.0.16", "17")),
    ],
)
def test_leaf_first_and_nic_second(
    changes: dict[str, Any], host: str, expected: tuple[str, str, str]
) -> None:
    network, gateway, last = expected
    address = f"{gateway.rpartition('.')[0]}.{last}"
    assert nic(fabric(**NONE, **changes), host) == (network, gateway, address)


def test_ports_of_planes_are_in_halves_of_the_pool() -> None:
    built = fabric(**NONE, nic_ports=2, planes=2)
    assert nic(built, "a1", 1, 0)[0] == "10.68.0.0/31"
    assert nic(built, "a1", 1, 1)[0] == "10.76.0.0/31"


@each("vlan_per", ["rail", "nic"])
def test_a_unit_moves_alone(vlan_per: str) -> None:
    """Nothing of the other unit changes, and what has no VLAN has none in any table."""
    plan = {"addressing__vlan_per": vlan_per, "addressing__host_prefix_length": 28}
    before, after = fabric(**plan), fabric(**plan, **MIXED)
    for host in ("a1", "a2", "a3"):
        assert [nic(after, host, rail) for rail in (0, 1)] == [
            nic(before, host, rail) for rail in (0, 1)
        ]
    vlans = after.subnets.vlan[after.nics.subnet]
    assert np.array_equal(vlans[:6], before.subnets.vlan[before.nics.subnet][:6])
    assert set(vlans[6:].tolist()) == {NO_VLAN}


def test_what_comes_after_the_last_unit_has_moved_moves_nothing() -> None:
    units = [{**unit, "vlan_per": "none"} for unit in MIXED["units"]]
    by_unit = fabric(units=units, addressing__routed_hosts=POOL)
    whole = fabric(**NONE, addressing__routed_hosts=POOL)
    assert np.array_equal(by_unit.nics.address, whole.nics.address)


@each(
    ("changes", "count"),
    [({}, 6), (NONE, 2), (MIXED, 6), ({**NONE, "nic_ports": 2}, 4)],
)
def test_a_nic_on_a_routed_port_has_its_leaf_alone(changes: dict[str, Any], count: int) -> None:
    assert neighbours_of_host(fabric(**changes).intent) == count


OWN = """devices:
- names: su2-rail0
  subnets: [{slot: 1, %s}]
"""


@each(
    ("text", "expected"),
    [
        ("network: 10.64.9.8/31", ("10.64.9.8/31", "10.64.9.8", "10.64.9.9")),
        ("network: 10.64.9.8/29", ("10.64.9.8/29", "10.64.9.9", "10.64.9.10")),
        (
            "network: 10.64.9.8/29, gateway: 10.64.9.14",
            ("10.64.9.8/29", "10.64.9.14", "10.64.9.10"),
        ),
    ],
)
def test_an_own_subnet_of_a_port(text: str, expected: tuple[str, str, str]) -> None:
    assert nic(fabric(OWN % text, **NONE), "b2") == expected


#: Changes, and field with message of every error.
REFUSED: dict[str, tuple[dict[str, Any], str, list[tuple[str, str]]]] = {
    "fields of VLANs": (
        {
            **NONE,
            "addressing__host_prefix_length": 24,
            "addressing__gateway_offset": 1,
            "addressing__vlan_first": 101,
        },
        "",
        [
            (f"fabric.addressing.{name}", f"{name} is about VLANs, and every NIC is on a routed")
            for name in ("host_prefix_length", "gateway_offset", "vlan_first")
        ],
    ),
    "fields of routed ports": (
        {"addressing__routed_prefix_length": 30, "addressing__routed_hosts": POOL},
        "",
        [
            ("fabric.addressing.routed_hosts", "routed_hosts is about routed NIC ports"),
            ("fabric.addressing.routed_prefix_length", "routed_prefix_length is about routed NIC"),
        ],
    ),
    "one pool for both": (
        {"units": MIXED["units"]},
        "",
        [("fabric.addressing.hosts", "some units have VLANs and others routed ports")],
    ),
    "a VLAN of a routed port": (
        NONE,
        OWN % "vlan: 7",
        [("devices[0].subnets[0].vlan", "vlan is about VLANs, and this NIC is on a routed port")],
    ),
    "no such slot": (
        NONE,
        OWN.replace("slot: 1", "slot: 99") % "network: 10.64.9.8/31",
        [("devices[0].subnets[0]", "su2-rail0 has no such subnet of NICs")],
    ),
    "a pool that ends in the middle of a rail": (
        {**NONE, "addressing__hosts": "10.64.0.0/26"},
        "",
        [("fabric.addressing.hosts", "64 needed, 32 available; use a /25 or a larger pool")],
    ),
    "a pool that ends in the middle of a rail of a plane": (
        {**NONE, "nic_ports": 2, "planes": 2, "addressing__hosts": "10.64.0.0/26"},
        "",
        [("fabric.addressing.hosts", "64 needed, 16 available; use a /24 or a larger pool")],
    ),
    "a pool of a rail of room for pods": (
        {
            **MIXED,
            "addressing__routed_hosts": "10.96.0.0/23",
            "addressing__routed_prefix_length": 28,
        },
        "",
        [("fabric.addressing.routed_hosts", "512 needed, 256 available; use a /22 or a larger")],
    ),
    "a pool that does not begin at its length": (
        {**NONE, "addressing__hosts": "10.64.0.128/16"},
        "",
        [("fabric.addressing.hosts", "10.64.0.128/16")],
    ),
    "lengths that are none": (
        {
            **NONE,
            "addressing__routed_prefix_length": 25,
            "units": [{"name": "a", "hosts": "a1", "vlan_per": "nic"}],
        },
        "",
        [
            ("fabric.addressing.routed_prefix_length", "26"),
            ("fabric.units[0].vlan_per", "'none'"),
        ],
    ),
    "RDMA over IPv6 where some NICs have IPv4 alone": (
        {**MIXED, **ipv6_plan(rdma=True), "addressing__vlan_per": "rail"},
        "",
        [("fabric.addressing.ipv6.rdma", "RDMA uses IPv6, and NICs in VLANs have none")],
    ),
    "VLANs of a unit that is routed count no host": (
        {**MIXED, "addressing__host_prefix_length": 30},
        "",
        [("fabric.addressing.host_prefix_length", "5 needed, 3 available")],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    """Every error at once, each at its field."""
    changes, devices, expected = REFUSED[name]
    with pytest.raises((InputError, CapacityError)) as caught:
        fabric(devices, **changes)
    found = [(finding.field, str(finding)) for finding in caught.value.findings]
    assert len(found) == len(expected), found
    for (field, message), (where, text) in zip(found, expected, strict=True):
        assert field == where
        assert text in message.replace("  ", " ")
    assert all(finding.position and finding.fix for finding in caught.value.findings)


def test_hosts_of_routed_units_need_no_room_in_vlans() -> None:
    units = [{"name": "su1", "hosts": "a1"}, {"name": "su2", "hosts": "b[1-9]", "vlan_per": "none"}]
    changes = {**MIXED, "units": units, "addressing__host_prefix_length": 30}
    assert nic(fabric(**changes), "a1")[0] == "10.64.0.0/30"
