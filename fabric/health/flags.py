"""Flags of ends: whether any of a row is set, or all. Eight flags are compared as 64 bits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.health.columns import WIDTH

if TYPE_CHECKING:
    from fabric.topology.model import Bools

#: Eight flags that are all set, as a number of 64 bits.
_ALL = np.frombuffer(b"\x01" * WIDTH, np.uint64)[0]


def any_of_end(flags: Bools) -> Bools:
    """Return whether any flag of each row is set."""
    ends: Bools
    if flags.shape[1] == WIDTH:
        ends = np.ascontiguousarray(flags).view(np.uint64)[:, 0] != 0
    else:
        ends = np.count_nonzero(flags, axis=1) > 0
    return ends


def all_of_end(flags: Bools) -> Bools:
    """Return whether all eight flags of each row are set."""
    ends: Bools = np.ascontiguousarray(flags).view(np.uint64)[:, 0] == _ALL
    return ends
