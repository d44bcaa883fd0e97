"""Tables of readings as arrays: what is missing is NaN, and ports of others are nowhere."""

from __future__ import annotations

import numpy as np

from fabric.health.reading import Reading
from fabric.health.tables import tables_of
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import InterfaceState, NicCounters, PfcCounters, QueueCounters
from tests.health.windows import HOST, LEAF, demo

PORTS = "Ethernet0", "Ethernet8"


def figures(name: str, word: str, device: str, before: Snapshot | None, after: Snapshot | None):
    """Return the figures of a name before and after, by port of a device."""
    ends, _ = demo()
    readings = [
        Reading("sonic", before, after, 10.0) if other == device else None for other in ends.names
    ]
    rows = ends.rows[ends.number[device]]
    values = []
    for table in tables_of(ends, name, readings):
        whole = np.full((len(ends), 1), np.nan)
        table.put(whole, [word])
        values.append({port: whole[row, 0] for port, row in rows.items()})
        assert np.isfinite(whole).sum() == np.isfinite([*values[-1].values()]).sum()
    return values


def test_counters_by_name_whatever_ports_have() -> None:
    first, second = PORTS
    states = {
        first: InterfaceState(counters={"rx_drops": 1, "tx_drops": 2}),
        second: InterfaceState(counters={"tx_drops": 3}),
        "Ethernet999": InterfaceState(counters={"tx_drops": 4}),
    }
    ports = Snapshot(LEAF, interfaces=states)
    before, after = figures("interfaces", "tx_drops", LEAF, None, ports)
    assert np.isnan([*before.values()]).all()
    assert (after[first], after[second]) == (2, 3)
    assert np.isnan(figures("interfaces", "rx_drops", LEAF, ports, ports)[0][second])


def test_counters_of_the_rdma_port_beside_those_of_the_driver() -> None:
    nics = {"eth1": NicCounters("mlx5_0", True, {"rx_prio3_pause": 5}, {"np_cnp_sent": 6})}
    host = Snapshot(HOST, nics=nics | {"eth2": NicCounters("mlx5_1", None, None, None)})
    assert figures("nics", "np_cnp_sent", HOST, host, host)[1]["eth1"] == 6
    assert figures("nics", "rx_prio3_pause", HOST, host, None)[0]["eth1"] == 5
    up = figures("nics", "up", HOST, host, host)[0]
    assert up["eth1"] == 1
    assert np.isnan(up["eth2"])


def test_pauses_of_systems_with_fewer_priorities_and_unknown_counts() -> None:
    counts = {
        PORTS[0]: PfcCounters((0, None, 2, 9), (1,)),
        PORTS[1]: PfcCounters((1,) * 8, (2,) * 8),
    }
    leaf = Snapshot(LEAF, pfc_counters=counts)
    received = figures("pfc_counters", "received3", LEAF, leaf, leaf)[0]
    assert (received[PORTS[0]], received[PORTS[1]]) == (9, 1)
    assert np.isnan(figures("pfc_counters", "received1", LEAF, leaf, leaf)[0][PORTS[0]])
    assert np.isnan(figures("pfc_counters", "sent7", LEAF, leaf, leaf)[0][PORTS[0]])


def test_numbers_that_a_port_does_not_have_are_nowhere() -> None:
    queues = {
        (PORTS[0], 3): QueueCounters(10, None),
        (PORTS[0], 8): QueueCounters(11, 1),
        (PORTS[0], -1): QueueCounters(12, 1),
        ("Ethernet999", 3): QueueCounters(13, 1),
        (PORTS[1], 3): QueueCounters(14, 2),
    }
    leaf = Snapshot(LEAF, queues=queues)
    packets = figures("queues", "packets3", LEAF, leaf, leaf)[1]
    assert (packets[PORTS[0]], packets[PORTS[1]]) == (10, 14)
    drops = figures("queues", "dropped_packets3", LEAF, leaf, leaf)[1]
    assert np.isnan(drops[PORTS[0]])
    assert drops[PORTS[1]] == 2
