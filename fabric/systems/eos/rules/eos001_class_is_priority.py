"""EOS001: on EOS the traffic class of RoCE is its PFC priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("EOS001")
class ClassIsPriority(ModelRule):
    """On EOS the traffic class of RoCE is its PFC priority."""

    why = (
        "EOS uses the traffic class number as the PFC priority; a different priority pauses other "
        "traffic."
    )
    source = (
        "Arista EOS manual, DCBX and Flow Control (PFC acts on the traffic class of untagged "
        "packets)"
    )
    guards = ("lossless.pfc_priority", "lossless.traffic_class")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two numbers of every policy on EOS."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "eos" else ():
                if profile.traffic_class != profile.pfc_priority:
                    places = [
                        model.profile_place(field, device, profile)
                        for field in ("traffic_class", "pfc_priority")
                    ]
                    yield self.finding(
                        f"traffic_class {profile.traffic_class} is not pfc_priority "
                        f"{profile.pfc_priority}, so EOS would pause the wrong class",
                        "use the same number for both",
                        place=max(places, key=lambda place: place.specific),
                        device=device.name,
                    )
