"""QOS026: a port takes no more headroom than one port may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.qos.headroom.computed import checked_port_bytes
from fabric.qos.headroom.spectrum import TWO_UNIT_LANES
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import LosslessKind, Model


_FIX = (
    "use a shorter cable, a lower speed or a smaller MTU; the limit of a port without shared "
    "headroom may be lower still: max_headroom_size in BUFFER_MAX_PARAM_TABLE of STATE_DB"
)


@rules.add("QOS026")
class PortShare(ModelRule):
    """A port does not exceed its headroom limit."""

    severity = Severity.WARNING
    why = "Beyond its limit a port has no room for frames in flight, however empty the pool is."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua (port_max_shp, "
        "port_reserved_shp)"
    )
    guards = ("cables.host_m", "cables.uplink_m")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare with the shared headroom that the ASIC gives to one port."""
        for kind in model.lossless_kinds:
            limit = _limit_bytes(kind)
            if limit is None or (wrong := _wrong(kind, limit)) is None:
                continue
            yield self.finding(
                wrong,
                _FIX,
                place=model.cable_place(kind.device, kind.port, "cable_m"),
                device=kind.device.name,
                port=kind.port.name,
                severity=Severity.ERROR if kind.headroom.computed else None,
            )


def _wrong(kind: LosslessKind, limit: int) -> str | None:
    """Return what is wrong; the buffer manager of the dynamic model counts more than headroom."""
    have = kind.headroom.headroom_bytes
    pipeline_bytes = kind.device.sku.asic_facts.integer("pipeline_bytes")
    if have is None:
        return None
    if not kind.headroom.computed or pipeline_bytes is None:
        what = f"headroom of {kind.title} is {have:,} bytes, more than the {limit:,} that one port"
        return f"{what} may take from the shared headroom" if have > limit else None
    size_bytes = have + kind.headroom.guaranteed_bytes
    need = checked_port_bytes(size_bytes, len(kind.port.lanes), pipeline_bytes)
    what = f"{kind.title} takes {need:,} bytes with lossy groups and mirror; the switch rejects"
    return f"{what} a port that takes {limit:,} or more" if need >= limit else None


def _limit_bytes(kind: LosslessKind) -> int | None:
    asic = kind.device.sku.asic_facts
    names = ("cell_bytes", "port_headroom_cells", "port_reserved_headroom_cells")
    cell, most, reserved = (asic.integer(name) for name in names)
    if cell is None or most is None or reserved is None:
        return None
    doubled = 2 if len(kind.port.lanes) == TWO_UNIT_LANES else 1
    return (most + doubled * reserved) * cell
