"""Enterprise SONiC: tenants in its files, what is read of them, and changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.observe.configuration import Configured, Discard, readers
from fabric.systems.esonic.lab.config import read_text
from fabric.workflow.project import Project
from tests.render.test_golden import compare
from tests.systems.tenant_fabrics import (
    FORMS,
    MOVES,
    RED,
    STATES,
    around,
    faults,
    from_the_box,
    left_of_a_merge,
    project,
    sent,
)

LEAF, QUARANTINED = "su2-rail0", "su2-rail1"
#: A service on the leaves of the first unit, and a tenant on those leaves and on others.
SHARED = [
    {"name": "store", "id": 30, "hosts": "gpu001", "shared": True},
    RED | {"hosts": "gpu[002-003]", "services": ["store"]},
]


def fabric(folder: Path, form: str, state: str = "two", **more: Any) -> Project:
    """Return a fabric of Enterprise SONiC."""
    return project(folder / f"{form}-{state}", "esonic", form, state, **more)


def read(text: str) -> Configured:
    """Return what a configuration says."""
    return readers["esonic"]({"running-configuration": text})


@pytest.mark.parametrize("form", FORMS)
def test_golden(form: str, tmp_path: Path, *, update_golden: bool) -> None:
    """A leaf with both tenants, one with a NIC in quarantine, and a spine."""
    devices = fabric(tmp_path, form).devices
    for name in (LEAF, QUARANTINED, "spine01"):
        compare(devices[name], f"tenants-{form}", update_golden=update_golden)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plan", ["none", "nic"])
def test_all_homes_agree(plan: str, form: str, tmp_path: Path) -> None:
    """Template, stand-in, readers and explain; a first change, and what is ours."""
    one = fabric(tmp_path, form, addressing={"vlan_per": plan})
    assert list(faults(one)) == []
    assert list(from_the_box(one)) == []


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plan", ["none", "nic"])
def test_changes_lead_there_and_back(plan: str, form: str, tmp_path: Path) -> None:
    """On a strict stand-in, on every switch."""
    more = {"addressing": {"vlan_per": plan}}
    states = {state: fabric(tmp_path, form, state, **more) for state in STATES}
    for first, second in MOVES:
        assert list(around(states[first], states[second])) == [], (first, second)


@pytest.mark.parametrize("form", FORMS)
def test_a_port_that_moves_is_in_no_vrf_between(form: str, tmp_path: Path) -> None:
    """Down, address off, VRF off; then VRF on, address, up: nothing else before or behind."""
    lines = sent(fabric(tmp_path, form), fabric(tmp_path, form, "moved"), LEAF)
    port = list[str]()
    section = ""
    for line in lines:
        section = section if line.startswith(" ") else line
        if section == "interface Ethernet 0" and line != section:
            port.append(line.strip())
    assert port == [
        "shutdown",
        "no ip address 10.64.0.32/31",
        "no ip vrf forwarding Vrf17",
        "ip vrf forwarding Vrf18",
        "ip address 10.64.0.32/31",
        "no shutdown",
    ]
    assert lines[0] == "interface Ethernet 0"


@pytest.mark.parametrize("second", ["one", "quarantine"])
def test_a_tenant_leaves_by_vni_then_bgp_then_vrf(second: str, tmp_path: Path) -> None:
    """As FRR demands it."""
    lines = sent(fabric(tmp_path, "evpn"), fabric(tmp_path, "evpn", second), LEAF)
    order = [
        " no ip vrf forwarding Vrf18",
        " no map vni 50018 vrf Vrf18",
        " no map vni 50018 vlan 3018",
        "no router bgp vrf Vrf18",
        "no interface Vlan 3018",
        "no ip vrf Vrf18",
    ]
    assert sorted(order, key=lines.index) == order


@pytest.mark.parametrize("form", FORMS)
def test_services(form: str, tmp_path: Path) -> None:
    """Both VRFs have the routes of each other, on the leaves of the service alone."""
    one = fabric(tmp_path, form, tenants=SHARED)
    assert list(faults(one)) == []
    assert list(from_the_box(one)) == []
    leaks = {}
    for name in ("su1-rail0", LEAF):
        switch = read(one.switch_artefacts[name][0].text)
        leaks[name] = {
            vrf.name: [leak.source for leak in vrf.leaks] for vrf in switch.vrfs.values()
        }
    assert leaks == {"su1-rail0": {"Vrf17": ["Vrf30"], "Vrf30": ["Vrf17"]}, LEAF: {"Vrf17": []}}
    states = [one, fabric(tmp_path, form, "one")]
    assert list(around(*states)) == []


def test_what_is_read_of_a_leaf(tmp_path: Path) -> None:
    """VRFs, targets, tunnels and sessions as they are designed."""
    one = fabric(tmp_path, "evpn")
    design = one.devices[LEAF]
    switch = read(one.switch_artefacts[LEAF][0].text)
    assert [(vrf.name, vrf.vni, vrf.route_distinguisher) for vrf in switch.vrfs.values()] == [
        (vrf.name, vrf.vni, vrf.route_distinguisher) for vrf in design.vrfs
    ]
    for vrf in design.vrfs:
        own = switch.vrfs[vrf.name]
        assert [line.target for line in own.imports] == [vrf.route_target]
        assert [line.target for line in own.exports] == [vrf.route_target]
        assert [(line.kind, line.policy) for line in own.redistributions] == [
            ("connected", f"RM-{vrf.name}")
        ]
        assert own.advertises
        assert own.makes_targets
    assert switch.evpn
    assert design.evpn
    assert switch.evpn.source == design.evpn.source
    assert switch.evpn.copies_dscp
    assert set(switch.evpn.peers) == {peer.session for peer in design.bgp.neighbours}
    ports = {port.name: port.vrf for port in design.ports if port.vrf}
    tunnels = {f"Vlan{vrf.vlan}": vrf.name for vrf in design.vrfs}
    assert {port.name: port.vrf for port in switch.ports.values() if port.vrf} == ports | tunnels


#: Faults in the file of a leaf or a spine, and what is read then.
PLANTED = {
    "pipe": (LEAF, " qos-mode uniform\n", "", "evpn copies_dscp False"),
    "no VLAN of a VNI": (LEAF, " map vni 50018 vlan 3018\n", "", "vrfs Vrf18 vni 0"),
    "no VNI": (LEAF, " map vni 50018 vrf Vrf18\n", "", "vrfs Vrf18 vni 0"),
    "an interface in the default VRF": (
        LEAF,
        "interface Vlan3018\n ip vrf forwarding Vrf18\n",
        "interface Vlan3018\n",
        "vrfs Vrf18 vni 0",
    ),
    "no VNIs in BGP": (LEAF, "  advertise-all-vni\n", "", "vrfs Vrf18 vni 0"),
    "a target of another tenant": (
        LEAF,
        "route-target import 65000:50018",
        "route-target import 65000:50017",
        "imports 65000:50017",
    ),
    "targets that the system makes": (LEAF, "  route-target import 65000:50018\n", "", "imports"),
    "no routes into EVPN": (
        LEAF,
        "  advertise ipv4 unicast\n  rd 10.255.0.131:18\n",
        "  rd 10.255.0.131:18\n",
        "vrfs Vrf18 advertises False",
    ),
    "no policy": (LEAF, "   route-map RM-EVPN in\n", "", "evpn peers "),
    "no policy of a relay": ("spine01", "   route-map RM-EVPN out\n", "", "evpn peers "),
    "a leak into the default VRF": (
        LEAF,
        "  redistribute connected route-map RM-Vrf18\n",
        "  redistribute connected route-map RM-Vrf18\n  import vrf default\n",
        "leaks ['']",
    ),
    "static routes": (
        LEAF,
        "  redistribute connected route-map RM-Vrf18\n",
        "  redistribute connected route-map RM-Vrf18\n  redistribute static\n",
        "redistributes connected static",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults(name: str, tmp_path: Path) -> None:
    """A line that is away or wrong counts as the switch counts it."""
    device, old, new, expected = PLANTED[name]
    text = fabric(tmp_path, "evpn").switch_artefacts[device][0].text
    assert old in text
    switch = read(text.replace(old, new))
    assert switch.evpn
    assert switch.leftovers == []
    said = {
        f"evpn copies_dscp {switch.evpn.copies_dscp}",
        f"evpn peers {' '.join(switch.evpn.peers)}",
    }
    for vrf in switch.vrfs.values():
        said |= {
            f"vrfs {vrf.name} vni {vrf.vni}",
            f"vrfs {vrf.name} advertises {vrf.advertises}",
            " ".join(["imports", *(line.target for line in vrf.imports)]),
            f"leaks {[leak.source for leak in vrf.leaks]}",
            " ".join(["redistributes", *(line.kind for line in vrf.redistributions)]),
        }
    assert expected in said


UNKNOWN = {
    "route of a VRF": ("ip route vrf VrfA 0.0.0.0/0 192.0.2.1 track 1\n", "ip route vrf VrfA"),
    "addresses before the VRF": (
        "interface Ethernet0\n ip address 10.0.0.0/31\n ip vrf forwarding VrfA\n",
        "ip vrf forwarding VrfA",
    ),
    "session of a VRF": ("router bgp 1 vrf VrfA\n neighbor 10.0.0.1\n", "neighbor 10.0.0.1"),
    "policy into EVPN": (
        "router bgp 1 vrf VrfA\n address-family l2vpn evpn\n  advertise ipv4 unicast route-map R\n",
        "advertise ipv4 unicast route-map R",
    ),
    "VNI of a VLAN": (
        "router bgp 1\n address-family l2vpn evpn\n  vni 7\n   rd 1:1\n",
        "vni 7",
    ),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_lines(name: str) -> None:
    """What lines of VRFs say beyond tenants is no line that is passed over."""
    text, line = UNKNOWN[name]
    assert [one.text for one in read(f"!\n{text}").leftovers if one.text.startswith(line)]


#: Static routes of a VRF: next hop and VRF.
ROUTES = {
    "10.0.0.9": ((10 << 24) + 9, None),
    "10.0.0.9 nexthop-vrf VrfB 20": ((10 << 24) + 9, "VrfB"),
    "10.0.0.9 interface Ethernet 12 nexthop-vrf default": ("Ethernet12", ""),
    "interface Eth1/1": ("Eth1/1", None),
    "blackhole 20": (Discard(), None),
}


@pytest.mark.parametrize("words", ROUTES)
def test_static_routes(words: str) -> None:
    """As the design of SONiC spells them."""
    switch = read(f"!\nip vrf VrfA\nip route vrf VrfA 10.0.0.0/8 {words}\n")
    assert [(one.next_hop, one.egress) for one in switch.vrfs["VrfA"].static_routes] == [
        ROUTES[words]
    ]
    assert (switch.leftovers, switch.static_routes) == ([], [])


def test_the_management_port() -> None:
    """Its VRF, and nothing else of it."""
    text = "!\ninterface Management 0\n mtu 1500\n ip vrf forwarding VrfA\n autoneg on\n"
    switch = read(text)
    assert [(port.name, port.vrf) for port in switch.management.values()] == [
        ("Management0", "VrfA")
    ]
    assert switch.leftovers == []


VRFS = "ip vrf VrfA\nip vrf VrfB\ninterface Vlan7\ninterface vxlan vtep1\n"
REFUSED = {
    "no VRF": "interface Ethernet0\n ip vrf forwarding VrfC\n",
    "addresses": "interface Ethernet0\n ip address 10.0.0.0/31\n ip vrf forwarding VrfA\n",
    "no VLAN of a VNI": f"{VRFS} map vni 7 vrf VrfA\n",
    "a VNI twice": f"{VRFS} map vni 7 vlan 7\n map vni 7 vrf VrfA\n map vni 7 vrf VrfB\n",
    "BGP of no VRF": "router bgp 1 vrf VrfC\n",
    "another AS number": f"{VRFS}router bgp 1\nrouter bgp 2 vrf VrfA\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_stand_in_refuses(name: str) -> None:
    """As the real system, or FRR below it, does."""
    head = "ip vrf VrfA\n" if name == "addresses" else ""
    with pytest.raises(ValueError, match="line"):
        read_text(f"{head}{REFUSED[name]}", {"Ethernet0": "400000", "Ethernet8": "400000"})


@pytest.mark.parametrize("form", FORMS)
def test_a_part_that_is_merged_keeps_nothing_of_a_tenant_that_is_gone(
    form: str, tmp_path: Path
) -> None:
    """Where others own the rest of the configuration."""
    assert not any(left_of_a_merge(tmp_path, "esonic", form).values())
