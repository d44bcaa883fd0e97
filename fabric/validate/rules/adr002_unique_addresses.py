"""ADR002: no override gives out an address twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import ipv4_text
from fabric.validate.addresses import owners
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("ADR002")
class UniqueAddresses(ModelRule):
    """No override assigns an address twice."""

    why = "Two owners of one address reply in turn, and sessions break at random."
    source = "RFC 5227 section 1"
    guards = ("devices.loopback", "hosts.nics.address", "addressing.hosts")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare all addresses of switches, gateways and NICs."""
        table = owners(model.fabric)
        values, counts = np.unique(table.address, return_counts=True)
        for address in values[counts > 1].tolist():
            rows = np.flatnonzero(table.address == address).tolist()
            for row in rows:
                place = table.place(row)
                if place:
                    other = next(item for item in rows if item != row)
                    yield self.finding(
                        f"{ipv4_text(address)} is also the address of {table.owner(other)}",
                        "use a free address",
                        place=place,
                        device=table.owner(row),
                    )
