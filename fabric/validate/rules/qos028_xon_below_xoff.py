"""QOS028: a paused sender is let go again below the threshold that paused it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.qos.thresholds import pause_threshold_bytes
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import LosslessKind, Model


@rules.add("QOS028")
class XonBelowXoff(ModelRule):
    """XON is below XOFF."""

    why = "With XON at or above XOFF a port pauses and resumes on every frame, or never resumes."
    source = (
        "IEEE 802.1Q-2018 clause 36; sonic-net/sonic-swss cfgmgr/buffer_headroom_mellanox.lua "
        "(size = xon + xoff); sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md"
    )
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "lossless.dynamic_th")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at size, XON threshold and XON offset of every row in use."""
        for kind in model.lossless_kinds:
            for what in _wrong(kind):
                yield self.finding(
                    f"the buffer of {kind.title} {what}",
                    "correct the row of the headroom table",
                    place=model.sku_place(kind.device),
                    device=kind.device.name,
                    port=kind.port.name,
                )


def _wrong(kind: LosslessKind) -> Iterator[str]:
    row, pools = kind.headroom.row, kind.device.sku.pools
    if row is None:
        return
    shared = bool(pools and pools.shared_headroom_bytes)
    own = row.xon_threshold_bytes + row.headroom_bytes
    if kind.device.sku.asic_facts.law == "spectrum" and not shared and row.size_bytes < own - 1024:
        yield (
            f"has a size of {row.size_bytes:,} bytes, less than XON and headroom together "
            f"({own:,}), so XOFF lies below XON"
        )
    if pools and row.xon_offset_bytes is not None:
        pause = pause_threshold_bytes(kind.headroom.dynamic_th, pools.ingress_lossless_bytes)
        if row.xon_offset_bytes >= pause:
            yield (
                f"resumes {row.xon_offset_bytes:,} bytes below a pause threshold of {pause:,.0f}: "
                "never"
            )
