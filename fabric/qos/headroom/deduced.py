"""Headroom laws of Broadcom XGS and DNX, Marvell Teralynx and Intel Tofino-2, and the plain law.

Laws that are a straight line for each speed, deduced from the vendors' tables.

Broadcom DNX (Jericho 2, 2C+, Qumran 3D) and Marvell Teralynx: an intercept for each speed, a slope
in bytes for each metre and Gb/s, and on newer DNX tables a floor up to some length.
Tables: sonic-net/sonic-buildimage 086b03bd device/*/*/*/pg_profile_lookup.ini.

The plain law: the bytes on the wire, in whole cells of the worst packing.

Source: IEEE 802.1Q-2018 annex N (buffer requirements of PFC) and IEEE 802.3 annex 31B.

Intel Tofino-2: the headroom that SONiC computes on the switch.

Source: sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_headroom_barefoot.lua.

Broadcom XGS (Trident, Tomahawk): a law deduced from the vendors' tables.

The slope of the tables of Tomahawk 4, 5 and 6 is ``cell / 84`` times that of the cable, to 0.1 %:
each byte on the wire is taken for a part of a smallest frame (64 bytes and 20 of preamble and gap,
IEEE 802.3 clause 4) that fills a whole cell. What remains is two large frames and a response time.
Tables: sonic-net/sonic-buildimage 086b03bd device/dell/x86_64-dell_z9664f-r0,
device/micas/x86_64-micas_m2-w6940-64oc-r0, device/nexthop/x86_64-nexthop_4210-r0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.qos.headroom.spectrum import SIGNAL_M_PER_S, SMALL_FRAME_BYTES, STEP_BYTES
from fabric.qos.headroom.terms import RESPONSE, Headroom, Link, Term, ceil_to, total
from fabric.qos.headroom.wire import PAUSE_FRAME_BYTES, cable_bytes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fabric.qos.headroom.terms import Floats


#: Speed at which the script doubles the response of the peer.
DOUBLE_RESPONSE_GBPS = 400
#: A smallest frame on the wire (IEEE 802.3 clause 4: 64 bytes, 8 of preamble, 12 of gap).
SMALLEST_ON_WIRE_BYTES = 84
#: Frame that the tables were made for: the intercepts at two speeds leave this.
TABLE_FRAME_BYTES = 9428
#: Speeds of the tables: a port between two is charged as the faster one (10G as 25G, 40G as 50G
#: in the table of DellEMC-Z9664f).
CHARGED_GBPS = (25, 50, 100, 200, 400, 800)


@dataclass(frozen=True, slots=True)
class LinearSettings:
    """What the law needs to know beside the link.

    Parameters
    ----------
    delay_ns_per_m : float
        Delay of a metre of cable, one way.
    intercept_bytes : dict of float
        Headroom at length 0 by speed in Gb/s; at other speeds by the line through its neighbours,
        and never above the only one.
    packing_factor : float
        Buffer bytes for each byte on the cable.
    floor_bytes : dict of float
        Smallest headroom by speed in Gb/s; None or empty for none.
    cell_bytes : int
        Cell of the buffer; 1 where it is not known.
    """

    delay_ns_per_m: float
    intercept_bytes: dict[int, float]
    packing_factor: float = 1.0
    floor_bytes: dict[int, float] | None = None
    cell_bytes: int = 1


def linear(link: Link, settings: LinearSettings) -> Headroom:
    """Return the headroom of a family whose tables are straight lines.

    The frames are part of the intercept: the tables do not tell for which sizes they were made.

    Raises
    ------
    ValueError
        When the only known speed is slower than the link.
    """
    speed = link.speed_gbps
    delay_s = ns_to_s(settings.delay_ns_per_m)
    cable = 2 * link.cable_m * delay_s * speed * gbps_to_bytes_per_s(1)
    intercept = _by_speed(settings.intercept_bytes, speed)
    terms: tuple[Term, ...] = (
        Term("cable, both ways", cable),
        Term("frames and response of the peer", intercept, packed=False),
    )
    if settings.floor_bytes:
        line = settings.packing_factor * cable + intercept
        lift = np.maximum(_by_speed(settings.floor_bytes, speed) - line, 0.0)
        terms = (*terms, Term("floor of the vendor's table", lift, packed=False))
    return total("linear", terms, settings.packing_factor, settings.cell_bytes)


def _by_speed(known: dict[int, float], speed_gbps: Floats) -> Floats:
    """Return values at any speed: lines between the known ones, the last line beyond them."""
    speeds = np.array(sorted(known), dtype=float)
    values = np.array([known[int(speed)] for speed in speeds])
    if len(speeds) == 1:
        if (speed_gbps > speeds[0]).any():
            raise ValueError(f"the tables of this family tell nothing above {speeds[0]:g}G")
        return np.full_like(speed_gbps, values[0])
    right = np.clip(np.searchsorted(speeds, speed_gbps), 1, len(speeds) - 1)
    slope = (values[right] - values[right - 1]) / (speeds[right] - speeds[right - 1])
    line: Floats = values[right - 1] + slope * (speed_gbps - speeds[right - 1])
    return line


def plain(link: Link, *, packing_factor: ArrayLike = 1.0, cell_bytes: int = 1) -> Headroom:
    """Return the headroom for a peer that answers as IEEE 802.3 31B.3.7 allows, or as it is known.

    Parameters
    ----------
    link : Link
        Speed, length, frames and peer.
    packing_factor : array_like of float
        Buffer bytes for each byte on the wire, >= 1; 1 means frames that fill their cells.
    cell_bytes : int
        Cell of the buffer; 1 where it is not known.
    """
    terms = (
        Term("largest frame in the way of the pause", link.port_mtu_bytes),
        Term("pause frame", np.full_like(link.cable_m, PAUSE_FRAME_BYTES)),
        Term("cable, both ways", cable_bytes(link.speed_gbps, link.cable_m)),
        link.response(),
        Term("lossless frame just begun", link.lossless_mtu_bytes),
    )
    return total("plain", terms, packing_factor, cell_bytes)


@dataclass(frozen=True, slots=True)
class TofinoSettings:
    """Figures of the ASIC (``ASIC_TABLE``) and the share of smallest frames."""

    cell_bytes: int
    pipeline_bytes: float
    mac_phy_bytes: float
    small_packet_percent: float = 100.0

    def packing_factor(self) -> float:
        """Return the buffer bytes for each byte on the wire."""
        cell = self.cell_bytes
        two_cells = cell > 2 * SMALL_FRAME_BYTES
        worst = cell / SMALL_FRAME_BYTES if two_cells else 2 * cell / (1 + cell)
        return (100 - self.small_packet_percent + self.small_packet_percent * worst) / 100


def tofino(link: Link, settings: TofinoSettings) -> Headroom:
    """Return headroom, XON threshold and size (the XON threshold) of a lossless priority group.

    Parameters
    ----------
    link : Link
        Speed, length, frames and peer.
    settings : TofinoSettings
        Figures of the ASIC.
    """
    speed = link.speed_gbps
    doubled = np.where(speed == DOUBLE_RESPONSE_GBPS, 2.0, 1.0)
    # the script divides the bytes on the cable by 1024 instead of 1000
    cable = 2 * link.cable_m * gbps_to_bytes_per_s(1) * speed / SIGNAL_M_PER_S * 1000 / 1024
    terms = (
        Term("largest frame in the way of the pause", link.port_mtu_bytes),
        Term("cable, both ways", cable),
        Term("MAC and PHY", np.full_like(speed, settings.mac_phy_bytes)),
        link.response(doubled),
        Term("lossless frame just begun", link.lossless_mtu_bytes, packed=False),
    )
    headroom = total("tofino-2", terms, settings.packing_factor(), STEP_BYTES)
    xon = np.broadcast_to(ceil_to(settings.pipeline_bytes, STEP_BYTES), speed.shape)
    return replace(headroom, xon_threshold_bytes=xon, size_bytes=xon)


@dataclass(frozen=True, slots=True)
class XgsSettings:
    """What the law needs to know beside the link.

    Parameters
    ----------
    response_ns : float
        Response of the peer, the same at every speed; a peer that takes longer counts as it is.
    packing_factor : float or None
        Buffer bytes for each byte on the wire; None takes ``cell_bytes / 84``.
    charged_gbps : tuple of int
        Speeds that are told apart, ascending; others are charged as the next faster one.
    """

    cell_bytes: int
    response_ns: float
    packing_factor: float | None = None
    charged_gbps: tuple[int, ...] = CHARGED_GBPS


def xgs(link: Link, settings: XgsSettings) -> Headroom:
    """Return the headroom of a Broadcom XGS switch."""
    steps = np.array(settings.charged_gbps, dtype=float)
    next_faster = steps[np.minimum(np.searchsorted(steps, link.speed_gbps), len(steps) - 1)]
    speed = np.maximum(link.speed_gbps, next_faster)
    time_ns = np.fmax(settings.response_ns, link.peer_ns)
    terms = (
        Term("largest frame in the way of the pause", link.port_mtu_bytes),
        Term("cable, both ways", np.asarray(cable_bytes(speed, link.cable_m))),
        Term(RESPONSE, speed * gbps_to_bytes_per_s(1) * ns_to_s(1) * time_ns),
        Term("lossless frame just begun", link.lossless_mtu_bytes),
    )
    factor = settings.packing_factor or settings.cell_bytes / SMALLEST_ON_WIRE_BYTES
    return total("xgs", terms, factor, settings.cell_bytes)
