"""CUM009: on Cumulus Linux dynamic_th is from -7 to 6, and one for a switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.cumulus import platforms as cumulus
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM009")
class ThresholdWords(ModelRule):
    """On Cumulus Linux dynamic_th is from -7 to 6, with one value per switch."""

    why = "shared-alpha accepts powers of two from 1/128 to 64, with one value for all ports."
    source = "CumulusNetworks/docs content/cumulus-linux-514, Quality of Service"
    guards = ("lossless.dynamic_th",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the threshold of every lossless port."""
        low, high = cumulus.ALPHA_LOG2
        for device in model.devices.values():
            if device.platform != "cumulus":
                continue
            ports = [port for port in device.ports if port.headroom]
            first = ports[0].headroom.dynamic_th if ports and ports[0].headroom else 0
            for port in ports:
                log = port.headroom.dynamic_th if port.headroom else 0
                if log != first or not low <= log <= high:
                    what = (
                        f"outside {low} to {high}" if log == first else f"not {first} on all ports"
                    )
                    yield self.finding(
                        f"dynamic_th {log} is {what}",
                        f"use one of {low} to {high} for the whole switch",
                        place=model.policy_place("dynamic_th", device.name, port.name),
                        device=device.name,
                    )
                    break
