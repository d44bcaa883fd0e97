"""Rules about the addresses of jobs and containers (JOB)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted, noun
from fabric.core.findings import Severity
from fabric.core.units import S_PER_H
from fabric.placement.k8s.node_subnets import ROOM_OF_IPV6
from fabric.placement.nccl_release import Reads, nccl_release
from fabric.platforms import platforms
from fabric.topology.routed import room_for
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
#: More than any table has: pods that may have any address of a /64 in turn.
_COUNTLESS = 2**32
#: Pods with one IPv4 address each (Mellanox/network-operator pull request 580).
MOST_PODS = 63
#: Drivers of the NICs that this is known of.
_OF_128_GIDS = ("mlx5-ofed", "mlx5")


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
                    is_example=True,
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
                    is_example=True,
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
        "addressing.routed_prefix_length",
        "addressing.ipv6.assignment",
        "arp.timeout_s",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Divide the addresses of a NIC by the starts of pods."""
        settings, refresh_s = model.intent.fabric.kubernetes, longest_refresh_s(model)
        for pods in pods_of(model):
            free, rate = pods.free_addresses, settings.pod_starts_per_hour
            is_routed = pods.cluster.is_routed
            field = "routed_prefix_length" if is_routed else "host_prefix_length"
            place, shorter = model.place("addressing", field), f"use a shorter addressing.{field}"
            more = room_for(pods.pods_per_nic) if is_routed else _room_of_vlans(pods, shorter)
            if pods.lacks_ipv6:
                place, more = model.place("addressing", "ipv6"), ROOM_OF_IPV6
            if free < pods.pods_per_nic:
                yield self.finding(
                    f"{counted(pods.pods_per_nic, 'pod')} of a NIC "
                    f"{noun(pods.pods_per_nic, 'needs', 'need')} addresses, but only "
                    f"{max(free, 0)} are free",
                    more,
                    place=place,
                    device=pods.cluster.hosts[0],
                    is_example=True,
                )
            elif rate and free * S_PER_H < rate * refresh_s and pods.mode != "physical-function":
                yield self.finding(
                    f"{counted(rate, 'pod start per hour reuses', 'pod starts per hour reuse')} "
                    f"the {counted(free, 'address')} of a NIC after {free * S_PER_H // rate} s, "
                    f"but leaves keep ARP entries for up to {refresh_s} s",
                    f"{shorter} or a shorter arp.timeout_s",
                    place=place,
                    device=pods.cluster.hosts[0],
                    is_example=True,
                    severity=Severity.WARNING,
                )


def _room_of_vlans(pods: Pods, shorter: str) -> str:
    """Return what gives pods in VLANs room: their own VLANs, or a subnet that is large enough."""
    if pods.cluster.one_subnet_per_nic:
        return shorter
    return (
        "set addressing.vlan_per to nic, or addressing.host_prefix_length to "
        f"{pods.roomy_length} or less: the NICs of a rail on a leaf share a subnet, each node has "
        "a part of it, and gateway and hosts have the first addresses"
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
        is_ipv6 = model.intent.fabric.addressing.rdma_ipv6
        field = "host_entries_ipv6" if is_ipv6 else "host_entries"
        for row in range(fabric.switches.leaf_count) if groups else ():
            sku, nics = fabric.switches.skus[row], fabric.nics_of_leaf(row)
            table = leaf_of[sku.nos].neighbours
            hosts = [fabric.hosts.names[host] for host in fabric.nics.host[nics].tolist()]
            counts = [(pods, sum(name in names for name in hosts)) for pods, names in groups]
            need = len(nics) + fabric.trunk_count(row) + _entries(leaf_of[sku.nos], counts)
            limits = [item for item in (table.capacity, getattr(sku, field)) if item]
            if need > min(limits):
                count = str(need) if need < _COUNTLESS else "countless"
                yield self.finding(
                    f"{count} neighbours are possible with pods, but the table has room for "
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
        "wrong index is RoCEv1 or the GID of another pod. NCCL searches from 2.21 on; up to 2.25 "
        "the search fails at the GID of another pod, whose type the pod cannot read."
    )
    source = (
        "Linux drivers/infiniband/core/roce_gid_mgmt.c (upper devices add GIDs to the port); "
        "NVIDIA/nccl v2.20.5-1 src/transport/net_ib.cc (NCCL_IB_GID_INDEX default 0), v2.21.5-1 "
        "(search), v2.25.1-1 and v2.26.2-1 (EINVAL); NVIDIA/nccl issue 1573"
    )
    guards = ("host.nccl_version", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look for a release of NCCL that needs an index, or whose search fails in a pod."""
        for pods in pods_of(model):
            version = pods.cluster.traits.nccl_version
            reason = _lost(version) if pods.mode == "macvlan" and version else ""
            if reason:
                yield self.finding(
                    f"NCCL {version} {reason}",
                    "use NCCL 2.26 or newer, or another container_mode",
                    place=pods.place(model, "nccl_version"),
                    device=pods.cluster.hosts[0],
                    is_example=True,
                )


def _lost(version: str) -> str:
    """Return why a release of NCCL does not get its GID in a pod; empty where it does."""
    release = nccl_release(version)
    if not release.reads(Reads.GID_SEARCH):
        return "needs a fixed GID index, but with macvlan indexes change"
    if not release.reads(Reads.GID_SEARCH_IN_PODS):
        return "fails in a pod with macvlan: its search ends at the GID of another pod"
    return ""


@rules.add("JOB010")
class RoomForGids(ModelRule):
    """The GID table of a port has room for its pods."""

    why = (
        "A port has 128 GIDs, and each address takes two, one for RoCEv1 and one for RoCEv2. "
        "A pod beyond that starts, and has no GID."
    )
    source = (
        "Mellanox/network-operator pull request 580 (128 GIDs per port, so at most 63 pods); "
        "NVIDIA/nccl issue 1573 (show_gids in a pod: two for IPv4, two for its link-local address)"
    )
    guards = ("kubernetes.pods_per_nic", "host.container_mode")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the GIDs of pods that share the table of a port: virtual functions have their own.

        The size is that of the ports of mlx5; that of others is not known.
        """
        for pods in pods_of(model):
            driver = pods.cluster.traits.nic.driver
            if pods.mode != "macvlan" or driver not in _OF_128_GIDS:
                continue
            count, place = pods.pods_per_nic, model.place("kubernetes", "pods_per_nic")
            if count > MOST_PODS:
                yield self.finding(
                    f"{counted(count, 'pod shares', 'pods share')} a NIC, but its 128 GIDs are "
                    f"enough for {MOST_PODS}",
                    f"set pods_per_nic to at most {MOST_PODS}, or use virtual functions",
                    place=place,
                    device=pods.cluster.hosts[0],
                    is_example=True,
                )
            elif count > MOST_PODS // 2:
                yield self.finding(
                    f"{counted(count, 'pod shares', 'pods share')} a NIC; its 128 GIDs are enough "
                    f"for {MOST_PODS // 2} where pods have link-local addresses of IPv6 too",
                    "switch IPv6 off on the interfaces of the pods, or use fewer pods",
                    place=place,
                    device=pods.cluster.hosts[0],
                    is_example=True,
                    severity=Severity.WARNING,
                )
