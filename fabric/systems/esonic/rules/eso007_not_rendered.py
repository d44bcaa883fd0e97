"""ESO007: on Enterprise SONiC dynamic_th has no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ESO007")
class NotRendered(ModelRule):
    """On Enterprise SONiC dynamic_th has no effect."""

    severity = Severity.INFO
    why = (
        "`buffer init lossless` creates the lossless buffer profiles from the "
        "model and cable-length, so no line is rendered for it."
    )
    source = "ansible-collections/dellemc.enterprise_sonic @ 9851e680 sonic_qos_buffer"
    guards = ("lossless.dynamic_th",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a threshold that is written for a switch that runs Enterprise SONiC."""
        for device in model.devices.values():
            place = model.policy_place("dynamic_th", device.name)
            if device.platform == "esonic" and place.written:
                yield self.finding(
                    "dynamic_th is not rendered for Enterprise SONiC",
                    "set it for other systems only",
                    place=place,
                    device=device.name,
                )
