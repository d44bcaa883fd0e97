"""ADR005: loopbacks are in their pool."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING

from fabric.validate.origins import switch_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ADR005")
class LoopbackInPool(ModelRule):
    """Loopbacks are in their pool."""

    why = "Switches announce prefixes of the pools only, so another loopback is not reachable."
    source = "RFC 7938 section 5.2.3 (prefix advertisement)"
    guards = ("devices.loopback", "addressing.loopbacks")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare every loopback with the pool."""
        pool = model.intent.fabric.addressing.loopbacks
        for name, device in model.devices.items():
            place = switch_place(model.intent, name, "loopback")
            if place and ipaddress.IPv4Address(device.loopback) not in pool:
                yield self.finding(
                    f"loopback {device.loopback} is outside addressing.loopbacks {pool}",
                    "use an address in the pool",
                    place=place,
                    device=name,
                )
