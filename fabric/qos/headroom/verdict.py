"""Is a headroom enough? Compared with what no peer can avoid, and with what IEEE 802.3 allows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s
from fabric.qos.headroom.deduced import plain
from fabric.qos.headroom.wire import floor_bytes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from fabric.qos.headroom.terms import Floats, Ints, Link


class HeadroomVerdict(IntEnum):
    """From bad to good; a larger number is never worse."""

    BELOW_FLOOR = 0
    BELOW_RESPONSE = 1
    LARGE_FRAMES = 2
    ENOUGH = 3


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """A headroom and the three figures that it is compared with, all in bytes.

    Parameters
    ----------
    verdict : array of int
        Values of ``HeadroomVerdict``.
    floor_bytes : array of float
        Below it no peer can stop in time, even one that answers at once.
    response_bytes : array of float
        Below it frames of a peer are lost that answers as late as IEEE 802.3 31B.3.7 allows, or as
        late as this peer is known to.
    packed_bytes : array of int
        Below it a stream of small frames may fill the cells badly.
    response_ns : array of float
        Time that the headroom leaves the peer; negative below the floor.
    least_bytes : array of float
        ``response_bytes`` for the least that the peer may take, where no text says how long it is.
    """

    verdict: Ints
    floor_bytes: Floats
    response_bytes: Floats
    packed_bytes: Ints
    response_ns: Floats
    least_bytes: Floats


def judge(
    headroom_bytes: ArrayLike,
    link: Link,
    *,
    packing_factor: float = 1.0,
    cell_bytes: int = 1,
) -> Judgement:
    """Return what a headroom is good for.

    Parameters
    ----------
    headroom_bytes : array_like of int
        Room that is kept.
    link : Link
        Speed, length, frames and peer that it is kept for.
    packing_factor : float
        Buffer bytes for each byte on the wire, for the figure ``packed_bytes``.
    """
    have = np.asarray(headroom_bytes, dtype=float)
    sizes = (link.speed_gbps, link.cable_m, link.port_mtu_bytes, link.lossless_mtu_bytes)
    floor, term = floor_bytes(*sizes), link.response()
    response = floor + term.amount_bytes
    least = response if term.least_bytes is None else floor + term.least_bytes
    packed = plain(link, packing_factor=packing_factor, cell_bytes=cell_bytes).headroom_bytes
    # the three figures rise in this order, so the verdict is how many of them are reached
    verdict = (have >= floor).astype(np.int64) + (have >= response) + (have >= packed)
    left_ns = (have - floor) / (link.speed_gbps * gbps_to_bytes_per_s(1)) * 1e9
    return Judgement(verdict, floor, response, packed, left_ns, least)
