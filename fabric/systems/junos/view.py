"""What the Junos templates cannot decide: words, percents, and what Junos cannot express."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_interface, ip_network
from typing import TYPE_CHECKING, Any, TypeAlias

from fabric.core.errors import RenderError
from fabric.design.shares import reserves_of, switch_shares
from fabric.observe.configuration.defaults import number_of
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import largest_queue_bytes, to_units
from fabric.render.object_names import ObjectNames
from fabric.systems.junos.platforms import (
    CNP_CAP_PERCENT,
    CONTROL_QUEUE,
    DEFAULT_QUEUE,
    DEFAULT_WATCHDOG_MS,
    ECMP_LIMITS,
    FRAME_EXTRA_BYTES,
)
from fabric.systems.junos.platforms.text import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.design.model import BgpDesign, DeviceDesign, HostPool, VrfDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile, Watchdog, Wred
    from fabric.intent.classes import LosslessClass

#: Clause 91 is Reed-Solomon, clause 74 Firecode (Juniper/yang 24.4R1-EVO junos-conf-interfaces).
FEC_WORDS = {"rs": "fec91", "fc": "fec74", "none": "none"}
#: Equal paths that are used without a limit of ours.
DEFAULT_ECMP = number_of("junos", "maximum_ecmp")
WATCHDOG_ACTIONS = ("drop", "forward")
_MINUTE_S = 60
Pairs: TypeAlias = "tuple[tuple[str, str], ...]"
PfcContent: TypeAlias = "tuple[WatchdogView | None, tuple[tuple[tuple[str, ...], str, int], ...]]"


@dataclass(frozen=True, slots=True)
class WatchdogView:
    """Watchdog of a profile; ``bare`` where it is that of the system."""

    bare: bool
    poll_ms: int
    detection_polls: int
    recovery_ms: int
    action: str


@dataclass(frozen=True, slots=True)
class ClassView:
    """A lossless class with its share, and the thresholds in percent of the largest queue."""

    design: LosslessClass
    name: str
    kmin_percent: int
    kmax_percent: int
    percent: int


@dataclass(frozen=True, slots=True)
class ProfileView:
    """A lossless policy: names of the objects that its ports are bound to.

    The shares of all queues, with the cap of the CNP queue, come to 100. ``pfc`` is empty where
    the policy pauses nothing.
    """

    design: QosProfile
    classes: tuple[ClassView, ...]
    default_percent: int
    classifier: str
    scheduler_map: str
    pfc: str


@dataclass(frozen=True, slots=True)
class PortView:
    """A port with its words; ``description`` is in quotes where it needs them."""

    design: PortDesign
    description: str
    fec: str
    vlan: str
    qos: ProfileView | None
    frame_bytes: int


@dataclass(frozen=True, slots=True)
class JunosView:
    """What the Junos templates see.

    Parameters
    ----------
    classifiers : tuple of (name, tuple of (forwarding class, DSCP in bits))
        What the classes of packets are.
    drop_profiles : tuple of (name, (Kmin, Kmax, probability))
        Marking and early drops, in percent; Kmin and Kmax of the largest queue.
    schedulers : tuple of (name, (drop profile, whether it marks, percent))
        The drop profile is empty where a queue has none.
    scheduler_maps : tuple of (name, tuple of (forwarding class, scheduler))
        Schedulers of all classes.
    pfc_profiles : tuple of (name, (watchdog, DSCPs in bits, tuple of (priority in bits, queue)))
        What is paused.
    groups : tuple of (beginning, bool)
        Groups of sessions, as their lines begin, and whether these have no addresses.
    neighbours : tuple of (address, own address, name, AS number, family)
        Sessions with addresses.
    advertised : tuple of (port, prefix)
        What NICs make their addresses of.
    maximum_ecmp : int
        Limit of equal paths; 0 where the default of the system holds them.
    peer_asns : tuple of int
        AS numbers of the switches at the other ends of sessions without addresses.
    lossless : bool
        Whether some port has PFC.
    control_percent : int
        Share of network-control; 0 where its queue is ours.
    irb_frame_bytes : int
        Longest frame of the gateways; 0 where there are none.
    prefixes : tuple of (term, protocol, pool, match)
        What may be advertised of what is connected or aggregated.
    vrfs : tuple of (VrfDesign, tuple of str)
        VRFs of tenants with the logical interfaces in them.
    tenant_prefixes : tuple of (VRF, tuple of (term, protocol, pool, match))
        What may be announced of each VRF whose packets go to other leaves.
    overlay : tuple of (address, own address, name, AS number)
        Sessions between loopbacks.
    """

    profiles: tuple[ProfileView, ...]
    classifiers: tuple[tuple[str, Pairs], ...]
    drop_profiles: tuple[tuple[str, tuple[int, int, int]], ...]
    schedulers: tuple[tuple[str, tuple[str, bool, int]], ...]
    scheduler_maps: tuple[tuple[str, Pairs], ...]
    pfc_profiles: tuple[tuple[str, PfcContent], ...]
    ports: tuple[PortView, ...]
    groups: tuple[tuple[str, bool], ...]
    neighbours: tuple[tuple[str, str, str, int, str], ...]
    advertised: tuple[tuple[str, str], ...]
    maximum_ecmp: int
    peer_asns: tuple[int, ...]
    loops: int
    lossless: bool
    cnp_cap_percent: int
    control_percent: int
    arp_minutes: int
    irb_frame_bytes: int
    prefixes: tuple[tuple[str, str, str, str], ...]
    vrfs: tuple[tuple[VrfDesign, tuple[str, ...]], ...]
    tenant_prefixes: tuple[tuple[str, tuple[tuple[str, str, str, str], ...]], ...]
    overlay: tuple[tuple[str, str, str, int], ...]


def view(device: DeviceDesign) -> JunosView:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When the design needs what Junos cannot do; it names device, field and what to do.
    """
    _default_queue_free(device)
    reserves = {one.queue: one.percent for one in reserves_of(device)}
    vlans = {vlan.vlan: vlan.name for vlan in device.vlans}
    names = ObjectNames()
    profiles = tuple(_profile(device, profile, names) for profile in device.qos_profiles)
    return JunosView(
        profiles=profiles,
        classifiers=names.objects("classifier"),
        drop_profiles=_contents(names, "drop-profile"),
        schedulers=_contents(names, "scheduler"),
        scheduler_maps=names.objects("scheduler-map"),
        pfc_profiles=names.objects("pfc"),
        ports=tuple(_port(device, port, vlans, profiles) for port in device.ports),
        groups=_groups(device),
        neighbours=tuple(
            (peer.address, peer.local_address, quoted(peer.name), peer.asn, _family(peer.address))
            for peer in device.bgp.neighbours
            if not peer.unnumbered
        ),
        advertised=tuple(
            (port.name, str(ip_interface(port.ipv6).network))
            for port in device.ports
            if port.announces_router
        ),
        maximum_ecmp=maximum_ecmp(device.bgp),
        peer_asns=tuple(sorted({peer.asn for peer in device.bgp.neighbours if peer.unnumbered})),
        loops=device.bgp.allowas_in + 1 if device.bgp.allowas_in else 0,
        lossless=any(profile.pfc for profile in device.qos_profiles),
        cnp_cap_percent=CNP_CAP_PERCENT,
        control_percent=reserves.get(CONTROL_QUEUE, 0),
        arp_minutes=device.neighbours.arp_timeout_s // _MINUTE_S,
        irb_frame_bytes=device.vlans[0].mtu_bytes + FRAME_EXTRA_BYTES if device.vlans else 0,
        prefixes=_prefixes(device.bgp),
        vrfs=tuple((vrf, _interfaces(device, vrf.name)) for vrf in device.vrfs),
        tenant_prefixes=tuple(
            (vrf.name, (*_hosts("hosts", vrf.pools),)) for vrf in device.vrfs if vrf.vni
        ),
        overlay=tuple(
            (peer.address, peer.local_address, quoted(peer.name), peer.asn)
            for peer in device.loopback_sessions
        ),
    )


def _interfaces(device: DeviceDesign, vrf: str) -> tuple[str, ...]:
    """Return the logical interfaces of a VRF: routed ports, then gateways."""
    ports = (f"{port.name}.0" for port in device.ports if port.vrf == vrf)
    return (*ports, *(f"irb.{vlan.vlan}" for vlan in device.vlans if vlan.vrf == vrf))


def _groups(device: DeviceDesign) -> tuple[tuple[str, bool], ...]:
    """Return a group of each kind of session; that of addresses also where there is no session."""
    head = "set protocols bgp group fabric"
    kinds = {peer.unnumbered for peer in device.bgp.neighbours}
    numbered = ((head, False),) if kinds != {True} else ()
    return (*numbered, (f"{head}-unnumbered", True)) if True in kinds else numbered


def maximum_ecmp(bgp: BgpDesign) -> int:
    """Return the first limit that holds ``max_paths``; 0 where the default holds all paths."""
    if bgp.equal_paths <= DEFAULT_ECMP:
        return 0
    return next(limit for limit in ECMP_LIMITS if limit >= bgp.max_paths)


def _refuse(device: DeviceDesign, reason: str) -> RenderError:
    return RenderError(f"{device.name}: {reason}")


def _default_queue_free(device: DeviceDesign) -> None:
    """Refuse classes in the queue of all other traffic."""
    for profile in device.qos_profiles:
        for queue in profile.queues:
            if (queue.queue == DEFAULT_QUEUE) != (queue.kind == "default"):
                reason = f"queue {DEFAULT_QUEUE} on Junos carries all other traffic"
                raise _refuse(device, f"{reason}; use other lossless.queue and cnp_queue")


def _profile(device: DeviceDesign, profile: QosProfile, names: ObjectNames) -> ProfileView:
    shares = switch_shares(device, profile)
    classes = tuple(
        _class(device, one, share)
        for one, share in zip(profile.classes, shares.lossless, strict=True)
    )
    own = f"ROCE{profile.suffix}"
    schedulers = _scheduler_map(device, profile, classes, shares.default, names)
    return ProfileView(
        design=profile,
        classes=classes,
        default_percent=shares.default,
        classifier=names.name("classifier", _classified(profile, classes), own),
        scheduler_map=names.name("scheduler-map", schedulers, own),
        pfc=names.name("pfc", _paused(profile, classes), own) if profile.pfc else "",
    )


def _class(device: DeviceDesign, one: LosslessClass, percent: int) -> ClassView:
    own = f"-{one.name.upper()}" if one.number else ""
    return ClassView(one, f"NO-LOSS{own}", *marking_percents(device, one), percent)


def _classified(profile: QosProfile, classes: Sequence[ClassView]) -> Pairs:
    """Return the class of each DSCP that has one."""
    lossless = ((one.name, bits) for one in classes for bits in _bits(one))
    return ("CNP", f"{profile.cnp_dscp:06b}"), *lossless


def _bits(one: ClassView) -> tuple[str, ...]:
    return tuple(f"{dscp:06b}" for dscp in sorted(one.design.dscps))


def _paused(profile: QosProfile, classes: Sequence[ClassView]) -> PfcContent:
    return _watchdog(profile.watchdog) if profile.watchdog.enabled else None, tuple(
        (_bits(one), f"{one.design.pfc_priority:03b}", one.design.queue) for one in classes
    )


def _scheduler_map(
    device: DeviceDesign,
    profile: QosProfile,
    classes: Sequence[ClassView],
    default_percent: int,
    names: ObjectNames,
) -> Pairs:
    """Return the scheduler of each forwarding class; that of CNPs and of control is the switch's.

    Drop profiles and schedulers have the number of their class with them: classes share none.
    """
    lossless = []
    for one in classes:
        own = f"{one.name.removeprefix('NO-LOSS')}{profile.suffix}"
        marking = one.kmin_percent, one.kmax_percent, one.design.pmax_percent
        drops = names.name("drop-profile", (one.name, *marking), f"ECN{own}")
        content = one.name, drops, True, one.percent
        lossless.append((one.name, names.name("scheduler", content, f"LOSSLESS{own}")))
    content = "best-effort", _drops(device, profile, names), False, default_percent
    default = names.name("scheduler", content, f"DEFAULT{profile.suffix}")
    control = any(one.queue == CONTROL_QUEUE and one.percent for one in reserves_of(device))
    return (
        ("CNP", "CNP"),
        *lossless,
        ("best-effort", default),
        *((("network-control", "CONTROL"),) if control else ()),
    )


def _drops(device: DeviceDesign, profile: QosProfile, names: ObjectNames) -> str:
    """Return the drop profile of best effort; empty where nothing is dropped early."""
    wred = profile.lossy.wred
    if wred is None:
        return ""
    content = "best-effort", *marking_percents(device, wred), wred.pmax_percent
    return names.name("drop-profile", content, f"WRED{profile.suffix}")


def _contents(names: ObjectNames, kind: str) -> tuple[tuple[str, Any], ...]:
    """Return the objects of a kind without the class that they are of."""
    return tuple((name, content[1:]) for name, content in names.objects(kind))


def marking_percents(device: DeviceDesign, one: LosslessClass | Wred) -> tuple[int, int]:
    """Return Kmin and Kmax in percent of the largest queue, rounded up.

    Raises
    ------
    RenderError
        When the size of the queue is not known or is passed, or both are the same percent.
    """
    queue_bytes = largest_queue_bytes(device.sku)
    try:
        kmin, kmax = (
            to_units(size, marking_unit("junos"), queue_bytes=queue_bytes)
            for size in (one.kmin_bytes, one.kmax_bytes)
        )
    except ValueError as error:
        raise _refuse(device, f"{error}; lower lossless.ecn.kmax_bytes") from error
    if kmin == kmax:
        raise _refuse(
            device,
            f"lossless.ecn.kmin_bytes and kmax_bytes are both {kmin} % of a queue of "
            f"{queue_bytes:,} bytes; increase the distance between them",
        )
    return kmin, kmax


def _watchdog(watchdog: Watchdog) -> WatchdogView:
    return WatchdogView(
        bare=is_default(watchdog),
        poll_ms=watchdog.poll_ms,
        detection_polls=watchdog.detection_ms // watchdog.poll_ms,
        recovery_ms=watchdog.restoration_ms,
        action=watchdog.action,
    )


def is_default(watchdog: Watchdog) -> bool:
    """Tell whether a watchdog is the one that Junos has without further words."""
    times = (watchdog.poll_ms, watchdog.detection_ms, watchdog.restoration_ms)
    return watchdog.action == "drop" and times == DEFAULT_WATCHDOG_MS


def _port(
    device: DeviceDesign, port: PortDesign, vlans: dict[int, str], profiles: Sequence[ProfileView]
) -> PortView:
    if port.kind != "unused" and not port.speed_token:
        reason = f"{port.name}: {port.speed_gbps} Gb/s has no known Junos keyword; use a speed of"
        raise _refuse(device, f"{reason} {device.sku.name}")
    return PortView(
        design=port,
        description=quoted(port.description) if port.description else "",
        fec=FEC_WORDS[port.fec] if port.fec else "",
        vlan=vlans[port.vlan] if port.vlan is not None else "",
        qos=profiles[port.qos.index] if port.qos else None,
        frame_bytes=port.mtu_bytes + FRAME_EXTRA_BYTES,
    )


def _prefixes(bgp: BgpDesign) -> tuple[tuple[str, str, str, str], ...]:
    return (
        ("loopbacks", "direct", bgp.loopback_pool, _match(bgp.loopback_pool)),
        *_hosts("hosts", bgp.host_pools),
        *_hosts("hosts-ipv6", bgp.host_pools6),
    )


def _hosts(term: str, pools: tuple[HostPool, ...]) -> Iterator[tuple[str, str, str, str]]:
    for number, pool in enumerate(pools):
        protocol = "aggregate" if pool.summary_length else "direct"
        yield (
            f"{term}{number or ''}",
            protocol,
            pool.network,
            _match(pool.network, pool.prefix_length),
        )


def _match(pool: str, length: int | None = None) -> str:
    """Return how a prefix of a pool must look; a range must go beyond the pool's own length.

    Without a length it is that of a single address.
    """
    network = ip_network(pool)
    longest = network.max_prefixlen
    if network.prefixlen >= (length or longest):
        return "exact"
    return f"prefix-length-range /{length or longest}-/{longest}"


def _family(address: str) -> str:
    return "inet6" if ":" in address else "inet"
