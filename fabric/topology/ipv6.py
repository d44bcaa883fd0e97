"""IPv6 of routed NIC ports: 128 bits, as an upper and a lower half of 64."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv6Address, IPv6Interface, IPv6Network
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from fabric.intent.scalars import PAIR6

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words: TypeAlias = NDArray[np.uint64]
    Halves: TypeAlias = tuple[Words, Words]

#: Bits of half an address: of a subnet, and of an interface (RFC 4291 section 2.5.4).
HALF = 64
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
    own : set of int
        Rows of which the inventory sets the subnet.
    own_gateways, own_nics : dict of int to IPv6Address
        Addresses that the inventory sets, by row.
    """

    upper: Words
    lower: Words
    prefix_length: int
    summary_length: int
    own: set[int] = field(default_factory=set)
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

    def texts(self, row: int) -> tuple[str, str]:
        """Return a subnet and the address of the leaf as they are written, each made once."""
        first = str(IPv6Address(self._first(row)))
        same = not self.slaac and row not in self.own_gateways
        return f"{first}/{self.prefix_length}", first if same else str(self.gateway(row))

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
    def columns(self) -> NDArray[np.int64]:
        """What is known of each subnet, as numbers of another kind; shape (rows, 4)."""
        return np.column_stack((self.upper, self.lower, *self.gateways)).view(np.int64)

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first address of subnets, as numbers of Python; shape (rows,)."""
        upper: NDArray[np.int64] = self.upper[rows].astype(object) << HALF
        numbers: NDArray[np.int64] = upper | self.lower[rows].astype(object)
        return numbers

    @staticmethod
    def text(pair: tuple[int, int]) -> str:
        """Return an address of two halves as it is written."""
        return str(IPv6Address(pair[0] << HALF | pair[1]))

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


@dataclass(frozen=True, eq=False)
class Ipv6Links:
    """A /127 for each cable between switches (RFC 6164).

    Parameters
    ----------
    upper, lower : array of uint64, shape (cables,)
        Halves of the address of the upper end of each cable, which is the even one unless the
        inventory gives it the other.
    """

    upper: Words
    lower: Words

    def interface(self, row: int, *, above: bool) -> IPv6Interface:
        """Return the address of the upper or the lower end of a cable, with its length."""
        lower = int(self.lower[row]) ^ (not above)
        return IPv6Interface((int(self.upper[row]) << HALF | lower, PAIR6))

    def write(self, row: int, address: IPv6Interface, *, above: bool) -> IPv6Interface:
        """Give an end of a cable an address; return that of the other end."""
        far = int(address.ip) ^ 1
        first = int(address.ip) if above else far
        self.upper[row], self.lower[row] = first >> HALF, first & (1 << HALF) - 1
        return IPv6Interface((far, PAIR6))

    @property
    def columns(self) -> NDArray[np.int64]:
        """The halves as numbers of another kind; shape (cables, 2)."""
        return np.column_stack((self.upper, self.lower)).view(np.int64)


def eui64(mac: str) -> int:
    """Return the interface identifier of a MAC address (RFC 4291 appendix A)."""
    value = int(mac.replace(":", ""), 16)
    upper, lower = value >> 24, value & 0xFFFFFF
    return ((upper ^ 0x020000) << 40) | (0xFFFE << 24) | lower
