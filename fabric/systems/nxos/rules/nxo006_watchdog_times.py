"""NXO006: on NX-OS the times of the PFC watchdog are those of the system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

FIELDS = ("watchdog.detection_ms", "watchdog.restoration_ms", "watchdog.poll_ms")


@rules.add("NXO006")
class WatchdogTimes(ModelRule):
    """On NX-OS the PFC watchdog times are not rendered."""

    severity = Severity.INFO
    why = (
        "It polls every 100 ms and has multipliers instead of times; their syntax "
        "is not published, so no line is rendered."
    )
    source = (
        "Cisco Nexus 9000 QoS configuration guide 10.5(x), PFC watchdog (poll timer 100 ms); "
        "YangModels/yang Cisco NX-OS 9.3(2)"
    )
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for times that are written for an NX-OS switch."""
        for device in model.devices.values():
            for field in FIELDS if device.platform == "nxos" else ():
                place = model.policy_place(field, device.name)
                if place.written:
                    yield self.finding(
                        f"{field} is not rendered for NX-OS",
                        "set it for other systems only",
                        place=place,
                        device=device.name,
                    )
