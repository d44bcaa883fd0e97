"""IPv6 of routed NIC ports: 128 bits, as an upper and a lower half of 64."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv6Address, IPv6Network
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.intent.model import FabricFile
    from fabric.topology.model import Ints
    from fabric.topology.routed import Places

    Words: TypeAlias = NDArray[np.uint64]
    Halves: TypeAlias = tuple[Words, Words]

#: Bits of half an address: of a subnet, and of an interface (RFC 4291 section 2.5.4).
HALF = 64
#: Length of a subnet of two addresses (RFC 6164).
PAIR6 = 127
_LOWER = (1 << HALF) - 1


@dataclass(frozen=True, eq=False)
class Ipv6Subnets:
    """IPv6 subnets of NICs, in the rows of the IPv4 ones; those in VLANs have none.

    Parameters
    ----------
    upper, lower : array of uint64, shape (subnets,)
        Halves of the first address of each.
    prefix_length, summary_length : int
        Of each subnet, and of what a leaf has of a rail.
    own_gateways, own_nics : dict of int to IPv6Address
        Addresses that the inventory sets, by row.
    """

    upper: Words
    lower: Words
    prefix_length: int
    summary_length: int
    own_gateways: dict[int, IPv6Address] = field(default_factory=dict)
    own_nics: dict[int, IPv6Address] = field(default_factory=dict)

    @property
    def slaac(self) -> bool:
        """Whether NICs make their own addresses."""
        return self.prefix_length == HALF

    def network(self, row: int) -> IPv6Network:
        """Return a subnet."""
        return IPv6Network((self._first(row), self.prefix_length))

    def summary(self, row: int) -> IPv6Network:
        """Return what the leaf has of the rail of a subnet."""
        return self.network(row).supernet(new_prefix=self.summary_length)

    def gateway(self, row: int) -> IPv6Address:
        """Return the address of the leaf: the first of a /127, else the second."""
        return self.own_gateways.get(row) or IPv6Address(self._first(row) + self.slaac)

    def nic(self, row: int, mac: str) -> IPv6Address | None:
        """Return the address of the NIC; None where it follows from a MAC that nobody tells."""
        if not self.slaac:
            return self.own_nics.get(row) or IPv6Address(self._first(row) + 1)
        return IPv6Address(self._first(row) + eui64(mac)) if mac else None

    @property
    def gateways(self) -> Halves:
        """Halves of the addresses of leaves."""
        return _with(self, int(self.slaac), self.own_gateways)

    @property
    def nics(self) -> Halves:
        """Halves of the addresses of NICs, which a plan with slaac does not have."""
        return _with(self, 1, self.own_nics)

    @property
    def columns(self) -> Ints:
        """What is known of each subnet, as numbers of another kind; shape (rows, 4)."""
        return np.column_stack((self.upper, self.lower, *self.gateways)).view(np.int64)

    def numbers(self, rows: Ints) -> Ints:
        """Return the first address of subnets, as numbers of Python; shape (rows,)."""
        numbers: Ints = self.upper[rows].astype(object) << HALF | self.lower[rows].astype(object)
        return numbers

    def _first(self, row: int) -> int:
        return int(self.upper[row]) << HALF | int(self.lower[row])


def _with(table: Ipv6Subnets, offset: int, own: dict[int, IPv6Address]) -> Halves:
    """Return an address of each subnet, or what the inventory sets."""
    upper, lower = table.upper.copy(), table.lower + np.uint64(offset)
    for row, address in own.items():
        upper[row], lower[row] = halves(address)
    return upper, lower


def halves(address: IPv6Address) -> tuple[int, int]:
    """Return the upper and the lower half of an address."""
    return int(address) >> HALF, int(address) & _LOWER


def eui64(mac: str) -> int:
    """Return the interface identifier of a MAC address (RFC 4291 appendix A)."""
    value = int(mac.replace(":", ""), 16)
    upper, lower = value >> 24, value & 0xFFFFFF
    return ((upper ^ 0x020000) << 40) | (0xFFFE << 24) | lower


def ipv6_subnets(file: FabricFile, places: Places) -> Ipv6Subnets | None:
    """Return the IPv6 subnets of NICs; None without a plan.

    A rail has one /64, in which the block of a leaf follows from its place, and the subnet in it
    from the port. The first block stays free, since an address whose lower half is zero belongs to
    all routers (RFC 6164 section 5.2).
    """
    plan = file.addressing.ipv6
    if plan is None:
        return None
    bits = places.port_bits
    first = np.uint64(int(plan.hosts.network_address) >> HALF)
    if plan.assignment == "slaac":
        upper = (places.rail << subnet_bits(file)) + (places.leaf << bits | places.port)
        return Ipv6Subnets(first + _words(upper), _words(upper * 0), HALF, HALF - bits)
    lower = ((places.leaf + 1) << bits | places.port) << 1
    return Ipv6Subnets(first + _words(places.rail), _words(lower), PAIR6, PAIR6 - bits)


def subnet_bits(file: FabricFile) -> int:
    """Return how many bits number the /64 of NICs of a rail; below 0 where rails do not fit."""
    pool = file.addressing.ipv6
    spare = HALF - pool.hosts.prefixlen if pool else 0
    return spare - (file.planes - 1).bit_length() - (file.rails - 1).bit_length()


def plane_pool(file: FabricFile, plane: int) -> IPv6Network:
    """Return what NICs of a plane route over their leaf: the pool, or the part of the plane."""
    plan = file.addressing.ipv6
    if plan is None:
        raise ValueError("no IPv6 plan")
    if file.planes == 1 or plane < 0:
        return plan.hosts
    rails = (file.rails - 1).bit_length()
    inside = subnet_bits(file) if plan.assignment == "slaac" else 0
    first = (int(plan.hosts.network_address) >> HALF) + (plane << rails + inside)
    return IPv6Network((first << HALF, HALF - rails - inside))


def _words(values: Ints) -> Words:
    return values.astype(np.uint64)
