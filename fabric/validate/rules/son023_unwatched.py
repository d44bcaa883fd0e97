"""SON023: watched priorities have a PFC_WD row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.config_db import numbers
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON023")
class Unwatched(SonicRule):
    """Watched priorities have a PFC_WD row."""

    severity = Severity.WARNING
    why = "pfcwd_sw_enable alone starts nothing; a pause storm on the port is not ended."
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp"
    guards = ("lossless.watchdog.enabled",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the watchdog row of every watched port."""
        for port in config.lossless_ports:
            if numbers(port.qos.get("pfcwd_sw_enable")) and port.name not in config.watchdogs:
                yield self.finding(
                    f"pfcwd_sw_enable {port.qos['pfcwd_sw_enable']} but no PFC_WD row",
                    "add the PFC_WD row, or clear the mask",
                    device=config.device,
                    port=port.name,
                )
