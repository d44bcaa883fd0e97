"""Compact tables of the realised network.

Each table is a set of numpy arrays of one length; a row number is the identity of a thing. Rows
are in the order of the design (unit, rail, slot), so that growth at the end changes no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from fabric.core.units import ipv4_text

Number = TypeVar("Number", int, "Ints")

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv4Network

    from numpy.typing import NDArray

    from fabric.intent.cabling import CableRow
    from fabric.intent.inventory import Intent
    from fabric.platforms.model import Role, Sku
    from fabric.topology.ipv6 import Ipv6Links, Ipv6Subnets
    from fabric.topology.tenants import Tenants

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


#: Roles by tier, counted from the hosts.
ROLES: tuple[Role, ...] = ("leaf", "spine", "super-spine")


@dataclass(frozen=True, eq=False)
class Switches:
    """Leaves first, unit by unit and rail by rail; then the spines, then the super-spines.

    Parameters
    ----------
    leaf_count : int
        Rows below this are leaves.
    tier : array of int, shape (n,)
        0 for a leaf, 1 for a spine, 2 for a super-spine.
    unit, rail : array of int, shape (n,)
        Unit and rail of a leaf; -1 above the leaves, and rail -1 for a classic leaf.
    pod : array of int, shape (n,)
        Pod of a leaf or spine; -1 for super-spines, and where there are no pods.
    plane : array of int, shape (n,)
        Plane; -1 where there are no planes.
    asn : array of int, shape (n,)
        BGP autonomous system.
    loopback : array of int, shape (n,)
        IPv4 address of Loopback0.
    skus : tuple of Sku
        Switch model of each row.
    """

    names: tuple[str, ...]
    leaf_count: int
    tier: Ints
    unit: Ints
    rail: Ints
    pod: Ints
    plane: Ints
    asn: Ints
    loopback: Ints
    skus: tuple[Sku, ...]

    def __len__(self) -> int:
        return len(self.names)

    def role(self, row: int) -> Role:
        """Return ``leaf``, ``spine`` or ``super-spine``."""
        return ROLES[int(self.tier[row])]

    def of_tier(self, tier: int) -> Ints:
        """Return the rows of a tier, ascending."""
        return np.flatnonzero(self.tier == tier)


@dataclass(frozen=True, eq=False)
class Hosts:
    """Hosts in the order of the units; ``slot`` counts from 0 inside the unit."""

    names: tuple[str, ...]
    unit: Ints
    slot: Ints

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False)
class Nics:
    """Ports of host NICs, host by host, rail by rail, port by port of a NIC.

    The row is host * ``Fabric.nics_per_host`` + rail * ``Fabric.nic_ports`` + ``nic_port``.
    ``leaf`` and ``port`` say where the cable ends, ``subnet`` and ``address`` what was planned.
    """

    host: Ints
    rail: Ints
    nic_port: Ints
    leaf: Ints
    port: Ints
    subnet: Ints
    address: Ints
    speed_gbps: Ints
    cable_m: Ints
    enabled: Bools

    def __len__(self) -> int:
        return len(self.host)


@dataclass(frozen=True, eq=False)
class Subnets:
    """Subnets of NICs with their gateway, one row per rail and leaf, or one per NIC.

    ``vlan`` is ``NO_VLAN`` where the NIC is on a routed port.
    """

    leaf: Ints
    rail: Ints
    vlan: Ints
    network: Ints
    gateway: Ints
    prefix_length: Ints
    ipv6: Ipv6Subnets | None = None

    def __len__(self) -> int:
        return len(self.leaf)

    @property
    def last(self) -> Ints:
        """Last address of each subnet."""
        return self.network + (1 << (32 - self.prefix_length)) - 1

    def text(self, row: int) -> str:
        """Return a subnet as it is written."""
        return f"{ipv4_text(int(self.network[row]))}/{int(self.prefix_length[row])}"


def other_end(address: Number, prefix_length: Number) -> Number:
    """Return the other host address of the subnets of cables: 1 bit of a /31, 2 bits of a /30."""
    return address ^ ((1 << (32 - prefix_length)) - 1)


@dataclass(frozen=True, eq=False)
class Uplinks:
    """Cables between a switch and one a tier above, each a /31, or a /30 that the inventory sets.

    The upper end has the lower address, unless the inventory gives it the other one. The address
    is 0 where no pool has any; ``numbered_links`` tells which cables need it.
    """

    lower: Ints
    lower_port: Ints
    upper: Ints
    upper_port: Ints
    upper_address: Ints
    speed_gbps: Ints
    cable_m: Ints
    enabled: Bools
    prefix_length: Ints

    def __len__(self) -> int:
        return len(self.lower)

    @cached_property
    def lower_address(self) -> Ints:
        """The other host address of each subnet."""
        return other_end(self.upper_address, self.prefix_length)


#: VLAN of a subnet of a routed NIC port.
NO_VLAN = 0
#: Port of a NIC that no cable ends on; such a NIC is not enabled, and on no leaf's list.
NO_PORT = 0


@dataclass(frozen=True, slots=True)
class GaveWay:
    """A cable of the design that an explicit one took the place of.

    Parameters
    ----------
    near, far : str
        Its ends: device and port.
    row : CableRow
        The cable that it gave way to.
    """

    near: str
    far: str
    row: CableRow


@dataclass(frozen=True, eq=False)
class ManagementEnds:
    """Addresses of the management network; an empty array where a pool is not there.

    Parameters
    ----------
    subnet : IPv4Network
        Subnet of all.
    gateway : IPv4Address
        Its router.
    switches, hosts, bmcs : array of int
        Address of each, in the rows of the fabric.
    """

    subnet: IPv4Network
    gateway: IPv4Address
    switches: Ints
    hosts: Ints
    bmcs: Ints


@dataclass(frozen=True, eq=False)
class Fabric:
    """The realised network.

    Parameters
    ----------
    intent : Intent
        The inventory that it was made from.
    rails : int
        NICs of a host that take part.
    nic_ports : int
        Ports of each of these NICs.
    gave_way : tuple of GaveWay
        Cables of the design that explicit ones took the place of.
    links6 : Ipv6Links or None
        IPv6 addresses of numbered cables, in the rows of ``uplinks``; None without a pool.
    tenants : Tenants or None
        Whose NICs these are; None where nobody shares the fabric.
    management : ManagementEnds or None
        Addresses of the management network; None where the inventory has none.
    """

    intent: Intent
    rails: int
    nic_ports: int
    switches: Switches
    hosts: Hosts
    nics: Nics
    subnets: Subnets
    uplinks: Uplinks
    gave_way: tuple[GaveWay, ...] = ()
    links6: Ipv6Links | None = None
    tenants: Tenants | None = None
    management: ManagementEnds | None = None

    @property
    def nics_per_host(self) -> int:
        """Rows of a host in ``nics``: ports of all its NICs."""
        return self.rails * self.nic_ports

    @cached_property
    def switch_row(self) -> dict[str, int]:
        """Name -> row of each switch."""
        return {name: row for row, name in enumerate(self.switches.names)}

    @cached_property
    def host_row(self) -> dict[str, int]:
        """Name -> row of each host."""
        return {name: row for row, name in enumerate(self.hosts.names)}

    @cached_property
    def _nics_by_leaf(self) -> list[Ints]:
        leaf = np.where(self.nics.port == NO_PORT, -1, self.nics.leaf)
        return _group(leaf, self.nics.port, len(self.switches))

    @cached_property
    def _uplinks_by_lower(self) -> list[Ints]:
        return _group(self.uplinks.lower, self.uplinks.lower_port, len(self.switches))

    @cached_property
    def _uplinks_by_upper(self) -> list[Ints]:
        return _group(self.uplinks.upper, self.uplinks.upper_port, len(self.switches))

    @cached_property
    def _subnets_by_leaf(self) -> list[Ints]:
        return _group(self.subnets.leaf, self.subnets.vlan, len(self.switches))

    def port_name(self, switch: int, number: int) -> str:
        """Return the name of a switch port; empty for ``NO_PORT``."""
        return self.switches.skus[switch].port(number) if number != NO_PORT else ""

    def nics_of_leaf(self, row: int) -> Ints:
        """Return the NIC rows cabled to a leaf, by port."""
        return self._nics_by_leaf[row]

    def uplinks_of(self, row: int) -> Ints:
        """Return the rows of the cables to the tier above a switch, by its own port."""
        return self._uplinks_by_lower[row]

    def downlinks_of(self, row: int) -> Ints:
        """Return the rows of the cables to switches a tier below a switch, by its own port."""
        return self._uplinks_by_upper[row]

    def trunk_count(self, row: int) -> int:
        """Return how many cables to other switches a switch has."""
        return len(self.uplinks_of(row)) + len(self.downlinks_of(row))

    def uplink_at(self, row: int, number: int) -> int | None:
        """Return the row of the cable to another switch in a port of a switch, or None."""
        up = self.uplinks
        for rows, ports in (
            (self.uplinks_of(row), up.lower_port),
            (self.downlinks_of(row), up.upper_port),
        ):
            mine = rows[ports[rows] == number]
            if mine.size:
                return int(mine[0])
        return None

    def subnets_of_leaf(self, row: int) -> Ints:
        """Return the subnet rows of a leaf, by VLAN."""
        return self._subnets_by_leaf[row]

    def nic_row(self, host: str, rail: int, nic_port: int = 0) -> int:
        """Return the row of a port of a NIC."""
        return self.host_row[host] * self.nics_per_host + rail * self.nic_ports + nic_port

    def nics_of_host(self, row: int) -> range:
        """Return the NIC rows of a host, by rail and port."""
        return range(row * self.nics_per_host, (row + 1) * self.nics_per_host)


def _group(key: Ints, order: Ints, groups: int) -> list[Ints]:
    sequence = np.lexsort((order, key))
    bounds = np.searchsorted(key[sequence], np.arange(groups + 1))
    return [sequence[start:stop] for start, stop in pairwise(bounds)]
