"""EOS002: EOS has no watchdog action forward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("EOS002")
class NoForward(ModelRule):
    """EOS has no watchdog action forward."""

    why = "The actions are drop, errdisable and notify-only; there is no forward action."
    source = "aristanetworks/yang EOS-4.36.1F arista-exp-eos-qos-config.yang; pyavd 6.4.0 schema"
    guards = ("lossless.watchdog.action",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the action of every policy on EOS."""
        for device in model.devices.values():
            for profile in device.qos_profiles if device.platform == "eos" else ():
                if profile.watchdog.enabled and profile.watchdog.action == "forward":
                    yield self.finding(
                        "watchdog.action forward does not exist on EOS",
                        "use drop, or alert to only log it",
                        place=model.profile_place("watchdog.action", device, profile),
                        device=device.name,
                    )
