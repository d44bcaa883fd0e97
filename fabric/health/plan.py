"""What the design gives each end of a cable: paused priorities, queues, groups and headroom.

Of each switch it has the sessions between loopbacks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fabric.health.columns import WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from fabric.design.host_model import HostDesign
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import HostQos, QosProfile
    from fabric.health.ends import Ends, Floats
    from fabric.topology.model import Bools, Ints


@dataclass(frozen=True, eq=False)
class Plan:
    """The design over the ends of the cables.

    Parameters
    ----------
    paused : array of bool, shape (ends, 8)
        PFC priorities that are paused.
    used : array of bool, shape (ends, 8)
        Egress queues of a switch port, priorities of a NIC, that some traffic has.
    lossless : array of bool, shape (ends, 8)
        Those of them that are lossless.
    groups : array of bool, shape (ends, 8)
        Lossless priority groups of a switch port.
    queue_of : array of int, shape (ends, 8)
        Queue that the pause of each priority stops.
    headroom_bytes : array of float, shape (ends,)
        Headroom of each lossless group; NaN where it is not known.
    fec_symbols : array of int, shape (ends,)
        Symbols of an RS codeword: 544, 528, or 0 where there is none, or the lanes are not known.
    loopback_sessions : mapping of str to tuple of str
        BGP sessions between loopbacks by switch.
    """

    paused: Bools
    used: Bools
    lossless: Bools
    groups: Bools
    queue_of: Ints
    headroom_bytes: Floats
    fec_symbols: Ints
    loopback_sessions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


#: A row of a plan.
_ROW = np.dtype([
    *((name, np.bool_, WIDTH) for name in ("paused", "used", "lossless", "groups")),
    ("queue_of", np.int64, WIDTH),
    ("headroom_bytes", np.float64),
    ("fec_symbols", np.int64),
])


@dataclass(frozen=True, eq=False)
class Expected:
    """What the design gives the ports of one device.

    Parameters
    ----------
    ports : tuple of str
        Ports of a switch, or NICs.
    rows : array of records, shape (ports,)
        The fields of a plan.
    loopback_sessions : tuple of str
        BGP sessions between loopbacks.
    """

    ports: tuple[str, ...]
    rows: NDArray[np.void]
    loopback_sessions: tuple[str, ...] = ()

    @classmethod
    def of_switch(cls, design: DeviceDesign) -> Expected:
        """Return what a switch is to have."""
        rows = _blank(len(design.ports))
        for row, port in zip(rows, design.ports, strict=True):
            if port.qos:
                _switch(row, port, port.qos)
        sessions = tuple(peer.session for peer in design.loopback_sessions)
        return cls(tuple(port.name for port in design.ports), rows, sessions)

    @classmethod
    def of_host(cls, design: HostDesign) -> Expected:
        """Return what the NICs of a host are to have."""
        rows = _blank(len(design.nics))
        for row, nic in zip(rows, design.nics, strict=True):
            _nic(row, nic.qos)
        return cls(tuple(nic.interface for nic in design.nics), rows)


def plan_of(ends: Ends, expected: Mapping[str, Expected]) -> Plan:
    """Return what the designs of devices give each end."""
    whole = _blank(len(ends))
    for places, name in zip(ends.rows, ends.names, strict=True):
        device = expected[name]
        at = np.array([places.get(port, -1) for port in device.ports], dtype=np.int64)
        whole[at[at >= 0]] = device.rows[at >= 0]
    sessions = {name: device.loopback_sessions for name, device in expected.items()}
    columns = {name: whole[name].copy() for name in _ROW.names or ()}
    return Plan(**columns, loopback_sessions=sessions)


def _blank(count: int) -> NDArray[np.void]:
    rows = np.zeros(count, dtype=_ROW)
    rows["queue_of"], rows["headroom_bytes"] = np.arange(WIDTH), np.nan
    return rows


def _switch(row: np.void, port: PortDesign, qos: QosProfile) -> None:
    row["paused"][list(qos.paused)] = True
    row["used"][[queue.queue for queue in qos.queues]] = True
    row["lossless"][[one.queue for one in qos.classes]] = True
    row["groups"][[one.priority_group for one in qos.classes]] = qos.pfc
    if port.headroom and port.headroom.headroom_bytes is not None:
        row["headroom_bytes"] = port.headroom.headroom_bytes
    row["queue_of"] = qos.pfc_priority_to_queue
    row["fec_symbols"] = _symbols(port)


#: Speed of a lane from which on the longer code is used (IEEE 802.3 clauses 91, 119 and 134), and
#: speed of a port that cannot do without it.
_LONG_CODE_GBPS, _ALWAYS_GBPS = 50, 200


def _symbols(port: PortDesign) -> int:
    if port.speed_gbps >= _ALWAYS_GBPS:
        return 544
    if port.fec != "rs" or not port.lanes:
        return 0
    return 544 if port.speed_gbps >= _LONG_CODE_GBPS * len(port.lanes) else 528


def _nic(row: np.void, qos: HostQos) -> None:
    lossless = list(qos.lossless_priorities)
    row["paused"] = qos.pfc
    row["used"][[*lossless, qos.cnp_priority, 0]] = True
    row["lossless"][lossless] = True
