"""NX-OS: what its patches have that no others have; see tests/change/test_lines.py."""

from __future__ import annotations

import pytest

from fabric.change.adapter import adapters
from fabric.systems.nxos.adapters import GRAMMAR, tree
from tests.cases import each
from tests.systems.nxos.line_cases import NxosSwitch

ADAPTER = adapters["nxos"]
patch, steps = ADAPTER.patch, ADAPTER.steps


@pytest.mark.parametrize(
    ("running", "wanted", "line"),
    [
        (
            "interface Ethernet1/1\n  shutdown\n",
            "interface Ethernet1/1\n  no shutdown\n",
            "no shut",
        ),
        ("interface Ethernet1/1\n", "interface Ethernet1/1\n  shutdown\n", "  shutdown"),
        ("interface Ethernet1/1\n", "interface Ethernet1/1\n  switchport\n", "  switchport"),
        ("interface Vlan5\n", "interface Vlan5\n  no shutdown\n", "  no shutdown"),
        (
            "system default switchport shutdown\ninterface Ethernet1/1\n",
            "system default switchport shutdown\ninterface Ethernet1/1\n  no shutdown\n",
            "  no shutdown",
        ),
        ("mac address-table aging-time 300\n", "mac address-table aging-time 1800\n", "mac "),
    ],
)
def test_what_it_would_print_is_missing(running, wanted, line):
    assert [
        sent
        for sent in patch(tree(running), tree(wanted))
        if sent.lstrip().startswith(line.lstrip())
    ]


SWITCHED = "interface Ethernet1/1\n  switchport access vlan 5\n  mtu 9216\n"
ROUTED = "interface Ethernet1/1\n  no switchport\n  mtu 9216\n  ip address 10.0.0.1/31\n"


@pytest.mark.parametrize(("now", "then"), [(SWITCHED, ROUTED), (ROUTED, SWITCHED)])
def test_a_port_that_changes_its_layer_is_told_everything_again(now, then):
    sent = patch(tree(now), tree(then))
    layer = sent.index("  no switchport" if then == ROUTED else "  switchport")
    assert "  mtu 9216" in sent[layer:]
    assert not [line for line in sent[layer:] if line.startswith("  no ") and "switch" not in line]


def test_ports_that_are_down_unless_said_otherwise():
    down = "system default switchport shutdown\ninterface Ethernet1/1\n"
    assert steps(tree(down), tree(f"{down}  shutdown\n")) == []


def test_ports_that_are_broken_out_and_whole_again():
    base = "hostname leaf1\n"
    parts = "".join(f"interface Ethernet1/5/{part}\n  no shutdown\n  mtu 9216\n" for part in (1, 2))
    broken = f"{base}interface breakout module 1 port 5 map 100g-2x\n{parts}"
    whole = f"{base}interface Ethernet1/5\n  description whole\n"
    switch = NxosSwitch()
    for intended in (whole, broken, whole):
        switch.become(intended)
        assert switch.left(intended) == []
    assert "breakout" not in switch.text
    assert "Ethernet1/5/1" not in switch.text


def test_a_prefix_list_that_is_named_never_runs_empty():
    """What comes with a new number is there before the other entries are replaced."""
    now = tree("ip prefix-list PL-FABRIC seq 10 permit 192.0.2.0/24\n")
    target = "ip prefix-list PL-FABRIC seq {} permit 198.51.100.0/24\n"
    assert patch(now, tree(f"{target.format(10)}{target.format(20)}")) == [
        "ip prefix-list PL-FABRIC seq 20 permit 198.51.100.0/24",
        "no ip prefix-list PL-FABRIC seq 10 permit 192.0.2.0/24",
        "ip prefix-list PL-FABRIC seq 10 permit 198.51.100.0/24",
    ]


def test_a_line_that_says_what_holds_by_default_is_not_negated():
    assert patch(tree("mac address-table aging-time 1800\n"), tree("hostname x\n")) == [
        "hostname x"
    ]


MOVED = ["no {} server 192.0.2.1", "{} server 192.0.2.1 use-vrf management"]


@each("kind", ("ntp", "logging"))
@each(
    ("words", "vrf", "lines"),
    [
        ("", "", MOVED),
        (" use-vrf default", "", MOVED),
        (" 6 use-vrf management key 1", " use-vrf management", []),
        (" use-vrf oob", " use-vrf oob", []),
    ],
)
def test_servers_are_looked_for_in_the_vrf_of_the_management_port(kind, words, vrf, lines):
    """Newer releases print VRF default, which no word means; a VRF of an operator stays."""
    server = f"{kind} server 192.0.2.1"
    now, intended = tree(f"{server}{words}\n"), tree(f"{server} use-vrf management\n")
    assert patch(now, GRAMMAR.compose(now, intended)) == [line.format(kind) for line in lines]
    assert patch(now, tree("hostname x\n")) == [f"no {server}{vrf}", "hostname x"]
