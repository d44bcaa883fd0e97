"""Figures of a snapshot, one by one, with the names and labels that monitoring uses."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.units import us_to_s
from fabric.observe import families as of
from fabric.observe.state import MOST_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.observe.families import Family
    from fabric.observe.snapshot import Snapshot
    from fabric.observe.state import NicCounters

    #: Reading, family, values of its labels, and the figure or None.
    Row = tuple[str, Family, tuple[object, ...], float | None]

_PAUSE = re.compile(r"([rt])x_prio([0-7])_pause(_duration)?")
_WAYS = {"r": of.RECEIVED, "t": of.SENT}


class Sample(NamedTuple):
    """One figure.

    Parameters
    ----------
    labels : tuple of str
        Values of the labels of its family.
    source : str
        The reading that it comes from: what resets one of its counters may reset the others.
    """

    source: str
    family: Family
    labels: tuple[str, ...]
    value: float


def samples(snapshot: Snapshot) -> Iterator[Sample]:
    """Yield every figure of a snapshot; what was not read has none."""
    rows = (
        _ports(snapshot),
        _pfc(snapshot),
        _queues(snapshot),
        _groups(snapshot),
        _state(snapshot),
        _optics(snapshot),
    )
    nics = (_nic(interface, nic) for interface, nic in (snapshot.nics or {}).items())
    for source, family, labels, value in chain(*rows, *nics):
        if value is not None and abs(value) <= MOST_COUNT:
            yield Sample(source, family, tuple(map(str, labels)), value)


def _ports(snapshot: Snapshot) -> Iterator[Row]:
    for port, state in (snapshot.interfaces or {}).items():
        yield "interfaces", of.PORT_UP, (port,), state.up
        for name, count in state.counters.items():
            if name in of.PORT_COUNTERS:
                family, way = of.PORT_COUNTERS[name]
                yield "interfaces", family, (port, *way), count


def _pfc(snapshot: Snapshot) -> Iterator[Row]:
    for port, pauses in (snapshot.pfc_counters or {}).items():
        for way, counts in ((of.RECEIVED, pauses.received), (of.SENT, pauses.sent)):
            for priority, count in enumerate(counts):
                yield "pfc_counters", of.PFC_FRAMES, (port, priority, way), count
    for queue, watchdog in (snapshot.watchdog or {}).items():
        yield "watchdog", of.STORMS, queue, watchdog.storms_detected
        yield "watchdog", of.STORMS_ENDED, queue, watchdog.storms_restored
        yield "watchdog", of.STORM_DROPS, queue, watchdog.dropped_packets


def _queues(snapshot: Snapshot) -> Iterator[Row]:
    for queue, counters in (snapshot.queues or {}).items():
        yield "queues", of.QUEUE_PACKETS, queue, counters.packets
        yield "queues", of.QUEUE_DROPS, queue, counters.dropped_packets
        yield "queues", of.QUEUE_PEAK, queue, counters.watermark_bytes
    for queue, marking in (snapshot.ecn or {}).items():
        yield "ecn", of.MARKS, queue, marking.marked_packets


def _groups(snapshot: Snapshot) -> Iterator[Row]:
    for group, counters in (snapshot.priority_groups or {}).items():
        yield "priority_groups", of.GROUP_PACKETS, group, counters.packets
        yield "priority_groups", of.GROUP_DROPS, group, counters.dropped_packets
        yield "priority_groups", of.GROUP_PEAK, group, counters.watermark_bytes
        yield "priority_groups", of.GROUP_SHARED_PEAK, group, counters.shared_watermark_bytes
    for pool, use in (snapshot.buffer_pools or {}).items():
        yield "buffer_pools", of.POOL_PEAK, (pool,), use.watermark_bytes
        yield "buffer_pools", of.POOL_HEADROOM_PEAK, (pool,), use.headroom_watermark_bytes


def _state(snapshot: Snapshot) -> Iterator[Row]:
    if snapshot.facts:
        yield "facts", of.UPTIME, (), snapshot.facts.uptime_s
    for peer, session in (snapshot.bgp or {}).items():
        yield "bgp", of.BGP_UP, (peer,), session.established
        yield "bgp", of.BGP_SECONDS, (peer,), session.established_s
        yield "bgp", of.BGP_LOST, (peer,), session.lost
    for port, neighbours in (snapshot.lldp or {}).items():
        yield "lldp", of.LLDP, (port,), len(neighbours)
    for table, use in (snapshot.tables or {}).items():
        yield "tables", of.TABLE_ENTRIES, (table,), use.used
        yield "tables", of.TABLE_LIMIT, (table,), use.capacity


def _optics(snapshot: Snapshot) -> Iterator[Row]:
    for port, optic in (snapshot.optics or {}).items():
        yield "optics", of.OPTIC_TEMPERATURE, (port,), optic.temperature_celsius
        yield "optics", of.BIT_ERRORS, (port,), optic.pre_fec_bit_error_ratio
        for way, lanes in ((of.RECEIVED, optic.received_dbm), (of.SENT, optic.sent_dbm)):
            for lane, dbm in enumerate(lanes or ()):
                yield "optics", of.OPTIC_POWER, (port, lane, way), dbm
    for name, sensor in (snapshot.temperatures or {}).items():
        yield "temperatures", of.TEMPERATURE, (name,), sensor.celsius


def _nic(interface: str, nic: NicCounters) -> Iterator[Row]:
    source = f"nics {interface}"
    yield source, of.PORT_UP, (interface,), nic.up
    for name, count in {**(nic.counters or {}), **(nic.hw_counters or {})}.items():
        if name in of.NIC_COUNTERS:
            family, way = of.NIC_COUNTERS[name]
            yield source, family, (interface, *way), count
        elif pause := _PAUSE.fullmatch(name):
            labels = (interface, pause[2], _WAYS[pause[1]])
            if pause[3]:
                yield source, of.PFC_SECONDS, labels, us_to_s(count)
            else:
                yield source, of.PFC_FRAMES, labels, count
