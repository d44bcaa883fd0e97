"""Which ports a plan changes, and which of their cables are wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.change.cables import changed_ports, wrong_cables
from fabric.change.expectation import Expectation
from fabric.change.model import Change, DevicePlan, Risk
from fabric.core.device_names import DeviceNames
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import LldpNeighbour

KNOWN = DeviceNames(("leaf1", "leaf2", "spine01", "gpu1", "gpu2"))
PORTS = {"Ethernet1": ("gpu1", ("eth1",)), "Ethernet1/1": ("spine01", ("Ethernet4", "etp5"))}


def plan_of(*changes: str, ports: dict = PORTS) -> DevicePlan:
    made = tuple(Change(path, "1", "2", Risk.HARMLESS) for path in changes)
    expected = Expectation(lldp=ports)
    empty = ("",) * 5
    return DevicePlan("leaf1", "sonic", "leaf", *empty[:4], "live", made, "", (), expected)


def seen(**ports: tuple[str, str]) -> Snapshot:
    lldp = {name.replace("_", "/"): (LldpNeighbour(*what),) for name, what in ports.items()}
    return Snapshot("leaf1", lldp=lldp)


@pytest.mark.parametrize(
    ("path", "ports"),
    [
        ("PORT|Ethernet1|mtu", ["Ethernet1"]),
        ("PORT|Ethernet10|mtu", []),
        ("interface Ethernet1/1: mtu 9214", ["Ethernet1/1"]),
        ("interface Ethernet1/1.100: vlan 5", ["Ethernet1/1"]),
        ("interface Ethernet1/1/3", []),
        ("interface Ethernet1:3 mtu", []),
        ("WRED_PROFILE|AZURE|kmin", []),
        ("BUFFER_PG|Ethernet1|3-4, Ethernet1/1", ["Ethernet1", "Ethernet1/1"]),
    ],
)
def test_ports_that_a_change_names(path: str, ports: list[str]) -> None:
    assert changed_ports(plan_of(path)) == ports


def test_lines_that_come_and_go_name_ports_too() -> None:
    change = Change("line 7", "", "interface Ethernet1", Risk.PORT_FLAP)
    assert changed_ports(replace(plan_of(), changes=(change,))) == ["Ethernet1"]


@pytest.mark.parametrize(
    ("neighbour", "wrong"),
    [
        (("gpu1", "eth1"), False),
        (("GPU1.example.net", "ETH1"), False),
        (("gpu1", "02:00:00:00:00:01"), False),
        (("gpu1", "eth2"), True),
        (("gpu2", "eth1"), True),
        (("gpu2.example.net", "eth1"), True),
        (("localhost", "eth1"), False),
        (("", ""), False),
    ],
)
def test_what_counts_as_wrong(neighbour: tuple[str, str], wrong: bool) -> None:
    found = wrong_cables(plan_of("PORT|Ethernet1|mtu"), seen(Ethernet1=neighbour), KNOWN)
    assert bool(found) is wrong
    if wrong:
        other = " ".join(neighbour)
        assert found == [f"Ethernet1 is cabled to {other}, expected gpu1 eth1"]


def test_other_ports_and_silence_tell_nothing() -> None:
    plan = plan_of("PORT|Ethernet1|mtu")
    assert wrong_cables(plan, seen(Ethernet1_1=("gpu2", "eth1")), KNOWN) == []
    assert wrong_cables(plan, seen(), KNOWN) == []
    assert wrong_cables(plan, Snapshot("leaf1"), KNOWN) == []
