"""The plain law: the bytes on the wire, in whole cells of the worst packing.

Source: IEEE 802.1Q-2018 annex N (buffer requirements of PFC) and IEEE 802.3 annex 31B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.headroom.terms import Headroom, Link, Term, total
from fabric.qos.headroom.wire import PAUSE_FRAME_BYTES, cable_bytes, response_bytes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def plain(link: Link, *, packing_factor: ArrayLike = 1.0, cell_bytes: int = 1) -> Headroom:
    """Return the headroom of a peer that answers as IEEE 802.3 31B.3.7 allows.

    Parameters
    ----------
    link : Link
        Speed, length and frames.
    packing_factor : array_like of float
        Buffer bytes for each byte on the wire, >= 1; 1 means frames that fill their cells.
    cell_bytes : int
        Cell of the buffer; 1 where it is not known.
    """
    terms = (
        Term("largest frame in the way of the pause", link.port_mtu_bytes),
        Term("pause frame", np.full_like(link.cable_m, PAUSE_FRAME_BYTES)),
        Term("cable, both ways", cable_bytes(link.speed_gbps, link.cable_m)),
        Term("response of the peer", response_bytes(link.speed_gbps)),
        Term("lossless frame just begun", link.lossless_mtu_bytes),
    )
    return total("plain", terms, packing_factor, cell_bytes)
