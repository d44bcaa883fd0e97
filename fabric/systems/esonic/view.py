"""What the templates of Enterprise SONiC cannot decide: ranges, units, and what cannot be said."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from fabric.core.spans import spans
from fabric.design.evpn import evpn_sessions, tunnelled, with_bgp
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import to_units
from fabric.render.object_names import ObjectNames
from fabric.render.prefix_rules import prefix_rules
from fabric.systems.esonic.platforms import BUFFER_LINE, ESONIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.design.model import DeviceDesign, VrfDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile, Watchdog
    from fabric.intent.classes import LosslessClass
    from fabric.platforms.system import EcmpHash

#: Words of `ip load-share hash ipv4` (sonic_ecmp_load_share), by the names of SAI.
HASH_WORDS = {
    "SRC_IP": "ipv4-src-ip",
    "DST_IP": "ipv4-dst-ip",
    "IP_PROTOCOL": "ipv4-ip-proto",
    "L4_SRC_PORT": "ipv4-l4-src-port",
    "L4_DST_PORT": "ipv4-l4-dst-port",
}
#: As spytest/apis/system/interface.py of sonic-net/sonic-mgmt @ b4ba9de3 sends them.
FEC_WORDS = {"rs": "RS", "fc": "FC", "none": "none"}


#: Kinds of maps, in the order of their lines.
MAPS = ("dscp-tc", "tc-queue", "tc-pg", "pfc-priority-queue")


@dataclass(frozen=True, slots=True)
class PolicyView:
    """A lossless policy: names of the objects that its ports are bound to.

    Parameters
    ----------
    wreds : tuple of (queue, name)
        The WRED policy of each class.
    maps : tuple of (kind, name)
        The four maps of the policy.
    watchdog : Watchdog or None
        None where the ports of the policy have none.
    """

    design: QosProfile
    scheduler: str
    wreds: tuple[tuple[int, str], ...]
    maps: tuple[tuple[str, str], ...]
    watchdog: Watchdog | None


@dataclass(frozen=True, slots=True)
class PortView:
    """A port; ``cable_m`` is the length that its buffers are made for, None where PFC is off.

    ``prefix`` is what a NIC makes its address of; empty where it does not.
    """

    design: PortDesign
    description: str
    qos: PolicyView | None = None
    cable_m: int | None = None
    fec: str = ""
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class VrfPolicy:
    """What is originated into the BGP of a VRF."""

    vrf: str
    prefixes: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class EsonicView:
    """What the templates of Enterprise SONiC see.

    Parameters
    ----------
    maps : tuple of (kind, name, lines)
        Maps of priorities, each with the lines of its section.
    schedulers : tuple of (name, tuple of (queue, percent))
        Shares of the queues; None is strict.
    wreds : tuple of (name, low, high, percent)
        Marking, its thresholds in the unit of the system.
    pauses : bool
        Whether some port pauses.
    poll_ms : int or None
        Interval of the watchdog, one for the whole switch; None where no port has one.
    prefixes, prefixes6 : tuple of (sequence, rule)
        What is originated, sent and taken, of IPv4 and of IPv6.
    tunnels : tuple of VrfDesign
        VRFs with a VNI.
    vrfs : tuple of VrfDesign
        VRFs with BGP.
    vrf_policies : tuple of VrfPolicy
        What is originated into the BGP of each of them.
    evpn_sessions : tuple of str
        Sessions that carry EVPN.
    """

    maps: tuple[tuple[str, str, tuple[str, ...]], ...]
    schedulers: tuple[tuple[str, tuple[tuple[int, int | None], ...]], ...]
    wreds: tuple[tuple[str, int, int, int], ...]
    ports: tuple[PortView, ...]
    pauses: bool
    buffer_line: str
    poll_ms: int | None
    hash: EcmpHash
    hash_fields: tuple[str, ...]
    prefixes: tuple[tuple[int, str], ...]
    prefixes6: tuple[tuple[int, str], ...]
    tunnels: tuple[VrfDesign, ...] = ()
    vrfs: tuple[VrfDesign, ...] = ()
    vrf_policies: tuple[VrfPolicy, ...] = ()
    evpn_sessions: tuple[str, ...] = ()


def view(device: DeviceDesign) -> EsonicView:
    """Return the view of a design."""
    names = ObjectNames()
    policies = tuple(_policy(profile, names) for profile in device.qos_profiles)
    chosen = ESONIC.ecmp_hash[device.role]
    return EsonicView(
        maps=tuple((kind, *one) for kind in MAPS for one in names.objects(kind)),
        schedulers=names.objects("scheduler"),
        wreds=tuple((name, *content[1:]) for name, content in names.objects("wred")),
        ports=tuple(_port(port, policies) for port in device.ports),
        pauses=any(profile.pfc for profile in device.qos_profiles),
        buffer_line=BUFFER_LINE,
        poll_ms=next((one.watchdog.poll_ms for one in policies if one.watchdog), None),
        hash=chosen,
        hash_fields=tuple(word for name, word in HASH_WORDS.items() if name in chosen.fields),
        # the database keeps a range of lengths, so that `le 32` after `ge`, or `le 128`, cannot be
        # told from its absence (dellemc.enterprise_sonic facts/prefix_lists): it is left out
        prefixes=prefix_rules(
            device.bgp.host_pools, loopbacks=device.bgp.loopback_pool, exact="ge"
        ),
        prefixes6=prefix_rules(device.bgp.host_pools6),
        tunnels=tunnelled(device),
        vrf_policies=tuple(
            VrfPolicy(vrf.name, prefix_rules(vrf.pools)) for vrf in with_bgp(device)
        ),
        vrfs=with_bgp(device),
        evpn_sessions=evpn_sessions(device),
    )


def _policy(profile: QosProfile, names: ObjectNames) -> PolicyView:
    own = f"ROCE{profile.suffix}"
    rows = (
        _rows("dscp", "traffic-class", profile.dscp_to_traffic_class),
        _rows("traffic-class", "queue", profile.traffic_class_to_queue),
        _rows("traffic-class", "priority-group", profile.traffic_class_to_priority_group),
        _rows("pfc-priority", "queue", profile.pfc_priority_to_queue),
    )
    queues = tuple((queue.queue, queue.percent) for queue in profile.queues)
    return PolicyView(
        design=profile,
        scheduler=names.name("scheduler", queues, own),
        wreds=tuple((one.queue, _wred(profile, one, names)) for one in profile.classes),
        maps=tuple(
            (kind, names.name(kind, lines, own)) for kind, lines in zip(MAPS, rows, strict=True)
        ),
        watchdog=profile.watchdog if profile.pfc and profile.watchdog.enabled else None,
    )


def _wred(profile: QosProfile, one: LosslessClass, names: ObjectNames) -> str:
    unit = marking_unit("esonic")
    own = f"ROCE-{one.name}" if one.number else "ROCE"
    low, high = (to_units(size, unit) for size in (one.kmin_bytes, one.kmax_bytes))
    content = one.number, low, high, one.pmax_percent
    return names.name("wred", content, f"{own}{profile.suffix}")


def _rows(what: str, word: str, values: Sequence[int]) -> tuple[str, ...]:
    """Return a line for each value of a map, with all that leads to it as ranges."""
    return tuple(
        f"{what} {','.join(spans(n for n, item in enumerate(values) if item == value))} "
        f"{word} {value}"
        for value in sorted(set(values))
    )


def _port(port: PortDesign, policies: tuple[PolicyView, ...]) -> PortView:
    description = _quoted(port)
    if port.qos is None:
        return PortView(port, description)
    return PortView(
        port,
        description,
        policies[port.qos.index],
        port.headroom.setting_m if port.headroom else None,
        FEC_WORDS.get(port.fec, ""),
        str(ip_interface(port.ipv6).network) if port.announces_router else "",
    )


def _quoted(port: PortDesign) -> str:
    """Return a description as the switch shows it: in quotes when it is more than one word."""
    return f'"{port.description}"' if " " in port.description else port.description
