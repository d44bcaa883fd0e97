"""Every design: names, cables, subnets and numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fabric.core.errors import InputError
from fabric.core.units import ipv4_text
from fabric.topology import Fabric
from tests.topology.fabrics import example, fabric

UNITS = [
    {"name": "r1", "pod": "east", "hosts": "a[1-2]"},
    {"name": "r2", "pod": "west", "hosts": "b[1-2]"},
    {"name": "r3", "pod": "east", "hosts": "c[1-2]"},
]
THREE_TIERS: dict[str, Any] = {
    "design": "classic-tor",
    "units": UNITS,
    "super_spines": {"count": 3, "links_per_spine": 2, "spines_per_pod": 3},
    "platforms__super_spine": {"sku": "ACS-MSN4700"},
    "addressing__core_links": "10.253.0.0/16",
}
DUAL_TOR: dict[str, Any] = {"nic_ports": 2}
DUAL_PLANE: dict[str, Any] = {"nic_ports": 2, "planes": 2}
RAIL_ONLY: dict[str, Any] = {"design": "rail-only", "spines": None}


def cabled(built: Fabric) -> set[tuple[str, str]]:
    """Return the pairs of switches with a cable, the lower one first."""
    names, up = built.switches.names, built.uplinks
    ends = zip(up.lower.tolist(), up.upper.tolist(), strict=True)
    return {(names[lower], names[upper]) for lower, upper in ends}


def nic(built: Fabric, host: str, rail: int, port: int = 0) -> tuple[str, int, str, int]:
    """Return leaf, leaf port, address and VLAN of a NIC port."""
    nics, row = built.nics, built.nic_row(host, rail, port)
    return (
        built.switches.names[int(nics.leaf[row])],
        int(nics.port[row]),
        ipv4_text(int(nics.address[row])),
        int(built.subnets.vlan[int(nics.subnet[row])]),
    )


def test_rail_only_has_leaves_alone() -> None:
    built = fabric(**RAIL_ONLY)
    assert built.switches.names == ("su1-rail0", "su1-rail1", "su2-rail0", "su2-rail1")
    assert len(built.uplinks) == 0
    assert nic(built, "a2", 1) == ("su1-rail1", 2, "10.64.1.3", 102)
    assert example("rail-only").switches.tier.max() == 0


def test_dual_tor_gives_each_port_a_leaf_and_a_subnet() -> None:
    built = fabric(**DUAL_TOR)
    assert built.switches.names[:4] == ("su1-rail0-a", "su1-rail0-b", "su1-rail1-a", "su1-rail1-b")
    assert built.nics_per_host == 4
    assert len(built.nics) == 4 * len(built.hosts)
    assert nic(built, "a2", 0, 0) == ("su1-rail0-a", 2, "10.64.0.3", 101)
    assert nic(built, "a2", 0, 1) == ("su1-rail0-b", 2, "10.64.1.3", 101)
    assert nic(built, "a2", 1, 1) == ("su1-rail1-b", 2, "10.64.3.3", 102)
    leaves = built.switches.names[: built.switches.leaf_count]
    assert cabled(built) == {(leaf, spine) for leaf in leaves for spine in ("spine01", "spine02")}
    assert set(built.switches.plane.tolist()) == {-1}


def test_dual_tor_of_a_rack() -> None:
    built = fabric(design="classic-tor", **DUAL_TOR)
    assert built.switches.names[:2] == ("su1-leaf-a", "su1-leaf-b")
    assert nic(built, "a2", 1, 0)[:2] == ("su1-leaf-a", 4)
    assert nic(built, "a2", 1, 1)[:2] == ("su1-leaf-b", 4)
    assert len({int(address) for address in built.nics.address}) == len(built.nics)


def test_planes_share_no_cable_and_no_subnet() -> None:
    built = fabric(**DUAL_PLANE)
    names = built.switches.names
    assert names[built.switches.leaf_count :] == tuple(
        f"spine-{p}0{n}" for p in "ab" for n in (1, 2)
    )
    assert cabled(built) == {
        (leaf, f"spine-{leaf[-1]}0{n}")
        for leaf in names[: built.switches.leaf_count]
        for n in (1, 2)
    }
    assert nic(built, "a1", 0, 0)[2] == "10.64.0.2"
    assert nic(built, "a1", 0, 1)[2] == "10.72.0.2", "the second half of 10.64.0.0/12"
    plane = built.switches.plane[built.subnets.leaf]
    assert (built.subnets.network[plane == 0] < built.subnets.network[plane == 1].min()).all()


def test_three_tiers() -> None:
    built = fabric(**THREE_TIERS)
    pods = {"east": ("r1-leaf", "r3-leaf"), "west": ("r2-leaf",)}
    spines = {pod: [f"{pod}-spine0{n}" for n in (1, 2)] for pod in pods}
    inside = {(leaf, spine) for pod in pods for leaf in pods[pod] for spine in spines[pod]}
    above = {(s, f"core0{n}") for pod in pods for s in spines[pod] for n in (1, 2, 3)}
    assert cabled(built) == inside | above
    asn = dict(zip(built.switches.names, built.switches.asn.tolist(), strict=True))
    assert [asn[name] for name in ("r1-leaf", "r2-leaf", "r3-leaf")] == [65101, 65102, 65103]
    assert {asn[name] for name in spines["east"]} == {64600}
    assert {asn[name] for name in spines["west"]} == {64601}
    assert {asn[f"core0{n}"] for n in (1, 2, 3)} == {64512}
    assert [built.switches.role(row) for row in (0, 3, 7)] == ["leaf", "spine", "super-spine"]


def test_ports_and_addresses_of_super_spines() -> None:
    """spines_per_pod is 3: the second pod starts at the seventh port of a super-spine."""
    built = fabric(**THREE_TIERS)
    up, rows = built.uplinks, built.switch_row
    links = built.downlinks_of(rows["core02"])
    assert up.upper_port[links].tolist() == [1, 2, 3, 4, 7, 8, 9, 10]
    first = built.uplinks_of(rows["west-spine02"])
    assert up.lower_port[first].tolist() == [17, 18, 19, 20, 21, 22], "half of 32 ports are kept"
    place = 3 + 1  # three places of the first pod, one spine before it
    assert up.upper_address[first].tolist() == [
        (10 << 24) + (253 << 16) + 2 * (64 * place + number) for number in range(6)
    ]


def test_groups_of_super_spines() -> None:
    built = example("three-tier")
    above = {pair for pair in cabled(built) if pair[1].startswith("core")}
    assert above == {
        (f"{pod}-spine0{n}", f"core0{core}")
        for pod in ("east", "west")
        for n, cores in ((1, (1, 3)), (2, (2, 4)))
        for core in cores
    }


@pytest.mark.parametrize(
    "changes",
    [{}, DUAL_TOR, DUAL_PLANE, THREE_TIERS, RAIL_ONLY, {**THREE_TIERS, **DUAL_PLANE}],
    ids=["plain", "dual-tor", "dual-plane", "three tiers", "rail-only", "planes with pods"],
)
def test_every_port_and_number_is_used_once(changes: dict[str, Any]) -> None:
    built = fabric(**changes)
    nics, up, switches = built.nics, built.uplinks, built.switches
    ends = np.concatenate(
        [
            np.stack([nics.leaf, nics.port]),
            np.stack([up.lower, up.lower_port]),
            np.stack([up.upper, up.upper_port]),
        ],
        axis=1,
    )
    assert len(np.unique(ends, axis=1).T) == ends.shape[1]
    assert len(set(switches.loopback.tolist())) == len(switches)
    addresses = np.concatenate([up.lower_address, up.upper_address, nics.address])
    assert len(np.unique(addresses)) == len(addresses)
    assert (switches.tier[up.upper] == switches.tier[up.lower] + 1).all()


def test_a_unit_has_its_own_speed_and_leaf() -> None:
    units = [
        {"name": "su1", "hosts": "a[1-3]"},
        {"name": "su2", "hosts": "b[1-2]", "host_gbps": 100, "leaf_sku": "ACS-SN5600"},
    ]
    built = fabric(units=units)
    assert [model.name for model in built.switches.skus[:4]] == ["ACS-MSN4700"] * 2 + [
        "ACS-SN5600"
    ] * 2
    assert set(built.nics.speed_gbps[: 3 * 2].tolist()) == {200}
    assert set(built.nics.speed_gbps[3 * 2 :].tolist()) == {100}
    assert built.uplinks.lower_port[built.uplinks_of(0)].tolist() == [17, 18]
    assert built.uplinks.lower_port[built.uplinks_of(2)].tolist() == [33, 34], "half of 64 ports"


def test_reserved_ports_are_never_used() -> None:
    """Port counts skip them: 14 host ports in place of 16, then uplinks."""
    reserved = ["Ethernet0", "Ethernet[8,248]"]
    built = fabric(platforms__leaf={"sku": "ACS-MSN4700", "reserved_ports": reserved})
    ports = [
        built.switches.skus[0].port(n) for n in built.nics.port[built.nics_of_leaf(0)].tolist()
    ]
    assert ports == ["Ethernet16", "Ethernet24", "Ethernet32"]
    assert built.uplinks.lower_port[built.uplinks_of(0)].tolist() == [17, 18]


def test_moved_cables_between_upper_tiers() -> None:
    text = (
        "devices:\n  - names: east-spine01\n    ports:\n"
        "      Ethernet128: {peer: {device: core03, port: Ethernet240}}\n"
    )
    built = fabric(text, **THREE_TIERS)
    row = int(built.uplinks_of(built.switch_row["east-spine01"])[0])
    assert built.switches.names[int(built.uplinks.upper[row])] == "core03"
    wrong = text.replace("core03", "r1-leaf")
    with pytest.raises(InputError) as raised:
        fabric(wrong, **THREE_TIERS)
    assert "there is no super-spine 'r1-leaf'" in str(raised.value.findings[0])


REFUSED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "spines in rail-only": (
        {"design": "rail-only"},
        [
            (
                "fabric.spines: a rail-only fabric cannot have spines; "
                "remove it, or choose another "
                "design"
            )
        ],
    ),
    "no spines": (
        {"spines": None},
        ["fabric.spines: a rail-optimised fabric needs spines, this field is missing; set count"],
    ),
    "no platform, speed or pool of spines": (
        {"platforms__spine": None, "speeds__uplink_gbps": None, "addressing__uplinks": None},
        ["fabric.platforms.spine", "fabric.speeds.uplink_gbps", "fabric.addressing.uplinks"],
    ),
    "planes without ports": (
        {"planes": 2},
        ["each NIC uses 1 port; set nic_ports: 2, one port for each plane, and in host.interfaces"],
    ),
    "planes in rail-only": (
        {**RAIL_ONLY, "nic_ports": 2, "planes": 2},
        ["fabric.planes: a rail-only fabric cannot have planes"],
    ),
    "pods without super-spines": (
        {"design": "classic-tor", "units": UNITS},
        ["fabric.units[0].pod: pods need super-spines to reach each other"],
    ),
    "super-spines without pods": (
        {**THREE_TIERS, "units": [{"name": "r1", "hosts": "a1"}]},
        ["fabric.super_spines: super-spines connect pods, but no unit is in a pod"],
    ),
    "a unit in no pod": (
        {**THREE_TIERS, "units": [*UNITS, {"name": "r4", "hosts": "d1"}]},
        ["fabric.units[3]: unit r4 has no pod, but other units do"],
    ),
    "names of spines and pods": (
        {**THREE_TIERS, "spine_names": "s[1-4]"},
        ["fabric.spine_names: spine names are derived from pods and planes; remove it"],
    ),
    "no platform or pool of super-spines": (
        {**THREE_TIERS, "platforms__super_spine": None, "addressing__core_links": None},
        ["fabric.platforms.super_spine", "fabric.addressing.core_links"],
    ),
    "a reserved port that does not exist": (
        {"platforms__leaf": {"sku": "ACS-MSN4700", "reserved_ports": ["Ethernet[0,256]"]}},
        ["fabric.platforms.leaf.reserved_ports[0]: ACS-MSN4700 has no port 'Ethernet256'"],
    ),
    "an unknown model of a unit": (
        {"units": [{"name": "su1", "hosts": "a1", "leaf_sku": "ACS-MSN470"}]},
        ["fabric.units[0].leaf_sku: there is no switch model 'ACS-MSN470'; did you mean"],
    ),
    "ports of spines for super-spines": (
        {**THREE_TIERS, "platforms__spine": {"sku": "ACS-MSN4700", "down_ports": 28}},
        ["fabric.super_spines.count: ports of ACS-MSN4700 spines to super-spines exhausted: 6"],
    ),
    "ports of super-spines": (
        {**THREE_TIERS, "super_spines": {"count": 3, "links_per_spine": 2}},
        [
            (
                "fabric.super_spines.links_per_spine: ports of ACS-MSN4700 super-spines (16 spines "
                "reserved"
            )
        ],
    ),
    "places of spines": (
        {**THREE_TIERS, "super_spines": {"count": 1, "spines_per_pod": 1}},
        [
            (
                "fabric.super_spines.spines_per_pod: super-spine places "
                "reserved for the spines of a "
                "pod exhausted"
            )
        ],
    ),
    "links of a spine": (
        {**THREE_TIERS, "addressing__core_links_per_spine": 4},
        ["fabric.addressing.core_links_per_spine: /31 links reserved for a spine exhausted: 6"],
    ),
    "subnets of a plane": (
        {**DUAL_PLANE, "addressing__hosts": "10.64.0.0/22"},
        ["fabric.addressing.hosts: /24 subnets of a plane exhausted: 4 needed, 2 available"],
    ),
    "loopbacks of super-spines": (
        {**THREE_TIERS, "addressing__loopbacks": "10.255.0.0/28"},
        ["fabric.addressing.loopbacks: loopback addresses (a quarter of the pool for spines and"],
    ),
}


@pytest.mark.parametrize(("changes", "expected"), REFUSED.values(), ids=REFUSED)
def test_refused(changes: dict[str, Any], expected: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        fabric(**changes)
    results = [str(finding) for finding in raised.value.findings]
    assert len(results) == len(expected) or "ports" in results[0], results
    for target, text in zip(expected, results, strict=False):
        assert target in text
        assert text.startswith("inventory/fabric.yaml:")
