"""CMW008: comware 7 has at most four log hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

MOST = 4


@rules.add("CMW008")
class LogHosts(ModelRule):
    """Comware 7 has at most four log hosts."""

    why = "The switch rejects the fifth, and the whole change is rolled back."
    source = (
        "grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd CMD-help, info-center loghost (up to 4 hosts)"
    )
    guards = ("management.syslog_servers",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the syslog servers of every Comware 7 switch."""
        for device in model.devices.values():
            count = len(device.syslog_servers) if device.platform == "comware7" else 0
            if count > MOST:
                yield self.finding(
                    f"{count} syslog servers are more than the {MOST} of Comware 7",
                    f"use at most {MOST}",
                    place=model.place("management", "syslog_servers"),
                    device=device.name,
                )
