"""What the NX-OS templates cannot decide: classes, queues, units, and what cannot be expressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.errors import RenderError
from fabric.core.spans import spans
from fabric.design.evpn import evpn_sessions, relays_evpn, tunnelled
from fabric.design.pause_buffer import pause_buffer_bytes
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import to_units
from fabric.render.prefix_rules import prefix_rules

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign, VrfDesign
    from fabric.design.port_model import PortDesign
    from fabric.design.qos_model import QosProfile, QueueDesign
    from fabric.intent.classes import LosslessClass

#: Built-in classes cannot be redefined: q7 to q1 and q-default for queue 0 (paregupt/nx-os
#: @ ad8128f3 nxos_config_roce.py), printed in this order (batfish/batfish checkpoint captures).
QUEUES = range(7, -1, -1)
#: Both classes of network-qos carry the largest frame (paregupt/nx-os @ ad8128f3).
CLASS_MTU_BYTES = 9216
#: Words of the enumeration FECMode (CiscoDevNet/terraform-provider-nxos @ 43d0c254); how the
#: command line spells "off" is not published.
FEC_WORDS = {"rs": "rs-fec", "fc": "fc-fec"}
#: The loopback of tunnels, apart from that of BGP (Cisco Nexus 9000 VXLAN guide 10.6).
TUNNEL_LOOPBACK = "loopback1"


@dataclass(frozen=True, slots=True)
class QueueView:
    """One class of a queuing policy; ``percent`` counts where it is not strict.

    ``marking`` is of a lossless queue or of early drops, its thresholds in the unit of the view.
    """

    name: str
    strict: bool
    percent: int
    marking: Marking | None


@dataclass(frozen=True, slots=True)
class Marking:
    """Thresholds of a queue, whose packets are marked (``ecn``) or dropped."""

    kmin: int
    kmax: int
    pmax_percent: int
    ecn: bool


@dataclass(frozen=True, slots=True)
class QueuingPolicy:
    """An egress policy."""

    name: str
    queues: tuple[QueueView, ...]


@dataclass(frozen=True, slots=True)
class InputBuffer:
    """Ingress buffer of each no-drop class."""

    queues: tuple[int, ...]
    buffer_bytes: int
    pause_threshold_bytes: int
    resume_threshold_bytes: int


@dataclass(frozen=True, slots=True)
class PortView:
    """A port with the words that its policy comes to; ``own_policy`` differs from the switch's."""

    design: PortDesign
    pfc: str = "off"
    watchdog: bool = False
    own_policy: str = ""
    fec: str = ""


@dataclass(frozen=True, slots=True)
class VrfPolicy:
    """What may be originated into the BGP of a VRF."""

    vrf: str
    prefixes: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class NxosView:
    """What the NX-OS templates see.

    Parameters
    ----------
    classes : tuple of (name, DSCPs, qos-group)
        What is classified; everything else is group 0.
    paused : tuple of int
        Groups and PFC priorities of the no-drop classes; none where no port pauses.
    policies : tuple of QueuingPolicy
        Egress policies; the first is that of the switch.
    unit : str
        Unit of the marking thresholds.
    prefixes, prefixes6 : tuple of (sequence, rule)
        What may be originated into BGP, of IPv4 and of IPv6.
    input_buffer : InputBuffer or None
        None where the switch sizes it by itself.
    tunnels : tuple of VrfDesign
        VRFs with a VNI.
    tunnel_source : str
        The loopback that tunnels begin at.
    vrf_policies : tuple of VrfPolicy
        What may be originated into the BGP of each of them.
    relays : bool
        Whether it hands EVPN routes on.
    evpn_sessions : tuple of str
        Sessions of the underlay that carry EVPN too.
    has_gateways : bool
        Whether it needs interfaces of VLANs, as published examples of tunnels have them too
        (ipspace/netlab @ 771eeee6 netsim/ansible/templates/evpn/nxos.j2).
    """

    classes: tuple[tuple[str, str, int], ...]
    paused: tuple[int, ...]
    policies: tuple[QueuingPolicy, ...]
    ports: tuple[PortView, ...]
    watchdog: bool
    unit: str
    class_mtu_bytes: int
    prefixes: tuple[tuple[int, str], ...]
    prefixes6: tuple[tuple[int, str], ...]
    input_buffer: InputBuffer | None
    tunnels: tuple[VrfDesign, ...] = ()
    tunnel_source: str = TUNNEL_LOOPBACK
    vrf_policies: tuple[VrfPolicy, ...] = ()
    relays: bool = False
    evpn_sessions: tuple[str, ...] = ()
    has_gateways: bool = False


def view(device: DeviceDesign) -> NxosView:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When the switch would have two pause buffers, or one of unknown size.
    """
    base = device.qos_profiles[0]
    policies = _policies(device.qos_profiles)
    paused = any(profile.pfc for profile in device.qos_profiles)
    return NxosView(
        classes=(
            *(
                (_class_name(one), ",".join(spans(sorted(one.dscps))), one.traffic_class)
                for one in base.classes
            ),
            ("CNP", str(base.cnp_dscp), base.cnp_traffic_class),
        ),
        paused=tuple(sorted(one.pfc_priority for one in base.classes)) if paused else (),
        policies=tuple(dict.fromkeys(policies)),
        ports=tuple(_port(port, policies) for port in device.ports),
        watchdog=any(profile.pfc and profile.watchdog.enabled for profile in device.qos_profiles),
        unit=marking_unit("nxos").word,
        class_mtu_bytes=CLASS_MTU_BYTES,
        prefixes=prefix_rules(
            device.bgp.host_pools,
            loopbacks=device.bgp.loopback_pool,
            tunnels=device.evpn.pool if device.evpn else "",
        ),
        prefixes6=prefix_rules(device.bgp.host_pools6),
        input_buffer=_input_buffer(device),
        tunnels=tunnelled(device),
        tunnel_source=TUNNEL_LOOPBACK if device.evpn and device.evpn.pool else "loopback0",
        vrf_policies=tuple(
            VrfPolicy(vrf.name, prefix_rules(vrf.pools)) for vrf in tunnelled(device)
        ),
        relays=relays_evpn(device),
        evpn_sessions=evpn_sessions(device),
        has_gateways=bool(device.vlans or (device.evpn and device.evpn.source)),
    )


def _input_buffer(device: DeviceDesign) -> InputBuffer | None:
    asked = {profile.pause_buffer for profile in device.qos_profiles if profile.pfc}
    own = next((one for one in asked if one), None)
    if own is None:
        return None
    needed = pause_buffer_bytes(device)
    if len(asked) > 1 or (own.buffer_bytes or needed) is None:
        raise RenderError(
            f"{device.name}: NX-OS has one pause buffer for all ports of a switch; set "
            "lossless.pause_buffer and its buffer_bytes once"
        )
    return InputBuffer(
        queues=tuple(sorted(one.queue for one in device.qos_profiles[0].classes)),
        buffer_bytes=own.buffer_bytes or needed or 0,
        pause_threshold_bytes=own.pause_threshold_bytes,
        resume_threshold_bytes=own.resume_threshold_bytes,
    )


def _class_name(one: LosslessClass) -> str:
    return f"ROCE-{one.name.upper()}" if one.number else "ROCE"


def _policies(profiles: tuple[QosProfile, ...]) -> list[QueuingPolicy]:
    """Return the egress policy of each profile: the same one where the queues are the same."""
    by_queues: dict[tuple[QueueView, ...], QueuingPolicy] = {}
    return [by_queues.setdefault(one.queues, one) for one in map(_policy, profiles)]


def _policy(profile: QosProfile) -> QueuingPolicy:
    used = {queue.queue: queue for queue in profile.queues}
    queues = []
    for number in QUEUES:
        queue = used.get(number)
        queues.append(
            QueueView(
                name=f"c-out-8q-q{number}" if number else "c-out-8q-q-default",
                strict=queue is not None and queue.percent is None,
                percent=queue.percent or 0 if queue else 0,
                marking=_marking(profile, queue) if queue else None,
            )
        )
    return QueuingPolicy(
        name=f"ROCE-OUT{profile.suffix}",
        queues=tuple(queues),
    )


def _marking(profile: QosProfile, queue: QueueDesign) -> Marking | None:
    one = queue.lossless or (profile.lossy.wred if queue.kind == "default" else None)
    if one is None:
        return None
    low, high = (to_units(size, marking_unit("nxos")) for size in (one.kmin_bytes, one.kmax_bytes))
    return Marking(low, high, one.pmax_percent, ecn=queue.lossless is not None)


def _port(port: PortDesign, policies: list[QueuingPolicy]) -> PortView:
    qos = port.qos
    if qos is None:
        return PortView(port)
    own = policies[qos.index]
    return PortView(
        port,
        pfc="on" if qos.pfc else "off",
        watchdog=qos.pfc and qos.watchdog.enabled,
        own_policy=own.name if own != policies[0] else "",
        fec=FEC_WORDS.get(port.fec, ""),
    )
