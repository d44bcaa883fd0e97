"""IPv6 of routed NIC ports: addresses worked out by hand, what overrides say, what is refused."""

from __future__ import annotations

from ipaddress import IPv6Network
from typing import Any

import numpy as np
import pytest

from fabric.core.errors import CapacityError, InputError
from fabric.topology import Fabric
from fabric.topology.ipv6 import eui64
from fabric.topology.reach import Reach
from tests.cases import each
from tests.topology.fabrics import fabric

POOL = "fd00:64::/48"
ROUTED: dict[str, Any] = {"addressing__vlan_per": "none", "bgp__peering": "unnumbered"}
STATIC = {**ROUTED, "addressing__ipv6": {"hosts": POOL}}
SLAAC = {**ROUTED, "addressing__ipv6": {"hosts": POOL, "assignment": "slaac"}}
MAC = "04:3f:72:00:00:01"


def nic(built: Fabric, host: str, rail: int = 0, port: int = 0, mac: str = "") -> tuple[str, ...]:
    """Return subnet, address of the leaf, and address of a NIC."""
    row = int(built.nics_of_host(built.host_row[host])[rail * built.nic_ports + port])
    table, subnet = built.subnets.ipv6, int(built.nics.subnet[row])
    assert table is not None
    return (str(table.network(subnet)), str(table.gateway(subnet)), str(table.nic(subnet, mac)))


@each(
    ("changes", "which", "expected"),
    [
        # a leaf has 16 host ports, so that the first block of 16 pairs stays free
        (STATIC, ("a1", 0), ("fd00:64::20/127", "fd00:64::20", "fd00:64::21")),
        (STATIC, ("a2", 0), ("fd00:64::22/127", "fd00:64::22", "fd00:64::23")),
        (STATIC, ("b1", 0), ("fd00:64::40/127", "fd00:64::40", "fd00:64::41")),
        (STATIC, ("b1", 1), ("fd00:64:0:1::40/127", "fd00:64:0:1::40", "fd00:64:0:1::41")),
        (SLAAC, ("a1", 0), ("fd00:64::/64", "fd00:64::1", "fd00:64::63f:72ff:fe00:1")),
        (
            SLAAC,
            ("b2", 1),
            ("fd00:64:0:8011::/64", "fd00:64:0:8011::1", "fd00:64:0:8011:63f:72ff:fe00:1"),
        ),
    ],
)
def test_leaf_first_and_nic_second(
    changes: dict[str, Any], which: tuple[str, int], expected: tuple[str, str, str]
) -> None:
    assert nic(fabric(**changes), *which, mac=MAC) == expected


def test_rails_of_planes_are_side_by_side() -> None:
    built = fabric(**STATIC, nic_ports=2, planes=2)
    assert [nic(built, "a1", 1, port)[0] for port in (0, 1)] == [
        "fd00:64:0:1::20/127",
        "fd00:64:0:3::20/127",
    ]
    reached = [Reach(built).of_nic6(row) for row in (0, 1)]
    assert reached == [("fd00:64::/63",), ("fd00:64:0:2::/63",)]


def test_a_rail_alone_reaches_what_its_leaf_has() -> None:
    changes = {**STATIC, "design": "rail-only", "spines": None, "platforms__spine": None}
    built = fabric(**changes)
    assert Reach(built).of_leaf6(0) == ("fd00:64::20/123",)
    assert Reach(fabric()).of_leaf6(0) == ()


@each(
    ("mac", "expected"),
    [(MAC, 0x063F_72FF_FE00_0001), ("02:00:00:ff:ff:ff", 0x0000_00FF_FEFF_FFFF)],
)
def test_an_identifier_of_a_mac(mac: str, expected: int) -> None:
    assert eui64(mac) == expected


def test_an_address_that_nobody_tells() -> None:
    assert nic(fabric(**SLAAC), "a1")[2] == "None"


@each("changes", [STATIC, SLAAC, {**STATIC, "nic_ports": 2}, {**SLAAC, "design": "classic-tor"}])
def test_subnets_are_apart_and_in_what_their_leaf_announces(changes: dict[str, Any]) -> None:
    table = fabric(**changes).subnets
    assert table.ipv6 is not None
    networks = [table.ipv6.network(row) for row in range(len(table))]
    assert len(set(networks)) == len(networks)
    assert all(one.subnet_of(IPv6Network(POOL)) for one in networks)
    owners: dict[IPv6Network, set[tuple[int, int]]] = {}
    for row, network in enumerate(networks):
        around = table.ipv6.summary(row)
        assert network.subnet_of(around)
        owners.setdefault(around, set()).add((int(table.leaf[row]), int(table.rail[row])))
    assert all(len(own) == 1 for own in owners.values())


def test_numbers_are_those_of_the_networks() -> None:
    table = fabric(**STATIC).subnets.ipv6
    assert table is not None
    rows = np.array([0, 3, 9])
    assert table.numbers(rows).tolist() == [int(table.network(row)[0]) for row in rows.tolist()]
    upper, lower = table.nics
    assert [(int(upper[row]) << 64) + int(lower[row]) for row in rows] == [
        int(table.network(row)[1]) for row in rows.tolist()
    ]


OWN = "devices:\n- names: su2-rail0\n  subnets: [{slot: 1, %s}]\n"
NIC = "hosts:\n- names: b2\n  nics: [{rail: 0, %s}]\n"


@each(
    ("plan", "devices", "hosts", "expected"),
    [
        (STATIC, OWN % "ipv6: 'fd00:64::8/127'", "", ("fd00:64::8/127", "fd00:64::8", "::9")),
        (
            STATIC,
            OWN % "ipv6: 'fd00:64::8/127', ipv6_gateway: 'fd00:64::9'",
            NIC % "ipv6: 'fd00:64::8'",
            ("fd00:64::8/127", "fd00:64::9", "::8"),
        ),
        (SLAAC, OWN % "ipv6: 'fd00:64::/64'", "", ("fd00:64::/64", "fd00:64::1", "")),
        (STATIC, "", NIC % "ipv6: 'fd00:64::42'", ("fd00:64::42/127", "fd00:64::42", "::42")),
    ],
)
def test_an_own_subnet_of_a_port(
    plan: dict[str, Any], devices: str, hosts: str, expected: tuple[str, str, str]
) -> None:
    network, gateway, address = nic(fabric(devices, hosts, **plan), "b2")
    assert (network, gateway) == expected[:2]
    assert address.removeprefix("fd00:64").removesuffix("None") == expected[2]
    assert nic(fabric(devices, hosts, **plan), "b1") == nic(fabric(**plan), "b1")


LINKED = {
    "addressing__vlan_per": "none",
    "addressing__ipv6": {"hosts": POOL, "uplinks": "fd00:65::/64"},
}


def link(built: Fabric, leaf: str, place: int = 0) -> tuple[str, str]:
    """Return the addresses of the lower and the upper end of a cable to a spine."""
    row = int(built.uplinks_of(built.switch_row[leaf])[place])
    assert built.links6
    return str(built.links6.interface(row, above=False)), str(
        built.links6.interface(row, above=True)
    )


def test_links_have_the_places_of_those_of_ipv4() -> None:
    """64 are kept for a leaf; the first /127 of the pool stays free."""
    built = fabric(**LINKED)
    assert link(built, "su1-rail0") == ("fd00:65::3/127", "fd00:65::2/127")
    assert link(built, "su1-rail0", 1) == ("fd00:65::5/127", "fd00:65::4/127")
    assert link(built, "su1-rail1") == ("fd00:65::83/127", "fd00:65::82/127")
    assert fabric(**STATIC).links6 is None


PORT = "devices:\n- names: %s\n  ports: {%s: {%s}}\n"


@each(
    ("devices", "expected"),
    [
        (PORT % ("su1-rail0", "Ethernet128", "ipv6: 'fd00:7::8'"), ("fd00:7::8", "fd00:7::9")),
        (PORT % ("spine01", "Ethernet0", "ipv6: 'fd00:7::9/127'"), ("fd00:7::8", "fd00:7::9")),
        (PORT % ("su1-rail0", "Ethernet128", "address: 10.9.9.0"), ("fd00:65::3", "fd00:65::2")),
    ],
)
def test_an_own_address_of_a_cable(devices: str, expected: tuple[str, str]) -> None:
    """One end is enough; that of IPv4 moves none of IPv6."""
    built = fabric(devices, **LINKED)
    assert link(built, "su1-rail0") == tuple(f"{address}/127" for address in expected)
    assert link(built, "su1-rail0", 1) == ("fd00:65::5/127", "fd00:65::4/127")


#: Changes, overrides of devices and of hosts, and field with message of every error.
REFUSED: dict[str, tuple[dict[str, Any], str, str, list[tuple[str, str]]]] = {
    "an address of a cable without a pool": (
        STATIC,
        PORT % ("su1-rail0", "Ethernet128", "ipv6: 'fd00:7::8'"),
        "",
        [("devices[0].ports.Ethernet128.ipv6", "fd00:7::8/127 is of IPv6, and links have IPv4")],
    ),
    "an address of IPv6 on a NIC port": (
        LINKED,
        PORT % ("su1-rail0", "Ethernet0", "ipv6: 'fd00:7::8'"),
        "",
        [("devices[0].ports.Ethernet0.ipv6", "has no cable to another switch")],
    ),
    "two ends of different subnets": (
        LINKED,
        (PORT % ("su1-rail0", "Ethernet128", "ipv6: 'fd00:7::8'"))
        + "- names: spine01\n  ports: {Ethernet0: {ipv6: 'fd00:7::b'}}\n",
        "",
        [("devices[1].ports.Ethernet0.ipv6", "are not the two ends of one subnet")],
    ),
    "no end of a cable": (
        LINKED,
        PORT % ("su1-rail0", "Ethernet128", "ipv6: 'fd00:7::8/64'"),
        "",
        [("devices[0].ports.Ethernet128.ipv6", "use the form fd00:65::2 in a /127")],
    ),
    "no routed ports": (
        {"addressing__ipv6": {"hosts": POOL}, "bgp__peering": "unnumbered"},
        "",
        "",
        [("fabric.addressing.ipv6", "ipv6 is about routed NIC ports, and there are none")],
    ),
    "sessions of IPv4": (
        {**STATIC, "bgp__peering": "numbered"},
        "",
        "",
        [("fabric.addressing.ipv6", "numbered sessions of IPv6 need addresses")],
    ),
    "a pool that does not begin at its length": (
        {**ROUTED, "addressing__ipv6": {"hosts": "fd00:64::1/48"}},
        "",
        "",
        [("fabric.addressing.ipv6.hosts", "'fd00:64::1/48'")],
    ),
    "a network of the other family": (
        {**ROUTED, "addressing__ipv6": {"hosts": "10.0.0.0/16"}, "addressing__hosts": "fd00::/48"},
        "",
        "",
        [
            ("fabric.addressing.hosts", "'fd00::/48' is an IPv6 network"),
            ("fabric.addressing.ipv6.hosts", "'10.0.0.0/16' is not an IPv6 network"),
        ],
    ),
    "a pool that ends in the middle of a rail": (
        {**ROUTED, "addressing__ipv6": {"hosts": "fd00:64::/64"}},
        "",
        "",
        [("fabric.addressing.ipv6.hosts", "1 needed, 0 available; use a /63 or a larger pool")],
    ),
    "a pool of slaac that ends in the middle of a rail": (
        {**ROUTED, "addressing__ipv6": {"hosts": "fd00:64::/59", "assignment": "slaac"}},
        "",
        "",
        [("fabric.addressing.ipv6.hosts", "32 needed, 16 available; use a /58 or a larger pool")],
    ),
    "RDMA of NICs in VLANs": (
        {
            "units": [
                {"name": "su1", "hosts": "a[1-3]"},
                {"name": "su2", "hosts": "b[1-2]", "vlan_per": "none"},
            ],
            "addressing__routed_hosts": "10.96.0.0/16",
            "addressing__ipv6": {"hosts": POOL, "rdma": True},
            "bgp__peering": "unnumbered",
        },
        "",
        "",
        [("fabric.addressing.ipv6.rdma", "RDMA uses IPv6, and NICs in VLANs have none")],
    ),
    "fields of IPv4": (
        {
            **ROUTED,
            "addressing__hosts": None,
            "addressing__routed_prefix_length": 30,
            "addressing__ipv6": {"hosts": POOL, "rdma": False},
        },
        "",
        "",
        [
            ("fabric.addressing.routed_prefix_length", "is about IPv4, and NICs have IPv6 alone"),
            ("fabric.addressing.ipv6.rdma", "rdma is false, and NICs have IPv6 alone"),
        ],
    ),
    "a prefix of a leaf with an own subnet": (
        {**STATIC, "addressing__advertise": "leaf"},
        OWN % "ipv6: 'fd00:64::8/127'",
        "",
        [("fabric.addressing.advertise", "use nic, or remove devices.subnets.ipv6")],
    ),
    "what an override cannot say": (
        STATIC,
        OWN % "ipv6: 'fd00:64::/64', vlan: 7",
        "",
        [
            ("devices[0].subnets[0].vlan", "vlan is about VLANs"),
            ("devices[0].subnets[0].ipv6", "is not a /127, which every NIC has; use a /127, such"),
        ],
    ),
    "overrides without IPv6": (
        {},
        "devices:\n- names: su2-rail0\n  subnets: [{ipv6: 'fd00:64::/64'}]\n",
        NIC % "ipv6: 'fd00:64::1'",
        [
            ("devices[0].subnets[0].ipv6", "ipv6 is about IPv6, and there is no addressing.ipv6"),
            ("hosts[0].nics[0].ipv6", "ipv6 is about IPv6, and there is no addressing.ipv6"),
        ],
    ),
    "overrides without IPv4": (
        {**STATIC, "addressing__hosts": None},
        OWN % "network: 10.64.9.8/31",
        NIC % "address: 10.64.9.9",
        [
            ("devices[0].subnets[0].network", "network is about IPv4, and NICs have IPv6 alone"),
            ("hosts[0].nics[0].address", "address is about IPv4, and NICs have IPv6 alone"),
        ],
    ),
    "an address with slaac": (
        SLAAC,
        "",
        NIC % "ipv6: 'fd00:64::9'",
        [("hosts[0].nics[0].ipv6", "with slaac a NIC makes its own address")],
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    """Every error at once, each at its field."""
    changes, devices, hosts, expected = REFUSED[name]
    with pytest.raises((InputError, CapacityError)) as caught:
        fabric(devices, hosts, **changes)
    shown = [(finding.field, str(finding)) for finding in caught.value.findings]
    assert len(shown) == len(expected), shown
    for (field, message), (where, text) in zip(shown, expected, strict=True):
        assert field == where
        assert text in message.replace("  ", " ")
    assert all(finding.position and finding.fix for finding in caught.value.findings)
