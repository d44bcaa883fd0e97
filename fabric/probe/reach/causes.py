"""What failed probes have in common: a NIC, host, leaf or rail of which every probe failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

#: From small to large: of two that explain the same, the smaller is meant.
SCOPES = ("nic", "host", "leaf", "rail")
_ENOUGH = 2


@dataclass(frozen=True, slots=True)
class Cause:
    """A likely cause; every one of its ``probes`` failed."""

    scope: str
    number: int
    probes: int


def causes(failed: Bools, ends: Mapping[str, tuple[Ints, Ints]]) -> tuple[list[Cause], Bools]:
    """Return likely causes, the one that explains most first, and which failures are left.

    Parameters
    ----------
    failed : array of bool, shape (n,)
        Which probes failed.
    ends : mapping
        By scope: number of the NIC, host, leaf or rail at the source and at the target of each
        probe, shape (n,) each.

    Notes
    -----
    One failed probe alone could be any of its ends, so that a cause has two failures at least.
    """
    open_ = failed.copy()
    common: list[Cause] = []
    while open_.any():
        best = max((_best(scope, failed, open_, ends[scope]) for scope in SCOPES), key=_gain)
        if _gain(best) < _ENOUGH:
            break
        cause, _ = best
        common.append(cause)
        source, target = ends[cause.scope]
        open_ &= (source != cause.number) & (target != cause.number)
    return common, open_


def _gain(item: tuple[Cause, int]) -> int:
    return item[1]


def _best(scope: str, failed: Bools, open_: Bools, ends: tuple[Ints, Ints]) -> tuple[Cause, int]:
    source, target = ends
    size = int(max(source.max(), target.max())) + 1

    def count(mask: Bools) -> Ints:
        both = mask & (source != target)
        return np.bincount(source[mask], minlength=size) + np.bincount(target[both], minlength=size)

    every, bad, gain = count(np.ones_like(failed)), count(failed), count(open_)
    gain = np.where(bad == every, gain, 0)
    number = int(gain.argmax())
    return Cause(scope, number, int(every[number])), int(gain[number])
