"""SON016: the watchdog polls within its times, and these are what a switch takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.systems.sonic.platforms import SONIC
from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig

#: sonic-net/sonic-buildimage src/sonic-yang-models/yang-models/sonic-pfcwd.yang.
_ACTIONS = ("drop", "forward", "alert")


@rules.add("SON016")
class WatchdogPoll(SonicRule):
    """The watchdog polls within its times, and they are in range."""

    why = "A detector that polls less often than its detection time is rejected."
    source = "sonic-net/sonic-utilities pfcwd/main.py (choose a smaller polling_interval)"
    guards = (
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.restoration_ms",
        "lossless.watchdog.poll_ms",
    )

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare both times of every row with the poll interval and with what the switch takes."""
        poll = config.poll_ms or 0
        if config.watchdogs and not poll:
            yield self.at(
                config,
                ("PFC_WD", "GLOBAL"),
                "PFC_WD without POLL_INTERVAL",
                "set POLL_INTERVAL in PFC_WD GLOBAL",
                severity=Severity.WARNING,
            )
        for port, row in config.watchdogs.items():
            for field, kind in (
                ("detection_time", "detection"),
                ("restoration_time", "restoration"),
            ):
                value, (low, high) = number(row.get(field)), SONIC.watchdog_ms[kind]
                fits = config.is_rendered or (value is not None and low <= value <= high)
                if value is None or (fits and value >= poll):
                    continue
                below = f"below POLL_INTERVAL {poll}" if value < poll else f"not {low} to {high} ms"
                yield self.at(
                    config,
                    ("PFC_WD", port, field),
                    f"PFC_WD {field} {value} is {below}",
                    "lower POLL_INTERVAL or increase the time"
                    if value < poll
                    else "use a time in the range",
                    port=port,
                )
            if row.get("action", "drop") not in _ACTIONS:
                yield self.at(
                    config,
                    ("PFC_WD", port, "action"),
                    f"PFC_WD action {row['action']} is not valid",
                    f"use one of {', '.join(_ACTIONS)}",
                    port=port,
                )
