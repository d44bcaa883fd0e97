"""SON022: the lossless queue is not strict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON022")
class StrictLossless(SonicRule):
    """The lossless queue is not strict."""

    severity = Severity.WARNING
    why = "RoCE data in a strict queue starves every other class, including CNPs and routing."
    source = (
        "IEEE 802.1Q-2018 clause 37; sonic-net/sonic-buildimage "
        "files/build_templates/qos_config.j2 (DWRR)"
    )
    guards = ("lossless.queue", "lossless.scheduler.lossless_percent")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the scheduler of every lossless queue."""
        schedulers = config.rows("SCHEDULER")
        for port in config.lossless_ports:
            for queue in port.queues:
                name = str(config.queues.get((port.name, queue), {}).get("scheduler", ""))
                if schedulers.get(name.strip("[]").rpartition("|")[2], {}).get("type") == "STRICT":
                    yield self.finding(
                        f"lossless queue {queue} has the strict scheduler {name}",
                        "use a DWRR scheduler",
                        device=config.device,
                        port=port.name,
                    )
