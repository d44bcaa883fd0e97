"""NXO004: no lossless cable on NX-OS is longer than its buffers are made for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Up to here `pause pfc-cos` alone will do.
LONGEST_M = 100


@rules.add("NXO004")
class LongCable(ModelRule):
    """No lossless cable on NX-OS is longer than its buffers support."""

    why = (
        "Above 100 m a pause buffer must be set, and no public source gives its size for "
        "these switches; without it frames are dropped while the pause is in flight."
    )
    source = "Cisco Nexus 9000 QoS configuration guide 10.5(x), priority flow control"
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Measure every lossless cable on NX-OS; name each length of a switch once."""
        for device in model.devices.values():
            seen: set[int] = set()
            for port in device.ports if device.platform == "nxos" else ():
                told = port.qos and port.qos.pause_buffer
                if not port.headroom or told or port.cable_m in {*range(LONGEST_M + 1), *seen}:
                    continue
                seen.add(port.cable_m)
                yield self.finding(
                    f"a lossless cable of {port.cable_m} m needs a pause buffer of unknown size",
                    f"set lossless.pause_buffer, use cables up to {LONGEST_M} m, or "
                    "disable lossless.pfc there",
                    place=model.cable_place(device, port, "cable_m"),
                    device=device.name,
                    port=port.name,
                )
