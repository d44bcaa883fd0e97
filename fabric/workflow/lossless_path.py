"""What DCQCN needs to know of the fabric of a project: its longest loop, and where PFC begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.design.pool import lossless_pool_bytes
from fabric.qos.path import longest_path, round_trip_s
from fabric.qos.thresholds import pause_threshold_bytes
from fabric.workflow.show_dcqcn import Question

if TYPE_CHECKING:
    from fabric.workflow.project import Project


def question(project: Project, parameters: str) -> Question:
    """Return how the ports of a fabric are looked at with a parameter set of the NICs.

    Raises
    ------
    InputError
        When no host is connected, so that there is no path.
    """
    hops = longest_path(project.fabric)
    if not hops:
        message = "no path: every NIC in the inventory is disabled"
        raise InputError(message)
    return Question(
        parameters=parameters,
        round_trip_s=round_trip_s(hops),
        xoff_threshold_bytes=least_pause_bytes(project),
    )


def least_pause_bytes(project: Project) -> float:
    """Return the lowest pause threshold of one congested port; 0 where no pool is known."""
    known = {
        pause_threshold_bytes(port.headroom.dynamic_th, pool)
        for device in project.devices.values()
        if (pool := lossless_pool_bytes(device)) is not None
        for port in device.ports
        if port.headroom
    }
    return min(known, default=0.0)
