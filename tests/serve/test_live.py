"""Errors and drops of an end: packets that several counters count are counted once."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.observe import families as of
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import BgpPeer, InterfaceState
from fabric.serve.live import Live, Rising
from fabric.topology.device_ends import ends_of
from tests.cases import each
from tests.topology.fabrics import example

LEAF = "su1-rail0"
SENT, RECEIVED = of.SENT, of.RECEIVED


def end_of(live: Live) -> tuple[str, tuple[int, int]]:
    """Return a port of the leaf towards a NIC, and where its figures are."""
    at = next(one for one in ends_of(live.fabric, LEAF) if one.is_nic)
    return at.port, (at.end, at.row)


#: Counters with labels behind the port and their rates, and packets that were lost in a second.
CASES = {
    "VRP8": ([(of.DISCARDS, (SENT,), 9.0), (of.QUEUE_DROPS, ("3",), 9.0)], 9.0),
    "queues that the port does not count": (
        [(of.DISCARDS, (SENT,), 0.0), (of.QUEUE_DROPS, ("3",), 4.0), (of.QUEUE_DROPS, ("0",), 1.0)],
        5.0,
    ),
    "both ways": (
        [
            (of.DISCARDS, (SENT,), 3.0),
            (of.DISCARDS, (RECEIVED,), 4.0),
            (of.QUEUE_DROPS, ("3",), 3.0),
            (of.GROUP_DROPS, ("3",), 4.0),
            (of.STORM_DROPS, ("3",), 7.0),
        ],
        7.0,
    ),
    "a watchdog alone": ([(of.STORM_DROPS, ("3",), 7.0), (of.STORM_DROPS, ("4",), 1.0)], 8.0),
    "FEC": ([(of.ERRORS, (RECEIVED,), 2.0), (of.FEC_UNCORRECTED, (), 2.0)], 2.0),
    "other packets": (
        [
            (of.ERRORS, (RECEIVED,), 1.0),
            (of.ERRORS, (SENT,), 2.0),
            (of.DISCARDS, (SENT,), 4.0),
            (of.NIC_COUNTERS["out_of_sequence"][0], (), 8.0),
            (of.NIC_COUNTERS["packet_seq_err"][0], (), 16.0),
        ],
        31.0,
    ),
    "one that is unknown": ([(of.DISCARDS, (SENT,), np.nan), (of.ERRORS, (SENT,), 1.0)], 1.0),
    "all unknown": ([(of.DISCARDS, (SENT,), np.nan)], np.nan),
}


def test_sessions_are_counted_by_device_and_a_change_is_a_new_state() -> None:
    live = Live(example("demo"))
    peers = {f"10.0.0.{number}": BgpPeer(number > 1, "Active", 65000) for number in (1, 2, 3)}
    for bgp, known in ((None, {}), (peers, {LEAF: (1, 3)}), (peers, {LEAF: (1, 3)}), (None, {})):
        before, was = live.states_version, dict(live.sessions)
        live.take(Snapshot(LEAF, bgp=bgp), ())
        assert live.sessions == known
        assert live.states_version - before == (was != known)


@each("name", CASES)
def test_packets_are_counted_once(name: str) -> None:
    counters, lost = CASES[name]
    live = Live(example("demo"))
    port, place = end_of(live)
    moved = [Rising(family, (port, *labels), per_s) for family, labels, per_s in counters]
    live.take(Snapshot(LEAF, interfaces={port: InterfaceState(up=True)}), moved)
    assert live.nics.error_per_s[place] == pytest.approx(lost, nan_ok=True), name
