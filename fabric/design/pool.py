"""The shared pool that the lossless groups of a switch draw from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.headroom.computed import ComputedAsic, ComputedPool, ComputedPorts, computed_pool

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign


def lossless_pool_bytes(device: DeviceDesign) -> int | None:
    """Return the size of the ingress pool for lossless traffic; None where it is not known.

    It stands in the vendor's table, or is what the ports leave where the switch computes it: 0
    where they leave nothing.
    """
    if device.buffer_model == "dynamic":
        computed = computed_buffer(device)
        return computed.pool_bytes if computed else None
    pools = device.sku.pools
    return pools.ingress_lossless_bytes if pools else None


def shared_headroom_bytes(device: DeviceDesign) -> int:
    """Return the headroom that all lossless groups share; 0 where each has its own."""
    if device.buffer_model == "dynamic":
        computed = computed_buffer(device)
        return computed.shared_headroom_bytes if computed else 0
    return device.sku.pools.shared_headroom_bytes if device.sku.pools else 0


def computed_buffer(device: DeviceDesign, lossless_classes: int = 1) -> ComputedPool | None:
    """Return the pools that a switch computes; None where a figure is not known.

    Parameters
    ----------
    device : DeviceDesign
        A switch with ``buffer_model: dynamic``.
    lossless_classes : int
        Lossless groups of each port, >= 1.
    """
    facts = device.sku.asic_facts
    pipeline_bytes, buffer_bytes = facts.integer("pipeline_bytes"), device.sku.packet_buffer_bytes
    used = [
        (port.headroom, len(port.lanes)) for port in device.ports if port.headroom and port.enabled
    ]
    groups = [group for group, _ in used if group.headroom_bytes is not None]
    known = buffer_bytes is not None and pipeline_bytes is not None and len(groups) == len(used)
    if facts.law != "spectrum" or not known:
        return None
    assert buffer_bytes is not None
    assert pipeline_bytes is not None
    own = [g.guaranteed_bytes + (0 if g.shares else g.headroom_bytes or 0) for g in groups]
    shared = [g.headroom_bytes if g.shares else 0 for g in groups]
    ports = ComputedPorts(
        lossless_sizes_bytes=lossless_classes * np.array(own, dtype=np.int64),
        lossless_lanes=np.array([lanes for _, lanes in used], dtype=np.int64),
        up_lanes=np.array([len(p.lanes) for p in device.ports if p.enabled], dtype=np.int64),
        shared_sizes_bytes=lossless_classes * np.array(shared, dtype=np.int64),
    )
    descriptors_bytes = facts.integer("descriptors_bytes") or 0
    asic = ComputedAsic(buffer_bytes, pipeline_bytes, descriptors_bytes)
    return computed_pool(ports, asic, device.headroom_over_subscription or 0)
