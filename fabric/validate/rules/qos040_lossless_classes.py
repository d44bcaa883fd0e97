"""QOS040: a switch carries no more lossless classes than its ASIC has room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Lossless classes where the ASIC's own figure is not known: buffers of 9 and 12 MB held the
#: headroom of two out of eight (Guo et al., SIGCOMM 2016, section 2).
USUAL_CLASSES = 2


@rules.add("QOS040")
class LosslessClasses(ModelRule):
    """A switch has no more lossless classes than its ASIC supports."""

    why = "Each lossless class takes headroom on every port, and the ASIC has a limited amount."
    source = "Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 2"
    guards = ("lossless.pfc_priority", "lossless.priority_group")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the paused priorities of each switch."""
        for device in model.devices.values():
            paused = {
                profile.pfc_priority: profile for profile in device.qos_profiles if profile.pfc
            }
            known = device.sku.asic_facts.integer("lossless_classes")
            most = USUAL_CLASSES if known is None else known
            if len(paused) > most:
                yield self.finding(
                    f"ports of this switch pause {len(paused)} priorities, "
                    f"{', '.join(map(str, sorted(paused)))}; {device.sku.name} supports {most}"
                    + (" as far as is known" if known is None else ""),
                    "use the same pfc_priority on all ports",
                    place=model.profile_place(
                        "pfc_priority", device, next(reversed(paused.values()))
                    ),
                    device=device.name,
                )
