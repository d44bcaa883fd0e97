"""SON005: the lossless queue never drops at egress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
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

    why = "A queue with a tail drop limit drops packets that PFC protected up to that point."
    source = "sonic-net/sonic-buildimage device/*/buffers_defaults_t1.j2 (egress_lossless_profile)"
    guards = ("lossless.queue",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the egress profile of every lossless queue."""
        pools = config.rows("BUFFER_POOL")
        for port in config.lossless_ports:
            for queue in port.queues:
                row = config.queue_buffers.get((port.name, queue))
                profile = config.profile(row.get("profile")) if row else None
                if row and not _lossless(profile, pools):
                    may = _may_share(profile)
                    yield self.finding(
                        f"lossless queue {queue} has egress profile {row.get('profile')}, which "
                        + ("drops when the pool is full enough" if may else "can drop"),
                        "use a profile with a static_th of the whole pool, or dynamic_th 7"
                        if may
                        else "use egress_lossless_profile",
                        device=config.device,
                        port=port.name,
                        severity=Severity.WARNING if may else None,
                    )


def _may_share(profile: Row | None) -> bool:
    """Say whether a queue may take a multiple of what is free, as some vendors ship it."""
    dynamic = number(profile.get("dynamic_th")) if profile else None
    lossy = "lossy" in str(profile.get("pool")) if profile else True
    return not lossy and dynamic is not None and dynamic >= 0


def _lossless(profile: Row | None, pools: dict[str, Row]) -> bool:
    """Say whether a queue with this profile may fill the whole pool."""
    if profile is None or "lossy" in str(profile.get("pool")):
        return False
    static, dynamic = number(profile.get("static_th")), number(profile.get("dynamic_th"))
    size = number(pools.get(str(profile.get("pool")), {}).get("size"))
    return (dynamic is not None and dynamic >= UNLIMITED) or (
        static is not None and (size is None or static >= size)
    )
