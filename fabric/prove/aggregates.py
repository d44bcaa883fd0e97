"""Prefixes that switches announce in place of longer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.observe.configuration.model import BITS

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
        Aggregates that exist: each has a longer prefix of the switch inside.
    hidden : array of bool
        Prefixes that are not announced, since they are inside of one.
    """

    active: Bools
    hidden: Bools


def aggregates(network: Network, prefixes: Prefixes, own: Bools) -> Aggregates:
    """Return the aggregates of all switches.

    A switch counts the prefixes that it has itself, and not those that it learns: our leaves
    aggregate the subnets of their own NICs.

    Parameters
    ----------
    own : array of bool, shape (switches, prefixes)
        Prefixes that a switch announces or has on its ports.
    """
    result = Aggregates(*(np.zeros_like(own) for _ in Aggregates._fields))
    for row, configured in enumerate(network.switches.values()):
        for item in configured.bgp.aggregates if configured.bgp else ():
            inside = _inside(prefixes, item)
            if not (inside & own[row]).any():
                continue
            same = (prefixes.network == item.network) & (prefixes.length == item.prefix_length)
            result.active[row] |= same
            result.hidden[row] |= inside & item.hides
    return result


def _inside(prefixes: Prefixes, item: Aggregate) -> Bools:
    """Return which prefixes are longer ones of an aggregate."""
    shift = BITS - item.prefix_length
    same: Bools = prefixes.network >> shift == item.network >> shift
    return same & (prefixes.length > item.prefix_length)
