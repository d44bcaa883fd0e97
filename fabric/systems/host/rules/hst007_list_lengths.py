"""HST007: lists of the host profile name each NIC and each GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

NIC_LISTS = ("pci_addresses", "numa_nodes")
GPU_LISTS = ("pci_addresses", "numa_nodes")


@rules.add("HST007")
class ListLengths(ModelRule):
    """Lists of the host profile have one entry per NIC or GPU."""

    why = (
        "A missing entry leaves a NIC without its address or its GPUs; an extra entry belongs"
        " to no rail."
    )
    source = "fabric/intent/host_model.py in this repository (NicTraits, GpuTraits)"
    guards = (
        "host.nic.pci_addresses",
        "host.nic.numa_nodes",
        "host.nic.gpus",
        "host.gpu.pci_addresses",
        "host.gpu.numa_nodes",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        gpus, fabric = model.intent.fabric.host.gpus, model.fabric
        ports = "rails" if fabric.nic_ports == 1 else "NIC ports"
        for kind in host_kinds(model):
            for group, field, wanted, things in (
                *(("nic", field, fabric.nics_per_host, ports) for field in NIC_LISTS),
                ("nic", "gpus", fabric.rails, "rails"),
                *(("gpu", field, gpus, "GPUs") for field in GPU_LISTS),
            ):
                count = len(getattr(getattr(kind.host.traits, group), field))
                if count not in (0, wanted):
                    yield self.finding(
                        f"{group}.{field} has {count} entries for {wanted} {things}",
                        f"use one entry for each of the {wanted} {things}, in order, or none",
                        place=traits_place(model, kind.host.name, group, field),
                        device=kind.host.name,
                    )
