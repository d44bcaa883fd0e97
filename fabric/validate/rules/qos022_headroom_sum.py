"""QOS022: the headroom of all lossless ports fits into the buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS022")
class HeadroomSum(ModelRule):
    """The headroom of all lossless ports fits into the buffer."""

    why = "Buffers that are promised twice are not there when many ports pause at once."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua; Zhu et al., SIGCOMM "
        "2015, section 4"
    )
    guards = ("cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Add the lossless buffers of all ports in use."""
        for device in model.devices.values():
            rows = [
                port.headroom.row for port in device.ports if port.headroom and port.headroom.row
            ]
            need = sum(
                max(row.size_bytes, row.xon_threshold_bytes + row.headroom_bytes) for row in rows
            )
            pools = device.sku.pools
            have = device.sku.buffer_bytes or (pools.ingress_lossless_bytes if pools else None)
            if have is not None and need > have:
                yield self.finding(
                    f"{len(rows)} lossless ports need {need:,} bytes of headroom, "
                    f"{device.sku.name} has {have:,}",
                    "use shorter cable lengths, lower speeds or fewer ports",
                    place=model.place("cables"),
                    device=device.name,
                )
