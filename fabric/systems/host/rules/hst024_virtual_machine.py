"""HST024: a virtual machine leaves PCIe and processor to the machine below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model

BELOW = ("acs", "governor", "max_read_request_bytes")


@rules.add("HST024")
class VirtualMachine(ModelRule):
    """PCIe and CPU settings are not set in a virtual machine."""

    why = "A guest sees virtual bridges; with ACS off in a guest, GPU traffic is misrouted."
    source = (
        "NVIDIA NCCL user guide, troubleshooting, PCI access control services (virtual machines "
        "need ACS and ATS)"
    )
    guards = (
        "host.virtual_machine",
        "host.tuning.acs",
        "host.tuning.governor",
        "host.tuning.max_read_request_bytes",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits, name = kind.host.traits, kind.host.name
            for field in BELOW if traits.virtual_machine else ():
                value = getattr(traits.tuning, field)
                if value is not None:
                    yield self.finding(
                        f"tuning.{field} {value} is set in a virtual machine",
                        "set it on the hypervisor, and remove it here",
                        place=traits_place(model, name, "tuning", field),
                        device=name,
                        severity=Severity.ERROR if field == "acs" else Severity.WARNING,
                    )
