"""SON016: the watchdog polls within its times."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON016")
class WatchdogPoll(SonicRule):
    """The watchdog polls within its times."""

    why = "A detector that looks less often than its detection time refuses it."
    source = "sonic-net/sonic-utilities pfcwd/main.py (choose a smaller polling_interval)"
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare both times of every row with the poll interval."""
        poll = config.poll_ms or 0
        for port, row in config.watchdogs.items():
            for field in ("detection_time", "restoration_time"):
                value = number(row.get(field))
                if value is not None and value < poll:
                    yield self.finding(
                        f"PFC_WD {field} {value} is below POLL_INTERVAL {poll}",
                        "lower POLL_INTERVAL or raise the time",
                        device=config.device,
                        port=port,
                    )
