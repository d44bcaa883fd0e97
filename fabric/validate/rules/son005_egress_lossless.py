"""SON005: the lossless queue never drops at egress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.config_db import number
from fabric.validate.rule import SonicRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.config_db import Row
    from fabric.validate.world import SonicConfig

#: dynamic_th that the vendors' templates use for practically unlimited.
UNLIMITED = 7


@rules.add("SON005")
class EgressLossless(SonicRule):
    """The lossless queue never drops at egress."""

    why = "A queue with a tail drop limit drops packets that PFC has kept up to there."
    source = "sonic-net/sonic-buildimage device/*/buffers_defaults_t1.j2 (egress_lossless_profile)"
    guards = ("lossless.queue",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the egress profile of every lossless queue."""
        pools = config.rows("BUFFER_POOL")
        for port in config.lossless_ports:
            for queue in port.queues:
                row = config.queue_buffers.get((port.name, queue))
                if row and not _lossless(config.profile(row.get("profile")), pools):
                    yield self.finding(
                        f"lossless queue {queue} has egress profile {row.get('profile')}, "
                        "which can drop",
                        "use egress_lossless_profile",
                        device=config.device,
                        port=port.name,
                    )


def _lossless(profile: Row | None, pools: dict[str, Row]) -> bool:
    """Say whether a queue with this profile may fill the whole pool."""
    if profile is None or "lossy" in str(profile.get("pool")):
        return False
    static, dynamic = number(profile.get("static_th")), number(profile.get("dynamic_th"))
    size = number(pools.get(str(profile.get("pool")), {}).get("size"))
    return (dynamic is not None and dynamic >= UNLIMITED) or (
        static is not None and (size is None or static >= size)
    )
