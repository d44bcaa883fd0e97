"""QOS027: a shared headroom pool holds enough ports at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: Promised headroom over the pool that vendors ship at most with this as a fixed figure
#: (sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md, over_subscribe_ratio 2).
USUAL_RATIO = 2.0


@rules.add("QOS027")
class SharedHeadroom(ModelRule):
    """A shared headroom pool covers enough ports at once."""

    severity = Severity.WARNING
    why = "If more ports pause at once than the pool covers, the last of them drop frames."
    source = "sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md (over_subscribe_ratio)"
    guards = ("cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the promised headroom of all ports with the pool."""
        for device in model.devices.values():
            pool = device.sku.pools.shared_headroom_bytes if device.sku.pools else 0
            sizes = [p.headroom.headroom_bytes or 0 for p in device.ports if p.headroom]
            if not pool or not sizes or sum(sizes) <= pool:
                continue
            ratio, alone = sum(sizes) / pool, max(sizes) > pool
            usual = ratio <= USUAL_RATIO
            yield self.finding(
                f"{len(sizes)} lossless ports are allocated {sum(sizes):,} bytes of "
                f"a shared headroom of {pool:,}, {ratio:.1f} times its size"
                + (", and a single port is allocated more than all of it" if alone else ""),
                "use shorter cables or fewer lossless ports, or a larger shared headroom"
                if alone or not usual
                else "no action if at most half of the ports pause at once",
                place=model.sku_place(device),
                device=device.name,
                severity=Severity.ERROR if alone else Severity.INFO if usual else None,
            )
