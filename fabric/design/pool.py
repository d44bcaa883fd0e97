"""The shared pool that the lossless groups of a switch draw from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from fabric.platforms.features import is_rendered
from fabric.qos.headroom.computed import ComputedAsic, ComputedPool, ComputedPorts, computed_pool
from fabric.qos.thresholds import alpha, ecn_limit_bytes, occupancies_bytes, pause_threshold_bytes

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile, PortDesign
    from fabric.design.qos_model import PauseLevels
    from fabric.platforms.model import Sku

_WHOLE = 100  # percent
#: Two congested egress ports fed by one ingress port: the least that a fabric of more than two
#: hosts must stand.
CONGESTED_PORTS = 2


def lossless_pool_bytes(device: DeviceDesign) -> int | None:
    """Return the size of the ingress pool for lossless traffic; None where it is not known.

    It stands in the vendor's table, or is what the ports leave where the switch computes it: 0
    where they leave nothing. Without a table it is a fact of the user's own model, which counts
    where the switch gets a ``dynamic_th``: the threshold that it has without one is not known.
    """
    if device.buffer_model == "dynamic":
        computed = computed_buffer(device)
        return computed.pool_bytes if computed else None
    pools = device.sku.pools
    if pools:
        return pools.ingress_lossless_bytes
    is_known = all(one.dynamic_th is not None for one in device.qos_profiles if one.pfc)
    is_known &= is_rendered("dynamic_th", device.sku)
    return own_pool_bytes(device.sku) if is_known else None


@dataclass(frozen=True, slots=True)
class PauseThreshold:
    """How full the lossless groups of a switch are when it pauses their senders.

    Parameters
    ----------
    fixed_bytes : int or None
        Fill level of each group, whatever is free of the buffer.
    dynamic_th, pool_bytes : int
        log2(alpha) of each group, and the pool of which alpha is a share, elsewhere.
    """

    fixed_bytes: int | None
    dynamic_th: int
    pool_bytes: int

    @classmethod
    def fixed(cls, levels: PauseLevels) -> Self:
        """Return the threshold of groups with fixed fill levels."""
        return cls(levels.pause_bytes, 0, 0)

    @property
    def words(self) -> str:
        """What it follows from."""
        if self.fixed_bytes is not None:
            return f"each port pauses at {self.fixed_bytes:,} bytes"
        return f"pool {self.pool_bytes:,} bytes, alpha {alpha(self.dynamic_th):g}"

    def group_bytes(self, users: int = 1) -> float:
        """Return the occupancy at which each of some congested groups pauses."""
        if self.fixed_bytes is not None:
            return float(self.fixed_bytes)
        return pause_threshold_bytes(self.dynamic_th, self.pool_bytes, users)

    def pauses_first(self, level_bytes: int, classes: int) -> bool:
        """Tell whether a group pauses before a queue, with those of all classes, has a level."""
        return level_bytes >= self.group_bytes(classes)

    def incast_bytes(self, senders: int) -> float:
        """Return the egress queue at which that many ingress ports, with equal parts, pause."""
        return senders * self.group_bytes(senders)

    def ecn_limit_bytes(self, congested_ports: int = 1, classes: int = 1) -> float:
        """Return the Kmin below which ECN acts first on ports that one ingress port feeds."""
        if self.fixed_bytes is not None:
            return self.fixed_bytes / congested_ports
        return ecn_limit_bytes(self.dynamic_th, self.pool_bytes, congested_ports, classes)


def pause_threshold(device: DeviceDesign, group: HeadroomProfile) -> PauseThreshold | None:
    """Return the pause threshold of a lossless group; None without a pool, or an unknown one."""
    if group.levels:
        return PauseThreshold.fixed(group.levels)
    pool = lossless_pool_bytes(device)
    return PauseThreshold(None, group.dynamic_th, pool) if pool else None


def own_pool_bytes(sku: Sku) -> int | None:
    """Return the size of the pool that a user's own model says; None where it says none."""
    return sku.asic_facts.integer("lossless_pool_bytes")


def fixed_pool_bytes(device: DeviceDesign) -> int:
    """Return what ingress pools of a fixed size take; 0 where the switch computes them."""
    if device.buffer_model == "dynamic":
        return 0
    pools = device.sku.pools
    lossy = (pools.ingress_lossy_bytes or 0) if pools else 0
    return (lossless_pool_bytes(device) or 0) + lossy


def shared_headroom_bytes(device: DeviceDesign) -> int:
    """Return the headroom that all lossless groups share; 0 where each has its own."""
    if device.buffer_model == "dynamic":
        computed = computed_buffer(device)
        return computed.shared_headroom_bytes if computed else 0
    return device.sku.pools.shared_headroom_bytes if device.sku.pools else 0


def headroom_pool_bytes(sku: Sku) -> int | None:
    """Return the size of the headroom pool that a switch is set to; None where it has none."""
    return sku.asic_facts.integer("headroom_pool_bytes")


def headroom_share_bytes(sku: Sku) -> int | None:
    """Return the share of the buffer that a model keeps for headroom; None where it keeps none."""
    return _ingress_share_bytes(sku, "ingress_headroom_percent")


@dataclass(frozen=True, slots=True)
class HeadroomRoom:
    """The headroom of all lossless ports of a switch, and what it keeps if all pause at once."""

    needed_bytes: int
    kept_bytes: int

    @property
    def fits(self) -> bool:
        """Whether all ports can pause at once."""
        return self.needed_bytes <= self.kept_bytes


def headroom_room(device: DeviceDesign) -> HeadroomRoom | None:
    """Return the headroom that a share of the buffer, or a pool of its own, has to hold.

    None where a switch has neither, or where some headroom is not known and the other fits.
    """
    sku = device.sku
    kept = headroom_share_bytes(sku) or headroom_pool_bytes(sku)
    if kept is None:
        return None
    needed = [group.headroom_bytes for group in device.lossless_groups]
    room = HeadroomRoom(sum(size or 0 for size in needed), kept)
    return None if room.fits and None in needed else room


def lossless_share_bytes(sku: Sku) -> int | None:
    """Return the part of the buffer from which lossless groups draw, on models that split it.

    That is the lossless part of the shared ingress buffer, without headroom (Juniper, CLI reference
    shared-buffer); None where the size of the buffer or the part is not known.
    """
    return _ingress_share_bytes(sku, "ingress_lossless_percent")


def _ingress_share_bytes(sku: Sku, fact: str) -> int | None:
    buffer_bytes, percent = sku.packet_buffer_bytes, sku.facts.get(fact)
    if buffer_bytes is None or percent is None:
        return None
    shared = _WHOLE - int(sku.facts.get("dedicated_ingress_percent", "0"))
    return buffer_bytes * shared * int(percent) // (_WHOLE * _WHOLE)


def computed_buffer(device: DeviceDesign) -> ComputedPool | None:
    """Return the pools that a switch computes; None where a figure is not known.

    Parameters
    ----------
    device : DeviceDesign
        A switch with ``buffer_model: dynamic``.
    """
    facts = device.sku.asic_facts
    pipeline_bytes, buffer_bytes = facts.integer("pipeline_bytes"), device.sku.packet_buffer_bytes
    used = [
        (port.headroom, len(port.lanes), len(port.qos.classes))
        for port in device.ports
        if port.headroom and port.qos and port.enabled
    ]
    groups = [group for group, _, _ in used if group.headroom_bytes is not None]
    known = buffer_bytes is not None and pipeline_bytes is not None and len(groups) == len(used)
    if facts.law != "spectrum" or not known:
        return None
    assert buffer_bytes is not None
    assert pipeline_bytes is not None
    own = [g.guaranteed_bytes + (0 if g.shares else g.headroom_bytes or 0) for g in groups]
    shared = [g.headroom_bytes if g.shares else 0 for g in groups]
    classes = np.array([count for _, _, count in used], dtype=np.int64)
    ports = ComputedPorts(
        lossless_sizes_bytes=classes * np.array(own, dtype=np.int64),
        lossless_lanes=np.array([lanes for _, lanes, _ in used], dtype=np.int64),
        up_lanes=np.array([len(p.lanes) for p in device.ports if p.enabled], dtype=np.int64),
        shared_sizes_bytes=classes * np.array(shared, dtype=np.int64),
    )
    descriptors_bytes = facts.integer("descriptors_bytes") or 0
    asic = ComputedAsic(buffer_bytes, pipeline_bytes, descriptors_bytes)
    return computed_pool(ports, asic, device.headroom_over_subscription or 0)


@dataclass(frozen=True, slots=True)
class LossyQueues:
    """Queues of other traffic whose bytes count in the ingress pool of the lossless groups.

    Parameters
    ----------
    threshold : int
        log2(alpha) of each queue.
    own_bytes : int or None
        Egress pool of these queues alone; None where they share that of the lossless queues.
    """

    threshold: int
    own_bytes: int | None

    def free_bytes(self, pool_bytes: int, groups: int, threshold: int, queues: int) -> float:
        """Return the free part of a pool with lossless groups at XOFF and full lossy queues.

        Parameters
        ----------
        groups, threshold : int
            Lossless groups that fill at once, and log2(alpha) of each.
        queues : int
            Full queues of other traffic.
        """
        theirs = [alpha(self.threshold)] * queues
        if self.own_bytes is None:
            alphas = [*[alpha(threshold)] * groups, *theirs]
            return occupancies_bytes(alphas, [np.inf] * len(alphas), pool_bytes)[1]
        held = float(occupancies_bytes(theirs, [np.inf] * queues, self.own_bytes)[0].sum())
        return max(pool_bytes - held, 0.0) / (1.0 + groups * alpha(threshold))


def lossy_queues(device: DeviceDesign) -> LossyQueues | None:
    """Return the queues of other traffic that share the ingress pool of the lossless groups.

    None where they have a pool of their own or a fixed limit, or the layout is not known.
    """
    layout = device.sku.layout
    if layout is None or "ingress_lossy_pool" in layout.pools:
        return None
    profile = layout.profiles[layout.lossy_queue]
    asked, shipped = device.qos_profiles[0].lossy.dynamic_th, profile.get("dynamic_th")
    if asked is None and shipped is None:
        return None
    own = layout.pools.get("egress_lossy_pool", {}).get("size")
    shares = profile["pool"] != "egress_lossy_pool" or own is None
    threshold = int(shipped or 0) if asked is None else asked
    return LossyQueues(threshold, None if shares else int(own or 0))


def worst_ingress(device: DeviceDesign, port: PortDesign) -> int:
    """Return how many lossless groups can fill at once because one port is congested.

    Routes do not turn from one uplink of a leaf to another, so that host ports alone feed an
    uplink; all other ports feed a host port, and a port of a spine.
    """
    others = [one for one in device.ports if one.enabled and one.headroom and one is not port]
    hosts_alone = device.role == "leaf" and port.kind == "uplink"
    feeding = [one for one in others if not hosts_alone or one.kind == "host"]
    return sum(len(one.lossless_groups) for one in feeding)
