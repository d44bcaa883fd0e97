"""What differs between running and planned lines: one finding for one changed value."""

from __future__ import annotations

import pytest

from fabric.change.model import Change, Risk
from fabric.report.drifted import drifted_settings

#: Changes by path, running and planned value, and what is said of them.
DRIFTS = {
    "eos, nxos, comware7": (
        [
            ("interface Ethernet1/1: mtu 1500", "mtu 1500", ""),
            ("interface Ethernet1/1: speed 400g", "", "speed 400g"),
            ("interface Ethernet1/1: mtu 9214", "", "mtu 9214"),
        ],
        [
            "interface Ethernet1/1: mtu: runs 1500, planned 9214",
            "planned, does not run: interface Ethernet1/1: speed 400g",
        ],
    ),
    "vrp8": (
        [
            ("interface 400GE1/0/1: jumboframe enable 1500", "jumboframe enable 1500", ""),
            ("interface 400GE1/0/1: jumboframe enable 9216", "", "jumboframe enable 9216"),
        ],
        ["interface 400GE1/0/1: jumboframe enable: runs 1500, planned 9216"],
    ),
    "junos": (
        [
            ("interfaces et-0/0/1 mtu 1500", "set interfaces et-0/0/1 mtu 1500", ""),
            ("interfaces et-0/0/1 mtu 9192", "", "set interfaces et-0/0/1 mtu 9192"),
        ],
        ["interfaces et-0/0/1 mtu: runs 1500, planned 9192"],
    ),
    "cumulus, a node": (
        [("bridge domain br vlan 101", "{}", ""), ("bridge domain br vlan 102", "", "{}")],
        ["bridge domain br vlan: runs 101, planned 102"],
    ),
    "cumulus, the same field of another row": (
        [
            ("service ntp mgmt server 192.0.2.20 iburst", "on", ""),
            ("service ntp mgmt server 192.0.2.21 iburst", "", "on"),
        ],
        ["service ntp mgmt server ... iburst: runs 192.0.2.20, planned 192.0.2.21"],
    ),
    "cumulus, two fields of a port": (
        [("interface swp1 link speed", "400G", ""), ("interface swp1 link mtu", "", "9216")],
        [
            "runs, not planned: interface swp1 link speed = 400G",
            "planned, does not run: interface swp1 link mtu = 9216",
        ],
    ),
    "sonic": (
        [("PORT|Ethernet0|mtu", "1500", "9100")],
        ["PORT|Ethernet0|mtu: runs 1500, planned 9100"],
    ),
    "lines of two ports": (
        [
            ("interface Ethernet1: mtu 1500", "mtu 1500", ""),
            ("interface Ethernet2: mtu 9214", "", "mtu 9214"),
        ],
        [
            "runs, not planned: interface Ethernet1: mtu 1500",
            "planned, does not run: interface Ethernet2: mtu 9214",
        ],
    ),
    "a line that moves": (
        [
            ("ntp server 192.0.2.1", "ntp server 192.0.2.1", ""),
            ("ntp server 192.0.2.1", "", "ntp server 192.0.2.1"),
        ],
        [
            "runs, not planned: ntp server 192.0.2.1",
            "planned, does not run: ntp server 192.0.2.1",
        ],
    ),
    "lines of no section": (
        [("hostname a", "hostname a", ""), ("hostname b", "", "hostname b")],
        ["hostname: runs a, planned b"],
    ),
}


@pytest.mark.parametrize("name", DRIFTS)
def test_a_line_in_place_of_another_is_one_setting(name: str) -> None:
    rows, words = DRIFTS[name]
    changes = [Change(*row, Risk.BRIEF_LOSS) for row in rows]
    assert [str(setting) for setting in drifted_settings(changes, ())] == words
