"""Comware 7: what each line of a configuration means, and which lines nobody understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration import Discard, Origination, PrefixMatch, StaticRoute
from fabric.observe.configuration.model import AddressLine
from tests.cases import each
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import recordings
from tests.systems.readings import Case, check, check_unknown, golden, is_whole, read

KIND = "running-config"
PORT = "interface HundredGigE1/0/1\n"
ROUTED = f"{PORT} port link-mode route\n"
SWITCHED = f"{PORT} port link-mode bridge\n"
BGP = "bgp 65101\n"
FAMILY = f"{BGP} #\n address-family ipv4 unicast\n"
A = 10 << 24


def _port(switch):
    return switch.ports["HundredGigE1/0/1"]


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
    "session and routes of IPv6": (
        (
            f"{BGP} peer fd00::2 as-number 65100\n #\n address-family ipv6 unicast\n"
            "  balance ebgp 8\n  network fd00:64::40 127\n"
            "  aggregate fd00:64:: 64 detail-suppressed\n  peer FD00::2 enable\n"
            "  peer fd00::2 allow-as-loop 1\n"
        ),
        lambda s: [
            [(p.session, p.activated, p.activated6, p.allowas_in6, s.bgp.max_paths6)]
            + [(one.network[1], one.is_ipv6) for one in s.bgp.originations]
            + [(one.prefix_length, one.hides, one.is_ipv6) for one in s.bgp.aggregates]
            for p in s.bgp.peers.values()
        ],
        [[("fd00::2", False, True, 1, 8), (127, True), (64, True, True)]],
    ),
    "addresses of both families, and the MTU of IPv6": (
        (
            f"{ROUTED} mtu 9000\n ip address 10.0.0.1 255.255.255.254\n"
            " ipv6 address fd00::1/64\n undo ipv6 nd ra halt\n"
            " ipv6 nd ra prefix fd00::/64 2592000 604800\n ipv6 mtu 4200\n"
        ),
        lambda s: ([address.text for address in _port(s).addresses], _port(s).mtu_bytes),
        (["10.0.0.1/31", "fd00::1/64"], 4200),
    ),
    "name": ("#\n sysname leaf1\n", lambda s: s.name, "leaf1"),
    "VLAN": ("vlan 101\n description RAIL0\n", lambda s: s.vlans, {101: 1}),
    "VLANs": ("vlan 101 to 103\n", lambda s: list(s.vlans), [101, 102, 103]),
    "bare port": (PORT, lambda s: (_port(s).enabled, _port(s).routed), (True, None)),
    "shut": (f"{PORT} shutdown\n", lambda s: _port(s).enabled, False),
    "up": (f"{PORT} undo shutdown\n", lambda s: _port(s).enabled, True),
    "names of ports": (
        (
            "interface Twenty-FiveGigE1/0/1\n#\ninterface Ten-GigabitEthernet1/0/2\n#\n"
            "interface TwoHundredGigE1/0/3:1\n#\ninterface GigabitEthernet1/0/4\n"
        ),
        lambda s: list(s.ports),
        [
            "Twenty-FiveGigE1/0/1",
            "Ten-GigabitEthernet1/0/2",
            "TwoHundredGigE1/0/3:1",
            "GigabitEthernet1/0/4",
        ],
    ),
    "description": (f"{PORT} description a b\n", lambda s: _port(s).description, "a b"),
    "routed port": (ROUTED, lambda s: (_port(s).routed, _port(s).mtu_bytes), (True, None)),
    "MTU": (f"{ROUTED} mtu 9000\n", lambda s: _port(s).mtu_bytes, 9000),
    "switched port": (SWITCHED, lambda s: (_port(s).routed, _port(s).mtu_bytes), (False, None)),
    "another mode": (
        f"{ROUTED} ip address 10.0.0.1 31\n port link-mode bridge\n",
        lambda s: (_port(s).routed, _port(s).addresses),
        (False, []),
    ),
    "address": (
        f"{ROUTED} ip address 10.0.0.1 255.255.255.254\n ip address 10.0.1.1 24 sub\n",
        lambda s: _port(s).addresses,
        [AddressLine(A + 1, 31, 3), AddressLine(A + 257, 24, 4)],
    ),
    "access VLAN": (f"{SWITCHED} port access vlan 101\n", lambda s: _port(s).vlan, 101),
    "gateway": (
        "interface Vlan-interface101\n ip address 10.1.0.1 255.255.255.0\n",
        lambda s: (
            s.ports["Vlan-interface101"].gateway_vlan,
            s.ports["Vlan-interface101"].enabled,
            s.ports["Vlan-interface101"].mtu_bytes,
        ),
        (101, True, None),
    ),
    "loopback": (
        "interface LoopBack0\n ip address 10.0.0.1 255.255.255.255\n",
        lambda s: s.ports["LoopBack0"].addresses[0].prefix_length,
        32,
    ),
    "prefix list": (
        (
            "ip prefix-list P index 10 permit 10.0.0.0 8\n"
            "ip prefix-list P index 20 deny 10.0.0.0 8 greater-equal 9 less-equal 24\n"
        ),
        lambda s: s.prefix_lists["P"],
        [PrefixMatch(True, A, 8, 8, 8, 1, 10), PrefixMatch(False, A, 8, 9, 24, 2, 20)],
    ),
    "policy": (
        (
            "route-policy R deny node 10\n if-match ip address prefix-list P\n#\n"
            "route-policy R permit node 20\n"
        ),
        lambda s: [(term.permit, term.prefix_lists) for term in s.policies["R"]],
        [(False, ["P"]), (True, [])],
    ),
    "routes": (
        "#\n ip route-static 10.0.0.0 8 NULL0\n ip route-static 10.0.0.0 255.0.0.0 10.0.0.9\n",
        lambda s: s.static_routes,
        [StaticRoute(A, 8, Discard(), 2), StaticRoute(A, 8, A + 9, 3)],
    ),
    "BGP": (
        f"{BGP} router-id 10.0.0.1\n",
        lambda s: (s.bgp.asn, s.bgp.router_id, s.bgp.max_paths, s.bgp.relax),
        (65101, "10.0.0.1", 1, False),
    ),
    "family": (
        (
            f"{FAMILY}  balance ebgp 64\n  network 10.0.0.0 255.0.0.0\n"
            "  network 10.0.0.0 8 route-policy R\n  import-route direct\n"
            "  import-route direct route-policy R\n"
        ),
        lambda s: (s.bgp.max_paths, s.bgp.originations),
        (
            64,
            [
                Origination((A, 8), "", 5),
                Origination((A, 8), "R", 6),
                Origination(None, "", 7),
                Origination(None, "R", 8),
            ],
        ),
    ),
    "paths of all kinds": (f"{FAMILY}  balance 8\n", lambda s: s.bgp.max_paths, 8),
    "peer": (
        (
            f"{BGP} peer 10.0.0.0 as-number 65100\n peer 10.0.0.0 description spine01\n"
            " peer 10.0.0.0 timer keepalive 3 hold 9\n peer 10.0.0.0 bfd\n peer 10.0.0.0 ignore\n"
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
        (65100, "spine01", 3, 9, True, False, False),
    ),
    "peer is activated": (f"{FAMILY}  peer 10.0.0.0 enable\n", lambda s: _peer(s).activated, True),
    "peer is not": (f"{FAMILY}  undo peer 10.0.0.0 enable\n", lambda s: _peer(s).activated, False),
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
    "off topic": (
        (
            "#\n version 7.1.070\n#\n lldp global enable\n#\nqos map-table dot1p-lp\n"
            " import 0 export 0\n#\ninterface M-GigabitEthernet0/0/0\n"
            " ip address 192.0.2.2 255.255.255.0\n#\nline vty 0 63\n#\nreturn\n"
        ),
        lambda s: s.ports,
        {},
    ),
}

UNKNOWN = {
    "filter": (f"{ROUTED} packet-filter 3000 inbound\n", "packet-filter 3000 inbound"),
    "VRF": (f"{ROUTED} ip binding vpn-instance X\n", "ip binding vpn-instance X"),
    "trunk": (f"{SWITCHED} port link-type trunk\n", "port link-type trunk"),
    "address without a mode": (
        f"{PORT} ip address 10.0.0.1 255.255.255.254\n",
        "ip address 10.0.0.1 255.255.255.254",
    ),
    "VLAN without a mode": (f"{PORT} port access vlan 101\n", "port access vlan 101"),
    "trunk of ports": ("interface Bridge-Aggregation1\n", "interface Bridge-Aggregation1"),
    "condition": ("route-policy R permit node 10\n if-match tag 9\n", "if-match tag 9"),
    "setting": (
        "route-policy R permit node 10\n apply local-preference 9\n",
        "apply local-preference 9",
    ),
    "relaxed paths": (f"{FAMILY}  balance as-path-neglect\n", "balance as-path-neglect"),
    "source": (
        f"{BGP} peer 10.0.0.0 connect-interface LoopBack0\n",
        "peer 10.0.0.0 connect-interface LoopBack0",
    ),
    "other family": (f"{BGP} address-family l2vpn evpn\n", "address-family l2vpn evpn"),
    "IPv6 of a switched port": (
        f"{SWITCHED} ipv6 address fd00::1/127\n",
        "ipv6 address fd00::1/127",
    ),
    "VRF of BGP": (f"{BGP} ip vpn-instance X\n", "ip vpn-instance X"),
    "routing protocol": ("ospf 1\n", "ospf 1"),
    "MTU of a loopback": ("interface LoopBack0\n mtu 9000\n", "mtu 9000"),
    "layer of a gateway": (
        "interface Vlan-interface5\n port link-mode route\n",
        "port link-mode route",
    ),
    "times without a value": (f"{BGP} timer keepalive\n", "timer keepalive"),
    "sessions over hops": (f"{BGP} peer 10.0.0.0 bfd multi-hop\n", "peer 10.0.0.0 bfd multi-hop"),
}


@pytest.mark.parametrize("path", golden("comware7", "running-config.comware7"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every line of them."""
    is_whole(read("comware7", KIND, path.read_text(encoding="utf-8")))


@each("name", CASES)
def test_lines(name: str) -> None:
    """One by one."""
    check("comware7", KIND, CASES[name])


@each("name", UNKNOWN)
def test_unknown_lines(name: str) -> None:
    """Are kept for the reader's user."""
    check_unknown("comware7", KIND, *UNKNOWN[name])


def test_recorded_outputs_are_no_configuration() -> None:
    """What other commands print leaves lines over, and no port."""
    for name in recordings("comware7"):
        if name.endswith(".raw"):
            switch = read("comware7", KIND, recorded(f"comware7/{name}"))
            assert switch.leftovers
            assert switch.ports == {}
