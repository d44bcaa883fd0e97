"""What the NX-OS templates cannot decide: classes, queues, units, and what cannot be expressed."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TYPE_CHECKING

from fabric.core.errors import RenderError
from fabric.design.qos import pause_buffer_bytes
from fabric.platforms.features import marking_unit
from fabric.qos.ecn.edge import to_units

if TYPE_CHECKING:
    from fabric.design.model import BgpDesign, DeviceDesign, PortDesign, QosProfile

#: Built-in classes cannot be redefined: q7 to q1 and q-default for queue 0 (paregupt/nx-os
#: @ ad8128f3 nxos_config_roce.py), printed in this order (batfish/batfish checkpoint captures).
QUEUES = range(7, -1, -1)
#: Both classes of network-qos carry the largest frame (paregupt/nx-os @ ad8128f3).
CLASS_MTU_BYTES = 9216
#: Words of the enumeration FECMode (CiscoDevNet/terraform-provider-nxos @ 43d0c254); how the
#: command line spells "off" is not published.
FEC_WORDS = {"rs": "rs-fec", "fc": "fc-fec"}
HOST_ROUTE = 32


@dataclass(frozen=True, slots=True)
class QueueView:
    """One class of a queuing policy; ``percent`` counts where it is not strict."""

    name: str
    strict: bool
    percent: int
    marking: bool


@dataclass(frozen=True, slots=True)
class QueuingPolicy:
    """An egress policy; thresholds are in the unit of the view."""

    name: str
    queues: tuple[QueueView, ...]
    kmin: int
    kmax: int
    pmax_percent: int


@dataclass(frozen=True, slots=True)
class InputBuffer:
    """Ingress buffer of the no-drop class."""

    queue: int
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
class NxosView:
    """What the NX-OS templates see.

    Parameters
    ----------
    classes : tuple of (name, DSCPs, qos-group)
        What is classified; everything else is group 0.
    paused : int or None
        Group and PFC priority of the no-drop class; None when no port pauses.
    policies : tuple of QueuingPolicy
        Egress policies; the first is that of the switch.
    unit : str
        Unit of the marking thresholds.
    prefixes : tuple of (sequence, rule)
        What may be originated into BGP.
    input_buffer : InputBuffer or None
        None where the switch sizes it by itself.
    """

    classes: tuple[tuple[str, tuple[int, ...], int], ...]
    paused: int | None
    policies: tuple[QueuingPolicy, ...]
    ports: tuple[PortView, ...]
    watchdog: bool
    unit: str
    class_mtu_bytes: int
    prefixes: tuple[tuple[int, str], ...]
    input_buffer: InputBuffer | None


def view(device: DeviceDesign) -> NxosView:
    """Return the view of a design.

    Raises
    ------
    RenderError
        When the switch would have two pause buffers, or one of unknown size.
    """
    base = device.qos_profiles[0]
    policies = tuple(_policy(profile) for profile in device.qos_profiles)
    paused = any(profile.pfc for profile in device.qos_profiles)
    return NxosView(
        classes=(
            ("ROCE", _dscps(base, base.traffic_class), base.traffic_class),
            ("CNP", _dscps(base, base.cnp_traffic_class), base.cnp_traffic_class),
        ),
        paused=base.pfc_priority if paused else None,
        policies=policies,
        ports=tuple(_port(port, policies) for port in device.ports),
        watchdog=any(profile.pfc and profile.watchdog.enabled for profile in device.qos_profiles),
        unit=marking_unit("nxos").word,
        class_mtu_bytes=CLASS_MTU_BYTES,
        prefixes=_prefixes(device.bgp),
        input_buffer=_input_buffer(device),
    )


def _input_buffer(device: DeviceDesign) -> InputBuffer | None:
    asked = {profile.pause_buffer for profile in device.qos_profiles if profile.pfc}
    given = next((one for one in asked if one), None)
    if given is None:
        return None
    needed = pause_buffer_bytes(device)
    if len(asked) > 1 or (given.buffer_bytes or needed) is None:
        raise RenderError(
            f"{device.name}: NX-OS has one pause buffer for all ports of a switch; set "
            "lossless.pause_buffer and its buffer_bytes once"
        )
    return InputBuffer(
        queue=device.qos_profiles[0].queue,
        buffer_bytes=given.buffer_bytes or needed or 0,
        pause_threshold_bytes=given.pause_threshold_bytes,
        resume_threshold_bytes=given.resume_threshold_bytes,
    )


def _dscps(profile: QosProfile, traffic_class: int) -> tuple[int, ...]:
    return tuple(
        dscp for dscp, item in enumerate(profile.dscp_to_traffic_class) if item == traffic_class
    )


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
                marking=queue is not None and queue.kind == "lossless",
            )
        )
    return QueuingPolicy(
        name=f"ROCE-OUT{profile.suffix}",
        queues=tuple(queues),
        kmin=to_units(profile.kmin_bytes, marking_unit("nxos")),
        kmax=to_units(profile.kmax_bytes, marking_unit("nxos")),
        pmax_percent=profile.pmax_percent,
    )


def _port(port: PortDesign, policies: tuple[QueuingPolicy, ...]) -> PortView:
    qos = port.qos
    if qos is None:
        return PortView(port)
    return PortView(
        port,
        pfc="on" if qos.pfc else "off",
        watchdog=qos.pfc and qos.watchdog.enabled,
        own_policy=policies[qos.index].name if qos.index else "",
        fec=FEC_WORDS.get(port.fec, ""),
    )


def _prefixes(bgp: BgpDesign) -> tuple[tuple[int, str], ...]:
    return (
        (10, _rule(bgp.loopback_pool, "eq", HOST_ROUTE)),
        (20, _rule(bgp.host_pool, "ge", bgp.host_prefix_length)),
    )


def _rule(pool: str, word: str, length: int) -> str:
    """Return a rule; ``eq`` and ``ge`` must go beyond the pool's own length."""
    return pool if IPv4Network(pool).prefixlen >= length else f"{pool} {word} {length}"
