"""Fabrics in which no path ever turns up again, whatever fails and while BGP converges.

A path turns up again at a switch when it comes down from one switch above and leaves to another.
The one above then holds a path that went over that other one. When all switches above have one AS
number, and allow it in no path, it refuses every such path at the moment when it is told (RFC 4271
section 9.1.2; RFC 7938 section 5.2.1): no route that it ever holds, old or new, turns there. So at
each instant every packet goes up, then down, or is dropped. Every path takes buffers of upward
links first and of downward links then, and no failure, and no order of updates, closes a cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fabric.topology.model import Bools, Fabric
    from fabric.topology.routes import Network


def turning(fabric: Fabric, net: Network) -> Bools:
    """Return which switches could be between two switches above them, shape (switches,).

    Cables that are off count too: they may come back.
    """
    up, switches = fabric.uplinks, fabric.switches
    above = switches.asn[up.upper]
    low = np.full(len(switches), np.iinfo(np.int64).max)
    high = np.full(len(switches), -1)
    np.minimum.at(low, up.lower, above)
    np.maximum.at(high, up.lower, above)
    lenient = np.zeros(len(switches), dtype=np.bool_)
    np.logical_or.at(lenient, up.lower, net.allowed[up.upper] > 0)
    turns: Bools = (high >= 0) & ((low != high) | lenient)
    return turns
