"""Columns of figures: where each comes from in a snapshot, and what it is called in messages.

A column has one figure for each end of a cable, or eight: one for each priority, queue or group.
Names of the counters of NICs: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/
counters.rst and drivers/infiniband/hw/mlx5/counters.c.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fabric.observe.snapshot import Snapshot
    from fabric.observe.state import InterfaceState, NicCounters

    #: Port, and its figure or figures; None is what was not reported.
    Figures = Iterator[tuple[str, object]]

WIDTH = 8
Where = Literal["switch", "nic", "both"]


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of each end.

    Parameters
    ----------
    text : str
        What it counts, for messages.
    source : str
        The reading that it comes from: what resets one of its counters may reset the others.
    where : str
        Which devices have it.
    read : callable
        Figures of a snapshot by port.
    wide : bool
        Whether there are eight.
    is_counter : bool
        Whether it only rises; else its last value counts.
    """

    text: str
    source: str
    where: Where
    read: Callable[[Snapshot], Figures]
    wide: bool = False
    is_counter: bool = True


def _port(*names: str) -> Callable[[Snapshot], Figures]:
    """Return what reads the sum of some counters of switch ports, of those that are there."""

    def read(snapshot: Snapshot) -> Figures:
        for port, state in (snapshot.interfaces or {}).items():
            counts = [state.counters[name] for name in names if name in state.counters]
            yield port, sum(counts) if counts else None

    return read


def _nic(*names: str) -> Callable[[Snapshot], Figures]:
    def read(snapshot: Snapshot) -> Figures:
        for interface, nic in (snapshot.nics or {}).items():
            known = _known(nic)
            counts = [known[name] for name in names if name in known]
            yield interface, sum(counts) if counts else None

    return read


def _nic_wide(form: str) -> Callable[[Snapshot], Figures]:
    """Return what reads a counter with a priority in its name."""
    names = tuple(form.format(priority) for priority in range(WIDTH))

    def read(snapshot: Snapshot) -> Figures:
        for interface, nic in (snapshot.nics or {}).items():
            yield interface, [(nic.counters or {}).get(name) for name in names]

    return read


def _both(
    switch: Callable[[Snapshot], Figures], nic: Callable[[Snapshot], Figures]
) -> Callable[[Snapshot], Figures]:
    def read(snapshot: Snapshot) -> Figures:
        yield from switch(snapshot)
        yield from nic(snapshot)

    return read


def _known(nic: NicCounters) -> Mapping[str, int]:
    return {**(nic.counters or {}), **(nic.hw_counters or {})}


def _pauses(way: str) -> Callable[[Snapshot], Figures]:
    def read(snapshot: Snapshot) -> Figures:
        for port, pauses in (snapshot.pfc_counters or {}).items():
            yield port, getattr(pauses, way)

    return read


def _numbered(field: str, name: str) -> Callable[[Snapshot], Figures]:
    """Return what reads a figure of numbered queues or groups."""

    def read(snapshot: Snapshot) -> Figures:
        by_port: dict[str, list[object]] = defaultdict(lambda: [None] * WIDTH)
        for (port, number), state in (getattr(snapshot, field) or {}).items():
            if 0 <= number < WIDTH:
                by_port[port][number] = getattr(state, name)
        yield from by_port.items()

    return read


def _ups(snapshot: Snapshot) -> Figures:
    states: Mapping[str, InterfaceState | NicCounters] = {
        **(snapshot.interfaces or {}),
        **(snapshot.nics or {}),
    }
    for port, state in states.items():
        yield port, state.up


#: What the systems call the directions of a port.
_WAYS = ("rx", "tx", "in", "out")
COLUMNS: Mapping[str, Column] = {
    "up": Column("state of the link", "interfaces", "both", _ups, is_counter=False),
    "pauses_received": Column(
        "received pause frames by priority",
        "pfc_counters",
        "both",
        _both(_pauses("received"), _nic_wide("rx_prio{}_pause")),
        wide=True,
    ),
    "pauses_sent": Column(
        "sent pause frames by priority",
        "pfc_counters",
        "both",
        _both(_pauses("sent"), _nic_wide("tx_prio{}_pause")),
        wide=True,
    ),
    "all_pauses_received": Column(
        "received pause frames", "interfaces", "switch", _port("rx_pfc_frames", "in_pfc_frames")
    ),
    "all_pauses_sent": Column(
        "sent pause frames", "interfaces", "switch", _port("tx_pfc_frames", "out_pfc_frames")
    ),
    "paused_us": Column(
        "time paused by the net",
        "nics",
        "nic",
        _nic_wide("rx_prio{}_pause_duration"),
        wide=True,
    ),
    "pausing_us": Column(
        "time pausing the net", "nics", "nic", _nic_wide("tx_prio{}_pause_duration"), wide=True
    ),
    "sent_packets": Column(
        "sent packets", "interfaces", "switch", _port("tx_packets", "out_packets")
    ),
    "received_packets": Column(
        "received packets", "interfaces", "switch", _port("rx_packets", "in_packets")
    ),
    "sent_bytes": Column("sent bytes", "interfaces", "switch", _port("tx_bytes", "out_bytes")),
    "drops": Column(
        "discarded packets",
        "interfaces",
        "both",
        _both(
            _port(*(f"{way}_{name}" for way in _WAYS for name in ("drops", "discards"))),
            _nic("rx_discards_phy", "tx_discards_phy"),
        ),
    ),
    "errors": Column(
        "errors",
        "interfaces",
        "switch",
        _port(*(f"{way}_errors" for way in _WAYS)),
    ),
    "flaps": Column(
        "changes of the link",
        "interfaces",
        "both",
        _both(_port("carrier_transitions"), _nic("link_down_events_phy")),
    ),
    "fec_corrected": Column(
        "codewords that FEC corrected", "interfaces", "switch", _port("fec_corrected")
    ),
    "fec_uncorrected": Column(
        "codewords that FEC could not correct", "interfaces", "switch", _port("fec_uncorrected")
    ),
    "marks": Column(
        "ECN marks of queues", "ecn", "switch", _numbered("ecn", "marked_packets"), wide=True
    ),
    "all_marks": Column("ECN marks", "interfaces", "switch", _port("out_ecn_marked_packets")),
    "queue_packets": Column(
        "packets of queues", "queues", "switch", _numbered("queues", "packets"), wide=True
    ),
    "queue_drops": Column(
        "drops of queues", "queues", "switch", _numbered("queues", "dropped_packets"), wide=True
    ),
    "queue_peak_bytes": Column(
        "watermarks of queues",
        "queues",
        "switch",
        _numbered("queues", "watermark_bytes"),
        wide=True,
        is_counter=False,
    ),
    "group_drops": Column(
        "drops of priority groups",
        "priority_groups",
        "switch",
        _numbered("priority_groups", "dropped_packets"),
        wide=True,
    ),
    "headroom_peak_bytes": Column(
        "headroom watermarks of priority groups",
        "priority_groups",
        "switch",
        _numbered("priority_groups", "watermark_bytes"),
        wide=True,
        is_counter=False,
    ),
    "storms": Column(
        "storms of the PFC watchdog",
        "watchdog",
        "switch",
        _numbered("watchdog", "storms_detected"),
        wide=True,
    ),
    "operational": Column(
        "state of the PFC watchdog",
        "watchdog",
        "switch",
        _numbered("watchdog", "operational"),
        wide=True,
        is_counter=False,
    ),
    "nic_packets": Column(
        "sent packets by priority", "nics", "nic", _nic_wide("tx_prio{}_packets"), wide=True
    ),
    "nic_marks": Column(
        "RoCE packets with an ECN mark", "nics", "nic", _nic("np_ecn_marked_roce_packets")
    ),
    "cnp_sent": Column("CNPs sent", "nics", "nic", _nic("np_cnp_sent")),
    "cnp_handled": Column("CNPs handled", "nics", "nic", _nic("rp_cnp_handled")),
    "cnp_ignored": Column("CNPs ignored", "nics", "nic", _nic("rp_cnp_ignored")),
    "out_of_buffer": Column("drops without a receive buffer", "nics", "nic", _nic("out_of_buffer")),
    "lost": Column(
        "packets out of sequence and acknowledgements that did not come",
        "nics",
        "nic",
        _nic("out_of_sequence", "packet_seq_err", "local_ack_timeout_err"),
    ),
    "storm_errors": Column(
        "pause storms of the NIC", "nics", "nic", _nic("tx_pause_storm_error_events")
    ),
}
