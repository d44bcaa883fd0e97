"""What DCQCN needs to know of the fabric of a project: its longest loop, and where PFC begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.path import longest_path, round_trip_s
from fabric.qos.thresholds import pause_threshold_bytes

if TYPE_CHECKING:
    from fabric.workflow.project import Project


def loop_s(project: Project, packet_bytes: float) -> float:
    """Return the round trip of the longest path, from a packet to its notice; 0 without hosts."""
    hops = longest_path(project.fabric)
    return round_trip_s(hops, packet_bytes) if hops else 0.0


def least_pause_bytes(project: Project) -> float:
    """Return the lowest pause threshold of one congested port; 0 where no pool is known."""
    known = {
        pause_threshold_bytes(port.headroom.dynamic_th, device.sku.pools.ingress_lossless_bytes)
        for device in project.devices.values()
        if device.sku.pools
        for port in device.ports
        if port.headroom
    }
    return min(known, default=0.0)
