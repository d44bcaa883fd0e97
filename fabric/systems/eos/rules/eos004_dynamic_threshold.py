"""EOS004: what dynamic_th does on EOS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.eos.platforms import ALPHA_LOG2, DNX
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.world import Model


@rules.add("EOS004")
class DynamicThreshold(ModelRule):
    """On EOS dynamic_th applies to the whole chip."""

    severity = Severity.WARNING
    why = (
        "The shared buffer of EOS is set for a whole chip, and changing it may disturb traffic, so "
        "it belongs to initial setup. Switches with virtual output queues have no such setting."
    )
    source = "pyavd 6.4.0 schema, platform.trident.mmu.queue_profiles"
    guards = ("lossless.dynamic_th",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a dynamic_th that is written for an EOS switch."""
        for device in model.devices.values():
            profiles = [one for one in device.qos_profiles if one.pfc]
            asked = {one.dynamic_th for one in profiles}
            if device.platform != "eos" or asked <= {None}:
                continue
            first = next(one for one in profiles if one.dynamic_th is not None)
            severity, message, fix = _verdict(device, asked)
            yield self.finding(
                message,
                fix,
                severity=severity,
                place=model.profile_place("dynamic_th", device, first),
                device=device.name,
            )


def _verdict(device: DeviceDesign, asked: set[int | None]) -> tuple[Severity, str, str]:
    low, high = ALPHA_LOG2
    if device.sku.asic_facts.law == DNX:
        message = f"dynamic_th has no effect on {device.sku.name}, which queues at ingress"
        return Severity.INFO, message, "set it for other switches only"
    if len(asked) > 1 or not all(low <= alpha <= high for alpha in asked if alpha is not None):
        message = f"EOS has one dynamic_th from {low} to {high} for all ports of a switch"
        return Severity.ERROR, message, "use the same value on all lossless ports"
    message = "dynamic_th is set for the whole chip, which may disturb traffic"
    return Severity.WARNING, message, "apply it before traffic runs"
