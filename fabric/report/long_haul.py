"""show ecn --recommend over cables between sites: deep buffers, slow timers, or a bounded loss."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.units import bytes_to_mb, s_to_us
from fabric.qos.dcqcn.loss import start_loss_bytes
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.dcqcn.presets import PAPER
from fabric.qos.dcqcn.recommend import LONG_TRIP_S, recommend
from fabric.qos.path import LONG_CABLE_M, round_trip_s

if TYPE_CHECKING:
    from fabric.design.port_model import PortDesign
    from fabric.qos.dcqcn.recommend import Need, Recommendation
    from fabric.qos.path import Hop

#: Buffer from which a model is deep, with memory outside the ASIC; our choice, between the largest
#: buffer on an ASIC that is known here (a few hundred MB) and the smallest outside one (6 GB).
_DEEP_BYTES = 10**9
#: The timers of the DCQCN paper; the byte counter is off, as in our own sets.
_TIMERS = replace(PAPER.reaction_point, byte_counter_bytes=0)
#: Starts whose loss is given.
_FLOWS = (4, 16, 64)


def is_long(need: Need, hops: tuple[Hop, ...]) -> bool:
    """Return whether a path leads to another site."""
    return need.round_trip_s >= LONG_TRIP_S and any(hop.cable_m >= LONG_CABLE_M for hop in hops)


def inside(need: Need, hops: tuple[Hop, ...]) -> tuple[Recommendation, str, float]:
    """Return the set for the paths without long cables, what flows over them meet, and its trip.

    Raises
    ------
    ValueError
        When no set fits them either.
    """
    near = tuple(hop for hop in hops if hop.cable_m < LONG_CABLE_M)
    trip_s = round_trip_s(near)
    words = (
        f"This is for paths without the long cables. Over them, {s_to_us(need.round_trip_s):,.0f} "
        "us, queues swing, and PFC of this port acts before the senders slow down."
    )
    return recommend(replace(need, round_trip_s=trip_s)), words, trip_s


def without_fit(need: Need, port: PortDesign, reason: str) -> str:
    """Return what a port with a long cable can have where no set fits its buffer.

    Parameters
    ----------
    reason : str
        Why no set fits.
    """
    deep = replace(need, kmax_limit_bytes=0)
    return f"{reason}. Either {_deep(deep)}. Or {_lossy(need, port)}."


def _deep(need: Need) -> str:
    try:
        found = recommend(need).parameters
    except ValueError:
        return "use switches with deep buffers; no set is known for this round trip"
    point, nic = found.congestion_point, found.reaction_point
    return (
        f"use switches with deep buffers ({', '.join(deep_models())}) at both ends of the cable: "
        f"Kmin {point.kmin_bytes:,}, Kmax {point.kmax_bytes:,}, Pmax {point.pmax_percent:g} % with "
        f"R_AI {nic.additive_mbps} Mb/s, T {nic.timer_us} us, cut period {nic.cut_period_us} us "
        f"and CNP gap {found.notification_point.cnp_interval_us} us on all NICs, which "
        "slows down how all their flows recover"
    )


def deep_models() -> list[str]:
    """Return the switch models with memory outside the ASIC."""
    from fabric.platforms.catalogue import sku, sku_names

    return [name for name in sku_names() if (sku(name).packet_buffer_bytes or 0) >= _DEEP_BYTES]


def _lossy(need: Need, port: PortDesign) -> str:
    """Say what a port without PFC loses."""
    assert port.qos
    one = port.qos.classes[0]
    point = CongestionPoint(
        kmin_bytes=one.kmin_bytes, kmax_bytes=one.kmax_bytes, pmax_percent=one.pmax_percent
    )
    losses = [
        bytes_to_mb(
            start_loss_bytes(
                flows,
                need.speed_gbps,
                need.round_trip_s,
                replace(PAPER, congestion_point=point, reaction_point=_TIMERS),
                need.kmax_limit_bytes,
            )
        )
        for flows in _FLOWS
    ]
    figures = ", ".join(
        f"{loss:,.0f} MB with {flows}" for loss, flows in zip(losses, _FLOWS, strict=True)
    )
    return (
        "set lossless.pfc to false on both ends of the cable: with the timers of the DCQCN paper, "
        f"a start of flows at line rate then loses at most {figures} flows"
    )
