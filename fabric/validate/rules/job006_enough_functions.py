"""JOB006: every pod of a NIC has a virtual function, and a GPU of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB006")
class EnoughFunctions(ModelRule):
    """Every pod of a NIC has its own virtual function and GPU."""

    why = "A pod without a free function does not start; pods that share a NIC share its bandwidth."
    source = (
        "Kubernetes documentation, Device Plugins; k8snetworkplumbingwg/sriov-network-operator "
        "pkg/webhook/validate.go (numVfs)"
    )
    guards = ("host.nic.virtual_functions", "kubernetes.pods_per_nic", "host.gpus")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare functions, pods and GPUs of a NIC."""
        profile = model.intent.fabric.host
        for pods in pods_of(model):
            traits = pods.cluster.traits
            if pods.mode != "virtual-function" or traits.virtual_machine:
                continue
            functions, wanted = traits.nic.virtual_functions, pods.pods_per_nic
            if functions < wanted:
                yield self.finding(
                    f"{wanted} pods share a NIC that has {functions} virtual functions",
                    "increase host.nic.virtual_functions, up to sriov_totalvfs of the NIC",
                    place=pods.place(model, "nic", "virtual_functions"),
                    device=pods.cluster.hosts[0],
                )
            gpus = -(-profile.gpus // model.fabric.rails)
            if wanted > gpus:
                yield self.finding(
                    f"{wanted} pods share a NIC that serves {gpus} GPU{'s' if gpus > 1 else ''}",
                    "give every pod its own GPU and virtual function",
                    place=model.place("kubernetes", "pods_per_nic"),
                    device=pods.cluster.hosts[0],
                    severity=Severity.WARNING,
                )
