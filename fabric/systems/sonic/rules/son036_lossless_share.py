"""SON036: the lossless queue has a share of the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON036")
class LosslessShare(SonicRule):
    """The lossless queue has a share of the link."""

    why = "A queue without a weight is served last, and its senders are paused constantly."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models/yang-models/sonic-scheduler.yang (weight "
        "1 to 100), files/build_templates/qos_config.j2"
    )
    judges_rendered = False
    guards = ("lossless.scheduler.lossless_percent",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the scheduler of every lossless queue."""
        schedulers = config.rows("SCHEDULER")
        for port in config.lossless_ports:
            for queue in port.queues:
                row = config.queues.get((port.name, queue))
                name = str((row or {}).get("scheduler", "")).strip("[]").rpartition("|")[2]
                scheduler = schedulers.get(name, {})
                weightless = scheduler.get("type") in {"DWRR", "WRR"} and not number(
                    scheduler.get("weight")
                )
                if row and (not name or weightless):
                    yield self.at(
                        config,
                        ("SCHEDULER", name) if name else ("QUEUE", f"{port.name}|{queue}"),
                        f"scheduler {name} of lossless queue {queue} has no weight"
                        if name
                        else f"lossless queue {queue} has no scheduler",
                        "use a DWRR scheduler with a weight from 1 to 100",
                        port=port.name,
                    )
