"""HST008: PCI addresses of a host identify one NIC or GPU."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST008")
class UniquePci(ModelRule):
    """PCI addresses of a host identify one NIC or GPU."""

    why = "Settings of one device would be written to another."
    source = (
        "PCI Local Bus Specification 3.0 section 6.1 (domain, bus, device and function name one "
        "function)"
    )
    guards = ("host.nic.pci_addresses", "host.gpu.pci_addresses")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits = kind.host.traits
            used = Counter((*traits.nic.pci_addresses, *traits.gpu.pci_addresses))
            for address, count in used.items():
                if count > 1:
                    group = "nic" if address in traits.nic.pci_addresses else "gpu"
                    yield self.finding(
                        f"{address} is used for {count} devices of a host",
                        "set the address of each NIC and GPU as lspci -D shows it",
                        place=traits_place(model, kind.host.name, group, "pci_addresses"),
                        device=kind.host.name,
                    )
