"""ADR004: gateways are free host addresses of their subnet."""

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


@rules.add("ADR004")
class GatewayFree(ModelRule):
    """Gateways are free host addresses of their subnet."""

    why = "A gateway outside the subnet, or with the address of a NIC, is not reachable."
    source = "RFC 1812 section 2.2; RFC 1122 section 3.2.1.3"
    guards = ("addressing.gateway_offset", "addressing.first_host_offset")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare the gateways with the subnet and with the NICs."""
        fabric, nics, subnets = model.fabric, model.fabric.nics, model.fabric.subnets
        offset = model.intent.fabric.addressing.gateway_offset
        last = (1 << (32 - subnets.prefix_length)) - 1
        place = model.place("addressing", "gateway_offset")
        if offset >= last:
            yield self.finding(
                f"gateway_offset {offset} is not a host address of a /{subnets.prefix_length} "
                "subnet",
                f"use an offset from 1 to {last - 1}",
                place=place,
            )
        for row in np.flatnonzero(nics.address == subnets.gateway[nics.subnet]).tolist():
            yield self.finding(
                f"{ipv4_text(int(nics.address[row]))} is the gateway of the subnet",
                "use another address, or move gateway_offset below first_host_offset",
                place=nic_place(fabric, row, "address") or place,
                device=fabric.hosts.names[int(nics.host[row])],
            )
