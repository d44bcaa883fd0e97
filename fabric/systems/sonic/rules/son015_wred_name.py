"""SON015: the WRED profile of the lossless queue is AZURE_LOSSLESS."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON015")
class WredName(SonicRule):
    """The WRED profile of the lossless queue is AZURE_LOSSLESS."""

    severity = Severity.WARNING
    why = "Only under this name can config apply-patch change the thresholds of a running switch."
    source = (
        "sonic-net/sonic-utilities generic_config_updater/gcu_field_operation_validators.conf.json"
    )
    guards = ("lossless.ecn.kmin_bytes", "lossless.ecn.kmax_bytes")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the name of the profile of every lossless queue."""
        for port in config.lossless_ports:
            for queue in port.queues:
                name = config.queues.get((port.name, queue), {}).get("wred_profile")
                if name and str(name).strip("[]").rpartition("|")[2] != "AZURE_LOSSLESS":
                    yield self.finding(
                        f"WRED profile {name} cannot be changed by config apply-patch",
                        "name the profile of the lossless queue AZURE_LOSSLESS",
                        device=config.device,
                        port=port.name,
                    )
