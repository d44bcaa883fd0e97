"""VRP8: what each line of a configuration means, and which lines nobody understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration import Discard, Origination, PrefixMatch, StaticRoute
from fabric.observe.configuration.model import AddressLine
from fabric.systems.vrp8.platforms import FRAME_EXTRA_BYTES
from tests.cases import each
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import recordings
from tests.systems.readings import Case, check, check_unknown, golden, is_whole, read

KIND = "running-config"
PORT = "interface 100GE1/0/1\n"
ROUTED = f"{PORT} undo portswitch\n"
BGP = "bgp 65101\n"
FAMILY = f"{BGP} ipv4-family unicast\n"
A = 10 << 24


def _port(switch):
    return switch.ports["100GE1/0/1"]


def _peer(switch):
    return switch.bgp.peers["10.0.0.0"]


CASES: dict[str, Case] = {
    "own AS number": (
        f"{FAMILY}  peer 10.0.0.0 allow-as-loop 2\n",
        lambda s: (_peer(s).allowas_in, _peer(s).tells_peer_as),
        (2, True),
    ),
    "own AS number without how often": (
        f"{FAMILY}  peer 10.0.0.0 allow-as-loop\n",
        lambda s: _peer(s).allowas_in,
        1,
    ),
    "session over a port": (
        (
            f"{PORT} undo portswitch\n ip address unnumbered interface LoopBack0\n ipv6 enable\n"
            " ipv6 address auto link-local\n ipv6 nd ra halt disable\n"
            f"{BGP} group G unnumbered external\n peer G unnumbered-interface 100GE1/0/1\n"
            " ipv4-family unicast\n  peer G enable\n"
        ),
        lambda s: (_port(s).ipv6_link, [(n, p.asn, p.activated) for n, p in s.bgp.peers.items()]),
        (True, [("100GE1/0/1", 0, True)]),
    ),
    "port that forwards no IPv4": (
        (
            f"{PORT} undo portswitch\n ipv6 enable\n ipv6 address auto link-local\n"
            " ipv6 nd ra halt disable\n"
        ),
        lambda s: _port(s).ipv6_link,
        False,
    ),
    "routes of IPv6 over a port": (
        (
            f"{BGP} group G unnumbered external\n peer G unnumbered-interface 100GE1/0/1\n"
            " ipv6-family unicast\n  network fd00:64::40 127\n"
            "  aggregate fd00:64:: 64 detail-suppressed\n  maximum load-balancing ebgp 8\n"
            "  peer G enable\n  peer G allow-as-loop 1\n"
        ),
        lambda s: [
            [(p.activated6, p.allowas_in, p.allowas_in6, s.bgp.max_paths, s.bgp.max_paths6)]
            + [(one.network, one.is_ipv6) for one in s.bgp.originations]
            + [(one.prefix_length, one.hides, one.is_ipv6) for one in s.bgp.aggregates]
            for p in s.bgp.peers.values()
        ],
        [
            [
                (True, None, 1, 1, 8),
                (((0xFD000064 << 96) | 0x40, 127), True),
                (64, True, True),
            ]
        ],
    ),
    "session of IPv6": (
        f"{BGP} peer FD00::2 as-number 65100\n ipv6-family unicast\n  peer FD00::2 enable\n",
        lambda s: [(p.session, p.asn, p.activated6) for p in s.bgp.peers.values()],
        [("fd00::2", 65100, True)],
    ),
    "addresses of both families, and the MTU of IPv6": (
        (
            f"{PORT} undo portswitch\n mtu 9000\n ipv6 enable\n ipv6 mtu 4200\n"
            " ipv6 address FD00::1/64\n ip address 10.0.0.1 255.255.255.252\n"
            " ipv6 nd ra halt disable\n ipv6 nd ra prefix FD00::/64 2592000 604800\n"
        ),
        lambda s: ([address.text for address in _port(s).addresses], _port(s).mtu_bytes),
        (["fd00::1/64", "10.0.0.1/30"], 4200),
    ),
    "IPv6 has an MTU of its own": (
        f"{PORT} undo portswitch\n mtu 9000\n ipv6 enable\n ipv6 address fd00::1/127\n",
        lambda s: _port(s).mtu_bytes,
        1500,
    ),
    "name": ("sysname leaf1\n", lambda s: s.name, "leaf1"),
    "VLAN": ("vlan 101\n name RAIL0\n", lambda s: s.vlans, {101: 1}),
    "VLANs": ("vlan batch 2 101 to 103\n", lambda s: list(s.vlans), [2, 101, 102, 103]),
    "bare port": (
        PORT,
        lambda s: (_port(s).enabled, _port(s).routed, _port(s).mtu_bytes),
        (True, False, 9216 - FRAME_EXTRA_BYTES),
    ),
    "shut": (f"{PORT} shutdown\n", lambda s: _port(s).enabled, False),
    "up": (f"{PORT} undo shutdown\n", lambda s: _port(s).enabled, True),
    "part of a port": ("interface 100GE1/0/1:2\n", lambda s: list(s.ports), ["100GE1/0/1:2"]),
    "description": (f"{PORT} description a b\n", lambda s: _port(s).description, "a b"),
    "routed port": (ROUTED, lambda s: (_port(s).routed, _port(s).mtu_bytes), (True, 1500)),
    "MTU": (f"{ROUTED} mtu 9000\n", lambda s: _port(s).mtu_bytes, 9000),
    "short frames": (
        f"{ROUTED} mtu 9000\n jumboframe enable 1522\n",
        lambda s: _port(s).mtu_bytes,
        1522 - FRAME_EXTRA_BYTES,
    ),
    "frames of a switched port": (
        f"{PORT} jumboframe enable 9500\n",
        lambda s: _port(s).mtu_bytes,
        9500 - FRAME_EXTRA_BYTES,
    ),
    "address": (
        f"{ROUTED} ip address 10.0.0.1 255.255.255.254\n",
        lambda s: _port(s).addresses,
        [AddressLine(A + 1, 31, 3)],
    ),
    "address with a length": (
        f"{ROUTED} ip address 10.0.0.1 31\n ip address 10.0.1.1 24 sub\n",
        lambda s: [(row.prefix_length, row.line) for row in _port(s).addresses],
        [(31, 3), (24, 4)],
    ),
    "access VLAN": (
        f"{PORT} port link-type access\n port default vlan 101\n",
        lambda s: _port(s).vlan,
        101,
    ),
    "gateway": (
        "interface Vlanif101\n ip address 10.1.0.1 255.255.255.0\n",
        lambda s: (
            s.ports["Vlanif101"].gateway_vlan,
            s.ports["Vlanif101"].enabled,
            s.ports["Vlanif101"].mtu_bytes,
        ),
        (101, True, 1500),
    ),
    "loopback": (
        "interface LoopBack0\n ip address 10.0.0.1 255.255.255.255\n",
        lambda s: (s.ports["LoopBack0"].addresses[0].prefix_length, s.ports["LoopBack0"].mtu_bytes),
        (32, None),
    ),
    "prefix list": (
        (
            "ip ip-prefix P index 10 permit 10.0.0.0 8\n"
            "ip ip-prefix P index 20 deny 10.0.0.0 8 greater-equal 9 less-equal 24\n"
        ),
        lambda s: s.prefix_lists["P"],
        [PrefixMatch(True, A, 8, 8, 8, 1, 10), PrefixMatch(False, A, 8, 9, 24, 2, 20)],
    ),
    "policy": (
        "route-policy R deny node 10\n if-match ip-prefix P\n#\nroute-policy R permit node 20\n",
        lambda s: [(term.permit, term.prefix_lists) for term in s.policies["R"]],
        [(False, ["P"]), (True, [])],
    ),
    "routes": (
        "ip route-static 10.0.0.0 255.0.0.0 NULL0\nip route-static 10.0.0.0 8 10.0.0.9\n",
        lambda s: s.static_routes,
        [StaticRoute(A, 8, Discard(), 1), StaticRoute(A, 8, A + 9, 2)],
    ),
    "BGP": (
        f"{BGP} router-id 10.0.0.1\n",
        lambda s: (s.bgp.asn, s.bgp.router_id, s.bgp.max_paths, s.bgp.relax),
        (65101, "10.0.0.1", 1, False),
    ),
    "family": (
        (
            f"{FAMILY}  maximum load-balancing ebgp 64\n  load-balancing as-path-relax\n"
            "  network 10.0.0.0 255.0.0.0\n  network 10.0.0.0 8 route-policy R\n"
            "  import-route direct\n  import-route direct route-policy R\n"
        ),
        lambda s: (s.bgp.max_paths, s.bgp.relax, s.bgp.originations),
        (
            64,
            True,
            [
                Origination((A, 8), "", 5),
                Origination((A, 8), "R", 6),
                Origination(None, "", 7),
                Origination(None, "R", 8),
            ],
        ),
    ),
    "paths of all kinds": (
        f"{FAMILY}  maximum load-balancing 8\n",
        lambda s: s.bgp.max_paths,
        8,
    ),
    "peer": (
        (
            f"{BGP} peer 10.0.0.0 as-number 65100\n peer 10.0.0.0 description spine01\n"
            " peer 10.0.0.0 timer keepalive 3 hold 9\n peer 10.0.0.0 bfd enable single-hop-prefer\n"
            " peer 10.0.0.0 bfd min-tx-interval 300 min-rx-interval 300 detect-multiplier 3\n"
            " peer 10.0.0.0 ignore\n"
        ),
        lambda s: (
            _peer(s).asn,
            _peer(s).description,
            _peer(s).keepalive_s,
            _peer(s).hold_s,
            _peer(s).bfd,
            _peer(s).enabled,
            _peer(s).activated,
        ),
        (65100, "spine01", 3, 9, True, False, True),
    ),
    "peer works again": (
        f"{BGP} peer 10.0.0.0 ignore\n undo peer 10.0.0.0 ignore\n",
        lambda s: _peer(s).enabled,
        True,
    ),
    "peer is activated": (f"{FAMILY}  peer 10.0.0.0 enable\n", lambda s: _peer(s).activated, True),
    "peer is not": (f"{FAMILY}  undo peer 10.0.0.0 enable\n", lambda s: _peer(s).activated, False),
    "all are activated": (
        f"{BGP} default ipv4-unicast\n peer 10.0.0.0 as-number 1\n",
        lambda s: _peer(s).activated,
        True,
    ),
    "policies": (
        (f"{FAMILY}  peer 10.0.0.0 route-policy I import\n  peer 10.0.0.0 route-policy O export\n"),
        lambda s: (_peer(s).policy_in, _peer(s).policy_out),
        ("I", "O"),
    ),
    "group": (
        f"{BGP} group G external\n peer G as-number 65100\n peer 10.0.0.0 group G\n",
        lambda s: _peer(s).asn,
        65100,
    ),
    "group of the family": (
        (
            f"{BGP} group G external\n peer G as-number 65100\n ipv4-family unicast\n"
            "  peer 10.0.0.0 group G\n  peer G enable\n"
        ),
        lambda s: (_peer(s).asn, _peer(s).activated),
        (65100, True),
    ),
    "off topic": (
        (
            "#\nlldp enable\n#\ndcb pfc roce\n priority 3\n#\ninterface MEth0/0/0\n"
            " ip address 192.0.2.2 255.255.255.0\n#\naaa\n local-user admin\n#\nreturn\n"
        ),
        lambda s: s.ports,
        {},
    ),
}

UNKNOWN = {
    "filter": (f"{PORT} traffic-filter acl 3000 inbound\n", "traffic-filter acl 3000 inbound"),
    "VRF": (f"{ROUTED} ip binding vpn-instance X\n", "ip binding vpn-instance X"),
    "trunk": (f"{PORT} port link-type trunk\n", "port link-type trunk"),
    "address of a switched port": (
        f"{PORT} ip address 10.0.0.1 255.255.255.254\n",
        "ip address 10.0.0.1 255.255.255.254",
    ),
    "VLAN of a routed port": (f"{ROUTED} port default vlan 101\n", "port default vlan 101"),
    "no mask": (
        f"{ROUTED} ip address 10.0.0.1 255.0.255.0\n",
        "ip address 10.0.0.1 255.0.255.0",
    ),
    "trunk of ports": ("interface Eth-Trunk1\n", "interface Eth-Trunk1"),
    "condition": ("route-policy R permit node 10\n if-match tag 9\n", "if-match tag 9"),
    "two conditions": (
        "route-policy R permit node 10\n if-match ip-prefix P\n if-match ip-prefix Q\n",
        "if-match ip-prefix Q",
    ),
    "paths of any length": (
        f"{FAMILY}  load-balancing as-path-ignore\n",
        "load-balancing as-path-ignore",
    ),
    "prefix filter": (
        f"{FAMILY}  peer 10.0.0.0 ip-prefix P export\n",
        "peer 10.0.0.0 ip-prefix P export",
    ),
    "source": (
        f"{BGP} peer 10.0.0.0 connect-interface LoopBack0\n",
        "peer 10.0.0.0 connect-interface LoopBack0",
    ),
    "other family": (f"{BGP} l2vpn-family evpn\n", "l2vpn-family evpn"),
    "IPv6 that is off": (f"{ROUTED} ipv6 address fd00::1/127\n", "ipv6 address fd00::1/127"),
    "routing protocol": ("ospf 1\n", "ospf 1"),
    "paths of IBGP": (
        f"{FAMILY}  maximum load-balancing ibgp 8\n",
        "maximum load-balancing ibgp 8",
    ),
    "half a port": ("interface 100GE1/0\n", "interface 100GE1/0"),
    "a word that begins like another": ("qos-map x\n", "qos-map x"),
    "layer of a gateway": ("interface Vlanif5\n portswitch\n", "portswitch"),
}


@pytest.mark.parametrize("path", golden("vrp8", "running-config.vrp8"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every line of them."""
    is_whole(read("vrp8", KIND, path.read_text(encoding="utf-8")))


@each("name", CASES)
def test_lines(name: str) -> None:
    """One by one."""
    check("vrp8", KIND, CASES[name])


@each("name", UNKNOWN)
def test_unknown_lines(name: str) -> None:
    """Are kept for the reader's user."""
    check_unknown("vrp8", KIND, *UNKNOWN[name])


def test_recorded_outputs_are_no_configuration() -> None:
    """What other commands print leaves lines over, and no port."""
    for name in recordings("huawei-vrp8"):
        if name.endswith(".raw"):
            switch = read("vrp8", KIND, recorded(f"huawei-vrp8/{name}"))
            assert switch.leftovers
            assert switch.ports == {}
