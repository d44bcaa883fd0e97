"""Which law holds for an ASIC, and with which figures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fabric.core.registry import Registry
from fabric.qos.headroom.deduced import (
    SMALLEST_ON_WIRE_BYTES,
    LinearSettings,
    TofinoSettings,
    XgsSettings,
    linear,
    plain,
    tofino,
    xgs,
)
from fabric.qos.headroom.spectrum import SpectrumSettings, spectrum
from fabric.qos.headroom.terms import Term, total
from fabric.qos.headroom.wire import floor_bytes

if TYPE_CHECKING:
    from fabric.platforms.asic import Asic
    from fabric.qos.headroom.terms import Headroom, Link

#: Laws that were deduced from tables: none is the formula of the switch itself.
DEDUCED = frozenset({"xgs", "dnx", "linear"})
#: Name of the term of a deduced law whose line lies too low.
LIFT = "up to the sum of IEEE 802.3"
#: Speeds for which ASIC files give figures of their own (``intercept_bytes_400g``).
_SPEEDS_GBPS = (100, 200, 400, 800)


@dataclass(frozen=True, slots=True)
class PortTraits:
    """What of a port matters beside its link.

    Parameters
    ----------
    lanes : int
        SerDes lanes, 1 to 8.
    gearbox_ns : float
        Delay of a gearbox, >= 0.
    shares : bool
        Whether its groups share one headroom with those of other ports.
    computes : bool
        Whether the switch computes its headroom; it has an answer of its own for speeds without
        pause quanta.
    """

    lanes: int = 1
    gearbox_ns: float = 0.0
    shares: bool = False
    computes: bool = False


class Law(Protocol):
    """A law: figures of an ASIC, a link and a port in, the sum out."""

    def __call__(self, asic: Asic, link: Link, port: PortTraits) -> Headroom:
        """Return the headroom; ValueError when a figure is not known."""


laws: Registry[Law] = Registry("headroom law")


def headroom(asic: Asic, link: Link, port: PortTraits | None = None) -> Headroom:
    """Return the headroom of lossless ports of an ASIC by the law of its family.

    Parameters
    ----------
    asic : Asic
        The family; its ``law`` names the formula, its facts the figures.
    link : Link
        Speed, length and frames, as arrays.
    port : Port, optional
        Lanes and gearbox; default: fewer than eight lanes, no gearbox.

    Returns
    -------
    Headroom
        For the most that a peer may take; ``least_bytes`` where no text says how long that is.

    Raises
    ------
    ValueError
        When a figure that the law needs is not known, or its tables tell nothing of the speed.
    """
    result = laws[asic.law](asic, link, port or PortTraits())
    return at_least_plain(result, link) if asic.law in DEDUCED else result


def at_least_plain(result: Headroom, link: Link) -> Headroom:
    """Return a headroom that is lifted to the sum of IEEE 802.3 where it lies below.

    Parameters
    ----------
    result : Headroom
        By a law that was deduced from tables, which may have been made for other frames.
    link : Link
        What the port faces.
    """
    sizes = (link.speed_gbps, link.cable_m, link.port_mtu_bytes, link.lossless_mtu_bytes)
    floor = floor_bytes(*sizes)
    response = link.response()
    least = floor + response.amount_bytes
    packed, once = (
        sum((term.amount_bytes for term in result.terms if term.packed is kind), start=0.0)
        for kind in (True, False)
    )
    lift = np.maximum(least - (result.packing_factor * packed + once), 0.0)
    if not lift.any():
        return result
    lower = None
    if response.least_bytes is not None:
        lower = np.maximum(lift - (response.amount_bytes - response.least_bytes), 0.0)
    terms = (*result.terms, Term(LIFT, lift, packed=False, least_bytes=lower))
    return total(result.law, terms, result.packing_factor, result.rounding_bytes)


def packing_factor(asic: Asic) -> float:
    """Return the worst case of buffer bytes for each byte on the wire; 1 where nothing is known."""
    if asic.law == "spectrum":
        return spectrum_settings(asic).small_frame_factor()
    if asic.law == "tofino-2":
        return _tofino_settings(asic).packing_factor()
    cell = asic.number("cell_bytes") if asic.law == "xgs" else None
    default = cell / SMALLEST_ON_WIRE_BYTES if cell else 1.0
    return asic.number("packing_factor") or default


def spectrum_settings(asic: Asic, gearbox_ns: float = 0.0) -> SpectrumSettings:
    """Return the figures of an NVIDIA ASIC, for the worst case: smallest frames only.

    Parameters
    ----------
    asic : Asic
        The family, with its facts.
    gearbox_ns : float
        Delay of a gearbox in ns, >= 0.
    """
    return SpectrumSettings(
        cell_bytes=int(_need(asic, "cell_bytes")),
        pipeline_bytes=_need(asic, "pipeline_bytes"),
        mac_phy_bytes=_need(asic, "mac_phy_bytes"),
        tile_ns=asic.number("tile_ns") or 0.0,
        extra_bytes=asic.integer("extra_headroom_bytes") or 0,
        gearbox_ns=gearbox_ns,
    )


@laws.add("spectrum")
def _spectrum(asic: Asic, link: Link, port: PortTraits) -> Headroom:
    settings = replace(
        spectrum_settings(asic, port.gearbox_ns),
        shared_headroom=port.shares,
        fallback_bytes=asic.number("peer_response_bytes") if port.computes else None,
    )
    return spectrum(link, settings, lanes=port.lanes)


@laws.add("tofino-2")
def _tofino(asic: Asic, link: Link, port: PortTraits) -> Headroom:  # noqa: ARG001
    return tofino(link, _tofino_settings(asic))


def _tofino_settings(asic: Asic) -> TofinoSettings:
    return TofinoSettings(
        cell_bytes=int(_need(asic, "cell_bytes")),
        pipeline_bytes=_need(asic, "pipeline_bytes"),
        mac_phy_bytes=_need(asic, "mac_phy_bytes"),
    )


@laws.add("xgs")
def _xgs(asic: Asic, link: Link, port: PortTraits) -> Headroom:  # noqa: ARG001
    response = asic.number("safe_response_ns") or _need(asic, "response_ns")
    settings = XgsSettings(
        cell_bytes=int(_need(asic, "cell_bytes")),
        response_ns=response,
        packing_factor=asic.number("packing_factor"),
    )
    return xgs(link, settings)


@laws.add("linear")
@laws.add("dnx")
def _linear(asic: Asic, link: Link, port: PortTraits) -> Headroom:  # noqa: ARG001
    settings = LinearSettings(
        delay_ns_per_m=_need(asic, "delay_ns_per_m"),
        intercept_bytes=_by_speed(asic, "intercept_bytes"),
        packing_factor=_need(asic, "packing_factor"),
        floor_bytes=_by_speed(asic, "floor_bytes"),
        cell_bytes=asic.integer("cell_bytes") or 1,
    )
    return linear(link, settings)


@laws.add("plain")
def _plain(asic: Asic, link: Link, port: PortTraits) -> Headroom:  # noqa: ARG001
    return plain(
        link, packing_factor=packing_factor(asic), cell_bytes=asic.integer("cell_bytes") or 1
    )


def _by_speed(asic: Asic, name: str) -> dict[int, float]:
    figures = {speed: asic.number(f"{name}_{speed}g") for speed in _SPEEDS_GBPS}
    return {speed: value for speed, value in figures.items() if value is not None}


def _need(asic: Asic, name: str) -> float:
    value = asic.number(name)
    if value is None:
        raise ValueError(f"{name} of {asic.title} is not known, so its headroom law has no answer")
    return value
