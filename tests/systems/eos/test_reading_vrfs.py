"""EOS: what a configuration says of VRFs, tunnels and EVPN, and what it leaves over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fabric.observe.configuration import Configured, Discard
from tests.cases import each
from tests.systems.readings import GOLDEN, read

KIND = "startup-config"
LEAF = (GOLDEN / "eos/tenants/su2-rail0/startup-config.eos").read_text(encoding="utf-8")
SPINE = (GOLDEN / "eos/tenants/spine01/startup-config.eos").read_text(encoding="utf-8")


def _routes(switch: Configured) -> list[Any]:
    """Return the static routes of a VRF: next hop and VRF."""
    return [(one.next_hop, one.egress) for one in switch.vrfs["Vrf18"].static_routes]


#: A fault in the file of a leaf: the line, what stands there, and what is read then.
PLANTED: dict[str, tuple[str, str, Callable[[Configured], Any], Any]] = {
    "a port of another tenant": (
        "   vrf Vrf18\n   ip address",
        "   vrf Vrf17\n   ip address",
        lambda switch: switch.ports["Ethernet2/1"].vrf,
        "Vrf17",
    ),
    "a port of no VRF": (
        "   vrf Vrf18\n   ip address",
        "   ip address",
        lambda switch: switch.ports["Ethernet2/1"].vrf,
        "",
    ),
    "an import of another tenant": (
        "import evpn 65000:50018",
        "import evpn 65000:50018\n      route-target import evpn 65000:50017",
        lambda switch: [one.target for one in switch.vrfs["Vrf18"].imports],
        ["65000:50018", "65000:50017"],
    ),
    "a VNI of another tenant": (
        "vxlan vrf Vrf18 vni 50018",
        "vxlan vrf Vrf18 vni 50017",
        lambda switch: switch.vrfs["Vrf18"].vni,
        50017,
    ),
    "a static route": (
        "router bgp",
        "ip route vrf Vrf18 10.0.0.0/8 10.0.0.9 20 tag 7\nrouter bgp",
        _routes,
        [((10 << 24) + 9, None)],
    ),
    "a static route into another VRF": (
        "router bgp",
        "ip route vrf Vrf18 10.0.0.0/8 egress-vrf Vrf17 10.0.0.9\nrouter bgp",
        _routes,
        [((10 << 24) + 9, "Vrf17")],
    ),
    "a static route into the default VRF": (
        "router bgp",
        "ip route vrf Vrf18 10.0.0.0/8 egress-vrf default Ethernet17/1 10.0.0.9\nrouter bgp",
        _routes,
        [("Ethernet17/1", "")],
    ),
    "a static route to nowhere": (
        "router bgp",
        "ip route vrf Vrf18 10.0.0.0/8 Null0\nrouter bgp",
        _routes,
        [(Discard(), None)],
    ),
    "the management port": (
        "router bgp",
        "interface Management1\n   vrf Vrf18\n   lldp receive\nrouter bgp",
        lambda switch: [(port.name, port.vrf) for port in switch.management.values()],
        [("Management1", "Vrf18")],
    ),
    "no communities": (
        "   neighbor EVPN-SPINES send-community\n",
        "",
        lambda switch: switch.bgp.peers["10.255.0.1"].sends_targets,
        False,
    ),
    "other communities": (
        "   neighbor EVPN-SPINES send-community\n",
        "   neighbor EVPN-SPINES send-community standard large\n",
        lambda switch: switch.bgp.peers["10.255.0.1"].sends_targets,
        False,
    ),
    "no routing": (
        "ip routing vrf Vrf18\n",
        "",
        lambda switch: (switch.vrfs["Vrf17"].routes, switch.vrfs["Vrf18"].routes),
        (True, False),
    ),
    "every connected route": (
        "redistribute connected route-map RM-Vrf18",
        "redistribute connected",
        lambda switch: [one[:2] for one in switch.vrfs["Vrf18"].redistributions],
        [("connected", "")],
    ),
    "static routes": (
        "redistribute connected route-map RM-Vrf18",
        "redistribute connected route-map RM-Vrf18\n      redistribute static",
        lambda switch: [one.kind for one in switch.vrfs["Vrf18"].redistributions],
        ["connected", "static"],
    ),
    "an outer header without ECN": (
        "   vxlan qos ecn propagation\n",
        "",
        lambda switch: (switch.evpn.copies_ecn, switch.evpn.restores_ecn, switch.evpn.copies_dscp),
        (False, False, True),
    ),
    "an outer header with a DSCP of the class": (
        "   vxlan qos dscp propagation encapsulation\n",
        "",
        lambda switch: (switch.evpn.copies_ecn, switch.evpn.copies_dscp),
        (True, False),
    ),
    "a class of the inner header": (
        "   vxlan qos map dscp to traffic-class decapsulation\n",
        "",
        lambda switch: switch.evpn.takes_outer_class,
        False,
    ),
    "a tunnel without a source": (
        "   vxlan source-interface Loopback0\n",
        "",
        lambda switch: switch.evpn.source,
        "",
    ),
    "no VRF in BGP": (
        LEAF[LEAF.index("   !\n   vrf Vrf18\n") :],
        "",
        lambda switch: (switch.vrfs["Vrf18"].advertises, switch.vrfs["Vrf18"].imports),
        (False, []),
    ),
    "no EVPN": (
        "      neighbor EVPN-SPINES activate\n",
        "",
        lambda switch: switch.evpn.peers,
        {},
    ),
    "EVPN over one hop": (
        "   neighbor EVPN-SPINES ebgp-multihop 2\n",
        "",
        lambda switch: {peer.hops for peer in switch.bgp.peers.values()},
        {None},
    ),
}
#: Lines that no tenant needs: nobody may take them for understood.
UNKNOWN = {
    "a session of a VRF": "neighbor 10.64.0.35 remote-as 65001",
    "a network of a VRF": "network 0.0.0.0/0",
    "an aggregate of a VRF": "aggregate-address 10.0.0.0/8",
    "a family of a VRF": "address-family ipv4",
    "targets of another kind": "route-target import vpn-ipv4 65000:50017",
    "a default route": "neighbor default send-community",
}


@each("name", PLANTED)
def test_a_planted_fault_is_read(name: str) -> None:
    line, fault, look, value = PLANTED[name]
    assert line in LEAF
    switch = read("eos", KIND, LEAF.replace(line, fault))
    assert look(switch) == value
    assert switch.leftovers == []
    assert look(read("eos", KIND, LEAF)) != value


@each("name", UNKNOWN)
def test_what_no_tenant_needs_is_left_over(name: str) -> None:
    switch = read("eos", KIND, f"{LEAF}      {UNKNOWN[name]}\n")
    assert [item.text for item in switch.leftovers] == [UNKNOWN[name]]
    whole = read("eos", KIND, LEAF)
    assert switch.bgp is not None
    assert whole.bgp is not None
    assert switch.bgp.peers.keys() == whole.bgp.peers.keys()
    assert switch.bgp.originations == whole.bgp.originations


@pytest.mark.parametrize("line", ["vxlan vlan 7 vni 7", "vxlan udp-port 4790", "shutdown"])
def test_other_lines_of_tunnels_are_left_over(line: str) -> None:
    switch = read("eos", KIND, LEAF.replace("   vxlan udp-port 4789\n", f"   {line}\n"))
    assert [item.text for item in switch.leftovers] == [line]


def test_a_spine_relays_with_the_next_hop() -> None:
    switch = read("eos", KIND, SPINE)
    assert switch.evpn is not None
    assert switch.evpn.keeps_next_hop == set(switch.evpn.peers)
    changed = SPINE.replace("   neighbor EVPN-LEAVES next-hop-unchanged\n", "")
    other = read("eos", KIND, changed)
    assert other.evpn is not None
    assert other.evpn.peers.keys() == switch.evpn.peers.keys()
    assert other.evpn.keeps_next_hop == set()


def test_a_vrf_of_management_is_read() -> None:
    text = "vrf instance MGMT\nip routing vrf MGMT\ninterface Vlan7\n   vrf MGMT\n"
    switch = read("eos", KIND, text)
    assert (switch.vrfs["MGMT"].routes, switch.ports["Vlan7"].vrf) == (True, "MGMT")
    assert (switch.leftovers, switch.evpn) == ([], None)
