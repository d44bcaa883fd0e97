"""QOS017: port MTU is in the range of the platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS017")
class MtuRange(ModelRule):
    """Port MTU is in the range of the platform."""

    why = "The switch rejects the line and the port keeps its old MTU."
    source = "sonic-net/sonic-buildimage sonic-port.yang; pyavd 6.4.0 schema"
    guards = ("lossless.mtu.port_bytes",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare each port MTU with what the platform takes."""
        for device in model.devices.values():
            low, high = platforms[device.platform].port_mtu_bytes
            for profile in device.qos_profiles:
                if not low <= profile.mtu_bytes <= high:
                    yield self.finding(
                        f"mtu.port_bytes {profile.mtu_bytes} is outside {low} to {high} "
                        f"of {device.platform}",
                        "use an MTU in the range",
                        place=model.profile_place("mtu.port_bytes", device, profile),
                        device=device.name,
                    )
