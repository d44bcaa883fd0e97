"""ARP002: MAC ageing is set only where the switch can configure it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ARP002")
class MacKnob(ModelRule):
    """MAC ageing is set only where the switch can configure it."""

    severity = Severity.WARNING
    why = "The value is not used; the system keeps its own."
    source = (
        "sonic-net/sonic-buildimage dockers/docker-orchagent/switch.json.j2 (fdb_aging_time 600)"
    )
    guards = ("arp.mac_ageing_s",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a MAC ageing that a platform cannot set."""
        wanted = model.intent.fabric.arp.mac_ageing_s
        for name, device in model.devices.items():
            fixed = platforms[device.platform].fixed_mac_ageing_s
            if wanted is not None and fixed is not None and wanted != fixed:
                yield self.finding(
                    f"arp.mac_ageing_s {wanted} has no effect on {device.platform}, which "
                    f"keeps {fixed} s",
                    "remove it, or set the fixed value",
                    place=model.place("arp", "mac_ageing_s"),
                    device=name,
                )
