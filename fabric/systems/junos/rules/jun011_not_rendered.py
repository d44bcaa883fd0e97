"""JUN011: on Junos dynamic_th and max_paths have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JUN011")
class NotRendered(ModelRule):
    """On Junos dynamic_th and max_paths have no effect."""

    severity = Severity.INFO
    why = (
        "The lossless buffer uses the alpha of the vendor's validated design, and "
        "all equal next hops are installed, so no line is rendered for either."
    )
    source = (
        "Juniper/jvd @ 005ab344 data_center/aidc (dynamic-threshold 10; load-balance per-packet)"
    )
    guards = ("lossless.dynamic_th", "bgp.max_paths")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for values that are written for a Junos switch."""
        for device in model.devices.values():
            if device.platform != "junos":
                continue
            places = {"dynamic_th": model.policy_place("dynamic_th", device.name)}
            if "max_paths" in model.intent.fabric.bgp.model_fields_set:
                places["max_paths"] = model.place("bgp", "max_paths")
            for field, place in places.items():
                if place.written:
                    yield self.finding(
                        f"{field} is not rendered for Junos",
                        "set it for other systems only",
                        place=place,
                        device=device.name,
                    )
