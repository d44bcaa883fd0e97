"""HST012: virtual functions are made where containers use them, and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST012")
class VirtualFunctions(ModelRule):
    """Virtual functions are made where containers use them, and nowhere else."""

    why = (
        "Without functions a pod gets no NIC; functions that nobody uses take room in the GID "
        "table, and jobs may pick them."
    )
    source = (
        "Linux Documentation/PCI/pci-iov-howto.rst (sriov_numvfs); k8snetworkplumbingwg/sriov-"
        "network-operator README"
    )
    guards = ("host.nic.virtual_functions", "host.container_mode", "host.virtual_machine")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits, name = kind.host.traits, kind.host.name
            count, mode = traits.nic.virtual_functions, traits.container_mode
            if count and traits.virtual_machine:
                yield self.finding(
                    f"{count} virtual functions are asked for in a virtual machine",
                    "make them on the machine that holds the card, and write 0 here",
                    place=traits_place(model, name, "nic", "virtual_functions"),
                    device=name,
                )
            elif mode == "virtual-function" and not count and not traits.virtual_machine:
                yield self.finding(
                    "containers get a virtual function, and virtual_functions is 0",
                    "write how many functions each NIC has",
                    place=traits_place(model, name, "container_mode"),
                    device=name,
                )
            elif count and mode != "virtual-function":
                yield self.finding(
                    f"{count} virtual functions are made, and container_mode {mode} uses none",
                    "write virtual_functions: 0, or container_mode: virtual-function",
                    place=traits_place(model, name, "nic", "virtual_functions"),
                    device=name,
                    severity=Severity.WARNING,
                )
