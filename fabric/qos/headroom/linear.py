"""Laws that are a straight line for each speed, deduced from the vendors' tables.

Broadcom DNX (Jericho 2, 2C+, Qumran 3D) and Marvell Teralynx: an intercept for each speed, a slope
in bytes for each metre and Gb/s, and on newer DNX tables a floor up to some length.
Tables: sonic-net/sonic-buildimage 086b03bd device/*/*/*/pg_profile_lookup.ini.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.qos.headroom.terms import Headroom, Link, Term, total

if TYPE_CHECKING:
    from fabric.qos.headroom.terms import Floats


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
