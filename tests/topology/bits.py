"""Truth values as sets of destinations, the other way than ``unpack``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.routes_bits import no_bits

if TYPE_CHECKING:
    from fabric.topology.model import Bools
    from fabric.topology.routes_bits import Bits


def pack(values: Bools) -> Bits:
    """Return truth values of shape (rows, columns) as sets.

    Parameters
    ----------
    values : array of bool, shape (sets, destinations)
        Whether the set holds the destination.

    Returns
    -------
    array of uint64, shape (sets, words)
        One bit for each destination.
    """
    rows, columns = values.shape
    bits = no_bits(rows, columns)
    packed = np.packbits(values, axis=1, bitorder="little")
    bits.view(np.uint8)[:, : packed.shape[1]] = packed
    return bits
