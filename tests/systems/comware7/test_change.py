"""H3C Comware 7: what its patches have that no others have; see tests/change/test_lines.py."""

from __future__ import annotations

import pytest

from fabric.change.adapter import adapters
from fabric.systems.comware7.platforms.text import tree
from tests.systems.comware7.line_cases import PORT

ADAPTER = adapters["comware7"]
compose, patch = ADAPTER.compose, ADAPTER.patch


def test_a_default_in_place_of_another_value_is_said():
    running = tree(" arp timer aging 4\n")
    wanted = compose(running, tree(" arp timer aging 20\n"))
    assert patch(running, wanted) == ["arp timer aging 20"]


def test_a_vpn_instance_that_is_planned_replaces_another():
    server = "ntp-service unicast-server 192.0.2.10"
    wanted = tree(f" {server} vpn-instance Mgnt\n")
    for now in (server, f"{server} vpn-instance OOB"):
        running = tree(f" {now}\n")
        assert set(patch(running, compose(running, wanted))) == {
            f"{server} vpn-instance Mgnt",
            f"undo {now}",
        }
    same = tree(f" {server} vpn-instance Mgnt priority\n")
    assert patch(same, compose(same, wanted)) == []


BRIDGE = f"{PORT} port access vlan 5\n qos trust dscp\n flow-control\n shutdown\n"
ROUTE = BRIDGE.replace("bridge", "route").replace(
    "port access vlan 5", "ip address 10.0.0.1 255.255.255.254"
)


@pytest.mark.parametrize(("now", "then"), [(BRIDGE, ROUTE), (ROUTE, BRIDGE)])
def test_a_port_that_changes_its_mode_is_told_everything_again(now, then):
    sent = patch(tree(now), tree(then))
    mode = next(at for at, line in enumerate(sent) if line.startswith(" port link-mode"))
    assert " qos trust dscp" in sent[mode:]
    assert " shutdown" not in sent
    assert not [line for line in sent[mode:] if "undo" in line]


def test_a_peer_of_another_as_is_made_anew():
    now = tree(
        "bgp 1\n peer 10.0.0.1 as-number 2\n peer 10.0.0.1 bfd\n address-family ipv4 unicast\n"
        "  peer 10.0.0.1 enable\n"
    )
    then = (
        "bgp 1\n peer 10.0.0.1 as-number 3\n address-family ipv4 unicast\n  peer 10.0.0.1 enable\n"
    )
    text = "\n".join(patch(now, tree(then)))
    assert text == (
        "bgp 1\n undo peer 10.0.0.1\n peer 10.0.0.1 as-number 3\n address-family ipv4 unicast\n"
        "  peer 10.0.0.1 enable"
    )
