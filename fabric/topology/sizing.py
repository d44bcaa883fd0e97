"""How many switches and cables a number of hosts needs, and what is left over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Need:
    """What a fabric is for.

    Parameters
    ----------
    hosts, room_for : int
        Hosts now, and hosts that it can grow to without a moved cable; hosts <= room_for.
    rails : int
        NICs of a host.
    rail_leaves : bool
        Whether each rail has a leaf of the unit, or all NICs of a host share one.
    leaf_ports, spine_ports : int
        Ports of a switch, after breakout.
    spines : int or None
        Number of spines, in each pod where there are pods; None: the fewest without
        oversubscription.
    most_nics, most_uplinks : int or None
        First ports of a leaf that run at the speed of the NICs, and last ones that run at that of
        the uplinks; None: all.
    nic_gbps, uplink_gbps : int
        Their speeds.
    nic_ports, planes : int
        Ports of a NIC, each with a leaf of its own, and planes of spines; planes <= nic_ports.
    """

    hosts: int
    room_for: int
    rails: int
    rail_leaves: bool
    leaf_ports: int
    spine_ports: int
    spines: int | None = None
    most_nics: int | None = None
    most_uplinks: int | None = None
    nic_gbps: int = 1
    uplink_gbps: int = 1
    nic_ports: int = 1
    planes: int = 1

    @property
    def ports_per_host(self) -> int:
        """Ports that a host takes of each of its leaves."""
        return 1 if self.rail_leaves else self.rails

    @property
    def leaves_per_unit(self) -> int:
        """Leaves of a unit in a plane."""
        return (self.rails if self.rail_leaves else 1) * self.leaves_per_rail

    @property
    def leaves_per_rail(self) -> int:
        """Leaves of a rail, or of a rack, of a unit in a plane."""
        return self.nic_ports // self.planes


@dataclass(frozen=True, slots=True)
class Size:
    """A fabric of two tiers that meets a need: one of its planes, which are alike.

    Parameters
    ----------
    need : Need
        What it is for.
    hosts_per_unit, spines, links_per_leaf : int
        Hosts of a full unit, spines, and cables from each leaf to each spine.
    """

    need: Need
    hosts_per_unit: int
    spines: int
    links_per_leaf: int

    def units(self, hosts: int) -> int:
        """Return the units that a number of hosts fills or begins."""
        return -(-hosts // self.hosts_per_unit)

    def leaves(self, hosts: int) -> int:
        """Return the leaves that a number of hosts needs."""
        return self.units(hosts) * self.need.leaves_per_unit

    @property
    def uplinks(self) -> int:
        """Uplinks of a leaf."""
        return self.spines * self.links_per_leaf

    @property
    def host_ports(self) -> int:
        """Leaf ports before the uplinks, which are the last: more hosts move none of them."""
        return self.need.leaf_ports - self.uplinks

    @property
    def used_host_ports(self) -> int:
        """Ports for hosts of a leaf whose unit is full."""
        return self.hosts_per_unit * self.need.ports_per_host

    @property
    def over_subscription(self) -> float:
        """Speed of the NICs of a leaf whose unit is full, over that of its uplinks."""
        speeds = self.need.nic_gbps / self.need.uplink_gbps
        return self.used_host_ports * speeds / self.uplinks

    @property
    def rank(self) -> tuple[float, int]:
        """Oversubscription, at least 1, and all switches with ``room_for``: less is better."""
        return max(1.0, self.over_subscription), self.leaves(self.need.room_for) + self.spines

    @property
    def spare_leaf_ports(self) -> int:
        """Ports of a leaf that no host of a full unit uses."""
        return self.host_ports - self.used_host_ports

    @property
    def most_leaves(self) -> int:
        """Leaves that the spines have ports for."""
        return self.need.spine_ports // self.links_per_leaf

    def spare_spine_ports(self, hosts: int) -> int:
        """Return the ports of a spine that no leaf uses."""
        return self.need.spine_ports - self.leaves(hosts) * self.links_per_leaf


def sized(need: Need) -> Size | None:
    """Return the fabric with the least oversubscription, then the fewest switches, or None.

    Over-subscription below 1 is no gain: it counts as 1. There are two spines or more, unless
    another number is asked for, or a leaf has one uplink. Each leaf has the same number of cables
    to each spine, and all leaves of ``room_for`` hosts fit on the spines.
    """
    least = -(-need.room_for * need.ports_per_host // (need.most_nics or need.leaf_ports))
    units = range(least, min(need.room_for, need.spine_ports) + 1)
    sizes = (size for number in units for size in _of_units(need, number))
    return min(sizes, key=lambda size: size.rank, default=None)


def _of_units(need: Need, units: int) -> list[Size]:
    """Return the sizes with a number of units: by spines where their number is free."""
    hosts = -(-need.room_for // units)
    leaves = units * need.leaves_per_unit
    nics = hosts * need.ports_per_host
    if need.most_nics and nics > need.most_nics:
        return []
    free = min(need.leaf_ports - nics, need.most_uplinks or need.leaf_ports)
    most = need.spine_ports // leaves
    counts = (need.spines,) if need.spines else range(min(2, max(free, 1)), free + 1)
    enough = -(-nics * need.nic_gbps // need.uplink_gbps)
    links = ((count, min(most, free // count, -(-enough // count))) for count in counts)
    return [Size(need, hosts, count, each) for count, each in links if each > 0]
