"""BGP006: max_paths is set only where the switch can configure it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

SONIC_PATHS = 64


@rules.add("BGP006")
class FixedPaths(ModelRule):
    """max_paths is set only where the switch can configure it."""

    severity = Severity.INFO
    why = "The default BGP of SONiC always uses up to 64 paths; another number is not rendered."
    source = (
        "sonic-net/sonic-buildimage files/image_config/constants/constants.yml (bgp.maximum_paths)"
    )
    guards = ("bgp.max_paths", "bgp.bfd", "bgp.peering")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for another number on SONiC."""
        for name, device in model.devices.items():
            plain = device.platform == "sonic" and not (device.bgp.bfd or device.bgp.unnumbered)
            if plain and device.bgp.max_paths != SONIC_PATHS:
                yield self.finding(
                    f"bgp.max_paths {device.bgp.max_paths} has no effect on SONiC, which uses "
                    f"{SONIC_PATHS}",
                    "remove it for SONiC",
                    place=model.place("bgp", "max_paths"),
                    device=name,
                )
