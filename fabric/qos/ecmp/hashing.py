"""Hashes of several tiers: when the choice of one tier follows from that of another.

Two tiers with one hash H choose H mod n1 and H mod n2: of n1 n2 paths only lcm(n1, n2) are used,
and behind each choice of the first tier n2 / gcd(n1, n2) members of the second; with n1 = n2 that
is one. CRC and XOR are linear over bits: another seed only XORs a constant to the hash, so that
with widths that are powers of two the choices still follow from each other (Zhang et al., "Hashing
Linearity Enables Relative Path Control in Data Centers", USENIX ATC 2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from fabric.core.counts import counted, noun

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Algorithms of SAI_HASH_ALGORITHM (opencomputeproject/SAI inc/saiswitch.h) that are linear.
LINEAR = frozenset(("CRC", "XOR", "CRC_32LO", "CRC_32HI", "CRC_CCITT", "CRC_XOR"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TierHash:
    """How the switches of a tier hash.

    Parameters
    ----------
    tier : str
        Name for messages, such as ``leaf``.
    width : int
        Equal next hops of a switch of the tier, >= 1.
    algorithm : str
        Name as in SAI, such as ``CRC``; empty where it is not known.
    fields : frozenset of str
        Header fields that are hashed.
    asic : str
        ASIC family; the same name of an algorithm may be another function on another ASIC.
    seed : int or None
        Seed; None where every switch draws its own.
    offset : int
        First bit of the hash that is used.
    """

    tier: str
    width: int
    algorithm: str
    fields: frozenset[str]
    asic: str
    seed: int | None
    offset: int = 0

    def __post_init__(self) -> None:
        if self.width < 1:
            raise ValueError(f"width of tier {self.tier} is {self.width}; it must be at least 1")

    @property
    def function(self) -> tuple[str, str, frozenset[str], int]:
        """All that makes the hash but its seed."""
        return (self.asic, self.algorithm, self.fields, self.offset)


@dataclass(frozen=True, slots=True)
class Polarised:
    """Two tiers whose choices follow from each other.

    Parameters
    ----------
    tiers : tuple of str
        Their names.
    certain : bool
        False where only the linearity of the algorithm says so.
    paths, nominal_paths : int
        Paths through both that are used, and that there are.
    reason : str
        Why.
    """

    tiers: tuple[str, str]
    certain: bool
    paths: int
    nominal_paths: int
    reason: str


def polarised(tiers: Sequence[TierHash]) -> tuple[Polarised, ...]:
    """Return the pairs of tiers whose choices follow from each other.

    A tier with one next hop has no choice. Same ASIC, algorithm, fields, offset and seed is
    certain. With another seed and a linear algorithm it is likely where both widths are powers of
    two; tiers that draw their seeds count as that.
    """
    pairs = []
    for near, far in combinations([tier for tier in tiers if tier.width > 1], 2):
        if near.function != far.function:
            continue
        if near.seed is not None and near.seed == far.seed:
            pairs.append(_pair(near, far, certain=True))
        elif near.algorithm in LINEAR and _power(near.width) and _power(far.width):
            pairs.append(_pair(near, far, certain=False))
    return tuple(pairs)


def _pair(near: TierHash, far: TierHash, *, certain: bool) -> Polarised:
    paths, nominal = effective_paths(near.width, far.width), near.width * far.width
    reason = f"{near.tier} and {far.tier} have the same hash ({near.algorithm or 'same ASIC'}"
    if certain:
        why = (
            f"{reason}, seed {near.seed}): {paths} of {counted(nominal, 'path')} "
            f"{noun(paths, 'is', 'are')} used"
        )
    else:
        why = (
            f"{reason}, other seeds): in a linear hash another seed may only rename the paths. "
            f"Then {paths} of {counted(nominal, 'path')} {noun(paths, 'is', 'are')} used"
        )
    return Polarised((near.tier, far.tier), certain, paths, nominal, why)


def _power(width: int) -> bool:
    return width & (width - 1) == 0


def effective_paths(*widths: int) -> int:
    """Return the paths through tiers that all choose by one hash modulo their width: the lcm.

    Raises
    ------
    ValueError
        When a width is below 1.
    """
    if not widths or min(widths) < 1:
        raise ValueError(f"widths are {widths}; each must be at least 1")
    return math.lcm(*widths)
