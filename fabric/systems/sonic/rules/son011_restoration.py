"""SON011: the watchdog gives ports back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON011")
class Restoration(SonicRule):
    """The watchdog restores ports."""

    severity = Severity.WARNING
    why = "Without restoration_time a port that was blocked once stays blocked."
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp"
    guards = ("lossless.watchdog.restoration_ms",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for both times of every row."""
        for port, row in config.watchdogs.items():
            for field, what in (
                ("restoration_time", "is not restored"),
                ("detection_time", "is not watched"),
            ):
                if field not in row:
                    yield self.finding(
                        f"PFC_WD row without {field}: the port {what}",
                        f"set {field} in ms",
                        device=config.device,
                        port=port,
                        severity=Severity.ERROR if field == "detection_time" else None,
                    )
