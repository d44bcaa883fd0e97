"""Freedom from deadlock of a fabric, now and after every single failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.steps import steps
from fabric.intent.resolve import PolicyResolver
from fabric.qos.deadlock.lossless import Lossless, vertex_count
from fabric.qos.deadlock.updown import turning
from fabric.topology.routes import network, route, transit_leaves, uses
from fabric.topology.routes_failures import after, growing
from fabric.topology.symmetry import alike

if TYPE_CHECKING:
    from fabric.qos.deadlock.cycle import Cycle
    from fabric.topology.model import Fabric
    from fabric.topology.routes import Network
    from fabric.topology.routes_bits import Bits
    from fabric.topology.routes_failures import Failure, Mapped


@dataclass(frozen=True, slots=True)
class Bounce:
    """A leaf that passes traffic from spine to spine; ``failure`` is empty when nothing failed."""

    leaf: str
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found out about cyclic buffer dependencies.

    Parameters
    ----------
    free : bool
        Whether there is no cycle, in any case that was looked at.
    vertices : int
        Lossless buffers: both directions of every cable that is up and lossless.
    cycle : Cycle or None
        One cycle, port by port.
    failure : str
        What had failed when the cycle came up; empty when nothing had.
    failures_checked : int
        Single failures of a cable between switches, or of a switch, that were looked at.
    bounce : Bounce or None
        A leaf that carries traffic between spines, the first of two steps to a cycle.
    """

    free: bool
    vertices: int
    cycle: Cycle | None = None
    failure: str = ""
    failures_checked: int = 0
    bounce: Bounce | None = None


def prove(
    fabric: Fabric,
    resolver: PolicyResolver | None = None,
    *,
    failures: bool = True,
    mapped: Mapped = map,
) -> Proof:
    """Return whether lossless traffic of a fabric can wait for itself in a circle.

    Parameters
    ----------
    fabric : Fabric
        The network; what is switched off in it is down.
    resolver : PolicyResolver, optional
        Policy by device and port; default: that of the inventory of the fabric.
    failures : bool
        Whether to look at every single failure too. The search ends at the first cycle.
    mapped : callable, optional
        Routes batches of failures; default: this process.

    Notes
    -----
    The failure of a cable to a host takes a source and a destination away and moves no path, so
    it is not counted. Copies that are flooded inside a VLAN go to host ports only, which depend
    on nothing: with them the cycles are the same (see ``fabric.qos.deadlock.lossless``).
    """
    policies = resolver or PolicyResolver(fabric.intent)
    net = network(fabric)
    vertices = vertex_count(fabric, policies)
    total = int(fabric.uplinks.enabled.sum()) + len(fabric.switches)
    if not turning(fabric, net).any():
        return Proof(True, vertices, failures_checked=total if failures else 0)  # noqa: FBT003 - free
    lossless = Lossless.of(fabric, net, policies)
    base = route(net)
    carried = uses(net, base)
    bounce = _bounce(fabric, net, carried)
    cycle = lossless.cycle(net, carried)
    if cycle or not failures:
        return Proof(cycle is None, vertices, cycle, bounce=bounce)
    grown = list(growing(net, base, carried, alike(net, lossless.kinds(net)), mapped))
    seen = set[int]()
    for number, failure in enumerate(steps("failures to route", grown), total - len(grown) + 1):
        if failure.kind in seen:
            continue
        seen.add(failure.kind)
        now, name = after(net, failure), failure_name(fabric, net, failure)
        bounce = bounce or _bounce(fabric, net, now, name)
        cycle = lossless.cycle(net, now)
        if cycle:
            return Proof(False, vertices, cycle, name, number, bounce)  # noqa: FBT003 - free
    return Proof(True, vertices, failures_checked=total, bounce=bounce)  # noqa: FBT003 - free


def _bounce(fabric: Fabric, net: Network, carried: Bits, failure: str = "") -> Bounce | None:
    leaves = transit_leaves(net, carried)
    return Bounce(fabric.switches.names[int(leaves[0])], failure) if len(leaves) else None


def failure_name(fabric: Fabric, net: Network, failure: Failure) -> str:
    """Return what is down in words: a switch, or a cable by its two ports."""
    up, switches = fabric.uplinks, fabric.switches
    if failure.switch >= 0:
        return switches.names[failure.switch]
    link = int(failure.links[0])
    leaf, spine = sorted((int(net.links.source[link]), int(net.links.target[link])))
    cable = int(np.flatnonzero(up.enabled & (up.lower == leaf) & (up.upper == spine))[0])
    ends = ((leaf, int(up.lower_port[cable])), (spine, int(up.upper_port[cable])))
    return " to ".join(f"{switches.names[s]} {switches.skus[s].port(port)}" for s, port in ends)
