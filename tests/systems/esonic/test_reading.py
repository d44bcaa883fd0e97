"""Enterprise SONiC: what each line of a configuration means, and which lines nobody understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration import Discard, Origination, PrefixMatch, StaticRoute
from fabric.observe.configuration.model import AddressLine
from fabric.systems.sonic.reading import NO_POLICY
from tests.cases import each
from tests.systems.readings import Case, check, check_unknown, golden, is_whole, read

KIND = "running-configuration"
PORT = "interface Ethernet0\n"
BGP = "router bgp 65101\n"
PEER = f"{BGP} !\n neighbor 10.0.0.0\n"
A = 10 << 24


def _port(switch):
    return switch.ports["Ethernet0"]


def _peer(switch):
    return switch.bgp.peers["10.0.0.0"]


CASES: dict[str, Case] = {
    "own AS number": (
        f"{PEER}  !\n  address-family ipv4 unicast\n   allowas-in 2\n",
        lambda s: (_peer(s).allowas_in, _peer(s).tells_peer_as),
        (2, True),
    ),
    "name": ("hostname leaf1\n", lambda s: s.name, "leaf1"),
    "port is shut": (PORT, lambda s: (_port(s).enabled, _port(s).mtu_bytes), (False, 9100)),
    "port is up": (f"{PORT} no shutdown\n", lambda s: _port(s).enabled, True),
    "name apart from its number": (
        "interface Ethernet 0\n shutdown\n",
        lambda s: _port(s).enabled,
        False,
    ),
    "standard name": ("interface Eth1/5\n", lambda s: list(s.ports), ["Eth1/5"]),
    "MTU": (f"{PORT} mtu 1500\n", lambda s: _port(s).mtu_bytes, 1500),
    "description": (f'{PORT} description "a b"\n', lambda s: _port(s).description, "a b"),
    "bare description": (f"{PORT} description a\n", lambda s: _port(s).description, "a"),
    "address": (
        f"{PORT} ip address 10.0.0.1/31\n",
        lambda s: (_port(s).routed, _port(s).addresses),
        (True, [AddressLine(A + 1, 31, 2)]),
    ),
    "session over a port": (
        (
            f"{PORT} ipv6 enable\n{BGP} !\n neighbor interface Ethernet 0\n"
            "  remote-as external\n  capability extended-nexthop\n"
        ),
        lambda s: (
            (_port(s).routed, _port(s).ipv6_link),
            (s.bgp.peers["Ethernet0"].asn, s.bgp.peers["Ethernet0"].extended_next_hop),
        ),
        ((True, True), (0, True)),
    ),
    "routes of IPv6 over a port": (
        (
            f"{BGP} !\n address-family ipv6 unicast\n  maximum-paths 8\n"
            "  redistribute connected route-map P\n  aggregate-address fd00::/64 summary-only\n"
            " !\n neighbor interface Ethernet0\n  address-family ipv6 unicast\n   activate\n"
            "   allowas-in 1\n   route-map P in\n   route-map P out\n"
        ),
        lambda s: [
            [(p.activated, p.activated6, p.allowas_in6, p.policy_in6, p.policy_out6)]
            + [s.bgp.max_paths, s.bgp.max_paths6, s.bgp.originations[0].is_ipv6]
            + [(one.hides, one.is_ipv6) for one in s.bgp.aggregates]
            for p in s.bgp.peers.values()
        ],
        [[(False, True, 1, "P", "P"), 1, 8, True, (True, True)]],
    ),
    "session of IPv6": (
        f"{BGP} !\n neighbor fd00::2\n  address-family ipv6 unicast\n   activate\n",
        lambda s: [(p.session, p.activated, p.activated6) for p in s.bgp.peers.values()],
        [("fd00::2", False, True)],
    ),
    "addresses of both families": (
        (
            f"{PORT} ipv6 address fd00::1/64\n ip address 10.0.0.1/31\n"
            " no ipv6 nd suppress-ra\n ipv6 nd prefix fd00::/64 2592000 604800\n"
        ),
        lambda s: [address.text for address in _port(s).addresses],
        ["fd00::1/64", "10.0.0.1/31"],
    ),
    "policy of IPv6": (
        (
            "ipv6 prefix-list L seq 10 permit fd00::/48 ge 127\n"
            "route-map P permit 10\n match ipv6 address prefix-list L\n"
        ),
        lambda s: (
            s.policies["P"][0].prefix_lists6,
            [(one.low, one.high) for one in s.prefix_lists6["L"]],
        ),
        (["L"], [(127, 128)]),
    ),
    "a second address": (
        f"{PORT} ip address 10.0.0.1/31\n ip address 10.0.1.1/24 secondary\n",
        lambda s: [row.line for row in _port(s).addresses],
        [2, 3],
    ),
    "access VLAN": (
        f"{PORT} switchport access Vlan 101\n",
        lambda s: (_port(s).vlan, _port(s).routed),
        (101, False),
    ),
    "gateway": (
        "interface Vlan101\n ip address 10.1.0.1/24\n",
        lambda s: (s.vlans, s.ports["Vlan101"].gateway_vlan, s.ports["Vlan101"].enabled),
        ({101: 1}, 101, True),
    ),
    "loopback": (
        "interface Loopback0\n ip address 10.0.0.1/32\n",
        lambda s: s.ports["Loopback0"].enabled,
        True,
    ),
    "prefix list": (
        (
            "ip prefix-list P seq 10 permit 10.0.0.0/8 ge 32\n"
            "ip prefix-list P seq 20 deny 10.0.0.0/8 ge 9 le 24\n"
        ),
        lambda s: s.prefix_lists["P"],
        [PrefixMatch(True, A, 8, 32, 32, 1, 10), PrefixMatch(False, A, 8, 9, 24, 2, 20)],
    ),
    "route map": (
        "route-map R deny 10\n match ip address prefix-list P\n!\nroute-map R permit 20\n",
        lambda s: [(term.permit, term.prefix_lists) for term in s.policies["R"]],
        [(False, ["P"]), (True, [])],
    ),
    "routes": (
        "ip route 10.0.0.0/8 blackhole\nip route 10.0.0.0/8 10.0.0.9\n",
        lambda s: s.static_routes,
        [StaticRoute(A, 8, Discard(), 1), StaticRoute(A, 8, A + 9, 2)],
    ),
    "BGP": (
        f"{BGP} router-id 10.0.0.1\n",
        lambda s: (s.bgp.asn, s.bgp.router_id, s.bgp.max_paths, s.bgp.relax),
        (65101, "10.0.0.1", 1, False),
    ),
    "relax": (f"{BGP} bestpath as-path multipath-relax\n", lambda s: s.bgp.relax, True),
    "no relax": (f"{BGP} no bestpath as-path multipath-relax\n", lambda s: s.bgp.relax, False),
    "family": (
        (
            f"{BGP} !\n address-family ipv4 unicast\n  maximum-paths 64\n"
            "  redistribute connected route-map R\n  redistribute connected\n  network 10.0.0.0/8\n"
        ),
        lambda s: (s.bgp.max_paths, s.bgp.originations),
        (
            64,
            [
                Origination(None, "R", 5),
                Origination(None, "", 6),
                Origination((A, 8), "", 7),
            ],
        ),
    ),
    "peer": (
        f"{PEER}  remote-as 65100\n  description spine01\n  timers 3 9\n  bfd\n  shutdown\n",
        lambda s: (
            _peer(s).asn,
            _peer(s).description,
            _peer(s).keepalive_s,
            _peer(s).hold_s,
            _peer(s).bfd,
            _peer(s).enabled,
        ),
        (65100, "spine01", 3, 9, True, False),
    ),
    "peer without activation": (
        f"{PEER}  !\n  address-family ipv4 unicast\n",
        lambda s: _peer(s).activated,
        False,
    ),
    "peer is activated": (
        f"{PEER}  !\n  address-family ipv4 unicast\n   activate\n",
        lambda s: _peer(s).activated,
        True,
    ),
    "policies": (
        f"{PEER}  !\n  address-family ipv4 unicast\n   route-map I in\n   route-map O out\n",
        lambda s: (_peer(s).policy_in, _peer(s).policy_out, s.policies),
        ("I", "O", {}),
    ),
    "a missing policy permits nothing": (
        f"{PEER}  !\n  address-family ipv4 unicast\n   route-map I in\n",
        lambda s: (_peer(s).policy_in, _peer(s).policy_out, s.policies),
        ("I", NO_POLICY, {NO_POLICY: []}),
    ),
    "off topic": (
        (
            "ntp server 192.0.2.1\nbuffer init lossless\n"
            "qos map dscp-tc M\n dscp 0 traffic-class 0\n"
            "interface Management0\n ip address 192.0.2.2/24\n"
            "interface breakout port 1/1 mode 4x100G\nend\n"
        ),
        lambda s: s.ports,
        {},
    ),
}

UNKNOWN = {
    "filter": (f"{PORT} ip access-group BLOCK in\n", "ip access-group BLOCK in"),
    "VRF": (f"{PORT} ip vrf forwarding X\n", "ip vrf forwarding X"),
    "trunk": (
        f"{PORT} switchport trunk allowed Vlan 101\n",
        "switchport trunk allowed Vlan 101",
    ),
    "address of a switched port": (
        f"{PORT} switchport access Vlan 101\n ip address 10.0.0.1/31\n",
        "ip address 10.0.0.1/31",
    ),
    "VLAN of a routed port": (
        f"{PORT} ip address 10.0.0.1/31\n switchport access Vlan 101\n",
        "switchport access Vlan 101",
    ),
    "port channel": ("interface PortChannel1\n", "interface PortChannel1"),
    "condition": ("route-map R permit 10\n match tag 9\n", "match tag 9"),
    "setting": ("route-map R permit 10\n set local-preference 9\n", "set local-preference 9"),
    "peer group": (f"{PEER}  peer-group G\n", "peer-group G"),
    "peer of a VLAN": (f"{BGP} neighbor interface Vlan 5\n", "neighbor interface Vlan 5"),
    "option": (
        f"{PEER}  !\n  address-family ipv4 unicast\n   as-override\n",
        "as-override",
    ),
    "VRF of BGP": ("router bgp 65101 vrf X\n", "router bgp 65101 vrf X"),
    "routing protocol": ("router ospf\n", "router ospf"),
}


@pytest.mark.parametrize("path", golden("esonic", "running-configuration.esonic"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every line of them."""
    is_whole(read("esonic", KIND, path.read_text(encoding="utf-8")))


@each("name", CASES)
def test_lines(name: str) -> None:
    """One by one."""
    check("esonic", KIND, CASES[name])


@each("name", UNKNOWN)
def test_unknown_lines(name: str) -> None:
    """Are kept for the reader's user."""
    check_unknown("esonic", KIND, *UNKNOWN[name])
