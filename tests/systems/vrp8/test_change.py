"""VRP8: what its patches have that no others have; see tests/change/test_lines.py."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fabric.change.adapter import adapters
from fabric.render import render_device
from fabric.systems.vrp8.adapters.tree import tree
from fabric.systems.vrp8.lab.config import read_text
from tests.render.vrp8_designs import FAMILY_A, designs
from tests.systems.vrp8.line_cases import FAMILY_A as CASES_A
from tests.systems.vrp8.line_cases import PORTS, Vrp8Switch

ADAPTER = adapters["vrp8"]
compose, patch, steps = ADAPTER.compose, ADAPTER.patch, ADAPTER.steps
key_of = ADAPTER.grammar.key_of


def test_a_vlan_that_goes_takes_its_settings_along():
    running = tree("vlan batch 101 107\nvlan 101\n name RAIL0\nvlan 107\n name OLD\n")
    wanted = compose(running, tree("vlan batch 101\n"))
    assert ("vlan 101", "name RAIL0") in set(wanted.lines())
    assert patch(running, wanted) == ["undo vlan batch 107"]


def test_how_a_server_is_reached_is_kept():
    running = tree("ntp unicast-server 192.0.2.10 vpn-instance MGMT\n")
    wanted = compose(running, tree("ntp unicast-server 192.0.2.10\n"))
    assert patch(running, wanted) == []
    other = compose(running, tree("ntp unicast-server 192.0.2.11\n"))
    assert patch(running, other) == [
        "undo ntp unicast-server 192.0.2.10 vpn-instance MGMT",
        "ntp unicast-server 192.0.2.11",
    ]


def test_a_vpn_instance_that_is_planned_replaces_another():
    for server in ("ntp unicast-server 192.0.2.10", "info-center loghost ipv6 2001:db8::1"):
        wanted = tree(f"{server} vpn-instance MGMT\n")
        for now in (server, f"{server} vpn-instance OOB"):
            running = tree(f"{now}\n")
            steps = [f"undo {now}", f"{server} vpn-instance MGMT"]
            assert patch(running, compose(running, wanted)) == steps
        running = tree(f"{server} vpn-instance MGMT preference\n")
        assert patch(running, compose(running, wanted)) == []


def test_keys_of_the_hash_are_kept():
    """The mode is ours, the rest of the section is not."""
    running = tree("load-balance ecmp\n ecmp mode spray\n ecmp seed 7\n")
    for mode, wanted in (
        ("ecmp mode fixed", ["load-balance ecmp", " ecmp mode fixed"]),
        ("ecmp mode eligible", ["load-balance ecmp", " undo ecmp mode spray"]),
    ):
        intended = tree(f"load-balance ecmp\n {mode}\n")
        assert patch(running, compose(running, intended)) == wanted
    alone = tree("load-balance ecmp\n ecmp mode spray\n")
    intended = tree("load-balance ecmp\n ecmp mode eligible\n")
    assert patch(alone, compose(alone, intended)) == ["undo load-balance ecmp"]
    assert patch(intended, tree("sysname x\n")) == ["sysname x"]


def test_the_behaviour_of_the_other_family():
    discard = "dcb pfc deadlock recovery-behavior discard slot 1"
    assert patch(tree("qos ecn enable\n"), tree(f"qos ecn enable\n{discard}\n")) == []
    assert patch(tree("sysname x\n"), tree(f"sysname x\n{discard}\n")) == [discard]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("trust dscp", "trust upstream roce", False),
        ("qos queue 3 wred a", "qos queue 3 wred b", True),
        ("qos queue 3 wred a", "qos queue 4 wred a", False),
        ("qos queue 3 wred a", "qos queue 3 ecn", False),
        ("peer 10.0.0.1 description a", "peer 10.0.0.1 timer keepalive 1 hold 3", False),
        ("peer 10.0.0.1 description a", "peer 10.0.0.2 description a", False),
        ("dcb pfc deadlock-detect timer 1", "dcb pfc deadlock-detect interval 10", False),
        ("ip-dscp-inbound 26 phb af3 green", "ip-dscp-inbound 26 phb be green", True),
        ("portswitch", "undo portswitch", True),
        ("info-center loghost 192.0.2.1", "info-center loghost 192.0.2.2", False),
    ],
)
def test_keys(one, other, same):
    assert (key_of(one) == key_of(other)) is same


@cache
def splits():
    """Return intended configurations of one switch that differ in how its ports are split."""
    modes = {
        "whole": (100, ""),
        "four": (25, ', breakouts: [{cages: "1-2", mode: 4x25G}]'),
        "two": (50, ', breakouts: [{cages: "2-3", mode: 2x50G}]'),
        "both": (25, ', breakouts: [{cages: "1", mode: 4x25G}, {cages: "30-31", mode: 2x50G}]'),
    }
    with TemporaryDirectory() as name:
        return {
            mode: CASES_A.demo(
                Path(name) / mode,
                {
                    "leaf: {sku: ACS-MSN4700}": f"leaf: {{sku: {FAMILY_A}{breakouts}}}",
                    "speeds: {host_gbps: 400, uplink_gbps: 400}": (
                        f"speeds: {{host_gbps: {host_gbps}, uplink_gbps: 100}}"
                    ),
                },
            )
            for mode, (host_gbps, breakouts) in modes.items()
        }


@pytest.mark.parametrize(
    ("first", "second"), list(permutations(("whole", "four", "two", "both"), 2))
)
def test_from_each_split_to_each_other_and_back(first, second):
    """All that stands on the ports of a cage is sent anew, since the switch forgets it."""
    switch = Vrp8Switch("a")
    switch.become(splits()[first])
    before = switch.text
    switch.become(splits()[second])
    assert switch.left(splits()[second]) == []
    assert "interface 100GE1/0/31:2\n" in switch.text or second != "both"
    switch.send(patch(tree(switch.text), tree(before)))
    assert switch.text == before


def test_splits_of_other_ports_are_kept():
    """Those of 400GE ports, which no model of ours counts; several can stand in one line."""
    line = "port split dimension interface 400GE 1/0/33 to 400GE 1/0/35 400GE1/0/37 split-type"
    other = f"{line} 4*100GE\ninterface 400GE1/0/33:1\n description hand\n"
    running = tree(f"{other}port split dimension interface 100GE1/0/1 split-type 4*25GE\n")
    kept = [
        f"port split dimension interface 400GE1/0/{n} split-type 4*100GE" for n in (33, 34, 35, 37)
    ]
    assert [one for one in running.children if "400GE" in one and "split" in one] == kept
    wanted = compose(running, tree("interface 100GE1/0/1\n shutdown\n"))
    assert set(kept) | {"interface 400GE1/0/33:1"} <= set(wanted.children)
    assert patch(running, wanted) == [
        "undo port split dimension interface 100GE1/0/1",
        "interface 100GE1/0/1",
        " shutdown",
    ]


@pytest.mark.parametrize(
    ("inventory", "switch"),
    [("rail-512", "su1-rail0"), ("rail-512", "spine01"), ("a100-pcie", "rack1-leaf")],
)
def test_other_examples(inventory, switch):
    device = designs(inventory)[switch]
    text = render_device(device)[0].text
    tried = Vrp8Switch(device.sku.asic[-1])
    tried.become(text)
    assert tried.left(text) == []


def test_a_strict_switch_refuses_what_the_other_family_takes():
    for family, line in (("a", "dcb pfc dscp-mapping enable slot 1"), ("b", "qos ecn enable")):
        with pytest.raises(ValueError, match="Unrecognized command"):
            read_text(f"{line}\n", PORTS, family)
