"""The shared pool that the lossless groups of a switch draw from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.headroom.computed import ComputedPorts, computed_pool_bytes
from fabric.qos.thresholds import alpha, occupancies_bytes

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign


def lossless_pool_bytes(device: DeviceDesign) -> int | None:
    """Return the size of the ingress pool for lossless traffic; None where it is not known.

    It stands in the vendor's table, or is what the ports leave where the switch computes it.
    """
    if device.buffer_model == "dynamic":
        return _computed_pool_bytes(device)
    pools = device.sku.pools
    return pools.ingress_lossless_bytes if pools else None


def _computed_pool_bytes(device: DeviceDesign) -> int | None:
    buffer_bytes = device.sku.packet_buffer_bytes
    pipeline_bytes = device.sku.asic_facts.integer("pipeline_bytes")
    used = [(port.headroom, len(port.lanes)) for port in device.ports if port.headroom]
    sizes = [
        group.guaranteed_bytes + group.headroom_bytes
        for group, _ in used
        if group.headroom_bytes is not None
    ]
    if buffer_bytes is None or pipeline_bytes is None or len(sizes) < len(used):
        return None
    ports = ComputedPorts(
        lossless_sizes_bytes=np.array(sizes, dtype=np.int64),
        lossless_lanes=np.array([lanes for _, lanes in used], dtype=np.int64),
        up_lanes=np.array([len(p.lanes) for p in device.ports if p.enabled], dtype=np.int64),
    )
    return computed_pool_bytes(ports, buffer_bytes, pipeline_bytes)


@dataclass(frozen=True, slots=True)
class LossyQueues:
    """Queues of other traffic whose bytes count in the ingress pool of the lossless groups.

    Parameters
    ----------
    threshold : int
        log2(alpha) of each queue.
    own_bytes : int or None
        Egress pool of these queues alone; None where they share that of the lossless queues.
    """

    threshold: int
    own_bytes: int | None

    def free_bytes(self, pool_bytes: int, groups: int, threshold: int, queues: int) -> float:
        """Return the free part of a pool with lossless groups at XOFF and full lossy queues.

        Parameters
        ----------
        pool_bytes : int
            Ingress pool.
        groups, threshold : int
            Lossless groups that fill at once, and log2(alpha) of each.
        queues : int
            Full queues of other traffic.
        """
        theirs = [alpha(self.threshold)] * queues
        if self.own_bytes is None:
            alphas = [*[alpha(threshold)] * groups, *theirs]
            return occupancies_bytes(alphas, [np.inf] * len(alphas), pool_bytes)[1]
        held = float(occupancies_bytes(theirs, [np.inf] * queues, self.own_bytes)[0].sum())
        return max(pool_bytes - held, 0.0) / (1.0 + groups * alpha(threshold))


def lossy_queues(device: DeviceDesign) -> LossyQueues | None:
    """Return the queues of other traffic that share the ingress pool of the lossless groups.

    None where they have a pool of their own or a fixed limit, or the layout is not known.
    """
    layout = device.sku.layout
    if layout is None or "ingress_lossy_pool" in layout.pools:
        return None
    profile = layout.profiles[layout.lossy_queue]
    asked, shipped = device.qos_profiles[0].lossy.dynamic_th, profile.get("dynamic_th")
    if asked is None and shipped is None:
        return None
    own = layout.pools.get("egress_lossy_pool", {}).get("size")
    shares = profile["pool"] != "egress_lossy_pool" or own is None
    threshold = int(shipped or 0) if asked is None else asked
    return LossyQueues(threshold, None if shares else int(own or 0))
