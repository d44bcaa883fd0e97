"""Sets of destinations as rows of bits: one row for each thing, one bit for each destination.

A row is a number of 64-bit words; column ``c`` is bit ``c % 64`` of word ``c // 64``, which is
``numpy.unpackbits(row.view(numpy.uint8), bitorder="little")[c]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.topology.model import Bools, Ints

    Bits = NDArray[np.uint64]

#: Bits of numpy's uint64.
WORD_BITS = 64
_WORD = np.dtype("<u8")  # little-endian everywhere, so that the byte view has the same order


def no_bits(rows: int, columns: int) -> Bits:
    """Return empty sets, shape (rows, words for that many columns).

    Parameters
    ----------
    rows, columns : int
        Number of sets, and of destinations, >= 0.
    """
    return np.zeros((rows, -(-columns // WORD_BITS)), dtype=_WORD)


def set_bits(bits: Bits, rows: Ints, columns: Ints) -> None:
    """Put ``columns[i]`` into the set of ``rows[i]``, for every i.

    Parameters
    ----------
    bits : array of uint64, shape (sets, words)
        Sets; changed in place.
    rows, columns : array of int, shape (n,)
        Set and destination of each item.
    """
    values = np.uint64(1) << (columns % WORD_BITS).astype(np.uint64)
    np.bitwise_or.at(bits, (rows, columns // WORD_BITS), values)


def unpack(bits: Bits, columns: int) -> Bools:
    """Return the sets as truth values, shape (rows, columns).

    Parameters
    ----------
    bits : array of uint64, shape (sets, words)
        Sets.
    columns : int
        Number of destinations.
    """
    row_bytes = np.ascontiguousarray(bits).view(np.uint8)
    return np.unpackbits(row_bytes, axis=1, count=columns, bitorder="little").astype(np.bool_)


def filled(bits: Bits) -> Bools:
    """Return which rows have any column."""
    return np.asarray(bits.any(axis=1))
