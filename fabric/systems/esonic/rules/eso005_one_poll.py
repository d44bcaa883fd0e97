"""ESO005: on Enterprise SONiC the watchdog of a switch polls at one interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ESO005")
class OnePoll(ModelRule):
    """On Enterprise SONiC the watchdog of a switch polls at one interval."""

    why = "polling-interval applies to the whole switch, not to a port."
    source = "ansible-collections/dellemc.enterprise_sonic @ 9851e680 sonic_qos_pfc"
    guards = ("lossless.watchdog.poll_ms",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the intervals of all policies of a switch that have a watchdog."""
        for device in model.devices.values():
            if device.platform != "esonic":
                continue
            watched = [item for item in device.qos_profiles if item.pfc and item.watchdog.enabled]
            for profile in watched[1:]:
                first, other = watched[0].watchdog.poll_ms, profile.watchdog.poll_ms
                if other != first:
                    yield self.finding(
                        f"watchdog.poll_ms is {other} on some ports and {first} on others",
                        "use the same interval on all ports",
                        place=model.profile_place("watchdog.poll_ms", device, profile),
                        device=device.name,
                    )
