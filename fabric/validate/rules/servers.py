"""Rules about the servers that switches use (SYS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.platforms import platforms
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("SYS003")
class ServersInReach(ModelRule):
    """Switches from the box look for NTP and syslog servers in the VRF of their management port."""

    severity = Severity.WARNING
    why = "The default VRF is the fabric, which does not lead to them: clocks drift, logs are lost."
    source = "docs/boot.md (servers of NTP and syslog)"
    guards = ("management.vrf",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the systems whose configuration from the box has such a VRF."""
        file = model.intent.fabric.management
        if not file.network or file.vrf or not (file.ntp_servers or file.syslog_servers):
            return
        field = "ntp_servers" if file.ntp_servers else "syslog_servers"
        for name in sorted({sku.nos for sku in model.fabric.switches.skus}):
            system = platforms[name]
            if system.management_vrf and not system.servers_in_vrf:
                yield self.finding(
                    f"{system.title} looks for the servers in the default VRF; from the box its "
                    f"management port is in VRF {system.management_vrf}",
                    f"set management.vrf, such as {system.management_vrf}, or waive this finding "
                    "if the fabric leads to the servers",
                    place=model.place("management", field),
                )
