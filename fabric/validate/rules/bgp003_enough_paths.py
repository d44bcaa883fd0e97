"""BGP003: BGP uses as many paths as there are uplinks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.topology.layout import down_paths
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("BGP003")
class EnoughPaths(ModelRule):
    """BGP uses as many paths as there are uplinks."""

    why = "Uplinks beyond max_paths carry no traffic."
    source = "RFC 7938 section 6.1"
    guards = ("bgp.max_paths",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare max_paths with the equal cables of every switch."""
        fabric = model.fabric
        for name, device in model.devices.items():
            need = max(len(device.above), down_paths(fabric, fabric.switch_row[name]))
            if device.bgp.max_paths < need:
                yield self.finding(
                    f"bgp.max_paths {device.bgp.max_paths} is below {need} equal paths",
                    f"use at least {need}",
                    place=model.place("bgp", "max_paths"),
                    device=name,
                )
