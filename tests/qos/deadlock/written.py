"""Cyclic buffer dependency of routes that are written out as lists of devices: the judge.

Every lossless route counts, those of all ECMP members, of failover and of flooded copies too.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fabric.qos.deadlock import Channel, Cycle

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Dependencies = Mapping[Channel, Mapping[Channel, None]]


def dependencies(
    routes: Sequence[Sequence[str]], priorities: Sequence[Sequence[int]] | None = None
) -> Dependencies:
    """Return which buffers wait for which.

    Parameters
    ----------
    routes : sequence of sequences of str
        Devices of each route, from end to end.
    priorities : sequence of sequences of int, optional
        Priority of each hop of each route, one fewer than devices; default: all 0.

    Returns
    -------
    mapping
        Channel -> the channels it waits for, both in the order in which they are met.

    Raises
    ------
    ValueError
        When a route stays at a device, or its priorities do not fit its hops.
    """
    waits: dict[Channel, dict[Channel, None]] = {}
    marks = priorities if priorities is not None else [[0] * (len(r) - 1) for r in routes]
    for route, own in zip(routes, marks, strict=True):
        hops = list(pairwise(route))
        if any(near == far for near, far in hops) or len(own) != len(hops):
            message = f"route {'-'.join(route)}: each hop goes to another device in one priority"
            raise ValueError(message)
        channels = [Channel(*hop, priority) for hop, priority in zip(hops, own, strict=True)]
        for channel in channels:
            waits.setdefault(channel, {})
        for first, second in pairwise(channels):
            waits[first][second] = None
    return waits


def find_cycle(graph: Dependencies) -> Cycle | None:
    """Return one cycle of the dependencies, or None; depth first, in linear time."""
    finished: set[Channel] = set()
    for start in graph:
        if start in finished:
            continue
        path: dict[Channel, Iterator[Channel]] = {start: iter(graph[start])}
        while path:
            channel = next(reversed(path))
            following = next((n for n in path[channel] if n not in finished), None)
            if following is None:
                finished.add(channel)
                del path[channel]
            elif following in path:
                trail = list(path)
                return Cycle(tuple(trail[trail.index(following) :]))
            else:
                path[following] = iter(graph[following])
    return None
