"""VRP014: packets are shared out by load only where the VRP8 model can."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import BALANCING_MODELS, balances
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP014")
class Balancing(ModelRule):
    """Dynamic load balancing is used only where the VRP8 model supports it."""

    why = "Other models do not have the command; the whole commit is rejected."
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), ecmp mode: "
        "it names its models"
    )
    guards = ("ecmp.mode",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for models without the command."""
        for device in model.devices.values():
            if (
                device.platform == "vrp8"
                and device.ecmp_mode != "hash"
                and not balances(device.sku)
            ):
                yield self.finding(
                    f"{device.sku.name} does not support {device.ecmp_mode} balancing",
                    f"set ecmp.mode to hash, or use {' or '.join(BALANCING_MODELS)}",
                    place=model.place("ecmp", "mode"),
                    device=device.name,
                )
