"""What the VRP8 templates cannot decide: families, queues, units, and what cannot be expressed."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING

from fabric.core.errors import RenderError
from fabric.platforms.model import role_field
from fabric.qos.ecn.edge import UNITS, to_units
from fabric.systems.vrp8.platforms import (
    ECMP_WORDS,
    FAMILIES,
    FRAME_EXTRA_BYTES,
    HEADROOM_POOL_MIB,
    MOST_DOMAINS,
    PHBS,
    SLOT,
    Family,
    balances,
    deadlock_counts,
    family_of,
    takes_base_r,
)

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign, PortDesign, QosProfile, Watchdog

#: ``fec mode``, command reference.
FEC_WORDS = {"rs": "rs", "fc": "base-r", "none": "none"}
#: What the watchdog does while a queue recovers (``dcb pfc deadlock recovery-behavior``).
BEHAVIOURS = {"drop": "discard", "forward": "forwarding"}
#: Queues that the vendor advises to share the line; those above are for protocols and stay strict.
SHARED_QUEUES = range(6)


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
class PortView:
    """A port with the words that its policy comes to."""

    design: PortDesign
    address: str = ""
    frame_bytes: int = 0
    fec: str = ""
    domain: str = ""
    shared: str = ""
    queues: tuple[QueueView, ...] = ()
    pauses: bool = False


@dataclass(frozen=True, slots=True)
class Vrp8View:
    """What the VRP8 templates see.

    Parameters
    ----------
    domains : tuple of (name, mappings)
        DiffServ domains; each maps every DSCP to the per-hop behaviour of its queue.
    pfc_priority : int or None
        Priority of the PFC profile; None when no port pauses.
    timers : Timers or None
        Of the watchdog; None where it is not asked for.
    behaviour : str
        What happens to the traffic of a queue that stands still.
    balancing : str
        How packets are shared out among equal paths; empty where the switch can only hash.
    gateways : tuple of (VLAN, address, mask, MTU)
        VLAN interfaces.
    networks : tuple of (network, mask)
        What is originated into BGP; nothing else is.
    vlans : tuple of int
        VLANs of the switch.
    """

    family: Family
    slot: int
    headroom_pool_mbytes: int
    domains: tuple[tuple[str, tuple[tuple[int, str], ...]], ...]
    drop_profiles: tuple[DropProfile, ...]
    pfc_priority: int | None
    timers: Timers | None
    behaviour: str
    balancing: str
    ports: tuple[PortView, ...]
    gateways: tuple[tuple[int, str, str, int], ...]
    networks: tuple[tuple[str, str], ...]


def view(device: DeviceDesign) -> Vrp8View:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When the design needs what VRP8 cannot do: a model of no known family, PFC priorities that
        are not the queue or differ, a watchdog that the switch has no words for, a FEC word that
        the port does not take, more policies than DiffServ domains, balancing that the model has
        not.
    """
    family = _family(device)
    _room(device)
    pausing = [profile for profile in device.qos_profiles if profile.pfc]
    priority = _priority(device.name, family, pausing)
    watchdog = _watchdog(device.name, pausing)
    return Vrp8View(
        family=family,
        slot=SLOT,
        headroom_pool_mbytes=HEADROOM_POOL_MIB,
        domains=tuple((_domain(p), _mappings(p)) for p in device.qos_profiles),
        drop_profiles=tuple(_drop_profile(profile) for profile in device.qos_profiles),
        pfc_priority=priority,
        timers=timers(device.name, family, watchdog) if watchdog else None,
        behaviour=BEHAVIOURS[watchdog.action] if watchdog else "",
        balancing=_balancing(device),
        ports=tuple(_port(device, port) for port in device.ports),
        gateways=tuple(
            (vlan.vlan, *_with_mask(vlan.gateway_interface), vlan.mtu_bytes)
            for vlan in device.vlans
        ),
        networks=_networks(device),
    )


def _family(device: DeviceDesign) -> Family:
    family = family_of(device.sku)
    if family is None:
        message = (
            f"{device.name}: the hardware family of {device.sku.name} is not known, and the "
            f"families use different commands; set the asic of its model to "
            f"{' or '.join(FAMILIES)}, or use another one in "
            f"platforms.{role_field(device.role)}.sku"
        )
        raise RenderError(message)
    return family


def _room(device: DeviceDesign) -> None:
    """Refuse more policies than the switch has DiffServ domains."""
    if len(device.qos_profiles) > MOST_DOMAINS:
        message = (
            f"{device.name}: its ports use {len(device.qos_profiles)} policies, VRP8 supports "
            f"{MOST_DOMAINS}; use the same lossless settings on more ports"
        )
        raise RenderError(message)


def _balancing(device: DeviceDesign) -> str:
    if balances(device.sku):
        return ECMP_WORDS[device.ecmp_mode]
    if device.ecmp_mode != "hash":
        message = (
            f"{device.name}: {device.sku.name} has no {device.ecmp_mode} balancing; set ecmp.mode "
            "to hash"
        )
        raise RenderError(message)
    return ""


def _priority(name: str, family: Family, pausing: list[QosProfile]) -> int | None:
    """Return the one priority that pauses: PFC of queue n is PFC of priority n."""
    numbers = {(profile.pfc_priority, profile.queue) for profile in pausing}
    if not numbers:
        return None
    priority, queue = next(iter(numbers))
    if len(numbers) > 1 or priority != queue:
        message = (
            f"{name}: VRP8 pauses queue n as priority n, with one profile for the whole switch; "
            "set lossless.pfc_priority and lossless.queue to the same number on all ports"
        )
        raise RenderError(message)
    if priority not in family.pfc_queues:
        message = (
            f"{name}: this switch pauses queues {family.pfc_queues[0]} to {family.pfc_queues[-1]} "
            f"only; lower lossless.pfc_priority and lossless.queue from {priority}"
        )
        raise RenderError(message)
    return priority


def _watchdog(name: str, pausing: list[QosProfile]) -> Watchdog | None:
    """Return the one watchdog of the switch, or None where no port asks for one."""
    found = {profile.watchdog for profile in pausing if profile.watchdog.enabled}
    wanted = {(item.action, item.detection_ms, item.restoration_ms) for item in found}
    if len(wanted) > 1:
        message = (
            f"{name}: the PFC deadlock timers of VRP8 are those of the whole switch; use "
            "one detection_ms, restoration_ms and action of lossless.watchdog on all ports"
        )
        raise RenderError(message)
    watchdog = next(iter(found), None)
    if watchdog and watchdog.action not in BEHAVIOURS:
        message = (
            f"{name}: VRP8 discards or forwards while a queue recovers; {watchdog.action!r} in "
            "lossless.watchdog.action cannot be rendered"
        )
        raise RenderError(message)
    return watchdog


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
    message = (
        f"{name}: this switch cannot count {detection} ms and {recovery} ms; see rule VRP004 for "
        "valid values of lossless.watchdog.detection_ms and restoration_ms"
    )
    raise RenderError(message)


def _domain(profile: QosProfile) -> str:
    return f"roce{profile.suffix}"


def _mappings(profile: QosProfile) -> tuple[tuple[int, str], ...]:
    """Map every DSCP, so that nothing of the vendor's defaults gets into a lossless queue."""
    return tuple(
        (dscp, PHBS[profile.traffic_class_to_queue[traffic_class]])
        for dscp, traffic_class in enumerate(profile.dscp_to_traffic_class)
    )


def _drop_profile(profile: QosProfile) -> DropProfile:
    return DropProfile(
        name=f"roce-ecn{profile.suffix}",
        kmin=to_units(profile.kmin_bytes, UNITS["vrp8"]),
        kmax=to_units(profile.kmax_bytes, UNITS["vrp8"]),
        pmax_percent=profile.pmax_percent,
    )


def _port(device: DeviceDesign, port: PortDesign) -> PortView:
    qos = port.qos
    if "?" in port.description:
        message = (
            f"{device.name}: {port.name}: a question mark triggers help on the "
            "VRP8 command line; remove it from devices.ports.description"
        )
        raise RenderError(message)
    if qos is None:
        return PortView(port)
    strict = {item.queue for item in qos.queues if item.percent is None}
    shared = {item.queue for item in qos.queues} | set(SHARED_QUEUES)
    return PortView(
        port,
        address=" ".join(_with_mask(port.address)) if port.address else "",
        frame_bytes=port.mtu_bytes + FRAME_EXTRA_BYTES,
        fec=_fec(device, port),
        domain=_domain(qos),
        shared=_ranges(sorted(shared - strict)),
        queues=tuple(
            QueueView(
                item.queue,
                item.percent,
                _drop_profile(qos).name if item.kind == "lossless" else "",
            )
            for item in qos.queues
        ),
        pauses=qos.pfc,
    )


def _fec(device: DeviceDesign, port: PortDesign) -> str:
    word = FEC_WORDS.get(port.fec, "")
    part = port.place.mode is not None
    unknown = word == "base-r" and not takes_base_r(device.sku, port.speed_gbps, part=part)
    if port.fec and (not word or unknown):
        message = (
            f"{device.name}: {port.name}: FEC {port.fec!r} is not available at {port.speed_gbps}G "
            f"on this switch; remove devices.ports.fec, the switch then selects FEC by medium"
        )
        raise RenderError(message)
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


def _with_mask(address: str) -> tuple[str, str]:
    interface = IPv4Interface(address)
    return str(interface.ip), str(interface.netmask)


def _networks(device: DeviceDesign) -> tuple[tuple[str, str], ...]:
    own = (IPv4Network(device.loopback), *(IPv4Network(vlan.network) for vlan in device.vlans))
    return tuple((str(network.network_address), str(network.netmask)) for network in own)
