"""The layout of tables that like switches share: what is arithmetic or choice of rows.

Names follow what the images use themselves (``AZURE``, ``scheduler.0``), because the daemons and
``config qos reload`` know these: sonic-net/sonic-buildimage files/build_templates/qos_config.j2,
sonic-net/sonic-swss cfgmgr/buffermgr.cpp.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import RenderError
from fabric.core.spans import spans
from fabric.platforms.model import BufferLayout
from fabric.qos.headroom.computed import EGRESS_LOSSY_BYTES
from fabric.qos.headroom.spectrum import ALL_SMALL_PERCENT
from fabric.render.object_names import ObjectNames
from fabric.systems.sonic.platforms import COMPUTED_PROFILE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import HeadroomProfile, PortDesign
    from fabric.design.qos_model import Lossy, QosProfile
    from fabric.intent.scalars import BufferModel
    from fabric.platforms.model import HeadroomRow, Sku

SCHEDULERS = {"default": "scheduler.0", "lossless": "scheduler.1", "cnp": "scheduler.cnp"}
QUEUES = range(8)
#: Tables of maps, and the row that a policy has in each.
MAPS: dict[str, Callable[[QosProfile], tuple[int, ...]]] = {
    "DSCP_TO_TC_MAP": lambda profile: profile.dscp_to_traffic_class,
    "TC_TO_QUEUE_MAP": lambda profile: profile.traffic_class_to_queue,
    "TC_TO_PRIORITY_GROUP_MAP": lambda profile: profile.traffic_class_to_priority_group,
    "MAP_PFC_PRIORITY_TO_QUEUE": lambda profile: profile.pfc_priority_to_queue,
}
PFC_GROUPS = "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"
LOSSY_GROUP = "ingress_lossy_profile"
LOSSLESS_QUEUE = "egress_lossless_profile"


class Shape(NamedTuple):
    """All that queues, buffers and servers of a switch follow from: no name and no address of it.

    Parameters
    ----------
    ports : tuple of (name, index of its policy, lossless buffer, setting of its cable in m)
        Ports that carry traffic; the name is escaped for use inside a JSON string. The setting is
        the step of the vendor's table for a lossless port, else the length of the cable.
    """

    model: Sku
    buffer_model: BufferModel
    over_subscription: int | None
    profiles: tuple[QosProfile, ...]
    headrooms: tuple[HeadroomProfile, ...]
    ports: tuple[tuple[str, int, HeadroomProfile | None, int], ...]
    ntp_servers: tuple[str, ...]
    syslog_servers: tuple[str, ...]

    @classmethod
    def of(cls, device: DeviceDesign, keys: Sequence[str]) -> Shape:
        """Return the shape of a switch; ``keys`` are the escaped names of its ports."""
        return cls(
            device.sku,
            device.buffer_model,
            device.headroom_over_subscription,
            device.qos_profiles,
            device.headroom_profiles,
            tuple(
                (key, port.qos.index, port.headroom, _setting_m(port))
                for key, port in zip(keys, device.ports, strict=True)
                if port.qos
            ),
            device.ntp_servers,
            device.syslog_servers,
        )


@dataclass(frozen=True, slots=True)
class QosView:
    """A lossless policy under the object names that SONiC gets for it.

    Parameters
    ----------
    maps : dict of str to str
        Name of the map of each table.
    queue_rows : tuple of (queue, scheduler, WRED profile or "")
        Queues in use.
    buffer_queues : tuple of (queue range, buffer profile)
        All eight queues, in ranges that do not overlap.
    """

    design: QosProfile
    maps: dict[str, str]
    queue_rows: tuple[tuple[int, str, str], ...]
    buffer_queues: tuple[tuple[str, str], ...]
    watchdog: bool


@dataclass(frozen=True, slots=True)
class PortView:
    """A port that carries traffic; ``key`` is its name, escaped for use inside a JSON string."""

    key: str
    setting_m: int
    qos: QosView
    groups: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class PriorityGroupProfile:
    """A lossless buffer profile under its name in BUFFER_PROFILE."""

    name: str
    dynamic_th: int
    row: HeadroomRow


@dataclass(frozen=True, slots=True)
class ComputedBuffers:
    """What the buffer manager computes the lossless groups from, beside the ports.

    Parameters
    ----------
    dynamic_th : int
        log2(alpha) of every lossless group.
    frame_bytes : int
        Largest lossless frame of any port.
    over_subscription : int or None
        Divisor of the headroom that the ports share; None where each has its own.
    small_percent : int
        Share of smallest frames in the lossless traffic.
    """

    dynamic_th: int
    frame_bytes: int
    over_subscription: int | None
    small_percent: int = ALL_SMALL_PERCENT


@dataclass(frozen=True, slots=True)
class PolicyView:
    """What the templates of queues, buffers and servers see.

    Parameters
    ----------
    maps : dict of str to tuple of (name, row)
        The maps of each table, by the value that each index has.
    pfc_groups : tuple of (name, tuple of (PFC priority, priority group))
        The maps of ``PFC_PRIORITY_TO_PRIORITY_GROUP_MAP``.
    wreds : tuple of (name, (ECN, Kmin, Kmax, probability))
        WRED profiles.
    schedulers : tuple of (name, (kind, share))
        Schedulers; a share of None is strict.
    computed : ComputedBuffers or None
        None where the lossless buffers are those of the vendor's table.
    """

    used: tuple[PortView, ...]
    qos: tuple[QosView, ...]
    maps: dict[str, tuple[tuple[str, tuple[int, ...]], ...]]
    pfc_groups: tuple[tuple[str, tuple[tuple[int, int], ...]], ...]
    wreds: tuple[tuple[str, tuple[str, int, int, int]], ...]
    schedulers: tuple[tuple[str, tuple[str, int | None]], ...]
    watched: tuple[PortView, ...]
    poll_ms: int
    group_profiles: tuple[PriorityGroupProfile, ...]
    layout: BufferLayout
    computed: ComputedBuffers | None
    ntp_servers: tuple[str, ...]
    syslog_servers: tuple[str, ...]


def policy_view(shape: Shape) -> PolicyView:
    """Return the view of a shape.

    Raises
    ------
    RenderError
        When the buffer pools of the model are not known: a port would have none to draw from.
    """
    computed = _computed(shape)
    layout = _with_lossy(shape.model.layout or _nvidia_layout(shape), shape.profiles[0].lossy)
    objects = ObjectNames()
    policies = tuple(_qos(profile, layout, objects) for profile in shape.profiles)
    names = _group_names(shape.headrooms)
    used = tuple(
        PortView(key, setting_m, policies[index], _groups(shape.profiles[index], headroom, names))
        for key, index, headroom, setting_m in shape.ports
    )
    watched = tuple(port for port in used if port.qos.watchdog)
    return PolicyView(
        used=used,
        qos=policies,
        maps={table: objects.objects(table) for table in MAPS},
        pfc_groups=objects.objects(PFC_GROUPS),
        wreds=objects.objects("WRED_PROFILE"),
        schedulers=objects.objects("SCHEDULER"),
        watched=watched,
        poll_ms=min((port.qos.design.watchdog.poll_ms for port in watched), default=0),
        group_profiles=tuple(
            PriorityGroupProfile(names[pair], profile.dynamic_th, profile.row)
            for pair, profile in {_pair(one): one for one in shape.headrooms}.items()
            if profile.row
        ),
        layout=layout,
        computed=computed,
        ntp_servers=shape.ntp_servers,
        syslog_servers=shape.syslog_servers,
    )


def _computed(shape: Shape) -> ComputedBuffers | None:
    if shape.buffer_model == "traditional":
        return None
    if shape.model.layout:
        raise RenderError(f"{shape.model.name} cannot compute its buffers; set buffer_model")
    used = {headroom for _, _, headroom, _ in shape.ports if headroom}
    if len({profile.dynamic_th for profile in used}) > 1:
        raise RenderError("computed buffers have one dynamic_th; remove the others")
    return ComputedBuffers(
        dynamic_th=next((profile.dynamic_th for profile in used), 0),
        frame_bytes=max((int(profile.link.lossless_mtu_bytes) for profile in used), default=1),
        over_subscription=shape.over_subscription,
    )


def _nvidia_layout(shape: Shape) -> BufferLayout:
    """Return the objects of the SKUs of NVIDIA: pools of their own for lossy traffic.

    Source: sonic-net/sonic-buildimage device/mellanox, buffers_defaults_t1.j2 of the SKU.
    """
    pools = shape.model.pools
    if pools is None:
        raise RenderError(f"the buffer pools of {shape.model.name} are not known")
    if pools.ingress_lossy_bytes is None or pools.egress_lossy_bytes is None:
        raise RenderError(
            f"lossy traffic of {shape.model.name} shares the lossless pools, "
            f"and the buffer profiles of its image are not known"
        )
    sizes = {
        "ingress_lossless_pool": pools.ingress_lossless_bytes,
        "ingress_lossy_pool": pools.ingress_lossy_bytes,
        "egress_lossless_pool": pools.egress_lossless_bytes,
        "egress_lossy_pool": pools.egress_lossy_bytes,
    }
    # the buffer manager computes the pools whose size is not given
    own = sizes if shape.buffer_model == "traditional" else {"egress_lossless_pool"}
    return BufferLayout(
        pools={
            name: {
                "type": name.partition("_")[0],
                "mode": "dynamic",
                **({"size": str(size)} if name in own else {}),
            }
            for name, size in sizes.items()
        },
        profiles={
            "ingress_lossless_profile": _dynamic("ingress_lossless_pool", "0", "7"),
            LOSSY_GROUP: _dynamic("ingress_lossy_pool", "0", "3"),
            LOSSLESS_QUEUE: _dynamic("egress_lossless_pool", "0", "7"),
            "egress_lossy_profile": _dynamic("egress_lossy_pool", str(EGRESS_LOSSY_BYTES), "7"),
            "q_lossy_profile": _dynamic("egress_lossy_pool", "0", "3"),
        },
        lossy_queue="q_lossy_profile",
        port_lists=True,
    )


def _with_lossy(layout: BufferLayout, lossy: Lossy) -> BufferLayout:
    """Return a layout with what the inventory says of the queues of other traffic."""
    row = dict(layout.profiles[layout.lossy_queue])
    if lossy.dynamic_th is not None:
        row = {name: value for name, value in row.items() if name != "static_th"}
        row["dynamic_th"] = str(lossy.dynamic_th)
    if lossy.reserved_bytes is not None:
        row["size"] = str(lossy.reserved_bytes)
    return replace(layout, profiles={**layout.profiles, layout.lossy_queue: row})


def _dynamic(pool: str, size: str, threshold: str) -> dict[str, str]:
    return {"pool": pool, "size": size, "dynamic_th": threshold}


def _qos(profile: QosProfile, layout: BufferLayout, objects: ObjectNames) -> QosView:
    wreds, schedulers = _wreds(profile, objects), _schedulers(profile, objects)
    return QosView(
        design=profile,
        maps=_maps(profile, objects),
        queue_rows=tuple(
            (queue.queue, schedulers[queue.queue], wreds.get(queue.queue, ""))
            for queue in profile.queues
        ),
        buffer_queues=_buffer_queues(profile, layout),
        watchdog=profile.pfc and profile.watchdog.enabled,
    )


def _maps(profile: QosProfile, objects: ObjectNames) -> dict[str, str]:
    """Return the name of the map of each table; without PFC no priority has a group."""
    own = f"AZURE{profile.suffix}"
    maps = {table: objects.name(table, row(profile), own) for table, row in MAPS.items()}
    if profile.pfc:
        groups = tuple((one.pfc_priority, one.priority_group) for one in profile.classes)
        maps[PFC_GROUPS] = objects.name(PFC_GROUPS, groups, own)
    return maps


def _wreds(profile: QosProfile, objects: ObjectNames) -> dict[int, str]:
    """Return the WRED profile of each queue that has one; equal thresholds share one."""
    names: dict[int, str] = {}
    for one in profile.classes:
        own = f"AZURE_LOSSLESS{f'_Q{one.queue}' if names else ''}{profile.suffix}"
        marking = "ecn_all", one.kmin_bytes, one.kmax_bytes, one.pmax_percent
        names[one.queue] = objects.name("WRED_PROFILE", marking, own)
    if drops := profile.lossy.wred:
        early = "ecn_none", drops.kmin_bytes, drops.kmax_bytes, drops.pmax_percent
        lossy = objects.name("WRED_PROFILE", early, f"AZURE_LOSSY{profile.suffix}")
        names |= {one.queue: lossy for one in profile.queues if one.kind == "default"}
    return names


def _schedulers(profile: QosProfile, objects: ObjectNames) -> dict[int, str]:
    """Return the scheduler of each queue in use; queues of one kind with equal shares share one."""
    names: dict[int, str] = {}
    kinds: set[str] = set()
    for queue in profile.queues:
        own = f".q{queue.queue}" if queue.kind in kinds else ""
        names[queue.queue] = objects.name(
            "SCHEDULER",
            (queue.kind, queue.percent),
            f"{SCHEDULERS[queue.kind]}{own}{profile.suffix}",
        )
        kinds.add(queue.kind)
    return names


def _buffer_queues(profile: QosProfile, layout: BufferLayout) -> tuple[tuple[str, str], ...]:
    lossless = {one.queue for one in profile.classes} if profile.pfc else set()
    lossy = spans(number for number in QUEUES if number not in lossless)
    rows = [(name, layout.lossy_queue) for name in lossy]
    rows += [(name, LOSSLESS_QUEUE) for name in spans(sorted(lossless))]
    return tuple(sorted(rows))


def _groups(
    profile: QosProfile, headroom: HeadroomProfile | None, names: dict[tuple[int, ...], str]
) -> tuple[tuple[str, str], ...]:
    """Return the buffer profile of every priority group that some traffic class uses.

    A group without a row has no buffer at all: with PFC off, RoCE traffic gets a lossy one. A
    lossless port whose cable no row of the vendor's table covers gets none for its lossless group,
    as ``buffermgrd`` does.
    """
    used = set(profile.traffic_class_to_priority_group)
    lossless = {one.priority_group for one in profile.classes} if profile.pfc else set()
    rows = [(name, LOSSY_GROUP) for name in spans(sorted(used - lossless))]
    if headroom and (headroom.computed or headroom.row):
        own = COMPUTED_PROFILE if headroom.computed else names[_pair(headroom)]
        rows += [(name, own) for name in spans(sorted(lossless))]
    return tuple(sorted(rows))


def _group_names(profiles: tuple[HeadroomProfile, ...]) -> dict[tuple[int, ...], str]:
    """Return the names of the lossless profiles.

    ``buffermgrd`` looks for one name per speed and length. Where ports ask for several thresholds
    at one pair, that name stays with the vendor's threshold and the others say theirs.
    """
    pairs = Counter(pair[:2] for pair in {_pair(profile) for profile in profiles})
    names = {}
    for profile in profiles:
        several = pairs[profile.speed_mbps, profile.setting_m] > 1
        own = profile.row is not None and profile.dynamic_th != profile.row.dynamic_th
        threshold = f"th{profile.dynamic_th}_" if several and own else ""
        names[_pair(profile)] = (
            f"pg_lossless_{profile.speed_mbps}_{profile.setting_m}m_{threshold}profile"
        )
    return names


def _pair(profile: HeadroomProfile) -> tuple[int, ...]:
    return profile.speed_mbps, profile.setting_m, profile.dynamic_th


def _setting_m(port: PortDesign) -> int:
    return port.headroom.setting_m if port.headroom else port.cable_m
