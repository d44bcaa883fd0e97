"""ADR003: NIC addresses are host addresses of their subnet."""

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


@rules.add("ADR003")
class NicInSubnet(ModelRule):
    """NIC addresses are host addresses of their subnet."""

    why = "A NIC outside its subnet, or on its first or last address, cannot reach its gateway."
    source = "RFC 1122 section 3.2.1.3; RFC 919"
    guards = ("hosts.nics.address", "addressing.first_host_offset", "addressing.host_prefix_length")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare every NIC address with its subnet."""
        fabric, nics, subnets = model.fabric, model.fabric.nics, model.fabric.subnets
        network = subnets.network[nics.subnet]
        offset = nics.address - network
        last = (1 << (32 - subnets.prefix_length)) - 1
        for row in np.flatnonzero((offset < 1) | (offset >= last)).tolist():
            yield self.finding(
                f"{ipv4_text(int(nics.address[row]))} is not a host address of "
                f"{ipv4_text(int(network[row]))}/{subnets.prefix_length}",
                "use an address in the subnet of this rail and leaf",
                place=nic_place(fabric, row, "address")
                or model.place("addressing", "first_host_offset"),
                device=fabric.hosts.names[int(nics.host[row])],
            )
