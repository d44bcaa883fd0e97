"""Checks of marking, priorities and PFC of a NIC (H1 to H8, H15, H16).

Sources: Mellanox/mlnx-tools python/mlnx_qos (state of a port); Linux mlx5 core/en_dcbnl.c (one
owner of DCBX; pause of the link makes every priority lossless); IEEE 802.1Q clauses 36 and 37.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from fabric.probe.nics import Looked, Remark, checks, compare

if TYPE_CHECKING:
    from collections.abc import Iterator

_PERCENT = 100


@checks.add("H1")
def trust(looked: Looked) -> Iterator[Remark]:
    """Check that the NIC trusts DSCP; through ``dcb`` that shows in its map alone."""
    if looked.ofed:
        yield from compare("H1", "trust", looked.nic.trust, "dscp")


@checks.add("H2")
def pfc(looked: Looked) -> Iterator[Remark]:
    """Check that PFC is on for the planned priorities, and for no other."""
    planned = tuple(number for number, bit in enumerate(looked.plan.qos.pfc) if bit)
    if looked.dcb:
        yield from compare("H2", "the list of PFC priorities", looked.nic.pfc_priorities, planned)


@checks.add("H3")
def dscp_map(looked: Looked) -> Iterator[Remark]:
    """Check that data and CNPs have their priorities."""
    qos, actual = looked.plan.qos, looked.nic.dscp_to_priority
    if not looked.dcb:
        return
    if actual is None:
        yield Remark("H3", "the map of DSCPs could not be read", unknown=True)
        return
    for dscp, priority in sorted(qos.marks.items()):
        if actual.get(dscp) != priority:
            now = actual.get(dscp, "none")
            yield Remark("H3", f"priority of DSCP {dscp} is {now}, expected {priority}")


@checks.add("H4")
def global_pause(looked: Looked) -> Iterator[Remark]:
    """Check that pause of the whole link is off where PFC is on."""
    if looked.dcb:
        yield from compare("H4", "pause of the whole link", looked.nic.global_pause, False)  # noqa: FBT003


@checks.add("H5")
def traffic_class(looked: Looked) -> Iterator[Remark]:
    """Check that the traffic class byte marks with the planned DSCP; its two low bits are ECN."""
    if not looked.ofed:
        return
    actual = looked.nic.traffic_class
    if actual is None:
        yield Remark("H5", "the traffic class could not be read", unknown=True)
    elif actual.dscp != looked.plan.qos.classes[0].roce_dscp:
        now = "not set" if actual.dscp is None else f"{actual.global_byte} (DSCP {actual.dscp})"
        byte = looked.plan.qos.traffic_class_byte
        yield Remark("H5", f"traffic class byte is {now}, expected {byte}")


@checks.add("H6")
def dcqcn(looked: Looked) -> Iterator[Remark]:
    """Check that both sides of DCQCN are on for the lossless priorities."""
    if not looked.ofed:
        return
    actual = looked.nic.dcqcn
    if actual is None:
        yield Remark("H6", "the files of DCQCN could not be read", unknown=True)
        return
    sides = {
        "reaction point": actual.reaction_point,
        "notification point": actual.notification_point,
    }
    planned = looked.plan.qos.lossless_priorities
    for (side, priorities), priority in product(sides.items(), planned):
        if priority not in priorities:
            yield Remark("H6", f"the {side} of DCQCN is off for priority {priority}")


@checks.add("H7")
def cnp_dscp(looked: Looked) -> Iterator[Remark]:
    """Check that CNPs carry the DSCP that the switches put into their strict queue."""
    if looked.ofed:
        actual = looked.nic.dcqcn.cnp_dscp if looked.nic.dcqcn else None
        yield from compare("H7", "DSCP of CNPs", actual, looked.plan.qos.cnp_dscp)


@checks.add("H8")
def scheduling(looked: Looked) -> Iterator[Remark]:
    """Check that shares sum to 100, the class of CNPs is strict."""
    actual, plan = looked.nic.qos, looked.plan.qos
    if not looked.ofed:
        return
    if actual is None:
        yield Remark("H8", "the scheduling could not be read", unknown=True)
        return
    shares = [actual.bandwidth_percent.get(number, 0) for number in range(8)]
    ets = [share for number, share in enumerate(shares) if actual.tsa.get(number) == "ets"]
    if ets and sum(ets) != _PERCENT:
        yield Remark("H8", f"the ETS shares sum to {sum(ets)}, expected {_PERCENT}")
    number = plan.priority_to_traffic_class[plan.cnp_priority]
    if plan.tsa[number] == "strict" and actual.tsa.get(number) != "strict":
        now = actual.tsa.get(number, "unknown")
        yield Remark("H8", f"traffic class {number} of CNPs is {now}, expected strict")


@checks.add("H15")
def cable_length(looked: Looked) -> Iterator[Remark]:
    """Check that the NIC reckons with the whole cable, with the planned receive buffers."""
    actual = looked.nic.qos
    if not looked.ofed:
        return
    if actual is None or actual.cable_m is None:
        yield Remark("H15", "the length of the cable could not be read", unknown=True)
    elif actual.cable_m < looked.plan.cable_m:
        message = f"the NIC is set to {actual.cable_m} m of cable, expected"
        yield Remark("H15", f"{message} {looked.plan.cable_m} m")
    yield from _receive_buffers(looked)


@checks.add("H16")
def dcbx(looked: Looked) -> Iterator[Remark]:
    """Check that the host owns DCBX, so that no switch changes the NIC."""
    if looked.dcb:
        yield from compare("H16", "owner of DCBX", looked.nic.dcbx, "os")


def _receive_buffers(looked: Looked) -> Iterator[Remark]:
    """Check that the receive buffers are those of the plan: only then the length counts."""
    actual, plan = looked.nic.qos, looked.plan
    if plan.receive_buffer_bytes:
        sizes = actual.buffer_bytes if actual else None
        planned_bytes = plan.receive_buffer_bytes
        sizes = sizes[: len(planned_bytes)] if sizes else None
        yield from compare("H15", "receive buffers in bytes", sizes, tuple(planned_bytes))
        places = actual.priority_to_buffer if actual else None
        planned = tuple(plan.priority_to_receive_buffer)
        yield from compare("H15", "receive buffers of the priorities", places, planned)
