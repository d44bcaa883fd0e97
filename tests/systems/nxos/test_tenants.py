"""NX-OS: tenants in its files, what is read of them, and changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration import Configured, Discard, readers
from fabric.workflow.project import Project
from tests.render.test_golden import compare
from tests.systems.nxos.line_cases import PORTS, read_text
from tests.systems.tenant_fabrics import (
    FORMS,
    MOVES,
    STATES,
    around,
    faults,
    from_the_box,
    left_of_a_merge,
    project,
    sent,
)

LEAF, QUARANTINED = "su2-rail0", "su2-rail1"


def fabric(folder: Path, form: str, state: str = "two") -> Project:
    """Return a fabric of NX-OS."""
    return project(folder / f"{form}-{state}", "nxos", form, state)


def read(text: str) -> Configured:
    """Return what a configuration says."""
    return readers["nxos"]({"running-config": text})


@pytest.mark.parametrize("form", FORMS)
def test_golden(form: str, tmp_path: Path, *, update_golden: bool) -> None:
    """A leaf with both tenants, one with a NIC in quarantine, and a spine."""
    devices = fabric(tmp_path, form).devices
    for name in (LEAF, QUARANTINED, "spine01"):
        compare(devices[name], f"tenants-{form}", update_golden=update_golden)


@pytest.mark.parametrize("form", FORMS)
def test_all_homes_agree(form: str, tmp_path: Path) -> None:
    """Template, stand-in, readers and explain; a first change, and what is ours."""
    one = fabric(tmp_path, form)
    assert list(faults(one)) == []
    assert list(from_the_box(one)) == []


@pytest.mark.parametrize("form", FORMS)
def test_changes_lead_there_and_back(form: str, tmp_path: Path) -> None:
    """On a strict stand-in, on every switch."""
    states = {state: fabric(tmp_path, form, state) for state in STATES}
    for first, second in MOVES:
        assert list(around(states[first], states[second])) == [], (first, second)


@pytest.mark.parametrize("form", FORMS)
def test_a_port_that_moves_is_in_no_vrf_between(form: str, tmp_path: Path) -> None:
    """Down, address off, VRF off; then VRF on, address, up: nothing else before or behind."""
    before, after = fabric(tmp_path, form), fabric(tmp_path, form, "moved")
    lines, port = sent(before, after, LEAF), list[str]()
    section = ""
    for line in lines:
        section = section if line.startswith(" ") else line
        if section == "interface Ethernet1/1" and line != section:
            port.append(line.strip())
    assert port == [
        "shutdown",
        "no ip address 10.64.0.32/31",
        "no vrf member Vrf17",
        "vrf member Vrf18",
        "no ip redirects",
        "ip address 10.64.0.32/31",
        "ip arp timeout 240",
        "no shutdown",
    ]
    assert lines[0] == "interface Ethernet1/1"


def test_a_tenant_leaves_by_vni_then_bgp_then_vrf(tmp_path: Path) -> None:
    """As FRR demands it; nobody knows whether NX-OS does."""
    lines = sent(fabric(tmp_path, "evpn"), fabric(tmp_path, "evpn", "one"), LEAF)
    order = ["  no member vni 50018 associate-vrf", "  no vrf Vrf18", "no vrf context Vrf18"]
    assert sorted(order, key=lines.index) == order
    assert lines.index("  no vrf member Vrf18") < lines.index(order[0])


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
    assert switch.evpn
    assert design.evpn
    assert switch.evpn.source == design.evpn.source
    assert set(switch.evpn.peers) == {peer.session for peer in design.bgp.neighbours}
    assert {port.name: port.vrf for port in switch.ports.values() if port.vrf} == {
        port.name: port.vrf for port in design.ports if port.vrf
    }


def test_what_is_read_of_a_relay(tmp_path: Path) -> None:
    """It hands on next hops and all targets."""
    switch = read(fabric(tmp_path, "evpn").switch_artefacts["spine01"][0].text)
    assert switch.evpn
    assert switch.evpn.keeps_all_targets
    assert switch.evpn.keeps_next_hop == set(switch.evpn.peers)
    assert switch.evpn.source == ""


#: Faults in the file of a leaf or a spine, and what is read then.
PLANTED = {
    "no VNI of the tunnel": (LEAF, "  member vni 50018 associate-vrf\n", "", "vrfs Vrf18 vni 0"),
    "no tunnels": (LEAF, "interface nve1\n  no shutdown\n", "interface nve1\n", "evpn source "),
    "tunnels that learn by flooding": (
        LEAF,
        "  host-reachability protocol bgp\n",
        "",
        "evpn source ",
    ),
    "a target of another tenant": (
        LEAF,
        "route-target import 65000:50018 evpn",
        "route-target import 65000:50017 evpn",
        "imports 65000:50017",
    ),
    "targets of its own making": (
        LEAF,
        "    route-target import 65000:50018 evpn\n",
        "    route-target both auto evpn\n",
        "imports 65103:50018",
    ),
    "no communities": (LEAF, "      send-community extended\n", "", "evpn peers "),
    "no next hops": ("spine01", "  set ip next-hop unchanged\n", "", "evpn keeps_next_hop "),
    "no targets": ("spine01", "    retain route-target all\n", "", "evpn keeps_all_targets False"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_faults(name: str, tmp_path: Path) -> None:
    """A line that is away or wrong counts as the switch counts it."""
    device, old, new, expected = PLANTED[name]
    text = fabric(tmp_path, "evpn").switch_artefacts[device][0].text
    assert old in text
    switch = read(text.replace(old, new))
    vrf = switch.vrfs.get("Vrf18")
    assert switch.evpn
    said = {
        f"evpn source {switch.evpn.source}",
        f"evpn peers {' '.join(switch.evpn.peers)}",
        f"evpn keeps_next_hop {' '.join(switch.evpn.keeps_next_hop)}",
        f"evpn keeps_all_targets {switch.evpn.keeps_all_targets}",
        *((f"vrfs Vrf18 vni {vrf.vni}",) if vrf else ()),
        *(f"imports {line.target}" for line in (vrf.imports if vrf else ())),
    }
    assert expected in said


def test_redistribution_without_a_policy(tmp_path: Path) -> None:
    """Kinds that leak are read."""
    text = fabric(tmp_path, "evpn").switch_artefacts[LEAF][0].text
    more = "redistribute direct route-map RM-Vrf18\n      default-information originate"
    switch = read(text.replace("redistribute direct route-map RM-Vrf18", more))
    kinds = [line.kind for line in switch.vrfs["Vrf18"].redistributions]
    assert kinds == ["connected", "default"]


#: Static routes of a VRF: next hop and VRF.
ROUTES = {
    "10.0.0.0/8 10.0.0.9": ((10 << 24) + 9, None),
    "10.0.0.0/8 10.0.0.9 vrf B name x": ((10 << 24) + 9, "B"),
    "10.0.0.0/8 Ethernet1/1 10.0.0.9 vrf default tag 7": ("Ethernet1/1", ""),
    "10.0.0.0/8 Ethernet1/1": ("Ethernet1/1", None),
    "10.0.0.0/8 Null0 name x": (Discard(), None),
}


@pytest.mark.parametrize("words", ROUTES)
def test_static_routes(words: str) -> None:
    """As Batfish spells them."""
    switch = read(f"vrf context A\n  ip route {words}\n")
    assert [(one.next_hop, one.egress) for one in switch.vrfs["A"].static_routes] == [ROUTES[words]]
    assert (switch.leftovers, switch.static_routes) == ([], [])


def test_the_management_port_is_in_its_own_vrf() -> None:
    """Whatever its lines say; they are not read."""
    text = "interface mgmt0\n  vrf member management\n  ip address 192.0.2.2/24\n  duplex full\n"
    switch = read(text)
    assert [(port.name, port.vrf) for port in switch.management.values()] == [
        ("mgmt0", "management")
    ]
    assert switch.leftovers == []


def test_the_older_form_of_a_vni() -> None:
    """It needs a VLAN with the segment, and an interface of this VLAN in the VRF."""
    head = (
        "nv overlay evpn\nfeature bgp\nfeature interface-vlan\nfeature nv overlay\n"
        "feature vn-segment-vlan-based\nvlan 3001\n  vn-segment 50001\n"
        "vrf context A\n  vni 50001\n"
    )
    svi = "interface Vlan3001\n  no shutdown\n  vrf member A\n  ip forward\n"
    nve = (
        "interface nve1\n  no shutdown\n  host-reachability protocol bgp\n"
        "  source-interface loopback1\n  member vni 50001 associate-vrf\n"
    )
    switch = read(f"{head}{svi}{nve}")
    assert (switch.leftovers, switch.vrfs["A"].vni) == ([], 50001)
    assert read(f"{head}{nve}").vrfs["A"].vni == 0
    assert read(f"{head}{svi}{nve}".replace("  vn-segment 50001\n", "")).vrfs["A"].vni == 0


REFUSED = {
    "a VNI twice": "vrf context A\n  vni 7 l3\nvrf context B\n  vni 7 l3\n",
    "a switched port": "interface Ethernet1/1\n  switchport\n  vrf member A\n",
    "an address twice in a VRF": (
        "interface Ethernet1/1\n  no switchport\n  vrf member A\n  ip address 10.0.0.0/31\n"
        "interface Ethernet1/2\n  no switchport\n  vrf member A\n  ip address 10.0.0.0/31\n"
    ),
    "EVPN that is off": "feature bgp\nrouter bgp 1\n  address-family l2vpn evpn\n",
    "tunnels that are off": "interface nve1\n",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_stand_in_refuses(name: str) -> None:
    """Addresses overlap inside a VRF alone."""
    head = "feature vn-segment-vlan-based\n" if "VNI" in name else ""
    with pytest.raises(ValueError, match="line"):
        read_text(f"{head}{REFUSED[name]}", PORTS)
    if name == "an address twice in a VRF":
        first, second = REFUSED[name].split("interface Ethernet1/2")
        other = second.replace("vrf member A", "vrf member B")
        read_text(f"{first}interface Ethernet1/2{other}", PORTS)


@pytest.mark.parametrize("form", FORMS)
def test_a_part_that_is_merged_keeps_nothing_of_a_tenant_that_is_gone(
    form: str, tmp_path: Path
) -> None:
    """Where others own the rest of the configuration."""
    assert not any(left_of_a_merge(tmp_path, "nxos", form).values())
