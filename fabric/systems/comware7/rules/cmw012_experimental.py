"""CMW012: comware 7 is experimental."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CMW012")
class Experimental(ModelRule):
    """Comware 7 is experimental."""

    severity = Severity.INFO
    why = (
        "The rendered configuration is based on documentation only; it was never run on such a "
        "switch."
    )
    source = "H3C configuration guides; no capture of a running configuration is public"
    guards = ("platforms.leaf.sku", "platforms.spine.sku")

    def check(self, model: Model) -> Iterator[Finding]:
        """Name every Comware 7 switch."""
        for device in model.devices.values():
            if device.platform == "comware7":
                yield self.finding(
                    f"{device.sku.name} runs H3C Comware 7, for which support is experimental",
                    "review the rendered configuration, and try it on one switch first",
                    place=model.sku_place(device),
                    device=device.name,
                )
