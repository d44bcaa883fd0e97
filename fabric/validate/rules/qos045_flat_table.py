"""QOS045: the vendor's table knows that cables have a length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.platforms.model import Sku
    from fabric.validate.world import Model


@rules.add("QOS045")
class FlatTable(ModelRule):
    """The vendor's table depends on cable length."""

    severity = Severity.INFO
    why = "A table with the same value at every length was not made for long cables."
    source = "sonic-net/sonic-buildimage 086b03bd device/*/*/*/pg_profile_lookup.ini"
    guards = ("cables.host_m", "cables.uplink_m", "platforms.leaf.sku", "platforms.spine.sku")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the rows of one speed with each other."""
        for kind in model.lossless_kinds:
            sku, speed = kind.device.sku, kind.headroom.speed_mbps
            sizes = _sizes(sku, speed)
            if kind.headroom.row and len(sizes) > 1 and len(set(sizes)) == 1:
                lengths = sku.cable_lengths_m(speed)
                yield self.finding(
                    f"the table of {sku.name} keeps {sizes[0]:,} bytes at "
                    f"{kind.headroom.speed_gbps}G for {lengths[0]} m and for {lengths[-1]} m",
                    "see `rocefab explain` for what the port needs",
                    place=model.sku_place(kind.device),
                    device=kind.device.name,
                    port=kind.port.name,
                )


def _sizes(sku: Sku, speed_mbps: int) -> list[int]:
    return [
        sku.headroom[speed_mbps, length].headroom_bytes
        for length in sku.cable_lengths_m(speed_mbps)
    ]
