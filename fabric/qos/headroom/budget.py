"""The buffer of a switch: whether the headroom of all ports fits, and what would fit.

Accounting of sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_pool_mellanox.lua: the guaranteed bytes of
the lossless groups, their headroom (each its own, or all out of one shared headroom pool), reserves
of the other queues, and what is left is the shared pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Budget:
    """The buffer of one switch in bytes.

    Parameters
    ----------
    groups : int
        Lossless priority groups in use.
    guaranteed_bytes : int
        Bytes that the groups have for themselves before they share.
    headroom_bytes : int
        Sum of the headroom of the groups.
    over_subscription : float
        Groups that share one headroom: the pool holds ``headroom_bytes`` divided by it.
    reserved_bytes : int
        What everything else takes for itself.
    shared_bytes : int
        Shared pool that is wanted.
    buffer_bytes : int
        Size of the packet buffer.
    """

    groups: int
    guaranteed_bytes: int
    headroom_bytes: int
    over_subscription: float
    reserved_bytes: int
    shared_bytes: int
    buffer_bytes: int

    @property
    def kept_headroom_bytes(self) -> int:
        """Headroom that is really set aside."""
        return int(np.ceil(self.headroom_bytes / self.over_subscription))

    @property
    def need_bytes(self) -> int:
        """Everything that must fit."""
        own = self.guaranteed_bytes + self.reserved_bytes + self.shared_bytes
        return own + self.kept_headroom_bytes

    @property
    def missing_bytes(self) -> int:
        """What does not fit; 0 when all does."""
        return max(0, self.need_bytes - self.buffer_bytes)

    @property
    def fits(self) -> bool:
        """Whether everything fits."""
        return self.need_bytes <= self.buffer_bytes


def budget(
    guaranteed_bytes: ArrayLike,
    headroom_bytes: ArrayLike,
    buffer_bytes: int,
    *,
    over_subscription: float = 1.0,
    reserved_bytes: int = 0,
    shared_bytes: int = 0,
) -> Budget:
    """Return the account of a switch.

    Parameters
    ----------
    guaranteed_bytes, headroom_bytes : array_like of int, shape (groups,)
        Of each lossless priority group in use.
    buffer_bytes : int
        Size of the packet buffer.
    over_subscription : float
        At least 1; 1 keeps the headroom of each group for itself.

    Raises
    ------
    ValueError
        When the over-subscription is below 1, or a size is negative.
    """
    if over_subscription < 1:
        raise ValueError(f"over_subscription must be at least 1, not {over_subscription}")
    guaranteed, headroom = (
        np.asarray(value, dtype=np.int64) for value in (guaranteed_bytes, headroom_bytes)
    )
    sizes = (guaranteed.min(initial=0), headroom.min(initial=0), reserved_bytes, shared_bytes)
    if min(sizes) < 0 or buffer_bytes <= 0:
        raise ValueError("sizes must not be negative, and the buffer above 0")
    return Budget(
        groups=headroom.size,
        guaranteed_bytes=int(guaranteed.sum()),
        headroom_bytes=int(headroom.sum()),
        over_subscription=over_subscription,
        reserved_bytes=reserved_bytes,
        shared_bytes=shared_bytes,
        buffer_bytes=buffer_bytes,
    )


def largest(fits: Callable[[int], bool], low: int, high: int) -> int | None:
    """Return the largest whole number of a range that fits, or None when not even ``low`` does.

    Parameters
    ----------
    fits : callable
        True up to some number and False beyond it: a cable length, a count of ports, an MTU.
    low, high : int
        The range, both ends in it.
    """
    if not fits(low):
        return None
    if fits(high):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
