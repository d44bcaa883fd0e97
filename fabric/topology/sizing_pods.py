"""How many pods and super-spines a number of hosts needs that two tiers have no place for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.topology.sizing import sized

if TYPE_CHECKING:
    from fabric.topology.sizing import Need, Size

#: Of the schema of ``super_spines``: its ``count``, ``groups`` and ``links_per_spine``.
MOST_SUPER_SPINES, MOST_GROUPS, MOST_LINKS = 4096, 256, 64


@dataclass(frozen=True, slots=True)
class Pods:
    """A fabric of three tiers: pods of one size below super-spines of the spine model.

    Spine n of every pod is connected to the super-spines of group n. As `Size`, it is one of planes
    that are alike.

    Parameters
    ----------
    need : Need
        What it is for.
    pod : Size
        A full pod; its spines have half of their ports for leaves.
    pods : int
        Pods with ``need.room_for`` hosts.
    """

    need: Need
    pod: Size
    pods: int

    @property
    def units_per_pod(self) -> int:
        """Units of a full pod."""
        return self.pod.units(self.pod.need.hosts)

    def units(self, hosts: int) -> int:
        """Return the units that a number of hosts fills or begins."""
        return self.pod.units(hosts)

    def leaves(self, hosts: int) -> int:
        """Return the leaves that a number of hosts needs."""
        return self.pod.leaves(hosts)

    def pods_of(self, hosts: int) -> int:
        """Return the pods that a number of hosts fills or begins."""
        return -(-self.units(hosts) // self.units_per_pod)

    @property
    def down_ports(self) -> int:
        """Ports of a spine for leaves."""
        return self.pod.need.spine_ports

    @property
    def core_links(self) -> int:
        """Cables of a spine to super-spines."""
        return self.need.spine_ports - self.down_ports

    @property
    def links_per_spine(self) -> int:
        """Cables from a spine to each super-spine of its group, as all pods leave it ports."""
        most = min(self.need.spine_ports // self.pods, MOST_LINKS)
        return max(links for links in range(1, most + 1) if self.core_links % links == 0)

    @property
    def super_spines(self) -> int:
        """Super-spines of all groups."""
        return self.pod.spines * self.core_links // self.links_per_spine

    @property
    def rank(self) -> tuple[float, int]:
        """Oversubscription of the leaves, at least 1, and all switches: less is better."""
        spines = self.pods * self.pod.spines + self.super_spines
        return self.pod.rank[0], self.leaves(self.need.room_for) + spines

    def spare_core_ports(self, hosts: int) -> int:
        """Return the ports of a super-spine that no spine uses."""
        return self.need.spine_ports - self.pods_of(hosts) * self.links_per_spine


def sized_pods(need: Need) -> Pods | None:
    """Return the fabric of three tiers with the least oversubscription, then the fewest switches.

    Spines have as many ports up as down, so that leaves alone are oversubscribed. None where
    super-spines have not enough ports for the pods.
    """
    sizes = []
    for pods in range(2, need.spine_ports + 1):
        hosts = -(-need.room_for // pods)
        pod = sized(replace(need, hosts=hosts, room_for=hosts, spine_ports=need.spine_ports // 2))
        if pod is None or pod.spines > MOST_GROUPS:
            continue
        size = Pods(need, pod, pods)
        size = replace(size, pods=size.pods_of(need.room_for))
        if size.super_spines <= MOST_SUPER_SPINES:
            sizes.append(size)
        if pod.over_subscription <= 1:
            break  # more pods need more switches
    return min(sizes, key=lambda size: size.rank, default=None)
