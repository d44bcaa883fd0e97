"""QOS026: a port takes no more headroom than one port may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.headroom.spectrum import TWO_UNIT_LANES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import LosslessKind, Model


@rules.add("QOS026")
class PortShare(ModelRule):
    """A port takes no more headroom than one port may."""

    severity = Severity.WARNING
    why = "Beyond its limit a port has no room for what is on the way, however empty the pool is."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua (port_max_shp, "
        "port_reserved_shp)"
    )
    guards = ("cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare with the shared headroom that the ASIC gives to one port."""
        for kind in model.lossless_kinds:
            limit, have = _limit_bytes(kind), kind.headroom.headroom_bytes
            if limit is not None and have is not None and have > limit:
                yield self.finding(
                    f"headroom of {kind.title} is {have:,} bytes, more than the {limit:,} that one "
                    "port may take from the shared headroom",
                    "use a shorter cable, a lower speed or a smaller MTU",
                    place=model.cable_place(kind.device, kind.port, "cable_m"),
                    device=kind.device.name,
                    port=kind.port.name,
                    # The buffer manager of the dynamic model refuses such a group.
                    severity=Severity.ERROR if kind.headroom.computed else None,
                )


def _limit_bytes(kind: LosslessKind) -> int | None:
    asic = kind.device.sku.asic_facts
    names = ("cell_bytes", "port_headroom_cells", "port_reserved_headroom_cells")
    cell, most, reserved = (asic.integer(name) for name in names)
    if cell is None or most is None or reserved is None:
        return None
    doubled = 2 if len(kind.port.lanes) == TWO_UNIT_LANES else 1
    return (most + doubled * reserved) * cell
