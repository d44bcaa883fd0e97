"""JOB007: ACS does not redirect traffic between GPUs and virtual functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB007")
class AccessControl(ModelRule):
    """ACS does not redirect traffic between GPUs and virtual functions."""

    severity = Severity.WARNING
    why = (
        "SR-IOV enables the IOMMU and ACS; traffic from a GPU to a nearby NIC then "
        "goes through the CPU, at a fraction of the rate."
    )
    source = (
        "NVIDIA NCCL user guide, Troubleshooting, PCI Access Control Services; NVIDIA GPUDirect "
        "RDMA documentation, Supported Systems"
    )
    guards = ("host.tuning.acs", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for hosts with functions whose ACS is left as found."""
        for pods in pods_of(model):
            traits = pods.cluster.traits
            if (
                pods.mode == "virtual-function"
                and not traits.virtual_machine
                and not traits.tuning.acs
            ):
                yield self.finding(
                    "virtual functions are used, but ACS of the PCIe bridges is not set",
                    "set host.tuning.acs: off, or use physical-function for large models",
                    place=pods.place(model, "tuning", "acs"),
                    device=pods.cluster.hosts[0],
                )
