"""Rules about buffer pools (QOS)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.units import bytes_to_mb
from fabric.design.headroom_fit import longest_fit_m, with_setting
from fabric.design.pool import computed_buffer, fixed_pool_bytes, shared_headroom_bytes
from fabric.platforms import platforms
from fabric.qos.headroom.budget import budget
from fabric.qos.headroom.computed import checked_port_bytes
from fabric.qos.headroom.spectrum import TWO_UNIT_LANES
from fabric.qos.path import LONG_CABLE_M
from fabric.qos.thresholds import pause_threshold_bytes
from fabric.validate.rule import ModelRule, SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile, PortDesign
    from fabric.validate.places import Places
    from fabric.validate.world import LosslessKind, Model


@rules.add("QOS022")
class HeadroomSum(SwitchRule):
    """The headroom of all lossless ports fits in the buffer."""

    why = "Overcommitted buffers are not available when many ports pause at once."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffer_check_headroom_mellanox.lua; Zhu et al., SIGCOMM "
        "2015, section 4"
    )
    guards = ("cables.host_m", "cables.uplink_m")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Add the lossless buffers of all ports in use, where each keeps its own."""
        buffer_bytes = device.sku.packet_buffer_bytes
        known = [group for group in device.lossless_groups if group.headroom_bytes is not None]
        if not known or shared_headroom_bytes(device):
            return
        if buffer_bytes is None:
            yield self.finding(
                f"the packet buffer of {device.sku.name} is not known, so it is not checked "
                "whether its headroom fits",
                "use an own model in platforms/*.yaml with facts.buffer_bytes",
                place=places.sku_place(device),
                device=device.name,
                severity=Severity.INFO,
            )
            return
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
                f"{counted(device.lossless_ports, 'lossless port needs', 'lossless ports need')} "
                f"{need} of headroom, but {device.sku.name} has {have}; "
                f"{_what_fits(device, known, worst)}",
                "use shorter cables, lower speeds, a smaller MTU or fewer ports"
                + _between_sites(worst.setting_m),
                place=places.cable_place(device, port, "cable_m"),
                device=device.name,
            )


def _between_sites(cable_m: int) -> str:
    """Return what else a cable to another site can have."""
    if cable_m < LONG_CABLE_M:
        return ""
    return (
        ", or switches with deep buffers, or set lossless.pfc to false at both ends of the long "
        "cables; `rocefab show ecn --recommend` says what each takes"
    )


def _what_fits(device: DeviceDesign, known: list[HeadroomProfile], worst: HeadroomProfile) -> str:
    """Return how long the longest cables may be, all else as it is."""
    buffer_bytes = device.sku.packet_buffer_bytes
    assert buffer_bytes
    if worst.law is None:
        return "what would fit is not known"
    same, others = with_setting(known, worst.setting_m)
    ports = sum(port.headroom in same for port in device.ports)
    rest_bytes = sum(group.headroom_bytes or 0 for group in others)
    rest_bytes += sum(group.guaranteed_bytes for group in known)
    mtu_bytes = int(worst.link.port_mtu_bytes)
    longest = longest_fit_m(device.sku, same, mtu_bytes, buffer_bytes - rest_bytes)
    return (
        f"its {counted(ports, 'port')} of {worst.setting_m:,} m would fit with {longest:,} m"
        if longest is not None
        else "no length fits with this many ports"
    )


_FIX = (
    "use a shorter cable, a lower speed or a smaller MTU; the limit that a switch sets itself, "
    "without shared headroom, may be lower still"
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
            port, fix = _longest(kind), _FIX
            if port is not kind.port:
                fix = f"{_FIX}; {port.name} has the {port.cable_m} m that all ports are set to"
            yield self.of_kind(
                kind,
                wrong,
                fix,
                place=model.cable_place(kind.device, port, "cable_m"),
                severity=Severity.ERROR if kind.headroom.computed else None,
            )


def _wrong(kind: LosslessKind, limit: int) -> str | None:
    """Return what is wrong; the buffer manager of the dynamic model counts more than headroom."""
    have = kind.headroom.headroom_bytes
    pipeline_bytes = kind.device.sku.asic_facts.integer("pipeline_bytes")
    if have is None:
        return None
    classes = len(kind.port.lossless_groups)
    if kind.headroom.shares or not kind.headroom.computed or pipeline_bytes is None:
        have *= classes
        what = f"headroom of {kind.title} is {have:,} bytes, more than the {limit:,} that one port"
        return f"{what} may take from the shared headroom" if have > limit else None
    size_bytes = classes * (have + kind.headroom.guaranteed_bytes)
    need = checked_port_bytes(size_bytes, len(kind.port.lanes), pipeline_bytes)
    what = f"{kind.title} takes {need:,} bytes with lossy groups and mirror; the switch rejects"
    return f"{what} a port that takes {limit:,} or more" if need >= limit else None


def _longest(kind: LosslessKind) -> PortDesign:
    """Return the port whose cable the headroom is for, on a switch that has one length for all."""
    if not platforms[kind.device.platform].one_cable_length:
        return kind.port
    ports = [port for port in kind.device.ports if port.headroom]
    longest_m = max(port.cable_m for port in ports)
    longest = (port for port in ports if port.cable_m == longest_m)
    return kind.port if kind.port.cable_m == longest_m else next(longest)


def _of_port(port: PortDesign) -> int:
    """Return the headroom of all lossless groups of a port."""
    return sum(group.headroom_bytes or 0 for group in port.lossless_groups)


def _limit_bytes(kind: LosslessKind) -> int | None:
    asic = kind.device.sku.asic_facts
    names = ("cell_bytes", "port_headroom_cells", "port_reserved_headroom_cells")
    cell, most, reserved = (asic.integer(name) for name in names)
    if cell is None or most is None or reserved is None:
        return None
    doubled = 2 if len(kind.port.lanes) == TWO_UNIT_LANES else 1
    return (most + doubled * reserved) * cell


#: Promised headroom over the pool that vendors ship at most with this as a fixed figure
#: (sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md, over_subscribe_ratio 2).
USUAL_RATIO = 2.0


@rules.add("QOS027")
class SharedHeadroom(SwitchRule):
    """A shared headroom pool covers enough ports at once."""

    severity = Severity.WARNING
    why = "If more ports pause at once than the pool covers, the last of them drop frames."
    source = "sonic-net/SONiC doc/qos/dynamically-headroom-calculation.md (over_subscribe_ratio)"
    guards = ("cables.host_m", "cables.uplink_m")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare the promised headroom of all ports with the pool."""
        pool = shared_headroom_bytes(device)
        sizes = [group.headroom_bytes or 0 for group in device.lossless_groups]
        if not pool or not sizes or sum(sizes) <= pool:
            return
        ratio = device.headroom_over_subscription or sum(sizes) / pool
        alone = max(_of_port(port) for port in device.ports) > pool
        usual = ratio <= USUAL_RATIO
        yield self.finding(
            f"{counted(device.lossless_ports, 'lossless port is', 'lossless ports are')} allocated "
            f"{sum(sizes):,} bytes of a shared headroom of {pool:,}, {ratio:.1f} times its size"
            + (", and a single port is allocated more than all of it" if alone else ""),
            "use shorter cables or fewer lossless ports, or a larger shared headroom"
            if alone or not usual
            else "no action if at most half of the ports pause at once",
            place=places.hardware_place(device, "headroom_over_subscription")
            if device.headroom_over_subscription
            else places.sku_place(device),
            device=device.name,
            severity=Severity.ERROR if alone else Severity.INFO if usual else None,
        )


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
            for what in _wrong_thresholds(kind):
                yield self.of_kind(
                    kind,
                    f"the buffer of {kind.title} {what}",
                    "correct the row of the headroom table",
                    place=model.sku_place(kind.device),
                )


def _wrong_thresholds(kind: LosslessKind) -> Iterator[str]:
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


@rules.add("QOS047")
class PoolBudget(SwitchRule):
    """Headroom and ingress pools together fit in the buffer."""

    severity = Severity.WARNING
    why = (
        "Pools that were sized for fewer ports or shorter cables take the room that headroom "
        "needs: lossless groups may have no buffer after a cold boot."
    )
    source = "sonic-net/sonic-swss cfgmgr/buffer_pool_mellanox.lua"
    guards = ("platforms.leaf.sku", "platforms.spine.sku", "cables.host_m", "cables.uplink_m")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Add pool, headroom beside it, and the buffers of all ports in use."""
        if device.buffer_model == "dynamic":
            yield from self._computed(places, device)
            return
        pools, buffer_bytes = device.sku.pools, device.sku.packet_buffer_bytes
        rows = [group.row for group in device.lossless_groups if group.row]
        if pools is None or buffer_bytes is None or not rows:
            return
        shared = pools.shared_headroom_bytes
        if shared and device.sku.asic_facts.fact("pool_headroom") is None:
            return
        own = [
            row.size_bytes
            if shared
            else max(row.size_bytes, row.xon_threshold_bytes + row.headroom_bytes)
            for row in rows
        ]
        fixed = fixed_pool_bytes(device)
        account = budget(own, [], buffer_bytes, reserved_bytes=shared, shared_bytes=fixed)
        if not account.fits and sum(own) + shared <= buffer_bytes:
            yield self.finding(
                f"the ingress pools of {fixed:,} bytes and the buffers of "
                f"{counted(device.lossless_ports, 'lossless port')} need "
                f"{account.missing_bytes:,} bytes more than the {buffer_bytes:,} of "
                f"{device.sku.name}",
                "provide pool sizes for this use (`buffers` of an own switch model), or use "
                "fewer or shorter lossless ports",
                place=places.sku_place(device),
                device=device.name,
            )

    def _computed(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Report a switch that computes its pools and has nothing left for them."""
        computed = computed_buffer(device)
        if computed is None or computed.left_bytes > 0:
            return
        yield self.finding(
            f"the ports take {-computed.left_bytes:,} bytes more than the buffer of "
            f"{device.sku.name} has, so the switch cannot compute a shared pool",
            "use fewer or shorter lossless ports, or a smaller MTU",
            place=places.sku_place(device),
            device=device.name,
            severity=Severity.ERROR,
        )
