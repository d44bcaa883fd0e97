"""SON008: queue and priority group numbers exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig

_LAST = {"QUEUE": 9, "BUFFER_QUEUE": 9, "BUFFER_PG": 7}


@rules.add("SON008")
class IndexRange(SonicRule):
    """Queue and priority group numbers exist."""

    why = "The daemon rejects the row, or applies it to nothing, and only logs it."
    source = (
        "sonic-net/sonic-buildimage src/sonic-yang-models sonic-queue.yang (queues 0 to 9), "
        "sonic-buffer-pg.yang"
    )
    guards = ("lossless.queue", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the numbers of each row with what a port has."""
        for table, last in _LAST.items():
            for port, text, indices in config.ranges(table):
                if not indices or indices[-1] > last or indices[0] < 0:
                    yield self.finding(
                        f"{table} row {text}: the range is 0 to {last}",
                        "correct the row key",
                        device=config.device,
                        port=port,
                    )
