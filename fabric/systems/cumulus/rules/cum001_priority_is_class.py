"""CUM001: on Cumulus Linux the traffic class of RoCE is its PFC priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM001")
class PriorityIsClass(ModelRule):
    """On Cumulus Linux the traffic class of RoCE is its PFC priority."""

    why = (
        "The switch has one internal number, the switch priority: it determines "
        "both PFC and the queue."
    )
    source = "CumulusNetworks/docs content/cumulus-linux-514, RDMA over Converged Ethernet"
    guards = ("lossless.pfc_priority", "lossless.traffic_class")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the two numbers of every policy with PFC."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "cumulus" else ():
                if profile.pfc and profile.traffic_class != profile.pfc_priority:
                    places = [
                        model.profile_place(field, device, profile)
                        for field in ("traffic_class", "pfc_priority")
                    ]
                    yield self.finding(
                        f"traffic_class {profile.traffic_class} is not pfc_priority "
                        f"{profile.pfc_priority}, but both are the switch priority",
                        "use the same number for both",
                        place=max(places, key=lambda place: place.specific),
                        device=device.name,
                    )
