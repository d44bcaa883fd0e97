"""Cyclic buffer dependency of whole fabrics, as arrays.

A channel waits for another one that leaves where it arrives when both carry traffic to a common
destination. Without listing such pairs, channels that wait for none are taken away, then those
that waited for these only, and so on. Each one that remains waits for another that remains, so
there is a cycle among them; if none remains there is none.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Ints
    from fabric.topology.routes_bits import Bits


@dataclass(frozen=True, eq=False)
class Channels:
    """Lossless channels, sorted by where they leave.

    A place is a switch together with the kind of traffic that keeps its class there: traffic goes
    on from a channel to the channels that leave at the place where it arrives.

    Parameters
    ----------
    leaves, arrives : array of int, shape (n,)
        Place where each channel starts and ends; ``leaves`` ascends.
    """

    leaves: Ints
    arrives: Ints


def remaining(channels: Channels, carried: Bits) -> Ints:
    """Return the channels that lie on a cycle, or lead to one; empty when there is no cycle.

    Parameters
    ----------
    channels : Channels
        n channels.
    carried : bits, shape (n, destinations)
        Destinations to which each channel carries traffic.
    """
    live = np.flatnonzero(carried.any(axis=1))
    places = int(max(channels.leaves.max(initial=0), channels.arrives.max(initial=0))) + 1
    bits = carried[live]
    while len(live):
        starts, first = np.unique(channels.leaves[live], return_index=True)
        onward = np.zeros((places, carried.shape[1]), dtype=carried.dtype)
        onward[starts] = np.bitwise_or.reduceat(bits, first, axis=0)
        waits = (bits & onward.take(channels.arrives[live], axis=0)).any(axis=1)
        if waits.all():
            break
        live, bits = live[waits], bits[waits]
    return live


def one_cycle(channels: Channels, carried: Bits, live: Ints) -> list[int]:
    """Return the channels of one short cycle, in order.

    Parameters
    ----------
    live : array of int, shape (k,)
        What ``remaining`` returned, not empty.
    """
    core = Channels(channels.leaves[live], channels.arrives[live])
    bits = carried[live]
    here, seen = 0, set[int]()
    while here not in seen:  # every channel of the core waits for another one
        seen.add(here)
        here = int(_onward(core, bits, here)[0])
    return [int(live[channel]) for channel in _shortest(core, bits, here)]


def _onward(core: Channels, bits: Bits, channel: int) -> Ints:
    place = core.arrives[channel]
    low, high = np.searchsorted(core.leaves, [place, place + 1])
    common = bits[low:high] & bits[channel]
    return np.asarray(low + np.flatnonzero(common.any(axis=1)))


def _shortest(core: Channels, bits: Bits, start: int) -> list[int]:
    """Return the shortest cycle through a channel that is known to lie on one."""
    before: dict[int, int] = {}
    queue = deque([start])
    while start not in before:
        here = queue.popleft()
        for following in _onward(core, bits, here).tolist():
            if following not in before:
                before[following] = here
                queue.append(following)
    cycle = [start]
    while before[cycle[-1]] != start:
        cycle.append(before[cycle[-1]])
    return [start, *reversed(cycle[1:])]
