"""TOP019: cages are broken out in modes that the switch model is known to offer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms.breakout import offered_mode
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP019")
class BreakoutKnown(ModelRule):
    """Cages use breakout modes that the switch model is known to offer."""

    why = "In a mode that the model does not offer, the ports never come up."
    source = "platform.json of the vendors, as cited in fabric/systems/*/skus"
    guards = (
        "platforms.leaf.breakouts",
        "platforms.spine.breakouts",
        "devices.breakouts",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up each mode in use, once for each switch."""
        for device in model.devices.values():
            modes = {p.breakout.word: p for p in reversed(device.ports) if p.breakout}
            for word, port in modes.items():
                if offered_mode(device.sku, word):
                    continue
                known = ", ".join(device.sku.breakouts)
                yield self.finding(
                    f"{device.sku.name} has no mode {word}; it offers {known}"
                    if known
                    else f"mode {word} is not confirmed for {device.sku.name}",
                    "use an offered mode" if known else "try it on one switch first",
                    severity=Severity.ERROR if known else Severity.WARNING,
                    place=model.hardware_place(device, "breakouts"),
                    device=device.name,
                    port=port.cage,
                )
