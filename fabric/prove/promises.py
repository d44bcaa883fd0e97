"""What the design promises: which leaves reach each other, and over which neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.topology.clos import clos, failed, switched_off
from fabric.topology.partition import ways_in
from fabric.topology.routes import network, route
from fabric.topology.routes_bits import unpack

if TYPE_CHECKING:
    from fabric.topology.clos import Outage
    from fabric.topology.links import Links
    from fabric.topology.model import Bools, Fabric


@dataclass(frozen=True, eq=False)
class Promises:
    """What a fabric promises while some of it is out of order.

    Parameters
    ----------
    fabric : Fabric
        The network of the design, without what is out of order.
    """

    fabric: Fabric

    @classmethod
    def of(cls, fabric: Fabric, outage: Outage | None = None) -> Promises:
        """Return the promises of a fabric during an outage."""
        if outage is None:
            return cls(fabric)
        return cls(switched_off(fabric, failed(clos(fabric), outage)))

    @cached_property
    def links(self) -> Links:
        """Links over which BGP runs, one for all cables between two switches."""
        return network(self.fabric).links

    @cached_property
    def next_hops(self) -> tuple[Bools, Bools]:
        """Links that are a next hop for certain, and that may be one: shape (links, leaves)."""
        routing = route(network(self.fabric))
        leaves = self.fabric.switches.leaf_count
        return unpack(routing.certain, leaves), unpack(routing.next_hops, leaves)

    @cached_property
    def reach(self) -> Bools:
        """Whether packets of a leaf reach another one, shape (leaves, leaves)."""
        return ways_in(network(self.fabric), self.fabric.switches.leaf_count)
