"""SON024: a switch that computes its lossless buffers is told what from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.systems.sonic.platforms import COMPUTING_PLATFORMS
from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig

#: Tables that the buffer manager reads one row of, and the fields that it needs.
NEEDED = {
    "DEFAULT_LOSSLESS_BUFFER_PARAMETER": ("default_dynamic_th",),
    "LOSSLESS_TRAFFIC_PATTERN": ("mtu", "small_packet_percentage"),
}


@rules.add("SON024")
class ComputedBuffers(SonicRule):
    """A switch that computes its lossless buffers has the required input."""

    why = "Without it the buffer manager creates no lossless group and waits silently."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgrdyn.cpp, cfgmgr/buffer_headroom_mellanox.lua (Only "
        "one key should exist); sonic-net/sonic-buildimage files/build_templates/buffers_config.j2"
    )
    guards = ("platforms.leaf.buffer_model", "platforms.spine.buffer_model")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at platform and parameters of a switch with dynamic buffers."""
        if not config.dynamic_buffers or not config.lossless_ports:
            return
        platform = str(config.metadata.get("platform", ""))
        if platform and not any(part in platform for part in COMPUTING_PLATFORMS):
            yield self.finding(
                f"buffer_model is dynamic, but nothing computes buffers on {platform}",
                "set buffer_model to traditional and add BUFFER_PROFILE rows",
                device=config.device,
            )
        for table, fields in NEEDED.items():
            rows = list(config.rows(table).values())
            if len(rows) != 1:
                yield self.finding(
                    f"buffer_model dynamic needs exactly one row in {table}, found {len(rows)}",
                    f"keep one row in {table}",
                    device=config.device,
                )
            for name in fields if len(rows) == 1 else ():
                if number(rows[0].get(name)) is None:
                    yield self.finding(
                        f"{table} has no {name}", f"add {name}", device=config.device
                    )
