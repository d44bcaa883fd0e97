"""The root of a storm on any fabric, against the model of how a storm spreads."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.design.designs import Designs
from fabric.health.ends import ends_of
from fabric.health.judge import judge
from fabric.health.reading import Reading
from fabric.health.settings import Settings
from fabric.health.window import Window
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import NicCounters, PfcCounters, QueueCounters
from fabric.qos.storm.spread import Buffers, spread
from fabric.qos.storm.traffic import traffic
from fabric.qos.watchdog import longest_pause_s
from tests.cases import examples
from tests.health.windows import planned
from tests.topology.fabrics import INVENTORY

NAMES = ("demo", "three-tier", "dual-tor", "dual-plane", "rail-only", "eight-slash-27")
WINDOW_S = 10.0
ORIGINS = {f"OBS10{number}" for number in range(1, 6)}


@cache
def designed(name: str):
    designs = Designs(INVENTORY / name)
    ends = ends_of(designs.fabric)
    return designs, ends, planned(ends, designs)


def storm_pauses(name: str, nic: int, *, everyone: bool) -> np.ndarray:
    """Return the ends that pause their other end once a storm of a NIC has spread."""
    designs, ends, _ = designed(name)
    nics = designs.fabric.nics
    rail = (nics.rail == nics.rail[nic]) & (nics.nic_port == nics.nic_port[nic])
    flow = traffic(designs.fabric, nic, np.flatnonzero(nics.enabled & (everyone | rail)))
    full = [np.full(len(flow.source), value) for value in (1.0, 0.0, 0.0, np.inf)]
    paused = np.isfinite(spread(flow, Buffers(np.full(len(flow.channels_of), 8e6), *full)).paused_s)
    near, far = ends.device, ends.device[ends.far]
    pauses = np.zeros(len(ends), dtype=bool)
    for source, target in zip(flow.source[paused], flow.target[paused], strict=True):
        if source >= 0:
            pauses |= (near == target) & (far == source)
    for channel in np.flatnonzero(paused[len(flow.links) :]):
        mine = ends.is_nic[ends.far] & np.isin(ends.nic, flow.members[channel])
        pauses |= mine
    pauses |= ends.is_nic & (ends.nic == nic)
    return pauses


def window_of(name: str, pauses: np.ndarray, hidden: frozenset[int] = frozenset()) -> Window:
    """Return a window in which some ends pause their other end all the time."""
    _, ends, plan = designed(name)
    frames = (WINDOW_S / longest_pause_s(1) * ends.speed_gbps).astype(int)
    sent = np.where(pauses, frames, 0)
    received = sent[ends.far]
    readings = {}
    for number, device in enumerate(ends.names):
        if number in hidden:
            readings[device] = Reading("", None, None, 0.0, "timed out")
            continue
        make = _host if ends.tier[number] < 0 else _switch
        both = [
            make(device, ends, ends.of_device[number], way * sent, way * received) for way in (0, 1)
        ]
        readings[device] = Reading("any", *both, WINDOW_S)
    return Window(ends, plan, readings, Settings())


def _eight(count: int) -> tuple[int, ...]:
    return (0, 0, 0, int(count), 0, 0, 0, 0)


def _switch(device, ends, rows, sent, received) -> Snapshot:
    counters = {ends.ports[r]: PfcCounters(_eight(received[r]), _eight(sent[r])) for r in rows}
    return Snapshot(device, pfc_counters=counters)


def _host(device, ends, rows, sent, received) -> Snapshot:
    nics = {}
    for row in rows:
        words = {f"tx_prio{p}_pause": count for p, count in enumerate(_eight(sent[row]))}
        words |= {f"rx_prio{p}_pause": count for p, count in enumerate(_eight(received[row]))}
        nics[ends.ports[row]] = NicCounters("mlx5", True, words, {})
    return Snapshot(device, nics=nics)


def origins(window: Window) -> list[tuple[str, str, str]]:
    judgement = judge(window)
    assert judgement.broken == ()
    return [(one.rule, one.device, one.port) for one in judgement.causes if one.rule in ORIGINS]


@examples(60)
@given(name=st.sampled_from(NAMES), everyone=st.booleans(), data=st.data())
def test_the_root_is_the_nic_of_the_storm(name, everyone, data) -> None:
    """Pauses of a modelled storm lead to its NIC, and to nothing else."""
    designs, ends, _ = designed(name)
    nic = data.draw(st.sampled_from(np.flatnonzero(designs.fabric.nics.enabled).tolist()))
    pauses = storm_pauses(name, nic, everyone=everyone and name != "rail-only")
    (row,) = np.flatnonzero(ends.is_nic & (ends.nic == nic))
    culprit = ("OBS101", ends.names[ends.device[row]], ends.ports[row])
    window = window_of(name, pauses)
    assert origins(window) == [culprit]
    (cause,) = judge(window).causes
    assert cause.symptoms == pauses.sum() - 1


@examples(30)
@given(name=st.sampled_from(NAMES), data=st.data())
def test_the_root_is_named_though_a_device_cannot_be_read(name, data) -> None:
    """The other ends of its cables count the same pauses."""
    designs, ends, _ = designed(name)
    nic = data.draw(st.sampled_from(np.flatnonzero(designs.fabric.nics.enabled).tolist()))
    hidden = data.draw(st.integers(0, len(ends.names) - 1))
    pauses = storm_pauses(name, nic, everyone=False)
    (row,) = np.flatnonzero(ends.is_nic & (ends.nic == nic))
    seen = origins(window_of(name, pauses, frozenset({hidden})))
    assert seen == [("OBS101", ends.names[ends.device[row]], ends.ports[row])]


@examples(30)
@given(name=st.sampled_from(("demo", "three-tier", "dual-tor")), data=st.data())
def test_two_storms_have_two_roots(name, data) -> None:
    designs, ends, _ = designed(name)
    rows = np.flatnonzero(designs.fabric.nics.enabled).tolist()
    two = data.draw(st.lists(st.sampled_from(rows), min_size=2, max_size=2, unique=True))
    pauses = storm_pauses(name, two[0], everyone=True) | storm_pauses(name, two[1], everyone=True)
    culprits = np.flatnonzero(ends.is_nic & np.isin(ends.nic, two))
    expected = {("OBS101", ends.names[ends.device[row]], ends.ports[row]) for row in culprits}
    assert set(origins(window_of(name, pauses))) == expected


def test_the_examples_pause_one_priority() -> None:
    """The counters of this module are those of priority 3."""
    paused = {name: np.flatnonzero(designed(name)[2].paused.any(axis=0)) for name in NAMES}
    assert {tuple(rows.tolist()) for rows in paused.values()} == {(3,)}


def test_without_pauses_there_is_no_root() -> None:
    _, ends, _ = designed("demo")
    assert judge(window_of("demo", np.zeros(len(ends), dtype=bool))).causes == ()


def test_frames_below_the_limit_are_no_pause() -> None:
    window = window_of("demo", storm_pauses("demo", 0, everyone=True))
    loose = replace(window, settings=Settings(pause_percent=101.0, storm_percent=101.0))
    assert origins(loose) == []


@pytest.mark.parametrize("moving", [False, True])
def test_a_cycle_is_a_deadlock_while_nothing_moves(moving) -> None:
    """Four switches pause each other in a ring; where their queues send, it is congestion."""
    _, ends, _ = designed("demo")
    leaves = [0, 1]
    spines = [d for d in range(len(ends.names)) if ends.tier[d] == 1][:2]
    ring = [leaves[0], spines[0], leaves[1], spines[1]]
    pauses = np.zeros(len(ends), dtype=bool)
    for here, there in zip(ring, [*ring[1:], ring[0]], strict=True):  # there pauses here
        rows = np.flatnonzero((ends.device == there) & (ends.device[ends.far] == here))
        pauses[rows[0]] = True
    window = window_of("demo", pauses)
    if moving:
        for device in (ends.names[number] for number in ring):
            reading = window.readings[device]
            ports = ends.rows[ends.names.index(device)]
            before = {(port, 3): QueueCounters(packets=0) for port in ports}
            after = {(port, 3): QueueCounters(packets=10**9) for port in ports}
            window.readings[device] = replace(
                reading,
                before=replace(reading.before, queues=before),
                after=replace(reading.after, queues=after),
            )
    kinds = {rule for rule, _, _ in origins(window)}
    assert kinds == ({"OBS104"} if moving else {"OBS102"})
