"""Junos: what a configuration says of routing instances, tunnels and EVPN; what is left over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabric.observe.configuration import Configured, Discard
from fabric.systems.junos.lab.checks import problems
from tests.cases import each
from tests.observe.test_fixtures import recorded
from tests.systems.readings import GOLDEN, read

KIND = "set"
LEAF = (GOLDEN / "junos/tenants/su2-rail0/junos.set").read_text(encoding="utf-8")
SPINE = (GOLDEN / "junos/tenants/spine01/junos.set").read_text(encoding="utf-8")
VRF = "set routing-instances Vrf18"
ROUTES = f"{VRF} protocols evpn ip-prefix-routes"
POLICY = "set policy-options policy-statement Vrf18-OUT"
#: A fault in the file of a leaf: the line, what stands there, and what is read then.
PLANTED: dict[str, tuple[str, str, Callable[[Configured], Any], Any]] = {
    "a port of another tenant": (
        f"{VRF} interface et-0/0/1.0",
        "set routing-instances Vrf17 interface et-0/0/1.0",
        lambda switch: switch.ports["et-0/0/1"].vrf,
        "Vrf17",
    ),
    "a port of no VRF": (
        f"{VRF} interface et-0/0/1.0\n",
        "",
        lambda switch: switch.ports["et-0/0/1"].vrf,
        "",
    ),
    "an import of another tenant": (
        f"{VRF} vrf-target target:65000:50018\n",
        f"{VRF} vrf-target target:65000:50018\n{VRF} vrf-target import target:65000:50017\n",
        lambda switch: (
            [one.target for one in switch.vrfs["Vrf18"].imports],
            [one.target for one in switch.vrfs["Vrf18"].exports],
        ),
        (["65000:50018", "65000:50017"], ["65000:50018"]),
    ),
    "no target": (
        f"{VRF} vrf-target target:65000:50018\n",
        "",
        lambda switch: (switch.vrfs["Vrf18"].imports, switch.vrfs["Vrf18"].makes_targets),
        ([], False),
    ),
    "a VNI of another tenant": (
        f"{ROUTES} vni 50018",
        f"{ROUTES} vni 50017",
        lambda switch: switch.vrfs["Vrf18"].vni,
        50017,
    ),
    "no type": (
        f"{VRF} instance-type vrf\n",
        "",
        lambda switch: (switch.vrfs["Vrf17"].routes, switch.vrfs["Vrf18"].routes),
        (True, False),
    ),
    "no policy": (
        f"{ROUTES} export Vrf18-OUT\n",
        "",
        lambda switch: [one[:2] for one in switch.vrfs["Vrf18"].redistributions],
        [("connected", ""), ("static", "")],
    ),
    "a policy of every kind of route": (
        f"{POLICY} term hosts from protocol direct\n",
        "",
        lambda switch: [one.kind for one in switch.vrfs["Vrf18"].redistributions],
        ["connected", "static"],
    ),
    "no routes into EVPN": (
        f"{ROUTES} advertise direct-nexthop\n",
        "",
        lambda switch: (switch.vrfs["Vrf18"].advertises, switch.vrfs["Vrf18"].redistributions),
        (False, []),
    ),
    "an outer header without DSCP and ECN": (
        f"{VRF} instance-type vrf\n",
        f"{VRF} instance-type vrf\nset forwarding-options vxlan-disable-copy-tos-encap\n",
        lambda switch: (switch.evpn.copies_dscp, switch.evpn.copies_ecn, switch.evpn.restores_ecn),
        (False, False, True),
    ),
    "marks that stay in the outer header": (
        f"{VRF} instance-type vrf\n",
        f"{VRF} instance-type vrf\nset forwarding-options vxlan-disable-copy-tos-decap\n",
        lambda switch: (switch.evpn.copies_ecn, switch.evpn.restores_ecn),
        (True, False),
    ),
    "no EVPN on a session": (
        "set protocols bgp group overlay neighbor 10.255.0.2 family evpn signaling\n",
        "",
        lambda switch: set(switch.evpn.peers),
        {"10.255.0.1"},
    ),
}
#: Lines that no tenant needs: nobody may take them for understood.
UNKNOWN = {
    "a leak between instances": f"{VRF} routing-options auto-export",
    "a static route of more words": f"{VRF} routing-options static route 0.0.0.0/0 receive",
    "a session of an instance": f"{VRF} protocols bgp group x neighbor 10.64.0.35 peer-as 65001",
    "policies of targets": f"{VRF} vrf-import OPEN",
    "a loopback of an instance": f"{VRF} interface lo0.18",
    "routes by a gateway": f"{ROUTES} advertise gateway-address",
    "another tunnel": f"{ROUTES} encapsulation mpls",
    "a second instance of a port": "set routing-instances Vrf17 interface et-0/0/1.0",
    "routes of other tables": f"{VRF} routing-options instance-import OPEN",
}


@each("name", PLANTED)
def test_a_planted_fault_is_read(name: str) -> None:
    line, fault, look, value = PLANTED[name]
    assert line in LEAF
    switch = read("junos", KIND, LEAF.replace(line, fault))
    assert look(switch) == value
    assert switch.leftovers == []
    assert look(read("junos", KIND, LEAF)) != value


@each("name", UNKNOWN)
def test_what_no_tenant_needs_is_left_over(name: str) -> None:
    line = UNKNOWN[name]
    switch = read("junos", KIND, f"{LEAF}{line}\n")
    assert [item.text for item in switch.leftovers] == [line.removeprefix("set ")]
    whole = read("junos", KIND, LEAF)
    assert switch.bgp is not None
    assert whole.bgp is not None
    assert switch.bgp.peers.keys() == whole.bgp.peers.keys()
    assert switch.static_routes == whole.static_routes


ROUTE = f"{VRF} routing-options static route 10.0.0.0/8"
#: Static routes that an instance has more: next hop and VRF.
ROUTES_MORE: dict[str, tuple[str, Any]] = {
    "an address": (f"{ROUTE} next-hop 10.0.0.9", ((10 << 24) + 9, None)),
    "a port": (f"{ROUTE} next-hop et-0/0/1.0", ("et-0/0/1", None)),
    "nowhere": (f"{ROUTE} discard", (Discard(), None)),
    "the default instance": (f"{ROUTE} next-table inet.0", ("", "")),
    "another instance": (f"{ROUTE} next-table Vrf17.inet.0", ("", "Vrf17")),
}


@each("name", ROUTES_MORE)
def test_a_static_route_is_read(name: str) -> None:
    line, value = ROUTES_MORE[name]
    switch = read("junos", KIND, f"{LEAF}{line}\n")
    assert [(one.next_hop, one.egress) for one in switch.vrfs["Vrf18"].static_routes] == [value]
    assert switch.leftovers == []
    assert switch.static_routes == read("junos", KIND, LEAF).static_routes


def test_an_instance_without_vpn_has_no_routes_in_evpn() -> None:
    text = LEAF.replace(f"{VRF} instance-type vrf", f"{VRF} instance-type virtual-router")
    vrf = read("junos", KIND, text).vrfs["Vrf18"]
    assert (vrf.routes, vrf.vni, vrf.advertises) == (True, 0, False)
    assert text.splitlines()[vrf.vni_line - 1] == f"{VRF} instance-type virtual-router"


def test_a_spine_relays_with_the_next_hop() -> None:
    switch = read("junos", KIND, SPINE)
    assert switch.evpn is not None
    assert switch.evpn.keeps_next_hop == set(switch.evpn.peers)
    line = "set protocols bgp group overlay multihop no-nexthop-change\n"
    other = read("junos", KIND, SPINE.replace(line, ""))
    assert other.evpn is not None
    assert (other.evpn.keeps_next_hop, other.evpn.keeps_next_hops) == (set(), False)


def test_the_tenants_of_the_vendor_are_read() -> None:
    """Four instances with their VNIs and targets; what leaks and what is not ours is left over."""
    switch = read("junos", "set", recorded("junos/jvd/leaf1_qfx5240-64od.conf"))
    vrfs = {
        name: (vrf.vni, [one.target for one in vrf.imports]) for name, vrf in switch.vrfs.items()
    }
    assert vrfs == {f"tenant-{n}": (20000 + n, [f"2000{n}:1"]) for n in range(1, 5)}
    assert switch.ports["et-0/0/12:0"].vrf == "tenant-1"
    assert switch.evpn is not None
    assert switch.evpn.peers.keys() == {"10.0.0.8", "10.0.0.9", "10.0.0.10", "10.0.0.11"}
    left = {item.text for item in switch.leftovers}
    assert "routing-instances tenant-1 routing-options auto-export" in left


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (f"{VRF} route-distinguisher 10.255.0.131:18\n", "has no route-distinguisher"),
        (f"{VRF} vrf-target target:65000:50018\n", "has no vrf-target"),
    ],
)
def test_an_instance_that_the_switch_would_not_commit(line: str, reason: str) -> None:
    def found(text: str) -> list[str]:
        return problems([tuple(row.split()[1:]) for row in text.splitlines()])

    assert line in LEAF
    assert found(LEAF) == []
    assert [reason in one for one in found(LEAF.replace(line, ""))] == [True]


def test_a_port_is_in_one_instance() -> None:
    text = f"{LEAF}set routing-instances Vrf17 interface et-0/0/1.0\n"
    lines = [tuple(row.split()[1:]) for row in text.splitlines()]
    assert len(problems(lines)) == 1
