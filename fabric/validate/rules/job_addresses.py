"""Rules about the addresses of jobs and containers (JOB)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.units import S_PER_H
from fabric.placement.nccl_release import Reads, nccl_release
from fabric.platforms import platforms
from fabric.validate.pods import longest_refresh_s, pods_of
from fabric.validate.rule import ModelRule, areas, rules
from fabric.validate.traits import leaf_of_system

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.validate.pods import Pods
    from fabric.validate.world import Model


areas.add("JOB")("Jobs and containers")


@rules.add("JOB001")
class RisingAddresses(ModelRule):
    """Pod addresses are allocated in rotation, not reused at once."""

    severity = Severity.WARNING
    why = (
        "A leaf that still has the ARP entry of the previous pod sends to a MAC that no longer "
        "exists; the "
        "new pod is not reachable until the entry expires."
    )
    source = (
        "k8snetworkplumbingwg/whereabouts pkg/allocate/allocate.go (IterateForAssignment, the "
        "lowest free address); Mellanox/nvidia-k8s-ipam pkg/ipam-node/allocator (the one after "
        "the last)"
    )
    guards = ("kubernetes.address_plugin", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a plugin that takes the lowest free address."""
        settings = model.intent.fabric.kubernetes
        for pods in pods_of(model):
            if settings.address_plugin == "whereabouts":
                yield self.finding(
                    "whereabouts gives a new pod the address of the previous one at once, "
                    f"and leaves keep its ARP entry for up to {longest_refresh_s(model)} s",
                    "use nv-ipam, which allocates in rotation",
                    place=model.place("kubernetes", "address_plugin"),
                    device=pods.cluster.hosts[0],
                )
                return


@rules.add("JOB002")
class AnnouncedAddresses(ModelRule):
    """Pods announce their addresses before the job starts."""

    severity = Severity.WARNING
    why = (
        "A pod can start before its leaf has learned its address: the first RDMA packets "
        "are lost, and NCCL fails."
    )
    source = (
        "RFC 5227 section 3 (announcements); Linux Documentation/networking/ip-sysctl.rst, "
        "arp_notify (only when a device comes up, which is before a pod has it)"
    )
    guards = ("kubernetes.tools_image", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for the image by which pods announce themselves."""
        for pods in pods_of(model):
            if model.intent.fabric.kubernetes.tools_image is None:
                yield self.finding(
                    "pods have their own addresses on the rails, and nothing announces them",
                    "set kubernetes.tools_image to an image with ip, arping and ping",
                    place=model.place("kubernetes", "tools_image"),
                    device=pods.cluster.hosts[0],
                )
                return


@rules.add("JOB003")
class AddressPool(ModelRule):
    """Pod address pools are large enough, and reuse waits until ARP entries expire."""

    why = (
        "If an address is reused while a leaf still has its old entry, packets go to a MAC that "
        "no longer exists."
    )
    source = "RFC 826; Mellanox/nvidia-k8s-ipam pkg/ipam-node/allocator (round robin)"
    guards = (
        "kubernetes.pod_starts_per_hour",
        "kubernetes.pods_per_nic",
        "addressing.host_prefix_length",
        "arp.timeout_s",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Divide the addresses of a NIC by the starts of pods."""
        settings, refresh_s = model.intent.fabric.kubernetes, longest_refresh_s(model)
        for pods in pods_of(model):
            free, rate = pods.free_addresses, settings.pod_starts_per_hour
            place = model.place("addressing", "host_prefix_length")
            if free < pods.pods_per_nic:
                yield self.finding(
                    f"{pods.pods_per_nic} pods of a NIC need addresses, but only {max(free, 0)} "
                    "are free",
                    "use a shorter addressing.host_prefix_length",
                    place=place,
                    device=pods.cluster.hosts[0],
                )
            elif rate and free * S_PER_H < rate * refresh_s and pods.mode != "physical-function":
                yield self.finding(
                    f"{rate} pod starts per hour reuse the {free} addresses of a NIC after "
                    f"{free * S_PER_H // rate} s, but leaves keep ARP entries for up to "
                    f"{refresh_s} s",
                    "use a shorter addressing.host_prefix_length or a shorter arp.timeout_s",
                    place=place,
                    device=pods.cluster.hosts[0],
                    severity=Severity.WARNING,
                )


@rules.add("JOB004")
class LeafNeighbours(ModelRule):
    """The neighbour table of a leaf has room for short-lived pods."""

    severity = Severity.WARNING
    why = (
        "Above its limit a leaf rejects new neighbours: jobs fail intermittently, and "
        "only at scale."
    )
    source = (
        "Linux Documentation/networking/ip-sysctl.rst, neigh/default/gc_thresh3; capacity of "
        "the switch from its data sheet"
    )
    guards = (
        "kubernetes.pod_starts_per_hour",
        "kubernetes.pods_per_nic",
        "arp.neighbour_capacity",
        "arp.timeout_s",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Count hosts and pods, and pods that ended and are not forgotten yet."""
        groups = [(pods, set(pods.cluster.hosts)) for pods in pods_of(model)]
        fabric, leaf_of = model.fabric, leaf_of_system(model) if groups else {}
        for row in range(fabric.switches.leaf_count) if groups else ():
            sku, nics = fabric.switches.skus[row], fabric.nics_of_leaf(row)
            table = leaf_of[sku.nos].neighbours
            hosts = [fabric.hosts.names[host] for host in fabric.nics.host[nics].tolist()]
            counts = [(pods, sum(name in names for name in hosts)) for pods, names in groups]
            need = len(nics) + fabric.trunk_count(row) + _entries(leaf_of[sku.nos], counts)
            limits = [item for item in (table.capacity, sku.host_entries) if item]
            if need > min(limits):
                yield self.finding(
                    f"{need} neighbours are possible with pods, but the table has room for "
                    f"{min(limits)}",
                    "increase arp.neighbour_capacity if the switch "
                    "supports it, or set kubernetes.pod_starts_per_hour",
                    place=model.place("arp", "neighbour_capacity"),
                    device=fabric.switches.names[row],
                )


def _entries(device: DeviceDesign, counts: list[tuple[Pods, int]]) -> int:
    """Return the most entries of pods in the table of a leaf; ``counts`` has NICs by mode."""
    table = device.neighbours
    if not platforms[device.platform].neighbour_refresh.keeps_stale:
        return sum(nics * max(pods.addresses_in(table.arp_timeout_s), 0) for pods, nics in counts)
    alive = sum(nics * pods.pods_per_nic for pods, nics in counts)
    every = sum(nics * max(pods.free_addresses, 0) for pods, nics in counts)
    return max(alive, min(every, table.gc_thresholds[0]))


@rules.add("JOB005")
class MovingGid(ModelRule):
    """Jobs do not rely on GID indexes that can change."""

    why = (
        "With macvlan a port gets one GID per pod, so indexes change; a "
        "wrong index is RoCEv1 or the GID of another pod."
    )
    source = (
        "Linux drivers/infiniband/core/roce_gid_mgmt.c (upper devices add GIDs to the port); "
        "NVIDIA/nccl v2.20.5-1 src/transport/net_ib.cc (NCCL_IB_GID_INDEX default 0), v2.21.5-1 "
        "(search)"
    )
    guards = ("host.nccl_version", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a release of NCCL that needs an index."""
        for pods in pods_of(model):
            version = pods.cluster.traits.nccl_version
            if pods.mode == "macvlan" and version and not _searches(version):
                yield self.finding(
                    f"NCCL {version} needs a fixed GID index, but with macvlan indexes change",
                    "use NCCL 2.21 or newer, or another container_mode",
                    place=pods.place(model, "nccl_version"),
                    device=pods.cluster.hosts[0],
                )


def _searches(version: str) -> bool:
    return nccl_release(version).reads(Reads.GID_SEARCH)
