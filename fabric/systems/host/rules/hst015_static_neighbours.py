"""HST015: static neighbours have the MAC address of their leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST015")
class StaticNeighbours(ModelRule):
    """Static neighbours have the MAC address of their leaf."""

    why = "A static neighbour needs a MAC address, and a wrong one disconnects the NIC."
    source = "iproute2 ip-neighbour manual page (lladdr, nud permanent)"
    guards = ("host.static_neighbours", "devices.mac")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for the MAC of every leaf with such hosts."""
        asking = [name for name, host in model.hosts.items() if host.traits.static_neighbours]
        nics, fabric = model.fabric.nics, model.fabric
        chosen = np.zeros(len(fabric.hosts), dtype=bool)
        chosen[[fabric.host_row[name] for name in asking]] = True
        rows = np.flatnonzero(chosen[nics.host] & nics.enabled)
        leaves, first = np.unique(nics.leaf[rows], return_index=True)
        for leaf, row in zip(leaves.tolist(), rows[first].tolist(), strict=True):
            name = fabric.switches.names[leaf]
            host = fabric.hosts.names[int(nics.host[row])]
            if not model.devices[name].mac:
                yield self.finding(
                    f"{name} has no mac, which the static neighbour entry of its hosts needs",
                    f"set devices.mac of {name} to the MAC of its "
                    f"gateways, or set static_neighbours: false",
                    place=traits_place(model, host, "static_neighbours"),
                    device=name,
                )
