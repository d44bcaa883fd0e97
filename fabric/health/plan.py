"""What the design gives each end of a cable: paused priorities, queues, groups and headroom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.health.columns import WIDTH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.model import DeviceDesign, HostDesign, PortDesign
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
    """

    paused: Bools
    used: Bools
    lossless: Bools
    groups: Bools
    queue_of: Ints
    headroom_bytes: Floats
    fec_symbols: Ints


def plan_of(
    ends: Ends, devices: Mapping[str, DeviceDesign], hosts: Mapping[str, HostDesign]
) -> Plan:
    """Return what the designs of switches and hosts give each end."""
    queues = np.tile(np.arange(WIDTH), (len(ends), 1))
    plan = Plan(
        paused=_none(ends),
        used=_none(ends),
        lossless=_none(ends),
        groups=_none(ends),
        queue_of=queues,
        headroom_bytes=np.full(len(ends), np.nan),
        fec_symbols=np.zeros(len(ends), dtype=np.int64),
    )
    for number, name in enumerate(ends.names):
        rows = ends.rows[number]
        if name in devices:
            for port in devices[name].ports:
                if port.name in rows:
                    _switch(plan, rows[port.name], port)
        elif name in hosts:
            for nic in hosts[name].nics:
                if nic.interface in rows:
                    _nic(plan, rows[nic.interface], nic.qos)
    return plan


def _none(ends: Ends) -> Bools:
    return np.zeros((len(ends), WIDTH), dtype=np.bool_)


def _switch(plan: Plan, row: int, port: PortDesign) -> None:
    if port.qos is None:
        return
    qos: QosProfile = port.qos
    plan.paused[row, list(qos.paused)] = True
    plan.used[row, [queue.queue for queue in qos.queues]] = True
    plan.lossless[row, [one.queue for one in qos.classes]] = True
    plan.groups[row, [one.priority_group for one in qos.classes]] = qos.pfc
    if port.headroom and port.headroom.headroom_bytes is not None:
        plan.headroom_bytes[row] = port.headroom.headroom_bytes
    plan.queue_of[row] = qos.pfc_priority_to_queue
    plan.fec_symbols[row] = _symbols(port)


#: Speed of a lane from which on the longer code is used (IEEE 802.3 clauses 91, 119 and 134), and
#: speed of a port that cannot do without it.
_LONG_CODE_GBPS, _ALWAYS_GBPS = 50, 200


def _symbols(port: PortDesign) -> int:
    if port.speed_gbps >= _ALWAYS_GBPS:
        return 544
    if port.fec != "rs" or not port.lanes:
        return 0
    return 544 if port.speed_gbps >= _LONG_CODE_GBPS * len(port.lanes) else 528


def _nic(plan: Plan, row: int, qos: HostQos) -> None:
    lossless = list(qos.lossless_priorities)
    plan.paused[row] = np.array(qos.pfc, dtype=np.bool_)
    plan.used[row, [*lossless, qos.cnp_priority, 0]] = True
    plan.lossless[row, lossless] = True
