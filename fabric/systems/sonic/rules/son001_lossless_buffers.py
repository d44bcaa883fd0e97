"""SON001: every PFC priority has a lossless priority group and a queue buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON001")
class LosslessBuffers(SonicRule):
    """Every PFC priority has a lossless priority group and a queue buffer."""

    why = "PFC without headroom pauses too late: frames in flight are dropped."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgr.cpp; sonic-net/sonic-buildimage "
        "files/build_templates/buffers_config.j2"
    )
    guards = ("lossless.pfc", "lossless.pfc_priority", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the buffers of every priority in pfc_enable."""
        for port in config.lossless_ports:
            for group in port.groups:
                if (port.name, group) not in config.groups:
                    made = not config.dynamic_buffers and config.cables.get(port.name, "0m") != "0m"
                    later = (
                        ": buffermgrd creates one if its table covers the cable length"
                        if made
                        else ""
                    )
                    yield self.finding(
                        f"pfc_enable {port.qos['pfc_enable']} but no BUFFER_PG row for group "
                        f"{group}{later}",
                        f"add BUFFER_PG {port.name}|{group} with a lossless profile"
                        if len(config.lossless_ports) == 1
                        else f"add BUFFER_PG rows for group {group} with a lossless profile",
                        device=config.device,
                        port=port.name,
                        severity=Severity.WARNING if made else None,
                    )
            for queue in port.queues:
                if (port.name, queue) not in config.queue_buffers:
                    yield self.finding(
                        f"pfc_enable {port.qos['pfc_enable']} but no BUFFER_QUEUE row for "
                        f"queue {queue}",
                        f"add BUFFER_QUEUE rows for queue {queue} with the lossless egress profile",
                        device=config.device,
                        port=port.name,
                    )
            if not port.traffic_classes:
                yield self.finding(
                    f"no traffic class reaches the queue of pfc_enable {port.qos['pfc_enable']}",
                    "correct TC_TO_QUEUE_MAP or MAP_PFC_PRIORITY_TO_QUEUE",
                    device=config.device,
                    port=port.name,
                )
