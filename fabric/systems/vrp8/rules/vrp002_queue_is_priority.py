"""VRP002: on VRP8 PFC of a queue has its number, one for the switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.vrp8.platforms import family_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("VRP002")
class QueueIsPriority(ModelRule):
    """On VRP8 the PFC priority equals the queue number, with one value per switch."""

    why = (
        "PFC of priority n pauses queue n, only one profile besides the built-in one is available, "
        "and one family supports PFC on queues 0 to 5 only."
    )
    source = (
        "CloudEngine V300R023C00 command reference (WheaterW/INTA-project @ 9308062d), dcb "
        "pfc buffer (queue-index), priority (DCB PFC view), display dcb pfc-profile (at most "
        "two profiles)"
    )
    guards = ("lossless.pfc_priority", "lossless.queue")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare priority and queue of every policy that pauses."""
        for device in model.devices.values():
            family = family_of(device.sku)
            if device.platform != "vrp8" or family is None:
                continue
            pausing = [profile for profile in device.qos_profiles if profile.pfc]
            for profile in pausing:
                numbers = {profile.pfc_priority, profile.queue, pausing[0].pfc_priority}
                if len(numbers) == 1 and profile.pfc_priority in family.pfc_queues:
                    continue
                last = family.pfc_queues[-1]
                yield self.finding(
                    f"pfc_priority {profile.pfc_priority}, queue {profile.queue}: this switch "
                    f"uses one number for both on all ports, from 0 to {last}",
                    f"set both to the same number from 0 to {last} on all ports",
                    place=model.profile_place("pfc_priority", device, profile),
                    device=device.name,
                )
