"""CMW005: on Comware 7 the marking probability is that of the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CMW005")
class NoProbability(ModelRule):
    """On Comware 7 the marking probability is not rendered."""

    severity = Severity.INFO
    why = (
        "One reference describes the number as a percentage, another as a "
        "denominator. It is therefore not rendered."
    )
    source = (
        "HPE FlexFabric 5130HI command reference (percent); grayfalcon666/netmiko-h3c-skill @ "
        "4f5e9dfd CMD-help, queue (denominator)"
    )
    guards = ("lossless.ecn.pmax_percent",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a probability that is written for a Comware 7 switch."""
        for device in model.devices.values():
            place = model.policy_place("ecn.pmax_percent", device.name)
            if device.platform == "comware7" and place.written:
                yield self.finding(
                    "ecn.pmax_percent is not rendered for Comware 7",
                    "set it for other systems only",
                    place=place,
                    device=device.name,
                )
