"""Hosts whose pods have addresses of their own on the rails, as rules look at them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.core.units import S_PER_H
from fabric.placement.k8s.cluster import Cluster, Network
from fabric.placement.pcie import traits_place
from fabric.topology.routed import routed_units
from fabric.validate.origins import Place
from fabric.validate.traits import leaf_of_system, traits_of_hosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.validate.world import Model


@dataclass(frozen=True)
class Pods:
    """Hosts of one container mode, all with RoCE NICs."""

    mode: str
    cluster: Cluster

    @property
    def pods_per_nic(self) -> int:
        """Pods on a NIC at one time; a pod that has the whole NIC is alone."""
        return 1 if self.mode == "physical-function" else self.cluster.settings.pods_per_nic

    @cached_property
    def free_addresses(self) -> int:
        """How many addresses the pods of a NIC can have in turn, where there are fewest."""
        from fabric.placement.k8s.addresses import free_addresses_per_nic

        shared = not self.cluster.one_subnet_per_nic
        return min(
            free_addresses_per_nic(self.cluster, Network("", rail, unit))
            for unit in (self.cluster.units if shared else (None,))
            for rail in self.cluster.rails
        )

    @property
    def roomy_length(self) -> int:
        """A length of the subnets of a rail on a leaf that has room for the pods of each NIC."""
        from fabric.placement.k8s.addresses import roomy_length

        return min(
            roomy_length(self.cluster, Network("", rail, unit), self.pods_per_nic)
            for unit in self.cluster.units
            for rail in self.cluster.rails
        )

    @property
    def lacks_ipv6(self) -> bool:
        """Whether the /127 of the NIC leaves them without an IPv6 address."""
        plan = self.cluster.fabric.intent.fabric.addressing.ipv6
        static = plan is not None and plan.assignment == "static"
        return static and self.cluster.has_ipv6 and self.mode != "physical-function"

    def addresses_in(self, seconds: int) -> int:
        """Return how many addresses of a NIC's pods are in use or were within some seconds.

        Where nobody says how often pods start, all that they can have count.
        """
        most = self.free_addresses
        rate = self.cluster.settings.pod_starts_per_hour
        if rate is None:
            return most
        return min(most, self.pods_per_nic + -(-rate * seconds // S_PER_H))

    def place(self, model: Model, *path: str) -> Place:
        """Return where a trait of these hosts stands."""
        return Place(*traits_place(model.fabric, self.cluster.hosts[0], *path))


def pods_of(model: Model) -> Iterator[Pods]:
    """Yield the hosts of each container mode whose pods have addresses on the rails.

    Those with NICs on routed ports are apart from those with VLANs.
    """
    modes: dict[tuple[str, bool], list[str]] = {}
    routed = routed_units(model.intent.fabric)
    units = model.fabric.hosts.unit.tolist()
    for unit, (name, traits) in zip(units, traits_of_hosts(model), strict=True):
        if traits.nic.link_layer == "roce":
            modes.setdefault((traits.container_mode, routed[unit]), []).append(name)
    for (mode, _), names in modes.items():
        if mode != "host-network":
            yield Pods(mode, Cluster(model.fabric, tuple(names)))


def longest_refresh_s(model: Model) -> int:
    """Return the longest time in seconds for which a leaf keeps the MAC of a pod that is gone."""
    ages = (
        leaf.neighbours.refresh_s
        for leaf in leaf_of_system(model).values()
        if any(port.kind == "host" for port in leaf.ports)
    )
    return max(ages, default=0)
