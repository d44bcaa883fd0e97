"""NX-OS: what each line of a configuration means, and which lines nobody understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration import Discard, Origination, PrefixMatch, StaticRoute
from fabric.observe.configuration.model import AddressLine
from tests.cases import each
from tests.observe.test_fixtures import recorded
from tests.systems.readings import Case, check, check_unknown, golden, is_whole, read

KIND = "running-config"
PORT = "interface Ethernet1/1\n"
ROUTED = f"{PORT}  no switchport\n"
SVI = "feature interface-vlan\ninterface Vlan101\n"
BGP = "feature bgp\nrouter bgp 65101\n"
PEER = f"{BGP}  neighbor 10.0.0.0\n"
A = 10 << 24


def _port(switch):
    return switch.ports["Ethernet1/1"]


def _peer(switch):
    return switch.bgp.peers["10.0.0.0"]


CASES: dict[str, Case] = {
    "own AS number": (
        f"{PEER}    address-family ipv4 unicast\n      allowas-in 2\n",
        lambda s: (_peer(s).allowas_in, _peer(s).tells_peer_as),
        (2, False),
    ),
    "AS number of the peer": (
        f"{PEER}    address-family ipv4 unicast\n      disable-peer-as-check\n",
        lambda s: _peer(s).tells_peer_as,
        True,
    ),
    "session over a port": (
        (
            f"{ROUTED}  ip forward\n  ipv6 address use-link-local-only\n"
            f"{BGP}  neighbor Ethernet1/1\n    remote-as 65100\n"
        ),
        lambda s: (_port(s).ipv6_link, _port(s).shares_link_address, list(s.bgp.peers)),
        (True, True, ["Ethernet1/1"]),
    ),
    "port with a link-local address of its own": (
        f"{ROUTED}  ip forward\n  ipv6 link-local use-bia\n  ipv6 address use-link-local-only\n",
        lambda s: (_port(s).ipv6_link, _port(s).shares_link_address),
        (True, False),
    ),
    "port that forwards no IPv4": (
        f"{ROUTED}  ipv6 address use-link-local-only\n",
        lambda s: _port(s).ipv6_link,
        False,
    ),
    "routes of IPv6 over a port": (
        (
            f"{BGP}  address-family ipv6 unicast\n    maximum-paths 8\n"
            "    redistribute direct route-map P\n    aggregate-address fd00::/64 summary-only\n"
            "  neighbor Ethernet1/1\n    address-family ipv6 unicast\n"
            "      allowas-in 1\n      route-map P out\n"
        ),
        lambda s: [
            [(p.activated, p.activated6, p.allowas_in6, p.policy_out6, p.policy_out)]
            + [s.bgp.max_paths, s.bgp.max_paths6, s.bgp.originations[0].is_ipv6]
            + [(one.hides, one.is_ipv6) for one in s.bgp.aggregates]
            for p in s.bgp.peers.values()
        ],
        [[(False, True, 1, "P", None), 1, 8, True, (True, True)]],
    ),
    "session of IPv6": (
        f"{BGP}  neighbor fd00::2\n    address-family ipv6 unicast\n",
        lambda s: [(p.session, p.activated, p.activated6) for p in s.bgp.peers.values()],
        [("fd00::2", False, True)],
    ),
    "addresses of both families": (
        f"{ROUTED}  ipv6 address fd00::1/127\n  ip address 10.0.0.1/31\n  ipv6 nd suppress-ra\n",
        lambda s: [address.text for address in _port(s).addresses],
        ["fd00::1/127", "10.0.0.1/31"],
    ),
    "policy of IPv6": (
        (
            "ipv6 prefix-list L seq 10 permit fd00::/48 ge 127\n"
            "route-map P permit 10\n  match ipv6 address prefix-list L\n"
        ),
        lambda s: (
            s.policies["P"][0].prefix_lists6,
            [(one.low, one.high) for one in s.prefix_lists6["L"]],
        ),
        (["L"], [(127, 128)]),
    ),
    "name": ("hostname leaf1\n", lambda s: s.name, "leaf1"),
    "old name": ("switchname leaf1\n", lambda s: s.name, "leaf1"),
    "VLAN": ("vlan 101\n  name RAIL0\n", lambda s: s.vlans, {101: 1}),
    "VLANs": ("vlan 1,101-103\n", lambda s: sorted(s.vlans), [1, 101, 102, 103]),
    "bare port": (PORT, lambda s: (_port(s).enabled, _port(s).routed), (True, None)),
    "MTU without a line": (PORT, lambda s: _port(s).mtu_bytes, 1500),
    "MTU": (f"{PORT}  mtu 9216\n", lambda s: _port(s).mtu_bytes, 9216),
    "routed port is shut": (ROUTED, lambda s: (_port(s).routed, _port(s).enabled), (True, False)),
    "routed port is up": (f"{ROUTED}  no shutdown\n", lambda s: _port(s).enabled, True),
    "switched port is up": (f"{PORT}  switchport\n", lambda s: _port(s).enabled, True),
    "switched port is shut": (
        f"{PORT}  switchport\n  shutdown\n",
        lambda s: _port(s).enabled,
        False,
    ),
    "description": (f"{PORT}  description a b\n", lambda s: _port(s).description, "a b"),
    "address": (
        f"{ROUTED}  ip address 10.0.0.1/31\n",
        lambda s: _port(s).addresses,
        [AddressLine(A + 1, 31, 3)],
    ),
    "address with a mask": (
        f"{ROUTED}  ip address 10.0.0.1 255.255.255.254 tag 9\n",
        lambda s: _port(s).addresses,
        [AddressLine(A + 1, 31, 3)],
    ),
    "another address": (
        f"{ROUTED}  ip address 10.0.0.1/31\n  ip address 10.0.1.1/24\n",
        lambda s: [row.line for row in _port(s).addresses],
        [4],
    ),
    "a second address": (
        f"{ROUTED}  ip address 10.0.0.1/31\n  ip address 10.0.1.1/24 secondary\n",
        lambda s: [row.line for row in _port(s).addresses],
        [3, 4],
    ),
    "access VLAN": (
        f"{PORT}  switchport\n  switchport access vlan 101\n",
        lambda s: (_port(s).vlan, _port(s).routed),
        (101, False),
    ),
    "access VLAN of a port that is switched by default": (
        f"{PORT}  switchport access vlan 101\n",
        lambda s: (_port(s).vlan, _port(s).routed, _port(s).enabled),
        (101, False, True),
    ),
    "VRF of no port": (
        f"vrf context management\n  ip route 0.0.0.0/0 192.0.2.1\n{PORT}  no shutdown\n",
        lambda s: (s.static_routes, s.leftovers),
        ([], []),
    ),
    "gateway is shut": (
        SVI,
        lambda s: (s.ports["Vlan101"].gateway_vlan, s.ports["Vlan101"].enabled),
        (101, False),
    ),
    "gateway": (
        f"{SVI}  no shutdown\n  ip address 10.1.0.1/24\n",
        lambda s: (s.ports["Vlan101"].enabled, len(s.ports["Vlan101"].addresses)),
        (True, 1),
    ),
    "loopback": (
        "interface loopback0\n  ip address 10.0.0.1/32\n",
        lambda s: (s.ports["loopback0"].enabled, s.ports["loopback0"].mtu_bytes),
        (True, None),
    ),
    "prefix list": (
        (
            "ip prefix-list P seq 10 permit 10.0.0.0/8 eq 32\n"
            "ip prefix-list P seq 20 deny 10.0.0.0/8 ge 24\n"
            "ip prefix-list P seq 30 permit 10.0.0.0/8\n"
        ),
        lambda s: s.prefix_lists["P"],
        [
            PrefixMatch(True, A, 8, 32, 32, 1, 10),
            PrefixMatch(False, A, 8, 24, 32, 2, 20),
            PrefixMatch(True, A, 8, 8, 8, 3, 30),
        ],
    ),
    "route map": (
        "route-map R deny 10\n  match ip address prefix-list P Q\nroute-map R permit 20\n",
        lambda s: [(term.permit, term.prefix_lists) for term in s.policies["R"]],
        [(False, ["P", "Q"]), (True, [])],
    ),
    "null route": (
        "ip route 10.0.0.0/8 Null0\n",
        lambda s: s.static_routes,
        [StaticRoute(A, 8, Discard(), 1)],
    ),
    "static route": (
        "ip route 10.0.0.0/8 10.0.0.9 name x\n",
        lambda s: s.static_routes,
        [StaticRoute(A, 8, A + 9, 1)],
    ),
    "BGP": (
        f"{BGP}  router-id 10.0.0.1\n",
        lambda s: (s.bgp.asn, s.bgp.router_id, s.bgp.max_paths, s.bgp.relax),
        (65101, "10.0.0.1", 1, False),
    ),
    "relax": (f"{BGP}  bestpath as-path multipath-relax\n", lambda s: s.bgp.relax, True),
    "no relax": (f"{BGP}  no bestpath as-path multipath-relax\n", lambda s: s.bgp.relax, False),
    "family": (
        (
            f"{BGP}  address-family ipv4 unicast\n    maximum-paths 64\n"
            "    redistribute direct route-map R\n    network 10.0.0.0/8\n"
            "    network 10.0.0.0 mask 255.0.0.0 route-map Q\n"
        ),
        lambda s: (s.bgp.max_paths, s.bgp.originations),
        (
            64,
            [
                Origination(None, "R", 5),
                Origination((A, 8), "", 6),
                Origination((A, 8), "Q", 7),
            ],
        ),
    ),
    "peer without family": (
        f"{PEER}    remote-as 65100\n",
        lambda s: (_peer(s).asn, _peer(s).activated, _peer(s).enabled),
        (65100, False, None),
    ),
    "peer with family": (
        f"{PEER}    address-family ipv4 unicast\n",
        lambda s: _peer(s).activated,
        True,
    ),
    "peer on one line": (
        f"{BGP}  neighbor 10.0.0.0 remote-as 65100\n",
        lambda s: _peer(s).asn,
        65100,
    ),
    "peer": (
        f"{PEER}    description spine01\n    timers 3 9\n    bfd\n    shutdown\n",
        lambda s: (
            _peer(s).description,
            _peer(s).keepalive_s,
            _peer(s).hold_s,
            _peer(s).bfd,
            _peer(s).enabled,
        ),
        ("spine01", 3, 9, True, False),
    ),
    "policies": (
        f"{PEER}    address-family ipv4 unicast\n      route-map I in\n      route-map O out\n",
        lambda s: (_peer(s).policy_in, _peer(s).policy_out),
        ("I", "O"),
    ),
    "template": (
        (
            f"{BGP}  template peer T\n    remote-as 65100\n    address-family ipv4 unicast\n"
            "  neighbor 10.0.0.0\n    inherit peer T\n"
        ),
        lambda s: (_peer(s).asn, _peer(s).activated),
        (65100, True),
    ),
    "off topic": (
        (
            "version 10.4(3)\nntp server 192.0.2.1\npolicy-map type qos Q\n  class C\n"
            "    set qos-group 3\nvrf context management\n  ip route 0.0.0.0/0 192.0.2.1\n"
            "interface mgmt0\n  vrf member management\n"
        ),
        lambda s: s.ports,
        {},
    ),
}

UNKNOWN = {
    "filter": (f"{ROUTED}  ip access-group BLOCK in\n", "ip access-group BLOCK in"),
    "VRF of a switched port": (f"{PORT}  switchport\n  vrf member X\n", "vrf member X"),
    "route of a VRF": (
        "vrf context X\n  ip route static bfd Ethernet1/1 192.0.2.1\n",
        "ip route static bfd Ethernet1/1 192.0.2.1",
    ),
    "targets of another family": (
        "vrf context X\n  address-family ipv4 unicast\n    route-target import 1:1\n",
        "route-target import 1:1",
    ),
    "leak of a VRF": (
        "vrf context X\n  address-family ipv4 unicast\n    import vrf default map R\n",
        "import vrf default map R",
    ),
    "trunk": (f"{PORT}  switchport\n  switchport mode trunk\n", "switchport mode trunk"),
    "address before no switchport": (f"{PORT}  ip address 10.0.0.1/31\n", "ip address 10.0.0.1/31"),
    "no address": (f"{ROUTED}  ip address 10.0.0.300/31\n", "ip address 10.0.0.300/31"),
    "port channel": ("interface port-channel1\n", "interface port-channel1"),
    "all shut": ("system default switchport shutdown\n", "system default switchport shutdown"),
    "condition": ("route-map R permit 10\n  match tag 9\n", "match tag 9"),
    "setting": ("route-map R permit 10\n  set local-preference 9\n", "set local-preference 9"),
    "redistribution without a policy": (
        f"{BGP}  address-family ipv4 unicast\n    redistribute direct\n",
        "redistribute direct",
    ),
    "other family": (f"{PEER}    address-family vpnv4 unicast\n", "address-family vpnv4 unicast"),
    "option": (
        f"{PEER}    address-family ipv4 unicast\n      as-override\n",
        "as-override",
    ),
    "source": (f"{PEER}    update-source Vlan7\n", "update-source Vlan7"),
    "switched port with an IPv6 address": (
        f"{PORT}  switchport\n  ipv6 address fd00::1/127\n",
        "ipv6 address fd00::1/127",
    ),
    "peer of a VLAN": (f"{BGP}  neighbor Vlan5\n", "neighbor Vlan5"),
    "network of a VRF": (
        f"{BGP}  vrf X\n    address-family ipv4 unicast\n      network 10.0.0.0/8\n",
        "network 10.0.0.0/8",
    ),
    "session of a VRF": (f"{BGP}  vrf X\n    neighbor 10.0.0.1\n", "neighbor 10.0.0.1"),
    "VNI of a VLAN": ("interface nve1\n  member vni 7\n", "member vni 7"),
    "BGP without feature": ("router bgp 65101\n", "router bgp without feature bgp"),
    "gateway without feature": (
        "interface Vlan101\n",
        "interface Vlan101 without feature interface-vlan",
    ),
    "routing protocol": ("router ospf 1\n", "router ospf 1"),
}


@pytest.mark.parametrize("path", golden("nxos", "running-config.nxos"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every line of them."""
    is_whole(read("nxos", KIND, path.read_text(encoding="utf-8")))


@each("name", CASES)
def test_lines(name: str) -> None:
    """One by one."""
    check("nxos", KIND, CASES[name])


@each("name", UNKNOWN)
def test_unknown_lines(name: str) -> None:
    """Are kept for the reader's user."""
    check_unknown("nxos", KIND, *UNKNOWN[name])


def test_a_recorded_configuration() -> None:
    """`show running-config all` of an access port: a VLAN, and many lines about neither."""
    switch = read("nxos", KIND, recorded("nxos/show_running_config_all_interface_7.0.3.cfg"))
    assert switch.name == "nxos_interface_show_all_2"
    assert switch.ports["Ethernet1/2"].vlan == 17
    assert switch.ports["Ethernet1/2"].mtu_bytes == 1500
    assert {17} <= switch.vlans.keys()
