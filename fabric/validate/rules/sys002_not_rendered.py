"""SYS002: values that a system keeps by itself have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.features import FEATURES
from fabric.platforms import platforms
from fabric.platforms.features import feature
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("SYS002")
class NotRendered(ModelRule):
    """Every value that the inventory sets is rendered."""

    severity = Severity.INFO
    why = "The system keeps its own setting, and the fabric behaves unlike the inventory says."
    source = "docs/platforms.md: the sources that each system cites for its features"
    guards = ("lossless.dynamic_th",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for features that the design of a switch uses and its system does not render."""
        for device in model.devices.values():
            for one in FEATURES:
                cell = feature(device.platform, one.name, device.sku, device.role)
                if cell and not cell.rendered and not cell.rule and one.used(device):
                    yield self.finding(
                        f"{one.title}: not rendered for {platforms[device.platform].title}",
                        cell.fix or "set it for other systems only",
                        place=model.feature_place(device, one.field),
                        device=device.name,
                    )
