"""Two and three incidents at once: each is named, and no other device is blamed."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.core.findings import Severity
from fabric.observe.state import (
    BgpPeer,
    InterfaceState,
    Optic,
    QueueCounters,
    SystemFacts,
    TableUse,
)
from tests.cases import examples
from tests.health.windows import Fabric, demo

#: Rule, device and port of a cause.
Place = tuple[str, str, str]
Incident = Callable[[Fabric, int], Place]

ENDS, PLAN = demo()
LEAVES = [name for name, tier in zip(ENDS.names, ENDS.tier.tolist(), strict=True) if tier == 0]
NICS = [row for row in range(len(ENDS)) if ENDS.is_nic[row]]
UPLINKS = [
    row for row in range(len(ENDS)) if ENDS.nic[row] < 0 and not ENDS.is_below[row]
]  # at the leaf


def _place(row: int) -> tuple[str, str]:
    return ENDS.names[ENDS.device[row]], ENDS.ports[row]


def _rose(fabric: Fabric, device: str, port: str, **counts: int) -> None:
    fabric.counters(device, port, first=True, **dict.fromkeys(counts, 0))
    fabric.counters(device, port, **counts)


def storm(fabric: Fabric, number: int) -> Place:
    host, nic = _place(NICS[number % len(NICS)])
    fabric.nic(host, nic, tx_prio3_pause_duration=9_000_000)
    return "OBS101", host, nic


def slow(fabric: Fabric, number: int) -> Place:
    host, nic = _place(NICS[number % len(NICS)])
    fabric.nic(host, nic, tx_prio3_pause_duration=600_000)
    return "OBS103", host, nic


def errors(fabric: Fabric, number: int) -> Place:
    leaf, port = _place(ENDS.far[NICS[number % len(NICS)]])
    _rose(fabric, leaf, port, rx_errors=48_211)
    host, nic = _place(NICS[(number + 3) % len(NICS)])
    fabric.nic(host, nic, out_of_sequence=9_000)
    return "OBS111", leaf, port


def drops(fabric: Fabric, number: int) -> Place:
    leaf, port = _place(UPLINKS[number % len(UPLINKS)])
    _rose(fabric, leaf, port, tx_drops=90_210)
    return "OBS111", leaf, port


def down(fabric: Fabric, number: int) -> Place:
    row = UPLINKS[number % len(UPLINKS)]
    for end in (row, int(ENDS.far[row])):
        device, port = _place(end)
        fabric.both(device, interfaces={port: InterfaceState(up=False)})
    return "OBS114", *_place(int(ENDS.far[row]))


def flaps(fabric: Fabric, number: int) -> Place:
    leaf, port = _place(ENDS.far[NICS[number % len(NICS)]])
    _rose(fabric, leaf, port, carrier_transitions=4)
    return "OBS115", leaf, port


def damaged(fabric: Fabric, number: int) -> Place:
    leaf, port = _place(UPLINKS[number % len(UPLINKS)])
    _rose(fabric, leaf, port, fec_uncorrected=70)
    return "OBS116", leaf, port


def ignored(fabric: Fabric, number: int) -> Place:
    host, nic = _place(NICS[number % len(NICS)])
    fabric.nic(host, nic, rp_cnp_ignored=9_000)
    return "OBS108", host, nic


def astray(fabric: Fabric, number: int) -> Place:
    host, nic = _place(NICS[number % len(NICS)])
    fabric.nic(host, nic, tx_prio5_packets=90_000)
    return "OBS112", host, nic


def restart(fabric: Fabric, number: int) -> Place:
    leaf = LEAVES[number % len(LEAVES)]
    fabric.change(leaf, facts=SystemFacts(leaf, uptime_s=4.0))
    return "OBS121", leaf, ""


def sessions(fabric: Fabric, number: int) -> Place:
    leaf = LEAVES[number % len(LEAVES)]
    fabric.change(leaf, bgp={"10.0.0.1": BgpPeer(established=False, state="Idle", asn=65100)})
    return "OBS122", leaf, ""


def hot(fabric: Fabric, number: int) -> Place:
    leaf, port = _place(UPLINKS[number % len(UPLINKS)])
    fabric.change(leaf, optics={port: Optic(temperature_celsius=88.0)})
    return "OBS123", leaf, port


def full(fabric: Fabric, number: int) -> Place:
    leaf = LEAVES[number % len(LEAVES)]
    fabric.change(leaf, tables={"ipv4_route": TableUse(990, 1000)})
    return "OBS118", leaf, ""


def overrun(fabric: Fabric, number: int) -> Place:
    leaf, port = _place(ENDS.far[NICS[number % len(NICS)]])
    for first, dropped in ((True, 0), (False, 400)):
        groups = {(port, 3): QueueCounters(None, dropped, 10**6)}
        fabric.change(leaf, first=first, priority_groups=groups)
    return "OBS110", leaf, port


INCIDENTS: tuple[Incident, ...] = (
    *(storm, slow, errors, drops, down, flaps, damaged, ignored, astray),
    *(restart, sessions, hot, full, overrun),
)


def _judge(incidents: list[tuple[Incident, int]]) -> None:
    fabric = Fabric()
    planted = [incident(fabric, number) for incident, number in incidents]
    causes = [one for one in fabric.causes() if one.severity > Severity.INFO]
    told = {(one.rule, one.device) for one in causes}
    devices = {device for _, device, _ in planted}
    assert {(rule, device) for rule, device, _ in planted} <= told, (planted, told)
    assert {one.device for one in causes} <= devices, (planted, told)


def _are_apart(incidents: list[tuple[Incident, int]]) -> bool:
    """Say whether no incident hides another one: they are on other cables.

    A device that restarted has no counters, one without sessions has no routes, and a port has one
    set of counters here.
    """
    places = [incident(Fabric(), number) for incident, number in incidents]
    devices = [device for _, device, _ in places]
    restarts = {device for rule, device, _ in places if rule in ("OBS114", "OBS121", "OBS122")}
    alone = all(devices.count(device) == 1 for device in restarts)
    return alone and len({_cable(device, port) for _, device, port in places}) == len(places)


def _cable(device: str, port: str) -> object:
    row = ENDS.rows[ENDS.number[device]].get(port)
    return (device, port) if row is None else min(row, int(ENDS.far[row]))


@pytest.mark.parametrize("incident", INCIDENTS, ids=lambda one: one.__name__)
def test_alone(incident: Incident) -> None:
    for number in range(4):
        _judge([(incident, number)])


def test_pairs() -> None:
    for first, second in itertools.combinations(INCIDENTS, 2):
        for number in range(3):
            pair = [(first, number), (second, number + 1)]
            if _are_apart(pair):
                _judge(pair)


@given(
    st.lists(
        st.tuples(st.sampled_from(INCIDENTS), st.integers(0, 31)), min_size=2, max_size=3
    ).filter(_are_apart)
)
@examples(100)
def test_any_two_or_three(incidents: list[tuple[Incident, int]]) -> None:
    _judge(incidents)
