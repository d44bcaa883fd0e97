"""TOP016: every NIC is cabled to the leaf of its rail, where its gateway is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import ipv4_text
from fabric.validate.origins import nic_place
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("TOP016")
class RightLeaf(ModelRule):
    """Every NIC is cabled to the leaf of its rail, where its gateway is."""

    why = "The subnet of the NIC is on another leaf, so its gateway is not reachable."
    source = "NVIDIA DGX SuperPOD reference architecture (rail-optimised); RFC 1812 section 2.2"
    guards = ("hosts.nics.leaf", "hosts.nics.port")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the leaf of the cable with the leaf of the subnet."""
        fabric, nics, subnets = model.fabric, model.fabric.nics, model.fabric.subnets
        wrong = nics.enabled & (subnets.leaf[nics.subnet] != nics.leaf)
        for row in np.flatnonzero(wrong).tolist():
            subnet = int(nics.subnet[row])
            names = fabric.switches.names
            yield self.finding(
                f"the NIC of rail {int(nics.rail[row])} is cabled to "
                f"{names[int(nics.leaf[row])]}, its "
                f"gateway {ipv4_text(int(subnets.gateway[subnet]))} is on "
                f"{names[int(subnets.leaf[subnet])]}",
                "recable it, or correct nics.leaf",
                place=nic_place(fabric, row, "leaf"),
                device=fabric.hosts.names[int(nics.host[row])],
            )
