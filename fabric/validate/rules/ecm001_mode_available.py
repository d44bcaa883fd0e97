"""ECM001: packets are shared out only in ways that every switch has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.features import missing
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
            for one in missing(device):
                if one.feature.rule == self.id:
                    yield self.finding(
                        one.message,
                        "set ecmp.mode to a mode that all systems of the fabric support",
                        place=model.place("ecmp", "mode"),
                        device=name,
                    )
