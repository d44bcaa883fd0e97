"""QOS023: the watchdog does not forward on spines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("QOS023")
class ForwardOnSpine(ModelRule):
    """The watchdog does not forward on spines."""

    severity = Severity.WARNING
    why = (
        "Forwarding into a blocked port keeps the buffers behind it full, so a deadlock"
        " is not broken."
    )
    source = (
        "Hu et al., Deadlocks in Datacenter Networks, HotNets 2016; sonic-net/sonic-swss "
        "orchagent/pfcactionhandler.cpp"
    )
    guards = ("lossless.watchdog.action",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the action of every policy above the leaves."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.role != "leaf" else ():
                if profile.watchdog.enabled and profile.watchdog.action == "forward":
                    yield self.finding(
                        "watchdog.action forward on a spine does not break a deadlock",
                        "use drop",
                        place=model.profile_place("watchdog.action", device, profile),
                        device=device.name,
                    )
