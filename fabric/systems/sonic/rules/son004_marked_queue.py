"""SON004: the lossless queue marks ECN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON004")
class MarkedQueue(SonicRule):
    """The lossless queue marks ECN."""

    why = "Without a WRED profile nothing slows down the senders before PFC pauses them."
    source = "sonic-net/sonic-buildimage files/build_templates/qos_config.j2; RFC 3168"
    guards = ("lossless.queue",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the WRED profile of every lossless queue."""
        for port in config.lossless_ports:
            for queue in port.queues:
                if not config.queues.get((port.name, queue), {}).get("wred_profile"):
                    yield self.finding(
                        f"lossless queue {queue} has no wred_profile",
                        f"set wred_profile AZURE_LOSSLESS in the QUEUE row of queue {queue}",
                        device=config.device,
                        port=port.name,
                    )
