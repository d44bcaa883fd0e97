"""Prefixes that switches announce in place of longer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from fabric.observe.configuration import Aggregate
    from fabric.prove.policies import Prefixes
    from fabric.prove.wiring import Network
    from fabric.topology.model import Bools


class Aggregates(NamedTuple):
    """Aggregates of all switches; arrays of shape (switches, prefixes).

    Parameters
    ----------
    active : array of bool
        Aggregates that exist: BGP of the switch has a longer prefix inside of each.
    hidden : array of bool
        Prefixes that are not announced, since they are inside of one. Aggregates of the switch
        itself are never hidden, as FRR has it (bgpd/bgp_route.c, ``bgp_aggregate_route``).
    idle : bool
        Whether some aggregate has no prefix inside.
    """

    active: Bools
    hidden: Bools
    idle: bool

    def same_as(self, other: Aggregates) -> bool:
        """Return whether the same ones exist, and hide the same."""
        return np.array_equal(self.active, other.active) and np.array_equal(
            self.hidden, other.hidden
        )


def aggregates(network: Network, prefixes: Prefixes, known: Bools) -> Aggregates:
    """Return the aggregates of all switches.

    Parameters
    ----------
    known : array of bool, shape (switches, prefixes)
        Prefixes that BGP of a switch has beside its aggregates: announced by it, or learnt.
    """
    active, hidden, idle = np.zeros_like(known), np.zeros_like(known), False
    for row, configured in enumerate(network.switches.values()):
        for item in configured.bgp.aggregates if configured.bgp else ():
            inside = _inside(prefixes, item)
            if not (inside & known[row]).any():
                idle = True
                continue
            same = np.asarray(prefixes.network == item.network, dtype=np.bool_)
            same &= prefixes.length == item.prefix_length
            active[row] |= same
            hidden[row] |= inside & item.hides
    return Aggregates(active, hidden & ~active, idle)


def _inside(prefixes: Prefixes, item: Aggregate) -> Bools:
    """Return which prefixes are longer ones of an aggregate."""
    shift = prefixes.bits - item.prefix_length
    same: Bools = np.asarray(prefixes.network >> shift == item.network >> shift, dtype=np.bool_)
    return same & (prefixes.length > item.prefix_length)
