"""HST019: the lossless receive buffer of a NIC holds its headroom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_mbps
from fabric.qos.headroom.mlx5 import MAX_TOLD_CABLE_M, nic_headroom_bytes
from fabric.validate.cable import kinds_of_nic_cable
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Cell of the receive buffer (Linux mlx5 en/port_buffer.h, MLX5E_BUFFER_CELL_SHIFT 7), and the
#: frame that the driver always keeps room for (port_buffer.c, max_mtu at least 9216).
CELL_BYTES, LARGEST_MTU_BYTES = 128, 9216


@rules.add("HST019")
class ReceiveBuffers(ModelRule):
    """The lossless receive buffer of a NIC holds its headroom."""

    why = "The driver rejects the size, and the NIC keeps the buffers of its firmware."
    source = (
        "Linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c (calculate_xoff, "
        "update_xoff_threshold)"
    )
    guards = (
        "host.nic.receive_buffers",
        "cables.host_m",
        "hosts.nics.cable_m",
        "lossless.mtu.host_bytes",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at one NIC of every kind of cable."""
        for cable, cables in kinds_of_nic_cable(model):
            nic = cable.nic
            if not nic.receive_buffer_bytes or nic.cable_m >= MAX_TOLD_CABLE_M:
                continue
            speed_mbps = gbps_to_mbps(nic.speed_gbps)
            room = int(nic_headroom_bytes(speed_mbps, nic.cable_m, nic.mtu_bytes))
            need = room + max(nic.mtu_bytes, LARGEST_MTU_BYTES) + CELL_BYTES
            if nic.receive_buffer_bytes[1] < need:
                yield self.finding(
                    f"lossless_bytes {nic.receive_buffer_bytes[1]} of {cables} NICs with "
                    f"{nic.cable_m} m "
                    f"at {nic.speed_gbps}G is below {need}: {room} for what arrives after a pause,"
                    " and "
                    "one frame",
                    f"use at least {need}, or let the firmware set the buffers",
                    place=traits_place(model, cable.host.name, "nic", "receive_buffers"),
                    device=cable.host.name,
                    port=nic.interface,
                )
