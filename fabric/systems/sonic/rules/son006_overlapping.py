"""SON006: ranges of queues and priority groups do not overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON006")
class Overlapping(SonicRule):
    """Ranges of queues and priority groups do not overlap."""

    why = (
        "The daemons apply rows in any order, and the last one wins, differently after each "
        "restart."
    )
    source = "sonic-net/sonic-swss orchagent/qosorch.cpp, orchagent/bufferorch.cpp"
    guards = ("lossless.queue", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the ranges of each port."""
        for table in ("QUEUE", "BUFFER_PG", "BUFFER_QUEUE"):
            seen: dict[tuple[str, int], str] = {}
            for port, text, indices in config.ranges(table):
                for index in indices[:100]:
                    other = seen.setdefault((port, index), text)
                    if other != text:
                        yield self.finding(
                            f"{table} rows {other} and {text} both contain {index}",
                            "make the ranges disjoint",
                            device=config.device,
                            port=port,
                        )
                        break
