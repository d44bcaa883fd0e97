"""HST023: ports of AMD Pensando NICs have the name that nicctl calls them by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST023")
class IonicPorts(ModelRule):
    """Ports of AMD Pensando NICs have their nicctl UUID."""

    why = "nicctl addresses a port only by its UUID."
    source = "AMD Pensando Pollara guides (UG1813), nicctl update port"
    guards = ("hosts.nics.port_uuid", "host.nic.driver")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every such NIC."""
        for host in model.hosts.values():
            if host.traits.nic.driver != "ionic" or host.no_lossless:
                continue
            for nic in host.nics:
                if nic.enabled and not nic.port_uuid:
                    yield self.finding(
                        f"{nic.interface} has no port_uuid",
                        "set hosts.nics.port_uuid to the UUID from `nicctl show port`",
                        place=traits_place(model, host.name, "nic", "driver"),
                        device=host.name,
                        port=nic.interface,
                    )
