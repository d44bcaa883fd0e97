"""Junos: what each statement of a configuration means, and which ones nobody understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration import Discard, Origination, PrefixMatch, StaticRoute
from fabric.observe.configuration.model import AddressLine
from fabric.observe.parsers import UnreadableError
from fabric.systems.junos.platforms.text import read_set
from fabric.systems.junos.platforms.tree import tree_text
from tests.cases import each
from tests.observe.test_fixtures import recorded
from tests.systems.readings import Case, check, check_unknown, golden, is_whole, read

KIND = "set"
PORT = "set interfaces et-0/0/1"
VLAN = "set vlans RAIL0 vlan-id 101\n"
POLICY = "set policy-options policy-statement P"
BGP = "set routing-options autonomous-system 65101\n"
GROUP = "set protocols bgp group G"
PEER = f"{GROUP} neighbor 10.0.0.0"
BALANCING = (
    "set policy-options policy-statement LB then load-balance per-packet\n"
    "set routing-options forwarding-table export LB\n"
)
A = 10 << 24


def _port(switch):
    return switch.ports["et-0/0/1"]


def _peer(switch):
    return switch.bgp.peers["10.0.0.0"]


def _terms(switch):
    return [(term.permit, term.source, len(term.prefixes)) for term in switch.policies["P"]]


#: A group that finds its peer over the first port.
_FOUND = f"""{BGP}set policy-options as-list L members 65100
set policy-options as-list L members 65102
{PORT} unit 0 family inet
{GROUP} family inet unicast extended-nexthop
{GROUP} peer-as-list L
{GROUP} dynamic-neighbor D peer-auto-discovery family inet6 ipv6-nd
{GROUP} dynamic-neighbor D peer-auto-discovery interface et-0/0/1.0
"""
CASES: dict[str, Case] = {
    "own AS number": (
        f"{BGP}{PEER} family inet unicast loops 2\n",
        lambda s: (_peer(s).activated, _peer(s).allowas_in, _peer(s).tells_peer_as),
        (True, 1, False),
    ),
    "AS number of the peer": (
        f"{BGP}{PEER} peer-as 65100\n{GROUP} advertise-peer-as\n",
        lambda s: _peer(s).tells_peer_as,
        True,
    ),
    "session over a port": (
        (
            f"{_FOUND}{PORT} unit 0 family inet6\n"
            "set protocols router-advertisement interface et-0/0/1.0\n"
        ),
        lambda s: (
            (_port(s).ipv6_link, s.bgp.peers["et-0/0/1"].extended_next_hop),
            [s.bgp.peers["et-0/0/1"].takes(asn, 65101) for asn in (65100, 65102, 65103)],
        ),
        ((True, True), [True, True, False]),
    ),
    "a port that tells its peer nothing": (
        f"{_FOUND}{PORT} unit 0 family inet6\n",
        lambda s: _port(s).ipv6_link,
        False,
    ),
    "routes of IPv6 over a port": (
        f"{_FOUND}{GROUP} family inet6 unicast loops 2\n{GROUP} export P\n{POLICY} then accept\n",
        lambda s: [
            (peer.activated, peer.activated6, peer.allowas_in, peer.allowas_in6, peer.policy_out6)
            for peer in s.bgp.peers.values()
        ],
        [(True, True, None, 1, "P")],
    ),
    "session of IPv6": (
        f"{BGP}{GROUP} neighbor fd00::2 family inet6 unicast\n",
        lambda s: [(p.session, p.activated, p.activated6) for p in s.bgp.peers.values()],
        [("fd00::2", False, True)],
    ),
    "addresses of both families": (
        (
            f"{PORT} unit 0 family inet address 10.0.0.1/31\n"
            f"{PORT} unit 0 family inet6 address fd00::1/127\n"
        ),
        lambda s: [address.text for address in _port(s).addresses],
        ["10.0.0.1/31", "fd00::1/127"],
    ),
    "aggregate of IPv6": (
        (
            f"{BGP}{PEER} peer-as 65100\n"
            "set routing-options rib inet6.0 aggregate route fd00::/64 discard\n"
        ),
        lambda s: [(one.prefix_length, one.is_ipv6) for one in s.bgp.aggregates],
        [(64, True)],
    ),
    "filters of both families": (
        (
            f"{POLICY} from route-filter 0.0.0.0/0 orlonger\n{POLICY} then accept\n"
            f"{POLICY} from route-filter ::/0 prefix-length-range /127-/128\n"
        ),
        lambda s: [(one.low, one.high, one.is_ipv6) for one in s.policies["P"][0].prefixes],
        [(0, 32, False), (127, 128, True)],
    ),
    "a family alone": (
        f"{POLICY} from family inet6\n{POLICY} then accept\n",
        lambda s: [(one.network, one.low, one.high) for one in s.policies["P"][0].prefixes],
        [(0, 0, 128)],
    ),
    "name": ("set system host-name leaf1\n", lambda s: s.name, "leaf1"),
    "bare port": (
        f"{PORT} description x\n",
        lambda s: (_port(s).enabled, _port(s).mtu_bytes, _port(s).description),
        (True, 1500, "x"),
    ),
    "quoted description": (f'{PORT} description "a b"\n', lambda s: _port(s).description, "a b"),
    "shut": (f"{PORT} disable\n", lambda s: _port(s).enabled, False),
    "unit is shut": (f"{PORT} unit 0 disable\n", lambda s: _port(s).enabled, False),
    "part of a port": (
        "set interfaces et-0/0/1:0 mtu 9216\n",
        lambda s: list(s.ports),
        ["et-0/0/1:0"],
    ),
    "MTU": (f"{PORT} mtu 9216\n", lambda s: _port(s).mtu_bytes, 9202),
    "MTU of packets": (
        f"{PORT} mtu 9216\n{PORT} unit 0 family inet mtu 9000\n",
        lambda s: _port(s).mtu_bytes,
        9000,
    ),
    "address": (
        f"{PORT} unit 0 family inet address 10.0.0.1/31\n",
        lambda s: (_port(s).routed, _port(s).addresses),
        (True, [AddressLine(A + 1, 31, 1)]),
    ),
    "access VLAN by name": (
        f"{PORT} unit 0 family ethernet-switching vlan members RAIL0\n{VLAN}",
        lambda s: (_port(s).vlan, _port(s).routed, s.vlans),
        (101, False, {101: 2}),
    ),
    "access VLAN by number": (
        f"{PORT} unit 0 family ethernet-switching vlan members 101\n",
        lambda s: _port(s).vlan,
        101,
    ),
    "VLAN that does not exist": (
        f"{PORT} unit 0 family ethernet-switching vlan members RAIL9\n",
        lambda s: (_port(s).vlan, _port(s).unknown_vlan, _port(s).routed),
        (None, "RAIL9", False),
    ),
    "gateway": (
        (
            f"{VLAN}set vlans RAIL0 l3-interface irb.101\nset interfaces irb mtu 9216\n"
            "set interfaces irb unit 101 family inet address 10.1.0.1/24\n"
        ),
        lambda s: (
            s.ports["irb.101"].gateway_vlan,
            s.ports["irb.101"].mtu_bytes,
            len(s.ports["irb.101"].addresses),
        ),
        (101, 9202, 1),
    ),
    "gateway of no VLAN": (
        "set interfaces irb unit 101 family inet address 10.1.0.1/24\n",
        lambda s: (s.ports["irb.101"].gateway_vlan, s.ports["irb.101"].mtu_bytes),
        (None, 1500),
    ),
    "gateways are shut": (
        "set interfaces irb disable\nset interfaces irb unit 101 family inet address 10.1.0.1/24\n",
        lambda s: s.ports["irb.101"].enabled,
        False,
    ),
    "a gateway is shut": (
        "set interfaces irb unit 101 disable\n",
        lambda s: s.ports["irb.101"].enabled,
        False,
    ),
    "MTU of a gateway": (
        (
            "set interfaces irb mtu 9216\nset interfaces irb unit 101 family inet mtu 9000\n"
            "set interfaces irb unit 101 family inet address 10.1.0.1/24\n"
        ),
        lambda s: s.ports["irb.101"].mtu_bytes,
        9000,
    ),
    "routed port": (f"{PORT} unit 0 family inet\n", lambda s: _port(s).routed, True),
    "switched port": (
        f"{PORT} unit 0 family ethernet-switching interface-mode access\n",
        lambda s: (_port(s).routed, _port(s).vlan),
        (False, None),
    ),
    "loopback": (
        "set interfaces lo0 unit 0 family inet address 10.0.0.1/32\n",
        lambda s: (s.ports["lo0"].addresses, s.ports["lo0"].mtu_bytes),
        ([AddressLine(A + 1, 32, 1)], None),
    ),
    "deleted": (
        f"{PORT} disable\n{PORT} mtu 9216\ndelete interfaces et-0/0/1 disable\n",
        lambda s: _port(s).enabled,
        True,
    ),
    "deactivated": (
        f"{PORT} disable\n{PORT} mtu 9216\ndeactivate interfaces et-0/0/1 disable\n",
        lambda s: _port(s).enabled,
        True,
    ),
    "activated again": (
        f"{PORT} disable\ndeactivate interfaces et-0/0/1\nactivate interfaces et-0/0/1\n",
        lambda s: _port(s).enabled,
        False,
    ),
    "routes": (
        (
            "set routing-options static route 10.0.0.0/8 discard\n"
            "set routing-options static route 10.0.0.0/8 next-hop 10.0.0.9\n"
        ),
        lambda s: s.static_routes,
        [StaticRoute(A, 8, Discard(), 1), StaticRoute(A, 8, A + 9, 2)],
    ),
    "default of a policy": (
        f"{POLICY} term a from protocol direct\n{POLICY} term a then accept\n",
        _terms,
        [(True, "connected", 0), (True, "bgp", 0)],
    ),
    "term without a decision": (f"{POLICY} term a from protocol bgp\n", _terms, [(True, "bgp", 0)]),
    "the unnamed term is last": (
        f"{POLICY} then reject\n{POLICY} term a from protocol bgp\n{POLICY} term a then accept\n",
        _terms,
        [(True, "bgp", 0), (False, "", 0), (True, "bgp", 0)],
    ),
    "route filters": (
        (
            f"{POLICY} from route-filter 10.0.0.0/8 prefix-length-range /24-/26\n"
            f"{POLICY} from route-filter 11.0.0.0/8 exact\n"
            f"{POLICY} from route-filter 12.0.0.0/8 orlonger\n"
            f"{POLICY} from route-filter 13.0.0.0/8 longer\n"
            f"{POLICY} from route-filter 14.0.0.0/8 upto /9\n{POLICY} then accept\n"
        ),
        lambda s: [(row.low, row.high) for row in s.policies["P"][0].prefixes],
        [(24, 26), (8, 8), (8, 32), (9, 32), (8, 9)],
    ),
    "prefix list": (
        (
            f"set policy-options prefix-list L 10.0.0.0/8\n{POLICY} from prefix-list L\n"
            f"{POLICY} then reject\n"
        ),
        lambda s: (s.prefix_lists, s.policies["P"][0].prefix_lists),
        ({"L": [PrefixMatch(True, A, 8, 8, 8, 1)]}, ["L"]),
    ),
    "BGP": (
        (
            f"{BGP}set routing-options router-id 10.0.0.1\n{GROUP} type external\n"
            f"{PEER} peer-as 65100\n"
        ),
        lambda s: (s.bgp.asn, s.bgp.router_id, s.bgp.max_paths, s.bgp.relax),
        (65101, "10.0.0.1", 1, False),
    ),
    "everything connected is up for announcement": (
        f"{BGP}{PEER} peer-as 65100\n",
        lambda s: s.bgp.originations,
        [Origination(None, "", 2), Origination(None, "", 2, is_ipv6=True)],
    ),
    "without a policy routes of BGP alone are told": (
        f"{BGP}{PEER} peer-as 65100\n",
        lambda s: [(t.permit, t.source) for t in s.policies[_peer(s).policy_out]],
        [(True, "bgp")],
    ),
    "peer": (
        (
            f"{BGP}{PEER} peer-as 65100\n{PEER} description spine01\n{PEER} hold-time 9\n"
            f"{PEER} local-address 10.0.0.1\n{PEER} family inet unicast\n{PEER} import I\n"
            f"{PEER} export O\n{PEER} bfd-liveness-detection minimum-interval 1000\n"
        ),
        lambda s: (
            _peer(s).asn,
            _peer(s).description,
            _peer(s).hold_s,
            _peer(s).keepalive_s,
            _peer(s).local_address,
            _peer(s).activated,
            _peer(s).policy_in,
            _peer(s).policy_out,
            _peer(s).bfd,
        ),
        (65100, "spine01", 9, 3, "10.0.0.1", True, "I", "O", True),
    ),
    "group": (
        f"{BGP}{GROUP} peer-as 65100\n{GROUP} export O\n{PEER}\n",
        lambda s: (_peer(s).asn, _peer(s).policy_out, _peer(s).activated),
        (65100, "O", True),
    ),
    "multipath": (
        f"{BGP}{BALANCING}{GROUP} multipath\n{PEER} peer-as 65100\n",
        lambda s: (s.bgp.max_paths, s.bgp.relax),
        (16, False),
    ),
    "multipath over several ASes": (
        (
            f"{BGP}{BALANCING}{GROUP} multipath multiple-as\n{PEER} peer-as 65100\n"
            "set chassis maximum-ecmp 64\n"
        ),
        lambda s: (s.bgp.max_paths, s.bgp.relax),
        (64, True),
    ),
    "multipath of one group alone": (
        (
            f"{BGP}{BALANCING}{GROUP} multipath multiple-as\n{PEER} peer-as 65100\n"
            "set protocols bgp group H neighbor 10.0.0.2 peer-as 65100\n"
        ),
        lambda s: s.bgp.max_paths,
        1,
    ),
    "multipath that does not reach the forwarding table": (
        f"{BGP}{GROUP} multipath multiple-as\n{PEER} peer-as 65100\n",
        lambda s: s.bgp.max_paths,
        1,
    ),
    "off topic": (
        (
            "# a comment\nset version 23.4\nset system ntp server 192.0.2.1\n"
            "set class-of-service forwarding-classes class C queue-num 3\n"
            "set interfaces re0:mgmt-0 unit 0 family inet address 192.0.2.2/24\n"
            "set protocols lldp interface all\n"
        ),
        lambda s: s.ports,
        {},
    ),
}


def _unknown(text: str) -> tuple[str, str]:
    """Return a text whose last statement is not understood, and that statement."""
    return f"{text}\n", text.splitlines()[-1].removeprefix("set ")


UNKNOWN = {
    "filter": _unknown(f"{PORT} unit 0 family inet filter input F"),
    "other unit": _unknown(f"{PORT} unit 1 family inet address 10.0.0.1/31"),
    "trunk": _unknown(f"{PORT} unit 0 family ethernet-switching interface-mode trunk"),
    "all VLANs": _unknown(f"{PORT} unit 0 family ethernet-switching vlan members all"),
    "range of VLANs": _unknown(f"{PORT} unit 0 family ethernet-switching vlan members 101-104"),
    "list of VLANs": _unknown(
        "set vlans MANY vlan-id-list 101-104\n"
        f"{PORT} unit 0 family ethernet-switching vlan members MANY"
    ),
    "two VLANs": _unknown(
        f"{PORT} unit 0 family ethernet-switching vlan members 101\n"
        f"{PORT} unit 0 family ethernet-switching vlan members 102"
    ),
    "address of a switched port": _unknown(
        f"{PORT} unit 0 family ethernet-switching vlan members 101\n"
        f"{PORT} unit 0 family inet address 10.0.0.1/31"
    ),
    "no address": _unknown(f"{PORT} unit 0 family inet address 10.0.0.1/33"),
    "aggregate": _unknown("set interfaces ae0 unit 0 family inet address 10.0.0.1/31"),
    "groups": _unknown("set apply-groups X"),
    "instance": _unknown("set routing-instances X routing-options auto-export"),
    "condition": _unknown(f"{POLICY} from community C"),
    "setting": _unknown(f"{POLICY} then local-preference 9"),
    "two protocols": _unknown(f"{POLICY} from protocol direct\n{POLICY} from protocol bgp"),
    "filters in each other": _unknown(
        f"{POLICY} from route-filter 10.0.0.0/8 orlonger\n"
        f"{POLICY} from route-filter 10.1.0.0/16 exact"
    ),
    "lengths": _unknown(f"{POLICY} from route-filter 10.0.0.0/8 through 10.1.0.0/16"),
    "chain": _unknown(f"{BGP}{PEER} export O\n{PEER} export Q"),
    "internal": _unknown(f"{BGP}{GROUP} type internal"),
    "other family": _unknown(f"{BGP}{PEER} family inet6 unicast"),
    "family of the other addresses": _unknown(f"{BGP}{GROUP} neighbor fd00::2 family inet unicast"),
    "own AS again": _unknown(f"{BGP}{PEER} local-as 65000"),
    "routing protocol": _unknown("set protocols ospf area 0 interface et-0/0/1.0"),
}


@pytest.mark.parametrize("path", golden("junos", "junos.set"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every line, and the same statements as a hierarchy."""
    text = path.read_text(encoding="utf-8")
    tree = tree_text(words for _, words in read_set(text))
    one, other = (read("junos", KIND, form) for form in (text, tree))
    is_whole(one)
    is_whole(other)
    assert {name: _without_lines(port) for name, port in one.ports.items()} == {
        name: _without_lines(port) for name, port in other.ports.items()
    }
    assert one.bgp.peers.keys() == other.bgp.peers.keys()
    assert {name: len(terms) for name, terms in one.policies.items()} == {
        name: len(terms) for name, terms in other.policies.items()
    }


def _without_lines(port):
    return (port.enabled, port.vlan, port.mtu_bytes, [row[:2] for row in port.addresses])


def test_lines_of_a_hierarchy_are_counted() -> None:
    """Each statement stands on its own line, after comments of several lines too."""
    text = "/* two\nlines */\ninterfaces {\n  et-0/0/1 {\n    mtu 9216;\n    weird;\n  }\n}\n"
    switch = read("junos", KIND, text)
    assert switch.ports["et-0/0/1"].line == 5
    assert switch.leftovers == [(6, "interfaces et-0/0/1 weird")]


def test_inactive_parts_of_a_hierarchy_do_not_count() -> None:
    """As the system shows them."""
    text = "interfaces {\n    inactive: et-0/0/1 {\n        mtu 9216;\n    }\n}\n"
    assert read("junos", KIND, text).ports == {}


@each("name", CASES)
def test_lines(name: str) -> None:
    """One by one."""
    check("junos", KIND, CASES[name])


@each("name", UNKNOWN)
def test_unknown_lines(name: str) -> None:
    """Are kept for the reader's user."""
    check_unknown("junos", KIND, *UNKNOWN[name])


def test_bgp_without_a_number_is_none() -> None:
    """The switch would reject it."""
    switch = read("junos", KIND, f"{PEER} peer-as 65100\n")
    assert switch.bgp is None
    assert [row.text for row in switch.leftovers] == ["BGP without autonomous-system"]


@pytest.mark.parametrize("text", ["interfaces {\n", "hello\n", 'set system host-name "x\n'])
def test_what_is_no_configuration_is_unreadable(text: str) -> None:
    """In neither form."""
    with pytest.raises(UnreadableError):
        read("junos", KIND, text)


@pytest.mark.parametrize(
    ("name", "peers", "addresses"),
    [
        ("leaf1_qfx5130-32cd.conf", 4, 7),
        ("leaf1_qfx5240-64od.conf", 12, 34),
        ("spine1_qfx5240-64od.conf", 12, 9),
    ],
)
def test_validated_configurations_of_the_vendor(name: str, peers: int, addresses: int) -> None:
    """Their addresses and sessions are read, and their chains of policies are left over."""
    switch = read("junos", KIND, recorded(f"junos/jvd/{name}"))
    assert len(switch.bgp.peers) == peers
    assert all(peer.asn and peer.local_address for peer in switch.bgp.peers.values())
    assert sum(len(port.addresses) for port in switch.ports.values()) == addresses
    assert (switch.bgp.relax, switch.bgp.max_paths) == (True, 16)
    assert any(" export ( " in item.text for item in switch.leftovers)
