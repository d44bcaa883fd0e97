"""EOS004: on EOS dynamic_th has no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("EOS004")
class DynamicThreshold(ModelRule):
    """On EOS dynamic_th has no effect."""

    severity = Severity.INFO
    why = (
        "The shared buffer of EOS is set for a whole chip on day 0, so no line is rendered for it."
    )
    source = "pyavd 6.4.0 schema, platform trident mmu queue profiles"
    guards = ("lossless.dynamic_th",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a dynamic_th that is written for an EOS switch."""
        for device in model.devices.values():
            if device.platform != "eos":
                continue
            place = model.policy_place("dynamic_th", device.name)
            if place.written:
                yield self.finding(
                    "dynamic_th is not rendered for EOS",
                    "set it for SONiC roles only",
                    place=place,
                    device=device.name,
                )
