"""SON003: lossless traffic classes enter a lossless priority group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON003")
class LossyGroup(SonicRule):
    """Lossless traffic classes enter a lossless priority group."""

    why = "In a lossy group packets are dropped while the port pauses another group."
    source = "sonic-net/sonic-swss orchagent/qosorch.cpp, orchagent/bufferorch.cpp"
    guards = ("lossless.traffic_class", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Follow every lossless traffic class into its group."""
        for port in config.lossless_ports:
            for traffic_class, (_, group) in port.traffic_classes.items():
                row = config.groups.get((port.name, group), {})
                profile = config.profile(row.get("profile")) or {}
                if group not in port.groups:
                    message = (
                        f"lossless traffic class {traffic_class} enters priority group {group}, "
                        f"PFC acts for {', '.join(map(str, port.groups))}"
                    )
                elif "lossy" in str(profile.get("pool")):
                    message = (
                        f"priority group {group} of a lossless class has profile {row['profile']}"
                    )
                else:
                    continue
                yield self.finding(
                    message,
                    "map the class to the lossless group, and use a pg_lossless profile for the "
                    "group",
                    device=config.device,
                    port=port.name,
                )
