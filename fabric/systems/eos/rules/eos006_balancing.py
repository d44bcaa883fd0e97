"""EOS006: The load balancing mode is supported by the ASIC of the EOS switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.eos.platforms import DNX
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("EOS006")
class Balancing(ModelRule):
    """The load balancing mode is supported by the ASIC of the EOS switch."""

    why = (
        "Dynamic load balancing is available on switches with a shared buffer; the "
        "models and releases that support cluster load balancing are not documented."
    )
    source = "pyavd 6.4.0 schema, ip_hardware.fib.load_balance_distribution, load_balance.cluster"
    guards = ("ecmp.mode",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the mode of every EOS switch."""
        for name, device in model.devices.items():
            if device.platform != "eos":
                continue
            place = model.place("ecmp", "mode")
            if device.ecmp_mode == "flowlet" and device.sku.asic_facts.law == DNX:
                message = f"{device.sku.name} has no dynamic load balancing of equal paths"
                yield self.finding(message, "set ecmp.mode to hash", place=place, device=name)
            if device.ecmp_mode == "cluster" and device.role == "leaf":
                yield self.finding(
                    f"whether {device.sku.name} has cluster load balancing is not confirmed",
                    "try it in a configuration session of one switch first",
                    severity=Severity.WARNING,
                    place=place,
                    device=name,
                )
