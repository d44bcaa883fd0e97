"""What a leaf port does, in the form that settings of a NIC are compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.design.qos_model import QosProfile
    from fabric.observe.configuration.lossless import PortPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafSide:
    """A leaf port; None is what is not known.

    Parameters
    ----------
    places : mapping of str to str
        Where a field stands: ``pfc``, ``dscp``, ``cnp``, ``trust``, ``cable``, ``ecn``, ``ecmp``
        and ``mtu``; ``""`` is that of all others.
    lossless : frozenset of int or None
        Priorities that are paused.
    dscp_to_priority, dscp_to_queue : mapping of int to int
        As far as they are known.
    cnp_dscp, cnp_priority : int or None
        What is planned for CNPs; a configuration does not say which DSCP they have.
    cnp_queues : frozenset of int or None
        Queues that CNPs may be in.
    marks : frozenset of int or None
        Lossless priorities whose queue marks ECN.
    sprays : bool or None
        Whether packets of a flow take several paths.
    dcqcn : bool
        Whether the thresholds of ECN were chosen for DCQCN.
    mtu_bytes : int or None
        Largest frame without its header, as the system counts it.
    host_mtu_bytes : int or None
        Planned MTU of NICs.
    """

    places: Mapping[str, str] = field(default_factory=dict)
    lossless: frozenset[int] | None = None
    dscp_to_priority: Mapping[int, int] = field(default_factory=dict)
    dscp_to_queue: Mapping[int, int] = field(default_factory=dict)
    cnp_dscp: int | None = None
    cnp_priority: int | None = None
    cnp_queues: frozenset[int] | None = None
    trusts_dscp: bool | None = None
    marks: frozenset[int] | None = None
    sprays: bool | None = None
    dcqcn: bool = False
    cable_m: int | None = None
    speed_gbps: int | None = None
    mtu_bytes: int | None = None
    host_mtu_bytes: int | None = None

    def place(self, name: str) -> str:
        """Return where a field stands, in brackets; empty where that is not known."""
        place = self.places.get(name) or self.places.get("", "")
        return f" ({place})" if place else ""


def planned_side(
    qos: QosProfile,
    places: Mapping[str, str],
    *,
    sprays: bool,
    dcqcn: bool,
    cable_m: int,
    speed_gbps: int,
    host_mtu_bytes: int,
) -> LeafSide:
    """Return a port of an inventory."""
    priorities = dict(enumerate(qos.dscp_to_traffic_class))
    queues = {dscp: qos.traffic_class_to_queue[number] for dscp, number in priorities.items()}
    for one in qos.classes:
        priorities |= dict.fromkeys(one.dscps, one.pfc_priority)
    return LeafSide(
        places=places,
        lossless=frozenset(qos.paused),
        dscp_to_priority=priorities,
        dscp_to_queue=queues,
        cnp_dscp=qos.cnp_dscp,
        cnp_priority=qos.cnp_traffic_class,
        cnp_queues=frozenset((qos.cnp_queue,)),
        trusts_dscp=True,
        marks=frozenset(one.pfc_priority for one in qos.classes),
        sprays=sprays,
        dcqcn=dcqcn,
        cable_m=cable_m,
        speed_gbps=speed_gbps,
        mtu_bytes=qos.mtu_bytes,
        host_mtu_bytes=host_mtu_bytes,
    )


def running_side(port: PortPolicy, file: str) -> LeafSide:
    """Return a port of a configuration."""
    lossless = None if port.is_open else frozenset(port.lossless)
    queue_of = {number: port.class_to_queue.get(number, number) for number in range(8)}
    queues = {dscp: queue_of.get(number, number) for dscp, number in port.dscp_to_class.items()}
    marking = {queue for queue, row in port.markings.items() if row.ecn}
    lines = {
        "": port.line,
        "pfc": min(port.lossless.values(), default=0),
        "mtu": port.mtu_bytes.line if port.mtu_bytes else 0,
    }
    return LeafSide(
        places={name: f"{file}:{line}" for name, line in lines.items() if line} or {"": file},
        lossless=lossless,
        dscp_to_priority=dict(port.dscp_to_class),
        dscp_to_queue=queues,
        cnp_queues=frozenset(port.strict) or None,
        trusts_dscp=port.trusts_dscp,
        marks=frozenset(n for n in port.lossless if queue_of.get(n, n) in marking),
        speed_gbps=int(port.speed_gbps) if port.speed_gbps else None,
        mtu_bytes=int(port.mtu_bytes.value) if port.mtu_bytes else None,
    )
