"""ECM001: packets are shared out only in ways that every switch has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ECM001")
class ModeAvailable(ModelRule):
    """The load balancing mode is supported by every switch."""

    why = "If some switches move flows and others do not, the hashing switches congest first."
    source = "The sources that the templates of each system cite at ecmp.mode"
    guards = ("ecmp.mode",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for systems without the mode."""
        for name, device in model.devices.items():
            platform = platforms[device.platform]
            if device.ecmp_mode not in platform.ecmp_modes:
                yield self.finding(
                    f"rocefab does not support {device.ecmp_mode} balancing for {platform.title}; "
                    "supported: "
                    f"{', '.join(platform.ecmp_modes)}",
                    "set ecmp.mode to a mode that all systems of the fabric support",
                    place=model.place("ecmp", "mode"),
                    device=name,
                )
