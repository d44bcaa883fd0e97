"""QOS047: headroom and shared pool fit into the buffer together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.pool import lossless_pool_bytes
from fabric.qos.headroom.budget import budget
from fabric.qos.headroom.computed import INGRESS_POOLS
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.world import Model


@rules.add("QOS047")
class PoolBudget(ModelRule):
    """Headroom and shared pool together fit in the buffer."""

    severity = Severity.WARNING
    why = (
        "A pool that was sized for fewer ports or shorter cables takes the room that headroom "
        "needs."
    )
    source = "sonic-net/sonic-swss cfgmgr/buffer_pool_mellanox.lua"
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Add the shared pool to the buffers of all ports in use, where each keeps its own."""
        for device in model.devices.values():
            if device.buffer_model == "dynamic":
                yield from self._computed(model, device)
                continue
            pools, buffer_bytes = device.sku.pools, device.sku.packet_buffer_bytes
            rows = [p.headroom.row for p in device.ports if p.headroom and p.headroom.row]
            if pools is None or pools.shared_headroom_bytes or buffer_bytes is None or not rows:
                continue
            own = [
                max(row.size_bytes, row.xon_threshold_bytes + row.headroom_bytes) for row in rows
            ]
            account = budget(own, [], buffer_bytes, shared_bytes=pools.ingress_lossless_bytes)
            if not account.fits and sum(own) <= buffer_bytes:
                yield self.finding(
                    f"the lossless pool of {pools.ingress_lossless_bytes:,} bytes and the buffers "
                    f"of {len(rows)} lossless ports need {account.missing_bytes:,} bytes more than "
                    f"the {buffer_bytes:,} of {device.sku.name}",
                    "provide pool sizes for this use (`buffers` of an own switch model), or use "
                    "fewer or shorter lossless ports",
                    place=model.sku_place(device),
                    device=device.name,
                )

    def _computed(self, model: Model, device: DeviceDesign) -> Iterator[Finding]:
        """Report a switch that computes its pools and has nothing left for them."""
        pool_bytes = lossless_pool_bytes(device)
        if pool_bytes is None or pool_bytes > 0:
            return
        yield self.finding(
            f"the ports take {-pool_bytes * INGRESS_POOLS:,} bytes more than the buffer of "
            f"{device.sku.name} has, so the switch cannot compute a shared pool",
            "use fewer or shorter lossless ports, or a smaller MTU",
            place=model.sku_place(device),
            device=device.name,
            severity=Severity.ERROR,
        )
