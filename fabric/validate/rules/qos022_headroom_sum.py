"""QOS022: the headroom of all lossless ports fits into the buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import bytes_to_mb
from fabric.qos.headroom.budget import budget, largest
from fabric.qos.headroom.laws import headroom
from fabric.qos.headroom.terms import Link
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign, HeadroomProfile
    from fabric.validate.world import Model

#: Longest cable that the inventory takes.
MAX_CABLE_M = 80_000


@rules.add("QOS022")
class HeadroomSum(ModelRule):
    """The headroom of all lossless ports fits in the buffer."""

    why = "Overcommitted buffers are not available when many ports pause at once."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua; Zhu et al., SIGCOMM "
        "2015, section 4"
    )
    guards = ("cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Add the lossless buffers of all ports in use, where each keeps its own."""
        for device in model.devices.values():
            buffer_bytes, pools = device.sku.packet_buffer_bytes, device.sku.pools
            groups = [port.headroom for port in device.ports if port.headroom]
            known = [group for group in groups if group.headroom_bytes is not None]
            if buffer_bytes is None or not known or (pools and pools.shared_headroom_bytes):
                continue
            account = budget(
                [group.guaranteed_bytes for group in known],
                [group.headroom_bytes or 0 for group in known],
                buffer_bytes,
            )
            if not account.fits:
                worst = max(known, key=lambda group: group.headroom_bytes or 0)
                port = next(port for port in device.ports if port.headroom is worst)
                need, have = (
                    f"{bytes_to_mb(size):,.1f} MB" for size in (account.need_bytes, buffer_bytes)
                )
                yield self.finding(
                    f"{len(known)} lossless ports need {need} of headroom, but "
                    f"{device.sku.name} has {have}; {_what_fits(device, known, worst)}",
                    "use shorter cables, lower speeds, a smaller MTU or fewer ports",
                    place=model.cable_place(device, port, "cable_m"),
                    device=device.name,
                )


def _what_fits(device: DeviceDesign, known: list[HeadroomProfile], worst: HeadroomProfile) -> str:
    """Return how long the longest cables may be, all else as it is."""
    buffer_bytes, asic = device.sku.packet_buffer_bytes, device.sku.asic_facts
    assert buffer_bytes
    if worst.law is None:
        return "what would fit is not known"
    same = [group for group in known if group is worst]
    rest = sum((g.headroom_bytes or 0) + g.guaranteed_bytes for g in known if g is not worst)

    def fits(cable_m: int) -> bool:
        link = Link.of(
            worst.speed_gbps, cable_m, worst.link.port_mtu_bytes, worst.link.lossless_mtu_bytes
        )
        return rest + len(same) * int(headroom(asic, link).headroom_bytes) <= buffer_bytes

    longest = largest(fits, 0, MAX_CABLE_M)
    return (
        f"its {len(same)} ports of {worst.cable_m:,} m would fit with {longest:,} m"
        if longest is not None
        else "no length fits with this many ports"
    )
