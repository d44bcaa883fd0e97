"""Incidents to be planted in readings of the demo: what moves, and which cause must be named.

The number of an incident says where it happens: numbers that follow each other are NICs of one
host, every second one is on the same leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fabric.observe.state import (
    BgpPeer,
    EcnState,
    InterfaceState,
    Optic,
    PfcCounters,
    QueueCounters,
    Sensor,
    SystemFacts,
    TableUse,
    WatchdogState,
)
from tests.health.windows import ZEROS, Fabric, demo

#: Rule, device and port of a cause.
Place = tuple[str, str, str]
Incident = Callable[[Fabric, int], Place]

ENDS, PLAN = demo()
LEAVES = [name for name, tier in zip(ENDS.names, ENDS.tier.tolist(), strict=True) if tier == 0]
SPINES = [name for name, tier in zip(ENDS.names, ENDS.tier.tolist(), strict=True) if tier > 0]
NICS = [row for row in range(len(ENDS)) if ENDS.is_nic[row]]
#: Ends of cables at leaves: towards a NIC, towards a spine; and at spines.
BELOW = [int(ENDS.far[row]) for row in NICS]
UP = [row for row in range(len(ENDS)) if ENDS.nic[row] < 0 and not ENDS.is_below[row]]
SPINE_PORTS = [int(ENDS.far[row]) for row in UP]
#: The lossless priority, queue and group of the demo.
LOSSLESS = 3

INCIDENTS: dict[str, Incident] = {}


def place(row: int) -> tuple[str, str]:
    """Return device and port of an end."""
    return ENDS.names[ENDS.device[row]], ENDS.ports[row]


def rose(fabric: Fabric, row: int, **counts: int) -> None:
    """Let counters of a switch port rise from 0, beside those that do."""
    device, port = place(row)
    for first, table in ((True, fabric.before), (False, fabric.after)):
        if device not in table:
            continue
        state = (table[device].interfaces or {}).get(port) or InterfaceState(up=True)
        new = {name: 0 if first else count for name, count in counts.items()}
        changed = replace(state, counters={**state.counters, **new})
        fabric.change(device, first=first, interfaces={port: changed})


def cut(fabric: Fabric, *rows: int) -> None:
    """Let cables be down in both readings."""
    for row in rows:
        for end in (row, int(ENDS.far[row])):
            device, port = place(end)
            for first, table in ((True, fabric.before), (False, fabric.after)):
                if table.get(device) is None:
                    continue
                for field in ("interfaces", "nics"):
                    states = getattr(table[device], field) or {}
                    if port in states:
                        changed = replace(states[port], up=False)
                        fabric.change(device, first=first, **{field: {port: changed}})


def pauses(fabric: Fabric, row: int, count: int, *, is_counted: bool = True) -> None:
    """Let an end send pause frames, which the other end counts or not."""
    ways = ((row, "sent"), (int(ENDS.far[row]), "received"))
    for end, way in ways if is_counted else ways[:1]:
        device, port = place(end)
        if ENDS.is_nic[end]:
            fabric.nic(device, port, **{f"{way[0].replace('s', 't')}x_prio{LOSSLESS}_pause": count})
            continue
        if device not in fabric.after:
            continue
        old = (fabric.after[device].pfc_counters or {}).get(port) or PfcCounters(ZEROS, ZEROS)
        was = getattr(old, way)[LOSSLESS]
        frames = tuple(max(count, was) if one == LOSSLESS else 0 for one in range(8))
        fabric.change(device, pfc_counters={port: replace(old, **{way: frames})})


def both(fabric: Fabric, row: int, field: str, before: Any, after: Any) -> None:
    """Set a figure of the lossless queue or group of a port in both readings."""
    device, port = place(row)
    fabric.change(device, first=True, **{field: {(port, LOSSLESS): before}})
    fabric.change(device, **{field: {(port, LOSSLESS): after}})


def _add(name: str) -> Callable[[Incident], Incident]:
    def add(incident: Incident) -> Incident:
        INCIDENTS[name] = incident
        return incident

    return add


def _nic(name: str, rule: str, **counts: int) -> None:
    """Add an incident that counters of a NIC show."""

    @_add(name)
    def plant(fabric: Fabric, number: int) -> Place:
        host, nic = place(NICS[number % len(NICS)])
        fabric.nic(host, nic, **counts)
        return rule, host, nic


def _port(name: str, rule: str, rows: list[int], **counts: int) -> None:
    """Add an incident that counters of a switch port show."""

    @_add(name)
    def plant(fabric: Fabric, number: int) -> Place:
        rose(fabric, rows[number % len(rows)], **counts)
        return rule, *place(rows[number % len(rows)])


def _device(name: str, rule: str, devices: list[str], **state: Any) -> None:
    """Add an incident that the last state of a switch shows."""

    @_add(name)
    def plant(fabric: Fabric, number: int) -> Place:
        device = devices[number % len(devices)]
        fabric.change(device, **state)
        return rule, device, ""


def _numbered(name: str, rule: str, field: str, before: Any, after: Any) -> None:
    """Add an incident that the lossless queue or group of a port shows."""

    @_add(name)
    def plant(fabric: Fabric, number: int) -> Place:
        row = BELOW[number % len(BELOW)]
        both(fabric, row, field, before, after)
        return rule, *place(row)


_nic("a NIC pauses 90 %", "OBS101", tx_prio3_pause_duration=9_000_000)
_nic("a NIC pauses 55 %", "OBS101", tx_prio3_pause_duration=5_500_000)
_nic(
    "a NIC pauses 4 %, and reports storms",
    "OBS101",
    tx_prio3_pause_duration=400_000,
    tx_pause_storm_error_events=3,
)
_nic("a NIC pauses 6 %", "OBS103", tx_prio3_pause_duration=600_000)
_nic("a NIC pauses 1.5 %", "OBS103", tx_prio3_pause_duration=150_000)
_nic("a NIC has no receive buffer", "OBS103", tx_prio3_pause_duration=300_000, out_of_buffer=1200)
_nic("a NIC sends no CNP", "OBS107", np_ecn_marked_roce_packets=5_000)
_nic("a NIC ignores CNPs", "OBS108", rp_cnp_ignored=9_000)
_nic("a NIC sends in priority 5", "OBS112", tx_prio3_packets=10_000, tx_prio5_packets=90_000)
_nic("a NIC sends in priority 0 alone", "OBS112", tx_prio0_packets=90_000)
_nic("a NIC pauses priority 5", "OBS124", tx_prio5_pause_duration=2_000_000)
_nic("a NIC discards packets", "OBS111", rx_discards_phy=4_000)
_nic("a NIC misses packets, nobody knows why", "OBS119", out_of_sequence=9_000)
_nic("a NIC waits for acknowledgements", "OBS119", local_ack_timeout_err=700)
_port("frames are damaged below a leaf", "OBS111", BELOW, rx_errors=48_211)
_port("packets are dropped below a leaf", "OBS111", BELOW, tx_drops=3_100)
_port("FEC loses codewords below a leaf", "OBS116", BELOW, fec_uncorrected=70)
_port("FEC is near its limit below a leaf", "OBS116", BELOW, fec_corrected=700_000_000)
_port("a link flaps below a leaf", "OBS115", BELOW, carrier_transitions=4)
_port("frames are damaged on an uplink", "OBS111", UP, rx_errors=48_211)
_port("packets are dropped on an uplink", "OBS111", UP, tx_drops=90_210)
_port("FEC loses codewords on an uplink", "OBS116", UP, fec_uncorrected=70)
_port("frames are damaged at a spine", "OBS111", SPINE_PORTS, rx_errors=900)
_port("packets are dropped at a spine", "OBS111", SPINE_PORTS, tx_drops=12_000)
_port("FEC loses codewords at a spine", "OBS116", SPINE_PORTS, fec_uncorrected=4)
_port("an uplink flaps", "OBS115", SPINE_PORTS, carrier_transitions=2)
_device("a leaf restarts", "OBS121", LEAVES, facts=SystemFacts("leaf", uptime_s=4.0))
_device("a spine restarts", "OBS121", SPINES, facts=SystemFacts("spine", uptime_s=4.0))
_IDLE = {"10.0.0.1": BgpPeer(established=False, state="Idle", asn=65100)}
_device("a leaf has no session", "OBS122", LEAVES, bgp=_IDLE)
_device("a spine has no session", "OBS122", SPINES, bgp=_IDLE)
_device("a table is nearly full", "OBS118", LEAVES, tables={"route_entries": TableUse(990, 1000)})
_device("a table is full", "OBS118", SPINES, tables={"host_entries": TableUse(500, 500)})
_device("a leaf is hot", "OBS123", LEAVES, temperatures={"ASIC": Sensor(111.0, 105.0)})
_device("a spine is hot", "OBS123", SPINES, temperatures={"ASIC": Sensor(111.0, 105.0)})
_numbered(
    "the headroom is over-run",
    "OBS110",
    "priority_groups",
    QueueCounters(None, 0, 10**4),
    QueueCounters(None, 0, 10**7),
)
_numbered(
    "the headroom drops",
    "OBS110",
    "priority_groups",
    QueueCounters(None, 0, 10**4),
    QueueCounters(None, 400, 10**4),
)
_numbered(
    "a lossless queue drops", "OBS111", "queues", QueueCounters(10, 0), QueueCounters(10**6, 700)
)
_numbered(
    "a lossless queue sends nothing",
    "OBS113",
    "queues",
    QueueCounters(10, 0),
    QueueCounters(10, 700),
)
_numbered(
    "the watchdog holds a queue",
    "OBS113",
    "watchdog",
    WatchdogState(operational=True, storms_detected=0),
    WatchdogState(operational=False, storms_detected=1),
)


@_add("the headroom is nearly full")
def nearly_full(fabric: Fabric, number: int) -> Place:
    row = BELOW[number % len(BELOW)]
    peak = int(0.95 * PLAN.headroom_bytes[row])
    both(fabric, row, "priority_groups", QueueCounters(None, 0, 0), QueueCounters(None, 0, peak))
    return "OBS110", *place(row)


@_add("a leaf sends in a queue that nothing has")
def stray(fabric: Fabric, number: int) -> Place:
    device, port = place(UP[number % len(UP)])
    for first, count in ((True, 0), (False, 90_000)):
        fabric.change(device, first=first, queues={(port, 5): QueueCounters(count, 0)})
    return "OBS112", device, port


@_add("a cable below a leaf is down")
def down_below(fabric: Fabric, number: int) -> Place:
    row = BELOW[number % len(BELOW)]
    cut(fabric, row)
    return "OBS114", *place(row)


@_add("an uplink is down")
def down_above(fabric: Fabric, number: int) -> Place:
    row = SPINE_PORTS[number % len(SPINE_PORTS)]
    cut(fabric, row)
    return "OBS114", *place(row)


@_add("a spine is cut off")
def cut_off(fabric: Fabric, number: int) -> Place:
    spine = SPINES[number % len(SPINES)]
    cut(fabric, *ENDS.of_device[ENDS.number[spine]].tolist())
    return "OBS114", spine, ""


@_add("a host is off")
def off(fabric: Fabric, number: int) -> Place:
    host, _ = place(NICS[number % len(NICS)])
    rows = ENDS.of_device[ENDS.number[host]].tolist()
    fabric.before.pop(host, None)
    fabric.after.pop(host, None)
    cut(fabric, *(int(ENDS.far[row]) for row in rows))
    return "OBS114", host, ""


@_add("a spine is silent")
def silent(fabric: Fabric, number: int) -> Place:
    spine = SPINES[number % len(SPINES)]
    fabric.after.pop(spine, None)
    return "OBS117", spine, ""


@_add("a NIC does not count the pauses of its leaf")
def unheard(fabric: Fabric, number: int) -> Place:
    row = BELOW[number % len(BELOW)]
    pauses(fabric, row, 900, is_counted=False)
    return "OBS106", *place(row)


@_add("a leaf does not count the pauses of its spine")
def unheard_above(fabric: Fabric, number: int) -> Place:
    row = SPINE_PORTS[number % len(SPINE_PORTS)]
    pauses(fabric, row, 900, is_counted=False)
    return "OBS106", *place(row)


def _congested(fabric: Fabric, number: int) -> str:
    """Let a leaf pause all of its spines."""
    leaf = LEAVES[number % len(LEAVES)]
    for row in UP:
        if place(row)[0] == leaf:
            pauses(fabric, row, 8_000)
    return leaf


@_add("a leaf pauses its spines without marks")
def unmarked(fabric: Fabric, number: int) -> Place:
    return "OBS105", _congested(fabric, number), ""


@_add("a leaf pauses its spines beside marks")
def marked(fabric: Fabric, number: int) -> Place:
    leaf = _congested(fabric, number)
    port = next(place(row)[1] for row in BELOW if place(row)[0] == leaf)
    for first, marks in ((True, 0), (False, 4_000)):
        state = EcnState(marked_packets=marks)
        fabric.change(leaf, first=first, ecn={(port, LOSSLESS): state})
    return "OBS104", leaf, ""


@_add("leaves and spines wait for each other")
def deadlock(fabric: Fabric, number: int) -> Place:
    rows = {place(row)[0]: {} for row in UP}
    for row in UP:
        rows[place(row)[0]].setdefault(place(int(ENDS.far[row]))[0], row)
    (first, ups), (_, others) = [*rows.items()][:2]
    one, two = [*ups][:2]
    circle = ups[one], int(ENDS.far[others[one]]), others[two], int(ENDS.far[ups[two]])
    for row in circle:
        pauses(fabric, row, 10**7)
    return "OBS102", first, ""


@_add("CNPs of a rail are lost")
def lost(fabric: Fabric, number: int) -> Place:
    host, nic = place(NICS[number % len(NICS)])
    fabric.nic(host, nic, np_cnp_sent=5_000)
    return "OBS109", host, ""


def _loads(fabric: Fabric, number: int, shares: Callable[[int], int]) -> str:
    leaf = LEAVES[number % len(LEAVES)]
    ups = [row for row in UP if place(row)[0] == leaf]
    below = [row for row in BELOW if place(row)[0] == leaf]
    for row in below:
        rose(fabric, row, rx_packets=10**6)
    for turn, row in enumerate(ups):
        rose(fabric, row, tx_packets=shares(turn) * len(below) * 10**6 // len(ups))
    return leaf


@_add("one uplink carries all")
def single(fabric: Fabric, number: int) -> Place:
    return "OBS120", _loads(fabric, number, lambda turn: 0 if turn else 4), ""


@_add("an optic is hot")
def hot(fabric: Fabric, number: int) -> Place:
    device, port = place(UP[number % len(UP)])
    fabric.change(device, optics={port: Optic(temperature_celsius=88.0)})
    return "OBS123", device, port


@_add("a signal is noisy")
def noisy(fabric: Fabric, number: int) -> Place:
    device, port = place(BELOW[number % len(BELOW)])
    fabric.change(device, optics={port: Optic(pre_fec_bit_error_ratio=9e-4)})
    return "OBS123", device, port
