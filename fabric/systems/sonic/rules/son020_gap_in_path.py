"""SON020: PFC is on at all ports in use or at none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import SonicConfig


@rules.add("SON020")
class GapInPath(SonicRule):
    """PFC is on at all ports in use or at none of them."""

    why = "One port without PFC breaks the lossless path of every flow through it."
    source = (
        "IEEE 802.1Q-2018 clause 36; Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM"
        " 2016"
    )
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the ports in use with those that have PFC on."""
        lossless = {port.name for port in config.lossless_ports}
        state = config.rows("PORT")
        for port in sorted(config.used_ports - lossless) if lossless else ():
            if port in state and state[port].get("admin_status") == "up":
                yield self.finding(
                    f"in use without pfc_enable, while {len(lossless)} other ports have it",
                    "set pfc_enable, or remove the port from the fabric",
                    device=config.device,
                    port=port,
                )
