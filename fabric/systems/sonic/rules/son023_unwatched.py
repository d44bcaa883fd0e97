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
    why = "pfcwd_sw_enable alone starts nothing, and a pause storm on the port does not end."
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp"
    guards = ("lossless.watchdog.enabled",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the watchdog row of every watched port, and of every port of a file."""
        for port in config.lossless_ports:
            watched = numbers(port.qos.get("pfcwd_sw_enable"))
            if port.name in config.watchdogs or (config.is_rendered and not watched):
                continue
            yield self.finding(
                f"pfcwd_sw_enable {port.qos['pfcwd_sw_enable']} but no PFC_WD row"
                if watched
                else "lossless port without a watchdog",
                "add the PFC_WD row, or clear the mask"
                if watched
                else "add the PFC_WD row and pfcwd_sw_enable",
                device=config.device,
                port=port.name,
            )
