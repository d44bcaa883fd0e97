"""JOB008: NCCL sees no RDMA device that is not its own."""

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
    """NCCL sees no RDMA device that is not its own."""

    severity = Severity.WARNING
    why = (
        "Every active device counts as a NIC for NCCL unless it is told which: idle functions "
        "and the management NIC join the rings."
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
                    f"each NIC has {functions} virtual functions that no pod gets, and whose "
                    "devices a job sees",
                    "write host.nic.virtual_functions: 0, or use container_mode virtual-function",
                    place=pods.place(model, "nic", "virtual_functions"),
                    device=pods.cluster.hosts[0],
                )
            if pods.mode == "virtual-function":
                manages = model.intent.fabric.host.management_rdma_device
                others = f" beside {manages}" if manages else ""
                yield self.finding(
                    "names of functions are not known before a pod runs, so that NCCL_IB_HCA is "
                    f"not set{others}",
                    "set RDMA namespaces to exclusive (rdma system set netns exclusive)",
                    place=pods.place(model, "container_mode"),
                    device=pods.cluster.hosts[0],
                    severity=Severity.INFO,
                )
