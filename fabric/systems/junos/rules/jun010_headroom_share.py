"""JUN010: the headroom of all lossless ports fits into its share of the buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.platforms.model import Sku
    from fabric.validate.world import Model

WHOLE = 100


@rules.add("JUN010")
class HeadroomShare(ModelRule):
    """The headroom of all lossless ports fits in its share of the buffer."""

    severity = Severity.WARNING
    why = (
        "Junos reserves one share of the shared buffer for headroom; if all ports "
        "pause at once and it is full, lossless frames are dropped."
    )
    source = (
        "juniper.net CLI reference buffer-partition ingress (lossless-headroom); Juniper/jvd "
        "@ 005ab344"
    )
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Add up the headroom of the lossless ports of every switch with Junos."""
        for device in model.devices.values():
            share = _share_bytes(device.sku) if device.platform == "junos" else None
            sizes = [p.headroom.headroom_bytes for p in device.ports if p.headroom]
            needed = sum(size for size in sizes if size is not None)
            if share is not None and needed > share:
                yield self.finding(
                    f"{len(sizes)} lossless ports need {needed:,} bytes of headroom, "
                    f"{device.sku.name} keeps {share:,}",
                    "use fewer or shorter lossless ports, or a model with more buffer",
                    place=model.sku_place(device),
                    device=device.name,
                )


def _share_bytes(sku: Sku) -> int | None:
    buffer_bytes, percent = sku.packet_buffer_bytes, sku.facts.get("ingress_headroom_percent")
    if buffer_bytes is None or percent is None:
        return None
    shared = WHOLE - int(sku.facts.get("dedicated_ingress_percent", "0"))
    return buffer_bytes * shared * int(percent) // (WHOLE * WHOLE)
