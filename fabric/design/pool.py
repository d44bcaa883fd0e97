"""The shared pool that the lossless groups of a switch draw from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.headroom.computed import ComputedPorts, computed_pool_bytes

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
