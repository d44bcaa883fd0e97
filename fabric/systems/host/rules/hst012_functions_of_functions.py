"""HST012: a virtual machine makes no virtual functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("HST012")
class FunctionsOfFunctions(ModelRule):
    """A virtual machine creates no virtual functions."""

    why = (
        "The NIC of a virtual machine is itself a function; only the host of the card can create "
        "more."
    )
    source = "Linux Documentation/PCI/pci-iov-howto.rst (sriov_numvfs)"
    guards = ("host.nic.virtual_functions", "host.virtual_machine")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits, name = kind.host.traits, kind.host.name
            count = traits.nic.virtual_functions
            if count and traits.virtual_machine:
                yield self.finding(
                    f"{count} virtual functions are requested in a virtual machine",
                    "create them on the host of the card, and set 0 here",
                    place=traits_place(model, name, "nic", "virtual_functions"),
                    device=name,
                )
