"""HST001: the host profile names one NIC for each rail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST001")
class NicNames(ModelRule):
    """The host profile names one NIC for each rail."""

    why = "A rail without a NIC name, or a name without a rail, cannot be configured."
    source = "fabric/intent/model.py in this repository (HostProfile)"
    guards = ("host.interfaces", "host.rdma_devices", "rails")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the names of interfaces and RDMA devices."""
        profile, fabric = model.intent.fabric.host, model.fabric
        ports = f" of {fabric.nic_ports} ports" if fabric.nic_ports > 1 else ""
        for field in ("interfaces", "rdma_devices"):
            names = hostlist.count(getattr(profile, field))
            if names != fabric.nics_per_host:
                yield self.finding(
                    f"host.{field} {getattr(profile, field)!r} has {names} names "
                    f"for {fabric.rails} rails{ports}",
                    f"set exactly one for each {'port' if ports else 'rail'}",
                    place=model.place("host", field),
                )
