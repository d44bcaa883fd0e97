"""Cumulus Linux: what each path of NVUE means, and which ones nobody understands."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.observe.configuration import Discard, Origination, StaticRoute
from fabric.observe.configuration.model import AddressLine
from fabric.observe.parsers import UnreadableError
from tests.cases import each
from tests.observe.test_fixtures import recorded
from tests.systems.outputs import recordings
from tests.systems.readings import Case, check, check_unknown, golden, is_whole, read

KIND = "nv-set"
PORT = "nv set interface swp1"
BGP = "nv set router bgp autonomous-system 65101\n"
VRF = "nv set vrf default router bgp"
PEER = f"{VRF} neighbor 10.0.0.0"
FAMILY = f"{VRF} address-family ipv4-unicast"
ALLOW = "address-family ipv4-unicast aspath allow-my-asn"
A = 10 << 24


def _port(switch):
    return switch.ports["swp1"]


def _peer(switch):
    return switch.bgp.peers["10.0.0.0"]


CASES: dict[str, Case] = {
    "own AS number": (
        f"{BGP}{PEER} {ALLOW} enable on\n{PEER} {ALLOW} occurrences 2\n",
        lambda s: _peer(s).allowas_in,
        2,
    ),
    "own AS number without how often": (
        f"{BGP}{PEER} {ALLOW} state enabled\n",
        lambda s: _peer(s).allowas_in,
        3,
    ),
    "name": ("nv set system hostname leaf1\n", lambda s: s.name, "leaf1"),
    "VLANs": (
        "nv set bridge domain br_default vlan 101,103-104\n",
        lambda s: s.vlans,
        {101: 1, 103: 1, 104: 1},
    ),
    "bare port": (
        f"{PORT} type swp\n",
        lambda s: (_port(s).enabled, _port(s).mtu_bytes, _port(s).ipv6_link, _port(s).routed),
        (False, 9216, True, None),
    ),
    "up": (f"{PORT} link state up\n", lambda s: _port(s).enabled, True),
    "shut": (f"{PORT} link state down\n", lambda s: _port(s).enabled, False),
    "several ports": (
        "nv set interface swp1-2,swp5s0 link state up\n",
        lambda s: [name for name, port in s.ports.items() if port.enabled],
        ["swp1", "swp2", "swp5s0"],
    ),
    "MTU": (f"{PORT} link mtu 1500\n", lambda s: _port(s).mtu_bytes, 1500),
    "description": (f"{PORT} description 'a b'\n", lambda s: _port(s).description, "a b"),
    "address": (
        f"{PORT} ip address 10.0.0.1/31\n",
        lambda s: (_port(s).routed, _port(s).addresses),
        (True, [AddressLine(A + 1, 31, 1)]),
    ),
    "address of newer releases": (
        f"{PORT} ipv4 address 10.0.0.1/31\n",
        lambda s: len(_port(s).addresses),
        1,
    ),
    "access VLAN": (
        f"{PORT} bridge domain br_default access 101\n",
        lambda s: (_port(s).vlan, _port(s).routed),
        (101, False),
    ),
    "port of the bridge": (
        f"{PORT} bridge domain br_default\n",
        lambda s: (_port(s).vlan, _port(s).routed),
        (None, False),
    ),
    "gateway by its name": (
        "nv set interface vlan101 ip address 10.1.0.1/24\n",
        lambda s: (s.ports["vlan101"].gateway_vlan, s.ports["vlan101"].enabled),
        (101, True),
    ),
    "gateway by its VLAN": (
        "nv set interface vlan9 vlan 101\n",
        lambda s: s.ports["vlan9"].gateway_vlan,
        101,
    ),
    "loopback": (
        "nv set interface lo ip address 10.0.0.1/32\n",
        lambda s: (s.ports["lo"].enabled, s.ports["lo"].mtu_bytes),
        (True, None),
    ),
    "routes": (
        (
            "nv set vrf default router static 10.0.0.0/8 via blackhole\n"
            "nv set vrf default router static 10.0.0.0/8 via 10.0.0.9\n"
        ),
        lambda s: s.static_routes,
        [StaticRoute(A, 8, Discard(), 1), StaticRoute(A, 8, A + 9, 2)],
    ),
    "BGP": (
        f"{BGP}nv set router bgp router-id 10.0.0.1\n",
        lambda s: (s.bgp.asn, s.bgp.router_id, s.bgp.max_paths, s.bgp.relax),
        (65101, "10.0.0.1", 64, False),
    ),
    "BGP of the VRF": (f"{VRF} autonomous-system 65101\n", lambda s: s.bgp.asn, 65101),
    "BGP is on": (f"{BGP}nv set router bgp state enabled\n", lambda s: bool(s.bgp), True),
    "BGP is off": (f"{BGP}nv set router bgp enable off\n", lambda s: s.bgp, None),
    "BGP is off in the VRF": (f"{BGP}{VRF} state disabled\n", lambda s: s.bgp, None),
    "no BGP": ("nv set router bgp router-id 10.0.0.1\n", lambda s: s.bgp, None),
    "relax": (
        f"{BGP}{VRF} path-selection multipath aspath-ignore on\n",
        lambda s: s.bgp.relax,
        True,
    ),
    "paths": (f"{BGP}{FAMILY} multipaths ebgp 1\n", lambda s: s.bgp.max_paths, 1),
    "announcements": (
        f"{BGP}{FAMILY} network 10.0.0.0/8\n{FAMILY} redistribute connected enable on\n",
        lambda s: s.bgp.originations,
        [Origination((A, 8), "", 2), Origination(None, "", 3)],
    ),
    "peer": (
        (
            f"{BGP}{PEER} remote-as 65100\n{PEER} type numbered\n{PEER} timers keepalive 3\n"
            f"{PEER} timers hold 9\n{PEER} bfd enable on\n{PEER} shutdown on\n"
            f"{PEER} description spine01\n"
        ),
        lambda s: (
            _peer(s).asn,
            _peer(s).keepalive_s,
            _peer(s).hold_s,
            _peer(s).bfd,
            _peer(s).enabled,
            _peer(s).description,
            _peer(s).activated,
        ),
        (65100, 3, 9, True, False, "spine01", True),
    ),
    "peer of any other AS": (f"{BGP}{PEER} remote-as external\n", lambda s: _peer(s).asn, 0),
    "peer of a port": (
        f"{BGP}{VRF} neighbor swp51 remote-as external\n",
        lambda s: list(s.bgp.peers),
        ["swp51"],
    ),
    "peer is not activated": (
        f"{BGP}{PEER} address-family ipv4-unicast enable off\n",
        lambda s: _peer(s).activated,
        False,
    ),
    "group": (
        f"{BGP}{VRF} peer-group G remote-as 65100\n{PEER} peer-group G\n",
        lambda s: _peer(s).asn,
        65100,
    ),
    "unset": (
        f"{PORT} link state up\n{PORT} link mtu 1500\nnv unset interface swp1 link state\n",
        lambda s: (_port(s).enabled, _port(s).mtu_bytes),
        (False, 1500),
    ),
    "the last value counts": (
        f"{PORT} link state up\n{PORT} link state down\n{PORT} link state up\n",
        lambda s: _port(s).enabled,
        True,
    ),
    "off topic": (
        (
            "# a comment\nnv set system timezone UTC\nnv set qos roce mode lossless\n"
            "nv set interface eth0 ip address 192.0.2.2/24\nnv set vrf mgmt router static x\n"
            "nv set service lldp tx-interval 30\n"
        ),
        lambda s: s.ports,
        {},
    ),
}


def _unknown(text: str) -> tuple[str, str]:
    """Return a text whose last line is not understood, and its words."""
    return f"{text}\n", text.splitlines()[-1].removeprefix("nv set ")


UNKNOWN = {
    "filter": _unknown(f"{PORT} acl BLOCK inbound"),
    "tagged VLANs": _unknown(f"{PORT} bridge domain br_default vlan 101"),
    "other bridge": _unknown("nv set bridge domain br_other vlan 101"),
    "address of a switched port": _unknown(
        f"{PORT} bridge domain br_default access 101\n{PORT} ip address 10.0.0.1/31"
    ),
    "VLAN of a routed port": _unknown(
        f"{PORT} ip address 10.0.0.1/31\n{PORT} bridge domain br_default access 101"
    ),
    "no address": _unknown(f"{PORT} ip address 10.0.0.1/33"),
    "bond": _unknown("nv set interface bond1 bond member swp1"),
    "shared gateway": _unknown("nv set interface vlan101 ip vrr address 10.0.0.1/24"),
    "policy": _unknown("nv set router policy route-map R rule 10 match peer swp1"),
    "redistribution with a policy": _unknown(f"{BGP}{FAMILY} redistribute connected route-map R"),
    "policy of a peer": _unknown(
        f"{BGP}{PEER} address-family ipv4-unicast policy outbound route-map R"
    ),
    "internal": _unknown(f"{BGP}{PEER} remote-as internal"),
    "other VRF": _unknown("nv set vrf X router bgp neighbor swp9 remote-as external"),
    "EVPN": _unknown("nv set evpn route-advertise svi-ip on"),
    "peer without a process": (
        f"{PEER} remote-as 65100\n",
        "neighbor 10.0.0.0 without autonomous-system",
    ),
}

STARTUP = """\
- header:
    model: MSN4700
- set:
    system: {hostname: leaf1}
    bridge: {domain: {br_default: {vlan: {'101': {}, '102': {}}}}}
    interface:
      lo: {type: loopback, ip: {address: {10.0.0.11/32: {}}}}
      swp1:
        type: swp
        link: {state: {up: {}}}
        bridge: {domain: {br_default: {access: 101}}}
        qos: {pfc-watchdog: {}}
      swp51-52: {type: swp, link: {state: {up: {}}}}
      vlan101: {type: svi, vlan: 101, ip: {address: {10.101.1.1/24: {}}}}
    qos: {roce: {enable: on, mode: lossless}}
    router: {bgp: {enable: on, autonomous-system: 65101, router-id: 10.0.0.11}}
    vrf:
      default:
        router:
          bgp:
            enable: on
            neighbor:
              swp51: {remote-as: external, type: unnumbered}
              swp52: {remote-as: external, type: unnumbered}
            address-family:
              ipv4-unicast:
                enable: on
                redistribute: {connected: {enable: on}}
"""


@pytest.mark.parametrize("path", golden("cumulus", "config.nv"))
def test_rendered_files_are_understood(path: Path) -> None:
    """Every line of them."""
    is_whole(read("cumulus", KIND, path.read_text(encoding="utf-8")))


@each("name", CASES)
def test_lines(name: str) -> None:
    """One by one."""
    check("cumulus", KIND, CASES[name])


@each("name", UNKNOWN)
def test_unknown_lines(name: str) -> None:
    """Are kept for the reader's user."""
    check_unknown("cumulus", KIND, *UNKNOWN[name])


def test_a_startup_file() -> None:
    """The YAML of the switch says the same as lines would."""
    switch = read("cumulus", KIND, STARTUP)
    assert switch.leftovers == []
    assert (switch.name, sorted(switch.vlans)) == ("leaf1", [101, 102])
    assert (_port(switch).vlan, _port(switch).enabled, _port(switch).line) == (101, True, 9)
    assert [switch.ports[name].enabled for name in ("swp51", "swp52")] == [True, True]
    assert switch.ports["vlan101"].addresses == [AddressLine(A + (101 << 16) + 257, 24, 14)]
    assert switch.bgp is not None
    assert (switch.bgp.asn, switch.bgp.max_paths, switch.bgp.relax) == (65101, 64, False)
    assert {name: peer.asn for name, peer in switch.bgp.peers.items()} == {"swp51": 0, "swp52": 0}
    assert switch.bgp.originations == [Origination(None, "", 28)]


def test_unknown_keys_of_a_startup_file() -> None:
    """Are kept with their line."""
    text = STARTUP.replace("        qos: {pfc-watchdog: {}}\n", "        acl: {BLOCK: {}}\n")
    assert read("cumulus", KIND, text).leftovers == [(12, "interface swp1 acl BLOCK")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\n",
        "- header: {}\n",
        "- set: [\n",
        "- set: &a {x: *a}\n",
        "nv set system hostname x\nnv interface\n",
        "nv set interface swp9-1 link state up\n",
    ],
)
def test_what_is_no_configuration_is_unreadable(text: str) -> None:
    """In neither form."""
    with pytest.raises(UnreadableError):
        read("cumulus", KIND, text)


def test_recorded_outputs_are_no_configuration() -> None:
    """What other commands print is unreadable."""
    for name in recordings("cumulus"):
        if name.endswith(".txt"):
            with pytest.raises(UnreadableError):
                read("cumulus", KIND, recorded(f"cumulus/{name}"))
