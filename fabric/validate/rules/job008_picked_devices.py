"""JOB008: NCCL sees only the RDMA devices it should use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.validate.pods import pods_of
from fabric.validate.rule import ModelRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


@rules.add("JOB008")
class PickedDevices(ModelRule):
    """NCCL sees only the RDMA devices it should use."""

    severity = Severity.WARNING
    why = (
        "NCCL uses every active RDMA device unless devices are listed: idle functions "
        "and the management NIC would join the rings."
    )
    source = (
        "NVIDIA/nccl src/transport/net_ib (all active ports without NCCL_IB_HCA, at most 32 "
        "devices)"
    )
    guards = ("host.nic.virtual_functions", "host.container_mode", "host.management_rdma_device")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for functions that no pod gets, and for the device of the management NIC."""
        for pods in pods_of(model):
            functions = pods.cluster.traits.nic.virtual_functions
            if pods.mode != "virtual-function" and functions:
                yield self.finding(
                    f"each NIC has {functions} virtual functions that no pod uses, "
                    "but whose devices a job sees",
                    "set host.nic.virtual_functions: 0, or use container_mode virtual-function",
                    place=pods.place(model, "nic", "virtual_functions"),
                    device=pods.cluster.hosts[0],
                )
            if pods.mode == "virtual-function":
                manages = model.intent.fabric.host.management_rdma_device
                others = f"; NCCL also uses {manages}" if manages else ""
                yield self.finding(
                    "names of virtual functions are not known before a pod runs, "
                    f"so NCCL_IB_HCA is not set{others}",
                    "set RDMA namespaces to exclusive (rdma system set netns exclusive)",
                    place=pods.place(model, "container_mode"),
                    device=pods.cluster.hosts[0],
                    severity=Severity.INFO,
                )
