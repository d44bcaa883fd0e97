"""How far FEC is from codewords that it cannot correct, from the share that it corrects.

Reed-Solomon codes RS(528,514) and RS(544,514) of 10-bit symbols correct 7 and 15 of them, and carry
5,140 bits of 256b/257b blocks (IEEE 802.3 clauses 91.5 and 119.2.4). With independent errors a
codeword is without error with probability (1 - s)^n, s the probability of a wrong symbol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import S_PER_H

if TYPE_CHECKING:
    from fabric.health.ends import Floats
    from fabric.topology.model import Ints

_DATA_SYMBOLS, _SYMBOL_BITS, _BLOCK = 514, 10, 257 / 256


def codewords_per_s(speed_gbps: Ints) -> Floats:
    """Return the codewords that a link at some speeds carries in each second."""
    codewords: Floats = 1e9 * speed_gbps * _BLOCK / (_DATA_SYMBOLS * _SYMBOL_BITS)
    return codewords


def hours_until_loss(corrected_per_s: Floats, speed_gbps: Ints, symbols: Ints) -> Floats:
    """Return the expected time until a codeword cannot be corrected.

    Parameters
    ----------
    corrected_per_s : array of float, shape (n,)
        Codewords that were corrected in each second; NaN where unknown.
    symbols : array of int, shape (n,)
        Symbols of a codeword, 528 or 544; 0 where unknown.

    Returns
    -------
    array of float, shape (n,)
        Hours; infinite without errors, NaN where unknown.
    """
    from scipy.special import betainc

    total = codewords_per_s(speed_gbps)
    share = np.minimum(corrected_per_s / total, 1 - 1e-12)
    length = np.where(symbols > 0, symbols, np.nan)
    wrong = -np.expm1(np.log1p(-share) / length)
    most = (length - _DATA_SYMBOLS) // 2
    beyond = betainc(most + 1, length - most, wrong)  # more wrong symbols than are corrected
    with np.errstate(divide="ignore"):
        hours: Floats = 1 / (beyond * total) / S_PER_H
    return hours
