"""What verify and drift say: like findings once, with count and devices."""

from __future__ import annotations

import pytest

from fabric.change.expectation import Deviation
from fabric.change.model import Change, Risk
from fabric.workflow.health_text import health_lines
from fabric.workflow.verify import Health


def _device(name: str, *, mtu: str = "1500") -> Health:
    drift = [Change(f"PORT|Ethernet{port}|mtu", mtu, "9100", Risk.BRIEF_LOSS) for port in (0, 8)]
    down = Deviation(name, "BGP", f"10.254.0.{name[-1]}", "the session is down")
    return Health(name, "sonic", tuple(drift), (down,), origins=(None, None))


DEVICES = [_device(f"leaf{number}") for number in (1, 2, 3)]


def test_like_findings_of_all_devices_are_one() -> None:
    assert [*health_lines(DEVICES, full=False)] == [
        "leaf1: PORT|Ethernet0|mtu: runs 1500, planned 9100",
        "    5 more that differ in names and numbers alone; all are on leaf[1-3]",
        "leaf1: BGP 10.254.0.1: the session is down",
        "    2 more that differ in names and numbers alone; all are on leaf[1-3]",
        "9 findings in 2 groups of similar ones; `--full` lists each",
    ]


def test_full_lists_each_finding() -> None:
    lines = [*health_lines(DEVICES, full=True)]
    assert len(lines) == 9
    assert lines[4] == "leaf2: PORT|Ethernet8|mtu: runs 1500, planned 9100"


def test_another_value_is_another_finding() -> None:
    lines = [*health_lines([DEVICES[0], _device("leaf2", mtu="9000")], full=False)]
    assert "leaf2: PORT|Ethernet0|mtu: runs 9000, planned 9100" in lines
    assert "leaf1: PORT|Ethernet0|mtu: runs 1500, planned 9100" in lines


def test_a_single_finding_has_no_count() -> None:
    down = Deviation("leaf1", "BGP", "10.254.0.1", "unread", unknown=True)
    assert [*health_lines([Health("leaf1", "sonic", (), (down,))], full=False)] == [
        "not known: leaf1: BGP 10.254.0.1: unread"
    ]


#: A setting of each system as a change has it, path and value; and what is said of it.
SETTINGS = {
    "sonic": ("PORT|Ethernet0|mtu", "9100", "PORT|Ethernet0|mtu = 9100"),
    "sonic, a row": ("VLAN_INTERFACE|Vlan101|", "{}", "VLAN_INTERFACE|Vlan101"),
    "eos": ("interface Ethernet1/1: mtu 9214", "mtu 9214", "interface Ethernet1/1: mtu 9214"),
    "eos, a route map": (
        "route-map RM permit 10: set community 1",
        "set community 1",
        "route-map RM permit 10: set community 1",
    ),
    "junos": ("vlans R0 vlan-id 101", "set vlans R0 vlan-id 101", "vlans R0 vlan-id 101"),
    "nxos, vrp8": ("vlan 101: name R0", "name R0", "vlan 101: name R0"),
    "cumulus": ("interface vlan101 vlan", "101", "interface vlan101 vlan = 101"),
    "cumulus, a node": ("bridge domain br vlan 101", "{}", "bridge domain br vlan 101"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_system_says_the_same_of_what_is_more_or_missing(name: str) -> None:
    """A line is said once: its path ends with it."""
    path, value, words = SETTINGS[name]
    drift = (
        Change(path, "", value, Risk.BRIEF_LOSS),
        Change(path, value, "", Risk.BRIEF_LOSS),
    )
    said = health_lines([Health("leaf1", name, drift, (), origins=(None,) * 2)], full=True)
    assert [*said] == [
        f"leaf1: planned, does not run: {words}",
        f"leaf1: runs, not planned: {words}",
    ]
