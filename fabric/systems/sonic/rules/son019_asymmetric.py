"""SON019: PFC is symmetric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON019")
class Asymmetric(SonicRule):
    """PFC is symmetric."""

    severity = Severity.WARNING
    why = (
        "With pfc_asym on a port honours pauses of all eight priorities, so a peer "
        "can stop control traffic."
    )
    source = "sonic-net/sonic-swss orchagent/portsorch.cpp (setPortPfcAsym)"
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for pfc_asym on."""
        for port, row in config.rows("PORT").items():
            if row.get("pfc_asym") == "on":
                yield self.finding(
                    "pfc_asym is on: pauses of all priorities are honoured",
                    "set pfc_asym to off",
                    device=config.device,
                    port=port,
                )
