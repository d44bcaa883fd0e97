"""Compact tables of the realised network.

Each table is a set of numpy arrays of one length; a row number is the identity of a thing. Rows
are in the order of the design (unit, rail, slot), so that growth at the end changes no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.intent.inventory import Intent
    from fabric.platforms.model import Role, Sku

    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Switches:
    """Leaves first, unit by unit and rail by rail; then the spines.

    Parameters
    ----------
    names : tuple of str
        Hostnames.
    leaf_count : int
        Rows below this are leaves.
    unit, rail : array of int, shape (n,)
        Unit and rail of a leaf; -1 for a spine, and rail -1 for a classic leaf.
    asn : array of int, shape (n,)
        BGP autonomous system.
    loopback : array of int, shape (n,)
        IPv4 address of Loopback0.
    skus : tuple of Sku
        Switch model of each row.
    """

    names: tuple[str, ...]
    leaf_count: int
    unit: Ints
    rail: Ints
    asn: Ints
    loopback: Ints
    skus: tuple[Sku, ...]

    def __len__(self) -> int:
        return len(self.names)

    def role(self, row: int) -> Role:
        """Return ``leaf`` or ``spine``."""
        return "leaf" if row < self.leaf_count else "spine"


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
    """Host NICs, host by host and rail by rail; row = host * rails + rail.

    ``leaf`` and ``port`` say where the cable ends, ``subnet`` and ``address`` what was planned.
    """

    host: Ints
    rail: Ints
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
    """VLANs with their subnet and gateway, one row per rail and leaf, or one per NIC."""

    leaf: Ints
    rail: Ints
    vlan: Ints
    network: Ints
    gateway: Ints
    prefix_length: int

    def __len__(self) -> int:
        return len(self.leaf)


@dataclass(frozen=True, eq=False)
class Uplinks:
    """Cables between leaves and spines, each a /31: the spine has the even address."""

    leaf: Ints
    leaf_port: Ints
    spine: Ints
    spine_port: Ints
    spine_address: Ints
    speed_gbps: Ints
    cable_m: Ints
    enabled: Bools

    def __len__(self) -> int:
        return len(self.leaf)

    @property
    def leaf_address(self) -> Ints:
        """Odd address of each /31."""
        return self.spine_address + 1


@dataclass(frozen=True, eq=False)
class Fabric:
    """The realised network.

    Parameters
    ----------
    intent : Intent
        The inventory that it was made from.
    rails : int
        NICs of a host that take part.
    """

    intent: Intent
    rails: int
    switches: Switches
    hosts: Hosts
    nics: Nics
    subnets: Subnets
    uplinks: Uplinks

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
        return _group(self.nics.leaf, self.nics.port, len(self.switches))

    @cached_property
    def _uplinks_by_leaf(self) -> list[Ints]:
        return _group(self.uplinks.leaf, self.uplinks.leaf_port, len(self.switches))

    @cached_property
    def _uplinks_by_spine(self) -> list[Ints]:
        return _group(self.uplinks.spine, self.uplinks.spine_port, len(self.switches))

    @cached_property
    def _subnets_by_leaf(self) -> list[Ints]:
        return _group(self.subnets.leaf, self.subnets.vlan, len(self.switches))

    def nics_of_leaf(self, row: int) -> Ints:
        """Return the NIC rows cabled to a leaf, by port."""
        return self._nics_by_leaf[row]

    def uplinks_of(self, row: int) -> Ints:
        """Return the uplink rows of a switch, by its own port."""
        table = self._uplinks_by_leaf if row < self.switches.leaf_count else self._uplinks_by_spine
        return table[row]

    def subnets_of_leaf(self, row: int) -> Ints:
        """Return the subnet rows of a leaf, by VLAN."""
        return self._subnets_by_leaf[row]

    def nics_of_host(self, row: int) -> range:
        """Return the NIC rows of a host, by rail."""
        return range(row * self.rails, (row + 1) * self.rails)


def _group(key: Ints, order: Ints, groups: int) -> list[Ints]:
    sequence = np.lexsort((order, key))
    bounds = np.searchsorted(key[sequence], np.arange(groups + 1))
    return [sequence[start:stop] for start, stop in pairwise(bounds)]
