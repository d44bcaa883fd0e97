"""What the VRP8 templates cannot decide: families, queues, units, and what cannot be expressed."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_interface
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.errors import RenderError
from fabric.core.netmask import with_mask
from fabric.core.units import BYTES_PER_KIB, mib_to_bytes
from fabric.design.pool import headroom_pool_bytes
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import to_units
from fabric.render.object_names import ObjectNames
from fabric.systems.vrp8.headroom import headroom_kib
from fabric.systems.vrp8.platforms import (
    ECMP_WORDS,
    FAMILIES,
    FRAME_EXTRA_BYTES,
    PHBS,
    SLOT,
    Family,
    balances,
    deadlock_counts,
    takes_base_r,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.design.model import BgpNeighbour, DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile, Watchdog
    from fabric.intent.classes import LosslessClass

#: ``fec mode``, command reference.
FEC_WORDS = {"rs": "rs", "fc": "base-r", "none": "none"}
#: What the watchdog does while a queue recovers (``dcb pfc deadlock recovery-behavior``).
BEHAVIOURS = {"drop": "discard", "forward": "forwarding"}
#: Queues that the vendor advises to share the line; those above are for protocols and stay strict.
SHARED_QUEUES = range(6)


#: Group of the sessions without addresses.
GROUP = "FABRIC"


@dataclass(frozen=True, slots=True)
class Timers:
    """Deadlock timers in units of ``unit_ms``; family a counts milliseconds."""

    unit_ms: int
    detection: int
    recovery: int


@dataclass(frozen=True, slots=True)
class DropProfile:
    """A profile of marking thresholds, in bytes."""

    name: str
    kmin: int
    kmax: int
    pmax_percent: int


@dataclass(frozen=True, slots=True)
class QueueView:
    """One queue of a port; ``weight`` is None where it is strict."""

    queue: int
    weight: int | None
    profile: str


@dataclass(frozen=True, slots=True)
class FamilyView:
    """A family of routes of BGP.

    Parameters
    ----------
    networks, summaries : tuple of (network, mask)
        What is originated, and what is announced in place of it; nothing else is. The mask of IPv6
        is a length.
    sessions : tuple of str
        Peers and groups that exchange its routes.
    """

    name: str
    networks: tuple[tuple[str, str], ...]
    summaries: tuple[tuple[str, str], ...]
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PortView:
    """A port with the words that its policy comes to.

    ``prefix`` is what a NIC makes its address of; empty where it does not. ``headrooms`` are queues
    with kbytes, where their cable needs more than the default.
    """

    design: PortDesign
    address: str = ""
    prefix: str = ""
    frame_bytes: int = 0
    fec: str = ""
    domain: str = ""
    shared: str = ""
    queues: tuple[QueueView, ...] = ()
    pauses: bool = False
    headrooms: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Vrp8View:
    """What the VRP8 templates see.

    Parameters
    ----------
    headroom_pool : str
        Size of the headroom pool; empty in the family that has none.
    domains : tuple of (name, mappings)
        DiffServ domains; each maps every DSCP to the per-hop behaviour of its queue.
    pfc_priorities : tuple of int
        Priorities of the PFC profile; none where no port pauses.
    timers : Timers or None
        Of the watchdog; None where it is not asked for.
    behaviour : str
        What happens to the traffic of a queue that stands still.
    balancing : str
        How packets are shared out among equal paths; empty where the switch can only hash.
    gateways : tuple of (VLAN, address, mask, MTU)
        VLAN interfaces.
    sessions : tuple of (name, peer)
        Addresses of peers, then the group of sessions without addresses, where there are any: it
        has no peer.
    families : tuple of FamilyView
        Families of routes.
    """

    family: Family
    slot: int
    headroom_pool: str
    domains: tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
    drop_profiles: tuple[DropProfile, ...]
    pfc_priorities: tuple[int, ...]
    timers: Timers | None
    behaviour: str
    balancing: str
    ports: tuple[PortView, ...]
    gateways: tuple[tuple[int, str, str, int], ...]
    sessions: tuple[tuple[str, BgpNeighbour | None], ...]
    families: tuple[FamilyView, ...]


def view(device: DeviceDesign) -> Vrp8View:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When the switch cannot count the times of its watchdog, or a port does not support its FEC.
    """
    family = FAMILIES[device.sku.asic.lower()]
    pausing = [profile for profile in device.qos_profiles if profile.pfc]
    watchdog = next((one.watchdog for one in pausing if one.watchdog.enabled), None)
    names = ObjectNames()
    policies = tuple(_policy(profile, names) for profile in device.qos_profiles)
    return Vrp8View(
        family=family,
        slot=SLOT,
        headroom_pool=_size(headroom_pool_bytes(device.sku) or 0),
        domains=names.objects("domain"),
        drop_profiles=tuple(
            DropProfile(name, *content[1:]) for name, content in names.objects("drop-profile")
        ),
        pfc_priorities=pausing[0].paused if pausing else (),
        timers=timers(device.name, family, watchdog) if watchdog else None,
        behaviour=BEHAVIOURS[watchdog.action] if watchdog else "",
        balancing=_balancing(device),
        ports=tuple(_ports(device, policies)),
        gateways=tuple(
            (vlan.vlan, *with_mask(vlan.gateway_interface), vlan.mtu_bytes) for vlan in device.vlans
        ),
        sessions=_sessions(device),
        families=tuple(_families(device)),
    )


def _size(size_bytes: int) -> str:
    """Return a size as the switch takes it, in the larger of its units where that is exact."""
    kbytes, mbytes = size_bytes // BYTES_PER_KIB, size_bytes // mib_to_bytes(1)
    return f"{mbytes:.0f} mbytes" if mbytes * BYTES_PER_KIB == kbytes else f"{kbytes} kbytes"


def _families(device: DeviceDesign) -> Iterator[FamilyView]:
    networks = (device.loopback, *device.host_networks)
    yield _family(device, "ipv4", networks, device.summaries)
    if device.uses_ipv6:
        yield _family(device, "ipv6", device.host_networks6, device.summaries6)


def _family(
    device: DeviceDesign, name: str, networks: tuple[str, ...], summaries: tuple[str, ...]
) -> FamilyView:
    return FamilyView(
        name,
        tuple(map(with_mask, networks)),
        tuple(map(with_mask, summaries)),
        tuple(
            session for session, peer in _sessions(device) if peer is None or name in peer.families
        ),
    )


def _sessions(device: DeviceDesign) -> tuple[tuple[str, BgpNeighbour | None], ...]:
    peers = device.bgp.neighbours
    numbered = tuple((peer.address, peer) for peer in peers if not peer.unnumbered)
    return (*numbered, *([(GROUP, None)] if len(numbered) < len(peers) else ()))


def _balancing(device: DeviceDesign) -> str:
    return ECMP_WORDS[device.ecmp_mode] if balances(device.sku) else ""


def timers(name: str, family: Family, watchdog: Watchdog) -> Timers:
    """Return the deadlock timers of a watchdog, in the largest unit that fits both.

    Raises
    ------
    RenderError
        When the switch cannot count these times.
    """
    detection, recovery = watchdog.detection_ms, watchdog.restoration_ms
    counts = deadlock_counts(family, detection, recovery)
    if counts:
        return Timers(*counts)
    raise RenderError(
        f"{name}: this switch cannot count {detection} ms and {recovery} ms; see rule VRP004 for "
        "valid values of lossless.watchdog.detection_ms and restoration_ms"
    )


def _mappings(profile: QosProfile) -> tuple[tuple[int, str], ...]:
    """Map every DSCP, so that nothing of the vendor's defaults gets into a lossless queue."""
    return tuple(
        (dscp, PHBS[profile.traffic_class_to_queue[traffic_class]])
        for dscp, traffic_class in enumerate(profile.dscp_to_traffic_class)
    )


def _drop_profile(profile: QosProfile, one: LosslessClass, names: ObjectNames) -> str:
    """Return the name of the drop profile of a class; its content is that of `DropProfile`."""
    own = f"roce-ecn{f'-{one.name}' if one.number else ''}{profile.suffix}"
    kmin, kmax = (to_units(size, marking_unit("vrp8")) for size in (one.kmin_bytes, one.kmax_bytes))
    return names.name("drop-profile", (one.number, kmin, kmax, one.pmax_percent), own)


class _Policy(NamedTuple):
    """Words of a policy that all its ports have."""

    domain: str
    shared: str
    queues: tuple[QueueView, ...]


def _policy(profile: QosProfile, names: ObjectNames) -> _Policy:
    strict = {item.queue for item in profile.queues if item.percent is None}
    shared = {item.queue for item in profile.queues} | set(SHARED_QUEUES)
    return _Policy(
        names.name("domain", _mappings(profile), f"roce{profile.suffix}"),
        _ranges(sorted(shared - strict)),
        tuple(
            QueueView(
                item.queue,
                item.percent,
                _drop_profile(profile, item.lossless, names) if item.lossless else "",
            )
            for item in profile.queues
        ),
    )


def _ports(device: DeviceDesign, policies: Sequence[_Policy]) -> Iterator[PortView]:
    for port in device.ports:
        if port.qos is None:
            yield PortView(port)
            continue
        policy = policies[port.qos.index]
        yield PortView(
            port,
            address=" ".join(with_mask(port.address)) if port.address else "",
            prefix=str(ip_interface(port.ipv6).network) if port.announces_router else "",
            frame_bytes=port.mtu_bytes + FRAME_EXTRA_BYTES,
            fec=_fec(device, port),
            domain=policy.domain,
            shared=policy.shared,
            queues=policy.queues,
            pauses=port.qos.pfc,
            headrooms=_headrooms(device, port),
        )


def _headrooms(device: DeviceDesign, port: PortDesign) -> tuple[tuple[int, int], ...]:
    kbytes = headroom_kib(device, port)
    paused = port.qos.paused if port.qos and kbytes else ()
    return tuple((queue, kbytes) for queue in paused if kbytes)


def _fec(device: DeviceDesign, port: PortDesign) -> str:
    word = FEC_WORDS.get(port.fec, "")
    part = port.place.mode is not None
    unknown = word == "base-r" and not takes_base_r(device.sku, port.speed_gbps, part=part)
    if port.fec and (not word or unknown):
        raise RenderError(
            f"{device.name}: {port.name}: FEC {port.fec!r} is not available at {port.speed_gbps}G "
            f"on this switch; remove devices.ports.fec, the switch then selects FEC by medium"
        )
    return word


def _ranges(numbers: list[int]) -> str:
    """Return numbers as ``0 to 4 7``."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return " ".join(f"{p[0]} to {p[-1]}" if len(p) > 1 else str(p[0]) for p in parts)
