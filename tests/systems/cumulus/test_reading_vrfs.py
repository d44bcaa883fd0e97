"""Cumulus Linux: what a configuration says of VRFs, tunnels and EVPN, and what it leaves over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabric.observe.configuration import Configured, Discard
from tests.cases import each
from tests.systems.readings import GOLDEN, read

KIND = "nv-set"
LEAF = (GOLDEN / "cumulus/tenants/su2-rail0/config.nv").read_text(encoding="utf-8")
SPINE = (GOLDEN / "cumulus/tenants/spine01/config.nv").read_text(encoding="utf-8")
SERVICE = (GOLDEN / "cumulus/tenants-service/su2-rail0/config.nv").read_text(encoding="utf-8")
BGP = "nv set vrf Vrf18 router bgp"
FAMILY = f"{BGP} address-family ipv4-unicast"
REDISTRIBUTED = f"{FAMILY} redistribute connected route-map RM-Vrf18\n"
EXPORTED = f"{FAMILY} route-export to-evpn enable on\n"
#: A fault in the file of a leaf: the line, what stands there, and what is read then.
PLANTED: dict[str, tuple[str, str, Callable[[Configured], Any], Any]] = {
    "a port of another tenant": (
        "interface swp2 ip vrf Vrf18",
        "interface swp2 ip vrf Vrf17",
        lambda switch: switch.ports["swp2"].vrf,
        "Vrf17",
    ),
    "a port of no VRF": (
        "nv set interface swp2 ip vrf Vrf18\n",
        "",
        lambda switch: switch.ports["swp2"].vrf,
        "",
    ),
    "an import of another tenant": (
        f"{BGP} route-import from-evpn route-target 65000:50018",
        f"{BGP} route-import from-evpn route-target ANY:50017",
        lambda switch: [one.target for one in switch.vrfs["Vrf18"].imports],
        ["*:50017"],
    ),
    "targets that the switch makes": (
        f"{BGP} route-import from-evpn route-target 65000:50018",
        f"{BGP} route-import from-evpn route-target auto",
        lambda switch: (switch.vrfs["Vrf18"].imports, switch.vrfs["Vrf18"].makes_targets),
        ([], True),
    ),
    "a VNI of another tenant": (
        "vrf Vrf18 evpn vni 50018",
        "vrf Vrf18 evpn vni 50017",
        lambda switch: switch.vrfs["Vrf18"].vni,
        50017,
    ),
    "every connected route": (
        REDISTRIBUTED,
        "",
        lambda switch: [one[:2] for one in switch.vrfs["Vrf18"].redistributions],
        [("connected", "")],
    ),
    "kernel routes": (
        REDISTRIBUTED,
        f"{REDISTRIBUTED}{FAMILY} redistribute kernel enable on\n",
        lambda switch: [one.kind for one in switch.vrfs["Vrf18"].redistributions],
        ["connected", "kernel"],
    ),
    "a default route": (
        EXPORTED,
        f"{EXPORTED}{FAMILY} route-export to-evpn default-route-origination on\n",
        lambda switch: [one.kind for one in switch.vrfs["Vrf18"].redistributions],
        ["connected", "default"],
    ),
    "routes of the default VRF": (
        EXPORTED,
        f"{EXPORTED}{FAMILY} route-import from-vrf list default\n",
        lambda switch: [leak.source for leak in switch.vrfs["Vrf18"].leaks],
        [""],
    ),
    "routes of another VRF": (
        EXPORTED,
        f"{EXPORTED}{FAMILY} route-import from-vrf list Vrf17\n",
        lambda switch: [leak.source for leak in switch.vrfs["Vrf18"].leaks],
        ["Vrf17"],
    ),
    "no routes into EVPN": (
        EXPORTED,
        f"{FAMILY} route-export to-evpn enable off\n",
        lambda switch: switch.vrfs["Vrf18"].advertises,
        False,
    ),
    "no process": (
        f"{BGP} enable on\n",
        f"{BGP} enable off\n",
        lambda switch: (switch.vrfs["Vrf18"].advertises, switch.vrfs["Vrf18"].redistributions),
        (False, []),
    ),
    "an outer DSCP of the priority": (
        "nv set nve vxlan encapsulation dscp action copy\n",
        "",
        lambda switch: (switch.evpn.copies_dscp, switch.evpn.copies_ecn, switch.evpn.keeps_dscp),
        (False, True, True),
    ),
    "a fixed outer DSCP": (
        "encapsulation dscp action copy",
        "encapsulation dscp action set",
        lambda switch: switch.evpn.copies_dscp,
        False,
    ),
    "an inner DSCP of the priority": (
        "nv set nve vxlan decapsulation dscp action preserve\n",
        "",
        lambda switch: switch.evpn.keeps_dscp,
        False,
    ),
    "a wider pool": (
        "prefix-list PL-Vrf18 rule 10 match 10.64.0.0/16 min-prefix-len 31\n",
        "prefix-list PL-Vrf18 rule 10 match 10.64.0.0/16 min-prefix-len 17\n",
        lambda switch: [one.low for one in switch.prefix_lists["PL-Vrf18"]],
        [17],
    ),
    "no EVPN on a session": (
        "neighbor 10.254.1.0 address-family l2vpn-evpn enable on\n",
        "neighbor 10.254.1.0 address-family l2vpn-evpn enable off\n",
        lambda switch: set(switch.evpn.peers),
        {"10.254.1.2"},
    ),
}
#: Lines that no tenant needs: nobody may take them for understood.
UNKNOWN = {
    "a session of a VRF": f"{BGP} neighbor swp9 remote-as external",
    "a network of a VRF": f"{FAMILY} network 0.0.0.0/0",
    "an aggregate of a VRF": f"{FAMILY} aggregate-route 10.0.0.0/8",
    "a distance of a static route": "nv set vrf Vrf18 router static 0.0.0.0/0 distance 2 via lo",
    "a policy of IPv6 into EVPN": f"{BGP} address-family ipv6-unicast route-export to-evpn "
    "route-map X",
    "another AS number": f"{BGP} autonomous-system 65999",
    "an address of a VRF": "nv set vrf Vrf18 loopback ip address 10.9.9.9/32",
    "IPv6 of a VRF": f"{BGP} address-family ipv6-unicast redistribute connected enable on",
    "a second VNI": "nv set vrf Vrf18 evpn vni 50099",
    "a VNI of a VLAN": "nv set bridge domain br_default vlan 7 vni 7",
    "tunnels that are off": "nv set nve vxlan enable off",
    "EVPN that is off": "nv set evpn enable off",
}


def _routes(switch: Configured) -> list[tuple[Any, ...]]:
    """Return the static routes of a VRF without their lines."""
    return [
        (one.network, one.prefix_length, one.next_hop, one.egress)
        for one in switch.vrfs["Vrf18"].static_routes
    ]


@each("name", PLANTED)
def test_a_planted_fault_is_read(name: str) -> None:
    line, fault, look, value = PLANTED[name]
    assert line in LEAF
    switch = read("cumulus", KIND, LEAF.replace(line, fault))
    assert look(switch) == value
    assert switch.leftovers == []
    assert look(read("cumulus", KIND, LEAF)) != value


@each("name", UNKNOWN)
def test_what_no_tenant_needs_is_left_over(name: str) -> None:
    line = UNKNOWN[name]
    switch = read("cumulus", KIND, f"{LEAF}{line}\n")
    assert [item.text for item in switch.leftovers] == [line.removeprefix("nv set ")]
    whole = read("cumulus", KIND, LEAF)
    assert switch.bgp is not None
    assert whole.bgp is not None
    assert switch.bgp.peers.keys() == whole.bgp.peers.keys()
    assert switch.bgp.originations == whole.bgp.originations


ROUTE = "nv set vrf Vrf18 router static 10.0.0.0/8 via"
#: Lines that a leaf has more, and what is read of them.
MORE: dict[str, tuple[str, Callable[[Configured], Any], Any]] = {
    "a static route": (f"{ROUTE} 10.0.0.9", _routes, [(10 << 24, 8, (10 << 24) + 9, None)]),
    "a route over a port": (f"{ROUTE} swp1 type interface", _routes, [(10 << 24, 8, "swp1", None)]),
    "a route to nowhere": (f"{ROUTE} blackhole", _routes, [(10 << 24, 8, Discard(), None)]),
    "a policy into EVPN": (
        f"{FAMILY} route-export to-evpn route-map X",
        lambda switch: switch.vrfs["Vrf18"].export_policy,
        "X",
    ),
    "the management port": (
        "nv set interface eth0 ip vrf Vrf18",
        lambda switch: [(port.name, port.vrf) for port in switch.management.values()],
        [("eth0", "Vrf18")],
    ),
    "the management port as it is": (
        "nv set interface eth0 ip vrf mgmt",
        lambda switch: [(port.name, port.vrf) for port in switch.management.values()],
        [("eth0", "mgmt")],
    ),
}


@each("name", MORE)
def test_a_line_more_is_read(name: str) -> None:
    line, look, value = MORE[name]
    switch = read("cumulus", KIND, f"{LEAF}{line}\n")
    assert look(switch) == value
    assert switch.leftovers == []
    assert switch.static_routes == []


def test_a_spine_relays_without_a_line() -> None:
    switch = read("cumulus", KIND, SPINE)
    assert switch.evpn is not None
    assert (switch.evpn.keeps_next_hops, switch.evpn.keeps_all_targets) == (True, True)
    assert (switch.evpn.source, switch.vrfs) == ("", {})


def test_a_service_is_reached_both_ways() -> None:
    switch = read("cumulus", KIND, SERVICE)
    leaks = {name: [one.source for one in vrf.leaks] for name, vrf in switch.vrfs.items()}
    assert leaks == {"Vrf17": ["Vrf18"], "Vrf18": ["Vrf17"]}
    assert switch.leftovers == []


@pytest.mark.parametrize("word", ["ip vrf", "vrf"])
def test_both_words_of_the_vrf_of_a_port(word: str) -> None:
    switch = read("cumulus", KIND, LEAF.replace("swp2 ip vrf", f"swp2 {word}"))
    assert (switch.ports["swp2"].vrf, switch.leftovers) == ("Vrf18", [])
