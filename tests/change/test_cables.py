"""Which ports a plan changes, and which of their cables are wrong."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.change.cables import changed_ports, checked_ports, wrong_cables
from fabric.change.expectation import Expectation, deviations
from fabric.change.model import Change, DevicePlan, Risk
from fabric.change.wave import worse
from fabric.core.device_names import DeviceNames
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import BgpPeer, LldpNeighbour
from tests.cases import each

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


UNNUMBERED = Expectation(bgp={"Ethernet1/1": 65100}, lldp=PORTS)


def _session(*, up: bool) -> dict[str, BgpPeer]:
    return {"Ethernet1/1": BgpPeer(up, "Established" if up else "Active", 65100)}


def test_a_session_over_a_port_is_checked_though_the_port_does_not_change() -> None:
    """It comes up over a wrong cable too; one between addresses does not."""
    plan = replace(plan_of("WRED_PROFILE|AZURE|kmin"), expected=UNNUMBERED)
    assert checked_ports(plan) == ["Ethernet1/1"]
    assert wrong_cables(plan, seen(Ethernet1_1=("leaf2", "Ethernet4")), KNOWN) == [
        "Ethernet1/1 is cabled to leaf2 Ethernet4, expected spine01 Ethernet4"
    ]


@each(
    ("neighbours", "up", "unknown"),
    [
        ((("spine01", "Ethernet4"),), True, None),
        ((), False, True),
        ((), True, False),
        ((("stranger", "Ethernet4"),), True, False),
    ],
)
def test_what_lldp_does_not_confirm_is_an_error_where_a_session_is_up(
    neighbours: tuple[tuple[str, str], ...], up: bool, unknown: bool | None
) -> None:
    """None: nothing is wrong."""
    heard = {"Ethernet1/1": tuple(LldpNeighbour(*one) for one in neighbours)}
    snapshot = Snapshot("leaf1", lldp=heard, bgp=_session(up=up))
    expected = replace(UNNUMBERED, lldp={"Ethernet1/1": PORTS["Ethernet1/1"]})
    found = [item.unknown for item in deviations(expected, snapshot) if item.subject == "lldp"]
    assert found == ([] if unknown is None else [unknown])
    plan = replace(plan_of("x"), expected=expected)
    down = replace(snapshot, bgp=_session(up=False))
    assert bool(worse(plan, down, snapshot)) is (unknown is False)
    assert worse(plan, down, snapshot, trusts_cables=True) == []
