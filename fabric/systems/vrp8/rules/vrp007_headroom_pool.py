"""VRP007: the headroom of a VRP8 switch is enough for its cables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import kib_to_bytes, mib_to_bytes
from fabric.systems.vrp8.platforms import DEFAULT_HEADROOM_KIB, FAMILY_B, HEADROOM_POOL_MIB
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP007")
class HeadroomPool(ModelRule):
    """The headroom of a VRP8 switch is sufficient for its cables."""

    why = (
        "A paused port has 256 kbytes of headroom and all ports together 4 "
        "mbytes; lossless frames beyond that are dropped."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc buffer (hdrm 256 kbytes by default), qos buffer headroom-pool (sum of the queues "
        "that are likely to congest; 4 mbytes advised)"
    )
    guards = ("cables.host_m", "cables.uplink_m", "lossless.mtu.port_bytes")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare what the cables of every switch with a pool need with what it has."""
        for device in model.devices.values():
            if device.platform != "vrp8" or device.sku.asic != FAMILY_B:
                continue
            total = 0
            for port in device.ports:
                needed = port.headroom.headroom_bytes if port.headroom else None
                total += needed or 0
                if needed and needed > kib_to_bytes(DEFAULT_HEADROOM_KIB):
                    yield self.finding(
                        f"{port.cable_m} m at {port.speed_gbps}G needs {needed:,} bytes "
                        f"of headroom, but a port has {DEFAULT_HEADROOM_KIB} kbytes",
                        "use a shorter cable",
                        place=model.cable_place(device, port, "cable_m"),
                        device=device.name,
                        port=port.name,
                    )
            if total > mib_to_bytes(HEADROOM_POOL_MIB):
                yield self.finding(
                    f"all ports together need {total:,} bytes of headroom, but "
                    f"the pool has {HEADROOM_POOL_MIB} mbytes",
                    "use shorter cables, or fewer lossless ports",
                    place=model.place("cables"),
                    device=device.name,
                    severity=Severity.WARNING,
                )
