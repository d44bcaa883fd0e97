"""What a cyclic buffer dependency is made of.

Every lossless route counts, those of all ECMP members, of failover and of flooded copies too. A
cycle is necessary for a deadlock, not sufficient: all its buffers must be paused at once.

Sources: Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks,
IEEE Transactions on Computers C-36(5), 1987; Hu et al., Deadlocks in Datacenter Networks: Why Do
They Form, and How to Avoid Them, HotNets 2016.

Cyclic buffer dependency of whole fabrics, as arrays.

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


@dataclass(frozen=True, slots=True, order=True)
class Channel:
    """The lossless buffer behind one direction of a link, for one priority.

    It is the ingress buffer of ``target``; when it is full, ``source`` is told to pause.

    Parameters
    ----------
    source, target : str
        Devices at both ends.
    priority : int
        PFC priority on the link, 0 to 7.
    source_port, target_port : str
        Ports of the cable; empty where a link is known by its devices alone.
    """

    source: str
    target: str
    priority: int = 0
    source_port: str = ""
    target_port: str = ""

    def __str__(self) -> str:
        ends = ((self.source, self.source_port), (self.target, self.target_port))
        return " to ".join(f"{device} {port}".strip() for device, port in ends)


@dataclass(frozen=True, slots=True)
class Cycle:
    """Channels of which each waits for the next, and the last for the first."""

    channels: tuple[Channel, ...]

    def __str__(self) -> str:
        priorities = sorted({channel.priority for channel in self.channels})
        plural = "y" if len(priorities) == 1 else "ies"
        numbers = ", ".join(str(priority) for priority in priorities)
        path = ", ".join(str(channel) for channel in self.channels)
        return f"{path} (priorit{plural} {numbers})"


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
    row, seen = 0, set[int]()
    while row not in seen:  # every channel of the core waits for another one
        seen.add(row)
        row = int(_onward(core, bits, row)[0])
    return [int(live[channel]) for channel in _shortest(core, bits, row)]


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
        row = queue.popleft()
        for following in _onward(core, bits, row).tolist():
            if following not in before:
                before[following] = row
                queue.append(following)
    cycle = [start]
    while before[cycle[-1]] != start:
        cycle.append(before[cycle[-1]])
    return [start, *reversed(cycle[1:])]
