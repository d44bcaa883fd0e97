"""Broadcom XGS (Trident, Tomahawk): a law deduced from the vendors' tables.

The slope of the tables of Tomahawk 4, 5 and 6 is ``cell / 84`` times that of the cable, to 0.1 %:
each byte on the wire is taken for a part of a smallest frame (64 bytes and 20 of preamble and gap,
IEEE 802.3 clause 4) that fills a whole cell. What remains is two large frames and a response time.
Tables: sonic-net/sonic-buildimage 086b03bd device/dell/x86_64-dell_z9664f-r0,
device/micas/x86_64-micas_m2-w6940-64oc-r0, device/nexthop/x86_64-nexthop_4210-r0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.qos.headroom.terms import Headroom, Link, Term, total
from fabric.qos.headroom.wire import cable_bytes

#: A smallest frame on the wire (IEEE 802.3 clause 4: 64 bytes, 8 of preamble, 12 of gap).
SMALLEST_ON_WIRE_BYTES = 84
#: Frame that the tables were made for: the intercepts at two speeds leave this.
TABLE_FRAME_BYTES = 9428
#: Speeds of the tables: a port between two is charged as the faster one (10G as 25G, 40G as 50G
#: in the table of DellEMC-Z9664f).
CHARGED_GBPS = (25, 50, 100, 200, 400, 800)


@dataclass(frozen=True, slots=True)
class XgsSettings:
    """What the law needs to know beside the link.

    Parameters
    ----------
    cell_bytes : int
        Cell of the buffer.
    response_ns : float
        Response of the peer, the same at every speed.
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
    terms = (
        Term("largest frame in the way of the pause", link.port_mtu_bytes),
        Term("cable, both ways", np.asarray(cable_bytes(speed, link.cable_m))),
        Term(
            "response of the peer",
            speed * gbps_to_bytes_per_s(1) * ns_to_s(settings.response_ns),
        ),
        Term("lossless frame just begun", link.lossless_mtu_bytes),
    )
    factor = settings.packing_factor or settings.cell_bytes / SMALLEST_ON_WIRE_BYTES
    return total("xgs", terms, factor, settings.cell_bytes)
