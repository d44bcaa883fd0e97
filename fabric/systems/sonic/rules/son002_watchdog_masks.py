"""SON002: the watchdog has priorities to watch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.config_db import numbers
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON002")
class WatchdogMasks(SonicRule):
    """The watchdog has priorities to watch."""

    why = (
        "It acts on pfcwd_sw_enable only; with an empty mask it logs No lossless TC found and "
        "does not start."
    )
    source = "sonic-net/sonic-swss orchagent/pfcwdorch.cpp"
    guards = ("lossless.watchdog.enabled", "lossless.pfc")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the rows of PFC_WD with the masks of their ports."""
        maps = config.rows("PORT_QOS_MAP")
        for port in config.watchdogs:
            row = maps.get(port, {})
            paused, watched = (set(numbers(row.get(f))) for f in ("pfc_enable", "pfcwd_sw_enable"))
            if not paused:
                message, fix = "PFC_WD row but no pfc_enable", "set pfc_enable, or remove the row"
            elif not watched:
                message, fix = (
                    "PFC_WD row but no pfcwd_sw_enable",
                    "set pfcwd_sw_enable to the value of pfc_enable",
                )
            elif watched != paused:
                message = (
                    f"pfcwd_sw_enable {row['pfcwd_sw_enable']} is not "
                    f"pfc_enable {row['pfc_enable']}"
                )
                fix = "set both to the same value"
            else:
                continue
            yield self.finding(message, fix, device=config.device, port=port)
