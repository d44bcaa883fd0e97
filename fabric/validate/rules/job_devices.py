"""Rules about the devices of jobs and containers (JOB)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
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
            functions, target = traits.nic.virtual_functions, pods.pods_per_nic
            if functions < target:
                yield self.finding(
                    f"{counted(target, 'pod shares', 'pods share')} a NIC that has "
                    f"{counted(functions, 'virtual function')}",
                    "increase host.nic.virtual_functions, up to sriov_totalvfs of the NIC",
                    place=pods.place(model, "nic", "virtual_functions"),
                    device=pods.cluster.hosts[0],
                    is_example=True,
                )
            gpus = -(-profile.gpus // model.fabric.rails)
            if target > gpus:
                yield self.finding(
                    f"{counted(target, 'pod shares', 'pods share')} a NIC that serves "
                    f"{counted(gpus, 'GPU')}",
                    "give every pod its own GPU and virtual function",
                    place=model.place("kubernetes", "pods_per_nic"),
                    device=pods.cluster.hosts[0],
                    is_example=True,
                    severity=Severity.WARNING,
                )


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
                    is_example=True,
                )


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
                    f"each NIC has {counted(functions, 'virtual function')} that no pod uses, but "
                    "whose devices a job sees",
                    "set host.nic.virtual_functions: 0, or use container_mode virtual-function",
                    place=pods.place(model, "nic", "virtual_functions"),
                    device=pods.cluster.hosts[0],
                    is_example=True,
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
                    is_example=True,
                    severity=Severity.INFO,
                )


@rules.add("JOB009")
class JobsAcrossUnits(ModelRule):
    """A job of pods can span units."""

    severity = Severity.WARNING
    why = (
        "All pods of a job have one list of networks; if each unit has its own subnets, "
        "a job must fit in one unit."
    )
    source = (
        "k8snetworkplumbingwg/multus-cni docs/how-to-use.md (annotation of the pod template); "
        "Mellanox/nvidia-k8s-ipam README (a network has one pool)"
    )
    guards = ("addressing.vlan_per", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for subnets that end with the unit."""
        for pods in pods_of(model):
            units = len(pods.cluster.units)
            if units > 1 and not pods.cluster.one_subnet_per_nic:
                yield self.finding(
                    f"pods of {units} units are in different subnets of a rail, so a job "
                    "cannot span units",
                    "use addressing.vlan_per: nic or none",
                    place=model.place("addressing", "vlan_per"),
                    device=pods.cluster.hosts[0],
                    is_example=True,
                )
                return
