"""JUN002: on Junos queue 7 is that of network-control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.junos.platforms import CONTROL_QUEUE
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JUN002")
class ControlQueue(ModelRule):
    """On Junos queue 7 is reserved for network-control."""

    severity = Severity.WARNING
    why = (
        "BGP and LLDP of the switch use queue 7; behind a pause or a CNP storm "
        "the sessions go down."
    )
    source = "juniper.net, default forwarding classes of QFX switches (network-control in queue 7)"
    guards = ("lossless.queue", "lossless.cnp_queue")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the queues of every policy on Junos."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "junos" else ():
                for field in ("queue", "cnp_queue"):
                    if getattr(profile, field) == CONTROL_QUEUE:
                        yield self.finding(
                            f"{field} {CONTROL_QUEUE} is the queue of network-control",
                            "use a queue from 1 to 6",
                            place=model.profile_place(field, device, profile),
                            device=device.name,
                        )
