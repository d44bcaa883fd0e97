"""ESO002: a lossless cable on Enterprise SONiC fits one of its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.esonic.platforms import CABLE_LENGTHS_M
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ESO002")
class CableSettings(ModelRule):
    """A lossless cable on Enterprise SONiC is covered by a cable-length setting."""

    why = (
        "Headroom follows from cable-length, which is 5m, 40m or 300m; a longer cable has more "
        "bytes in flight than the buffer holds, and frames are dropped."
    )
    source = "ansible-collections/dellemc.enterprise_sonic @ 9851e680 sonic_qos_interfaces"
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Measure every lossless cable on Enterprise SONiC; name each length of a switch once."""
        longest_m = CABLE_LENGTHS_M[-1]
        for device in model.devices.values():
            seen: set[int] = set()
            for port in device.ports if device.platform == "esonic" else ():
                paused = port.qos is not None and port.qos.pfc
                if not paused or port.cable_m <= longest_m or port.cable_m in seen:
                    continue
                seen.add(port.cable_m)
                yield self.finding(
                    f"a lossless cable of {port.cable_m} m is longer than any cable-length setting",
                    f"use cables up to {longest_m} m, or disable lossless.pfc there",
                    place=model.cable_place(device, port, "cable_m"),
                    device=device.name,
                    port=port.name,
                )
