"""TOP026: leaves that the design joins reach each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.routes import network, route
from fabric.topology.routes_bits import unpack
from fabric.validate.origins import uplinks_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.model import Bools, Fabric
    from fabric.validate.world import Model


@rules.add("TOP026")
class ReachablePairs(ModelRule):
    """Leaves connected by the design can reach each other.

    Spines join all leaves of their plane. BGP is followed as it decides, AS loops included.
    """

    why = "Jobs whose hosts are on both sides hang at their first collective."
    source = "RFC 7938 section 5; RFC 4271 section 9.1.2 (a path with the own AS is rejected)"
    guards = (
        "bgp.spine_asn",
        "devices.asn",
        "devices.ports.enabled",
        "devices.ports.peer",
        "spines.count",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Follow the routes between all leaves that have NICs."""
        fabric = model.fabric
        if not len(fabric.uplinks):
            return  # nothing joins leaves: TOP022 says what that means
        cut = _cut_pairs(fabric)
        if not cut.any():
            return
        lonely = int(np.argmax(cut.sum(axis=1)))
        other = int(np.argmax(cut[lonely]))
        names, pairs = fabric.switches.names, int(cut.sum()) // 2
        yield self.finding(
            f"{names[lonely]} and {names[other]} have no route to each other"
            + (f", nor do {pairs - 1} other pairs of leaves" if pairs > 1 else ""),
            "connect both to a common spine, or correct AS numbers that cause loop detection",
            place=uplinks_place(fabric, lonely, "enabled", "peer")
            or model.place("bgp", "spine_asn"),
            device=names[lonely],
        )


def _cut_pairs(fabric: Fabric) -> Bools:
    """Return the pairs of leaves of one plane without a route, shape (leaves, leaves)."""
    switches, nics = fabric.switches, fabric.nics
    count = switches.leaf_count
    reach = unpack(route(network(fabric)).known[-1], count)[:count]
    used = np.bincount(nics.leaf[nics.enabled], minlength=count)[:count] > 0
    plane = switches.plane[:count]
    promised = (plane[:, None] == plane) & used[:, None] & used & ~np.eye(count, dtype=np.bool_)
    cut: Bools = promised & ~(reach & reach.T)
    return cut | cut.T
