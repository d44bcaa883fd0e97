"""CUM002: on Cumulus Linux RoCE is in queue 3 and CNPs are in queue 6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.cumulus import platforms as cumulus
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("CUM002")
class RecipeQueues(ModelRule):
    """On Cumulus Linux RoCE is in queue 3 and CNPs are in queue 6."""

    why = (
        "The pools, the scheduler and ECN of the RoCE recipe belong to these queues; how to move "
        "them is not documented."
    )
    source = "CumulusNetworks/docs content/cumulus-linux-514, RDMA over Converged Ethernet"
    guards = ("lossless.queue", "lossless.cnp_queue")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the queues of every policy with those of the recipe."""
        recipe = {
            "queue": cumulus.ROCE_TRAFFIC_CLASS,
            "cnp_queue": cumulus.CNP_TRAFFIC_CLASS,
        }
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "cumulus" else ():
                for field, wanted in recipe.items():
                    if getattr(profile, field) != wanted:
                        yield self.finding(
                            f"{field} {getattr(profile, field)} is not {wanted}, the "
                            f"queue of the RoCE recipe",
                            f"use {wanted}",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
