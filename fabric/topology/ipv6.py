"""IPv6 of routed NIC ports: 128 bits, as an upper and a lower half of 64."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Interface, IPv6Network
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Words: TypeAlias = NDArray[np.uint64]

#: Bits of half an address: of a subnet, and of an interface (RFC 4291 section 2.5.4).
HALF = 64
#: Length of a subnet of two addresses (RFC 6164).
PAIR6 = 127


@dataclass(frozen=True, eq=False)
class Ipv6Subnets:
    """IPv6 subnets of NICs, in the rows of the IPv4 ones; those in VLANs have none.

    Parameters
    ----------
    upper, lower : array of uint64, shape (subnets,)
        Halves of the first address of each.
    prefix_length, summary_length : int
        Of each subnet, and of what a leaf has of a rail.
    """

    upper: Words
    lower: Words
    prefix_length: int
    summary_length: int

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
        return IPv6Address(self._first(row) + self.slaac)

    def nic(self, row: int, mac: str) -> IPv6Address | None:
        """Return the address of the NIC; None where it follows from a MAC that nobody tells."""
        if not self.slaac:
            return IPv6Address(self._first(row) + 1)
        return IPv6Address(self._first(row) + eui64(mac)) if mac else None

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first address of subnets, as numbers of Python; shape (rows,)."""
        upper: NDArray[np.int64] = self.upper[rows].astype(object) << HALF
        numbers: NDArray[np.int64] = upper | self.lower[rows].astype(object)
        return numbers

    def _first(self, row: int) -> int:
        return int(self.upper[row]) << HALF | int(self.lower[row])


@dataclass(frozen=True, eq=False)
class Ipv6Links:
    """A /127 for each cable between switches (RFC 6164); the upper end has the even address.

    Parameters
    ----------
    upper : int
        Upper half of all addresses.
    lower : array of uint64, shape (cables,)
        Lower half of the even address of each, in the rows of the cables.
    """

    upper: int
    lower: Words

    def interface(self, row: int, *, odd: bool) -> IPv6Interface:
        """Return the address of one end of a cable, with its length."""
        return IPv6Interface(((self.upper << HALF) + int(self.lower[row]) + odd, PAIR6))


def eui64(mac: str) -> int:
    """Return the interface identifier of a MAC address (RFC 4291 appendix A)."""
    value = int(mac.replace(":", ""), 16)
    upper, lower = value >> 24, value & 0xFFFFFF
    return ((upper ^ 0x020000) << 40) | (0xFFFE << 24) | lower
