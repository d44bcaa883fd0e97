"""Repair by classes: a packet that turns up again goes on in the next lossless class.

With K lossless classes a path may turn up again K - 1 times and stay lossless; a packet that turns
once more leaves the lossless classes. In each class paths only go up and then down, and classes
only rise, so no cycle closes, whatever the failures (Hu et al., Tagger: Practical PFC Deadlock
Prevention in Data Center Networks, CoNEXT 2017). What remains is which failures need how many.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.qos.deadlock.lossless import PRIORITIES
from fabric.qos.deadlock.proof import failure_name
from fabric.qos.deadlock.updown import turning
from fabric.topology.routes import network, route, uses
from fabric.topology.routes_bits import unpack
from fabric.topology.routes_failures import after, growing
from fabric.topology.symmetry import alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.topology.model import Fabric
    from fabric.topology.routes import Network, Routing
    from fabric.topology.routes_bits import Bits


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a number of lossless classes covers.

    Parameters
    ----------
    classes : int
        Lossless classes, >= 1.
    failures : int
        Single failures of a cable between switches, or of a switch.
    covered : int
        Failures after which no path turns up again more often than the classes allow.
    now : int
        Turns of a path while nothing has failed; ``PRIORITIES`` stands for that many or more.
    """

    classes: int
    failures: int
    covered: int
    uncovered: tuple[str, ...]
    now: int


def coverage(fabric: Fabric, classes: int) -> Coverage:
    """Return after which single failures all traffic stays lossless, with K classes.

    Parameters
    ----------
    classes : int
        Lossless classes, 1 to 8.

    Notes
    -----
    After a failure that adds nothing to any link (``growing``) the paths are some of those before.
    """
    return coverages(fabric, (classes,))[0]


def coverages(fabric: Fabric, classes: tuple[int, ...]) -> tuple[Coverage, ...]:
    """Return the coverage of several numbers of classes, with one search.

    Raises
    ------
    ValueError
        When a number is not 1 to 8.
    """
    if not all(1 <= count <= PRIORITIES for count in classes):
        raise ValueError(f"classes must be 1 to {PRIORITIES}")
    net = network(fabric)
    total = int(fabric.uplinks.enabled.sum()) + len(fabric.switches)
    now, more = 0, []
    if turning(fabric, net).any():
        base = route(net)
        carried = uses(net, base)
        now = most_bounces(fabric, net, carried)
        more = list(_after_each(fabric, net, base, carried))
    return tuple(_covered(count, now, more, total) for count in classes)


def _after_each(
    fabric: Fabric, net: Network, base: Routing, carried: Bits
) -> Iterator[tuple[str, int]]:
    """Yield the failures that add traffic, each with the turns that a path has then at most."""
    known: dict[int, int] = {}
    for failure in growing(net, base, carried, alike(net)):
        if failure.kind not in known:
            known[failure.kind] = most_bounces(fabric, net, after(net, failure))
        yield failure_name(fabric, net, failure), known[failure.kind]


def _covered(classes: int, now: int, more: list[tuple[str, int]], total: int) -> Coverage:
    beyond = tuple(name for name, bounces in more if bounces >= classes)
    covered = 0 if now >= classes else total - len(beyond)
    return Coverage(classes, total, covered, beyond, now)


def most_bounces(fabric: Fabric, net: Network, carried: Bits) -> int:
    """Return how often a path turns up again at most; ``PRIORITIES`` where there is no end to it.

    Parameters
    ----------
    carried : bits, shape (links, destinations)
        Destinations to which each link carries traffic.
    """
    links, tier = net.links, fabric.switches.tier
    upward = tier[links.source] < tier[links.target]
    on = unpack(carried, len(net.origin))
    # turns of what arrives from below (or enters), and from above; -1: nothing arrives
    nothing = np.full((links.switches, len(net.origin)), -1, dtype=np.int8)
    below, above = np.where(net.sends[:, None], np.int8(0), nothing), nothing.copy()
    for _ in range(PRIORITIES * links.switches):
        turned = np.where(above >= 0, np.minimum(above + 1, PRIORITIES), -1).astype(np.int8)
        up, down = (np.maximum(below, arriving)[links.source] for arriving in (turned, above))
        leaving = np.where(on, np.where(upward[:, None], up, down), -1)
        before = below.copy(), above.copy()
        np.maximum.at(below, links.target[upward], leaving[upward])
        np.maximum.at(above, links.target[~upward], leaving[~upward])
        if np.array_equal(before[0], below) and np.array_equal(before[1], above):
            break
    return int(max(below.max(initial=0), above.max(initial=0)))
