"""Mistakes in the files of one leaf of each system, under the spines of the mixed example."""

from __future__ import annotations

import re
from functools import cache

import pytest

from fabric.observe.configuration import Configured, readers
from fabric.prove.engine import Engine, Proof
from tests.prove.fabrics import example

#: Kind of the file that is changed, by system.
KINDS = {
    "nxos": "running-config",
    "junos": "set",
    "cumulus": "nv-set",
    "esonic": "running-configuration",
    "vrp8": "running-config",
    "comware7": "running-config",
}

#: A network of another leaf, longer than what BGP tells of it.
HALF = "10.64.0.0/25"
HALF_MASK = "10.64.0.0 255.255.255.128"
CUMULUS_PEER = "nv set vrf default router bgp neighbor 10.254.0.128"

#: By system: what is replaced by what, at its first place, and the rule that says so.
FAULTS: dict[str, dict[str, tuple[str, str, str]]] = {
    "nxos": {
        "no neighbour": (r"  neighbor \S+\n(    .*\n)+", "", "BAT003"),
        "neighbour AS": (r"remote-as \d+", "remote-as 64999", "BAT003"),
        "own AS": (r"router bgp \d+", "router bgp 64999", "BAT003"),
        "not activated": (r"(timers 3 9\n)    address-family .*\n", r"\1", "BAT003"),
        "no feature": (r"feature bgp\n", "", "BAT001"),
        "mask": (r"(ip address \S+)/31", r"\1/30", "BAT002"),
        "gateway": (r"(interface Vlan.*\n)  no shutdown\n", r"\1", "BAT014"),
        "no redistribution": (r"    redistribute .*\n", "", "BAT005"),
        "VLAN": (r"access vlan \d+", "access vlan 999", "BAT002"),
        "no VLAN": (r"vlan 101\n  name .*\n", "", "BAT014"),
        "MTU": (r"\n  mtu \d+", r"\n  mtu 1500", "BAT009"),
        "no MTU": (r"\n  mtu \d+", "", "BAT009"),
        "policy": (r"(redistribute direct route-map) \S+", r"\1 RM-X", "BAT011"),
        "prefix list": (r"(match ip address prefix-list) \S+", r"\1 PL-X", "BAT011"),
        "two equal addresses": (r"(ip address 10.254.1.)131/31", r"\g<1>129/31", "BAT008"),
        "shut": (r"  no shutdown\n(interface Ethernet1/2\n)", r"  shutdown\n\1", "BAT002"),
        "not up": (r"  no shutdown\n(interface Ethernet1/19\n)", r"\1", "BAT002"),
        "one path": (r"    maximum-paths \d+\n", "", "BAT013"),
        "null route": (r"(ip load-sharing)", rf"ip route {HALF} Null0\n\1", "BAT005"),
        "filter": (r"(  no ip redirects\n)", r"\1  ip access-group BLOCK in\n", "BAT001"),
    },
    "junos": {
        "no neighbour": (
            r"(set .* neighbor 10.254.2.0 .*\n)+",
            "",
            "BAT003",
        ),
        "neighbour AS": (r"peer-as \d+", "peer-as 64999", "BAT003"),
        "own AS": (r"autonomous-system \d+", "autonomous-system 64999", "BAT003"),
        "source address": (r"local-address 10.254.2.1\n", "local-address 10.255.0.133\n", "BAT003"),
        "mask": (r"(inet address 10.254\S+)/31", r"\1/30", "BAT002"),
        "no export": (r"set protocols \S+ .* export .*\n", "", "BAT004"),
        "no term for hosts": (r"set .* term hosts then accept\n", "", "BAT005"),
        "VLAN": (r"members RAIL0", "members 999", "BAT002"),
        "no gateway": (r"set vlans RAIL0 l3-interface .*\n", "", "BAT002"),
        "MTU": (r"(et-0/0/0 mtu) 9114", r"\1 1514", "BAT009"),
        "no MTU": (r"set interfaces irb mtu .*\n", "", "BAT009"),
        "policy": (r"export FABRIC-OUT", "export FABRIC-X", "BAT011"),
        "two equal addresses": (r"(inet address 10.254.2.)3/31", r"\g<1>1/31", "BAT008"),
        "shut": (r"\Z", "set interfaces et-0/0/0 disable\n", "BAT002"),
        "deactivated": (r"\Z", "deactivate interfaces et-0/0/16 unit 0\n", "BAT002"),
        "deleted": (r"\Z", "delete protocols bgp group fabric neighbor 10.254.2.2\n", "BAT003"),
        "one path": (r"set .* multipath multiple-as\n", "", "BAT013"),
        "one next hop": (r"set .* forwarding-table export .*\n", "", "BAT013"),
        "null route": (r"\Z", f"set routing-options static route {HALF} discard\n", "BAT005"),
        "filter": (
            r"\Z",
            "set interfaces et-0/0/16 unit 0 family inet filter input BLOCK\n",
            "BAT001",
        ),
        "groups": (r"\Z", "set apply-groups COMMON\n", "BAT001"),
    },
    "cumulus": {
        "no neighbour": (r"(nv set .* neighbor 10.254.0.128 .*\n)+", "", "BAT003"),
        "neighbour AS": (r"remote-as \d+", "remote-as 64999", "BAT003"),
        "own AS": (r"autonomous-system \d+", "autonomous-system 64999", "BAT003"),
        "not activated": (
            r"\Z",
            f"{CUMULUS_PEER} address-family ipv4-unicast enable off\n",
            "BAT003",
        ),
        "BGP off": (r"nv set router bgp enable on", "nv set router bgp enable off", "BAT003"),
        "mask": (r"(ip address 10.254\S+)/31", r"\1/30", "BAT002"),
        "no network": (r"nv set .* network 10.64\S+\n", "", "BAT005"),
        "VLAN": (r"access 101", "access 999", "BAT002"),
        "no VLAN": (r"nv set bridge domain br_default vlan 101\n", "", "BAT014"),
        "MTU": (r"mtu 9100", "mtu 1500", "BAT009"),
        "policy": (
            r"\Z",
            f"{CUMULUS_PEER} address-family ipv4-unicast policy outbound route-map RM\n",
            "BAT001",
        ),
        "two equal addresses": (r"(ip address 10.254.0.)131/31", r"\g<1>129/31", "BAT008"),
        "shut": (r"(swp1 link state) up", r"\1 down", "BAT002"),
        "not said to be up": (r"nv set interface swp17 link state up\n", "", "BAT001"),
        "unset": (r"\Z", "nv unset interface swp18\n", "BAT002"),
        "one path": (r"multipaths ebgp \d+", "multipaths ebgp 1", "BAT013"),
        "null route": (
            r"\Z",
            f"nv set vrf default router static {HALF} via blackhole\n",
            "BAT005",
        ),
        "filter": (r"\Z", "nv set interface swp17 acl BLOCK inbound\n", "BAT001"),
    },
    "esonic": {
        "no neighbour": (r" neighbor \S+\n(  .*\n)+", "", "BAT003"),
        "neighbour AS": (r"remote-as \d+", "remote-as 64999", "BAT003"),
        "own AS": (r"router bgp \d+", "router bgp 64999", "BAT003"),
        "not activated": (r"   activate\n", "", "BAT003"),
        "mask": (r"(ip address 10.254\S+)/31", r"\1/30", "BAT002"),
        "no redistribution": (r"  redistribute .*\n", "", "BAT005"),
        "no policy out": (r"   route-map \S+ out\n", "", "BAT004"),
        "VLAN": (r"access Vlan 101", "access Vlan 999", "BAT002"),
        "MTU": (r"mtu 9100", "mtu 1500", "BAT009"),
        "policy": (r"(redistribute connected route-map) \S+", r"\1 RM-X", "BAT011"),
        "two equal addresses": (r"(ip address 10.254.3.)131/31", r"\g<1>129/31", "BAT008"),
        "shut": (r" no shutdown\n(!\ninterface Ethernet8\n)", r" shutdown\n\1", "BAT002"),
        "not up": (r" no shutdown\n(!\ninterface Ethernet144\n)", r"\1", "BAT002"),
        "one path": (r"  maximum-paths \d+\n", "", "BAT013"),
        "null route": (r"(router bgp)", rf"ip route {HALF} blackhole\n\1", "BAT005"),
        "filter": (r"( ip address 10.254.*\n)", r"\1 ip access-group BLOCK in\n", "BAT001"),
    },
    "vrp8": {
        "no neighbour": (r"( peer 10.254.2.128 .*\n)+", "", "BAT003"),
        "neighbour AS": (r"as-number \d+", "as-number 64999", "BAT003"),
        "own AS": (r"bgp \d+", "bgp 64999", "BAT003"),
        "not activated": (r"  (peer \S+ enable)", r"  undo \1", "BAT003"),
        "mask": (r"(ip address 10.254\S+) 255.255.255.254", r"\1 255.255.255.252", "BAT002"),
        "no network": (r"  network 10.64\S+ .*\n", "", "BAT005"),
        "VLAN": (r"port default vlan 101", "port default vlan 999", "BAT002"),
        "no VLAN": (r"vlan batch 101\n", "", "BAT014"),
        "MTU": (r" mtu 9100\n", "", "BAT009"),
        "frame": (r"jumboframe enable \d+", "jumboframe enable 1518", "BAT009"),
        "policy": (r"(  network 10.64\S+ \S+)", r"\1 route-policy RP-X", "BAT011"),
        "two equal addresses": (r"(ip address 10.254.2.)131", r"\g<1>129", "BAT008"),
        "shut": (r" undo shutdown", " shutdown", "BAT002"),
        "switched": (r" undo portswitch\n", "", "BAT002"),
        "one path": (r"  maximum load-balancing .*\n", "", "BAT013"),
        "null route": (r"(#\nbgp)", rf"#\nip route-static {HALF_MASK} NULL0\n\1", "BAT005"),
        "filter": (r"( undo portswitch\n)", r"\1 traffic-filter acl 3000 inbound\n", "BAT001"),
    },
    "comware7": {
        "no neighbour": (r"( peer 10.254.3.0 .*\n)+", "", "BAT003"),
        "neighbour AS": (r"as-number \d+", "as-number 64999", "BAT003"),
        "own AS": (r"bgp \d+", "bgp 64999", "BAT003"),
        "not activated": (r"  peer \S+ enable\n", "", "BAT003"),
        "mask": (r"(ip address 10.254\S+) 255.255.255.254", r"\1 255.255.255.252", "BAT002"),
        "no network": (r"  network 10.64\S+ .*\n", "", "BAT005"),
        "VLAN": (r"port access vlan 101", "port access vlan 999", "BAT002"),
        "no VLAN": (r"vlan 101\n description .*\n", "", "BAT014"),
        "MTU": (r" mtu 9100\n", " mtu 1500\n", "BAT009"),
        "no MTU": (r" mtu 9100\n", "", "BAT001"),
        "policy": (r"(  network 10.64\S+ \S+)", r"\1 route-policy RP-X", "BAT011"),
        "two equal addresses": (r"(ip address 10.254.3.)3 ", r"\g<1>1 ", "BAT008"),
        "shut": (r"( port access vlan 101\n)", r"\1 shutdown\n", "BAT002"),
        "switched": (r"link-mode route", "link-mode bridge", "BAT002"),
        "one path": (r"  balance ebgp \d+\n", "", "BAT013"),
        "null route": (r"(#\nbgp)", rf"#\n ip route-static {HALF_MASK} NULL0\n\1", "BAT005"),
        "filter": (r"( port link-mode route\n)", r"\1 packet-filter 3000 inbound\n", "BAT001"),
    },
}


@cache
def _configured() -> dict[str, Configured]:
    project, texts = example("mixed")
    return {name: readers[project.devices[name].platform](text) for name, text in texts.items()}


def prove_with(**changed: Configured) -> Proof:
    """Return what is proved of the mixed example with some of its files replaced."""
    project, _ = example("mixed")
    files = {**_configured(), **changed}
    return Engine(project.fabric, project.devices, project.hosts, files).prove()


def test_the_mixed_example_is_proved() -> None:
    """Without a mistake, with the file of every switch read."""
    proof = prove_with()
    assert proof.breaches == ()
    assert (proof.sessions, proof.routes, proof.pairs, proof.lost_pairs) == (32, 272, 56, 0)
    assert {switch.system for switch in _configured().values()} == {"eos", "sonic", *KINDS}


@pytest.mark.parametrize(
    ("system", "name"), [(system, name) for system, rows in FAULTS.items() for name in rows]
)
def test_a_mistake_is_found(system: str, name: str) -> None:
    """By its rule, on the switch that has it or on the one that sees it."""
    pattern, new, rule = FAULTS[system][name]
    _, texts = example("mixed")
    switch = f"{system}-leaf"
    text, count = re.subn(pattern, new, texts[switch][KINDS[system]], count=1)
    assert count == 1
    proof = prove_with(**{switch: readers[system]({KINDS[system]: text})})
    assert rule in {breach.rule for breach in proof.breaches}


def test_nics_behind_a_file_that_nobody_reads_are_not_counted() -> None:
    """Those of the others are, and a fabric without any file is no error."""
    project, _ = example("mixed")
    files = {name: file for name, file in _configured().items() if name != "junos-leaf"}
    proof = Engine(project.fabric, project.devices, project.hosts, files).prove()
    assert (proof.nics, proof.pairs, proof.lost_pairs) == (7, 42, 0)
    proof = Engine(project.fabric, project.devices, project.hosts, {}).prove()
    assert (proof.nics, proof.pairs, proof.breaches) == (0, 0, ())
