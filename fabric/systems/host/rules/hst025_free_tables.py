"""HST025: the routing tables of the NICs are not those of the kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

#: default, main and local (iproute2 etc/iproute2/rt_tables).
_TAKEN = range(253, 256)


@rules.add("HST025")
class FreeTables(ModelRule):
    """The routing tables of the NICs are not those of the kernel."""

    why = "Routes of a NIC would be in the main or local table and attract all traffic."
    source = "iproute2 etc/iproute2/rt_tables (253 default, 254 main, 255 local)"
    guards = ("host.first_table",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the range that the hosts of the fabric use."""
        first = model.intent.fabric.host.first_table
        stop = first + model.fabric.nics_per_host
        if first < _TAKEN.stop and stop > _TAKEN.start:
            yield self.finding(
                f"routing tables {first} to {stop - 1} include 253 to 255, which the kernel "
                "reserves",
                f"use tables below 253, or set host.first_table to {_TAKEN.stop} or above",
                place=model.place("host", "first_table"),
            )
