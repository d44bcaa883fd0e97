"""CUM008: on Cumulus Linux max_paths fits the ASIC."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.cumulus import platforms as cumulus
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM008")
class EqualPaths(ModelRule):
    """On Cumulus Linux max_paths fits the ASIC."""

    why = "Only Spectrum-4 and later use more than 64 paths; the line is rejected elsewhere."
    source = (
        "CumulusNetworks/docs content/cumulus-linux-514, Optional BGP Configuration (multipaths); "
        "Equal Cost Multipath"
    )
    guards = ("bgp.max_paths",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare max_paths with what the ASIC of each switch can use."""
        for device in model.devices.values():
            wide = device.sku.asic in cumulus.WIDE_ASICS
            most = cumulus.MAX_PATHS_SPECTRUM_4 if wide else cumulus.MAX_PATHS
            if device.platform == "cumulus" and device.bgp.max_paths > most:
                yield self.finding(
                    f"bgp.max_paths {device.bgp.max_paths} is above {most}, the most of "
                    f"{device.sku.name}",
                    f"use at most {most}",
                    place=model.place("bgp", "max_paths"),
                    device=device.name,
                )
