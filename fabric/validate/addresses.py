"""Every address of a fabric with its owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.peering import numbered_links
from fabric.topology.tenant_members import spaces
from fabric.validate.origins import Place, nic_place, port_place, switch_place

if TYPE_CHECKING:
    from ipaddress import IPv4Address

    from fabric.topology.model import Fabric, Ints

#: Fields of the pools of a fabric.
POOLS = (
    "addressing.loopbacks",
    "addressing.uplinks",
    "addressing.core_links",
    "addressing.hosts",
    "addressing.routed_hosts",
    "addressing.ipv6.hosts",
    "addressing.ipv6.uplinks",
)
#: Addresses of a space: all of IPv4.
SPACE = 1 << 32


@dataclass(frozen=True, eq=False)
class Owners:
    """All addresses in one array, those of each space from a multiple of `SPACE` on.

    ``starts`` says where each kind begins.

    ``numbered`` has the rows of the uplinks.

    Kinds in order: loopbacks, lower ends and upper ends of uplinks with addresses, gateways, NICs.
    """

    fabric: Fabric
    address: Ints
    starts: Ints
    numbered: Ints

    def owner(self, row: int) -> str:
        """Return the device that has the address of a row."""
        kind, index = self._find(row)
        fabric, names = self.fabric, self.fabric.switches.names
        if kind == 0:
            return names[index]
        if kind in {1, 2}:
            ends = fabric.uplinks.lower if kind == 1 else fabric.uplinks.upper
            return names[int(ends[self.numbered[index]])]
        if kind == 3:  # noqa: PLR2004 - numbered as in the docstring
            return names[int(fabric.subnets.leaf[index])]
        return fabric.hosts.names[int(fabric.nics.host[index])]

    def place(self, row: int) -> Place | None:
        """Return where an override set the address of a row; others follow from the pools."""
        kind, index = self._find(row)
        if kind == 0:
            return switch_place(self.fabric.intent, self.owner(row), "loopback")
        if kind in {1, 2}:
            return self._cable_place(int(self.numbered[index]))
        if kind == 3:  # noqa: PLR2004 - numbered as in the docstring
            return switch_place(self.fabric.intent, self.owner(row), "subnets")
        return nic_place(self.fabric, index, "address")

    def of(self, address: IPv4Address) -> str:
        """Return the device that has an address of the default VRF; empty where none has."""
        rows = np.flatnonzero(self.address == int(address))
        return self.owner(int(rows[0])) if rows.size else ""

    def _cable_place(self, row: int) -> Place | None:
        """Return where an override set the address of an end of a cable."""
        fabric, up = self.fabric, self.fabric.uplinks
        ends = ((up.lower, up.lower_port), (up.upper, up.upper_port))
        places = (
            port_place(
                fabric.intent,
                fabric.switches.names[int(switch[row])],
                fabric.port_name(int(switch[row]), int(port[row])),
                "address",
            )
            for switch, port in ends
        )
        return next((place for place in places if place), None)

    def _find(self, row: int) -> tuple[int, int]:
        kind = int(np.searchsorted(self.starts, row, side="right")) - 1
        return kind, row - int(self.starts[kind])


def owners(fabric: Fabric) -> Owners:
    """Return all addresses of a fabric."""
    numbered = np.flatnonzero(numbered_links(fabric))
    space = spaces(fabric).space * SPACE
    count = None if fabric.intent.fabric.addressing.ipv4 else 0
    kinds = (
        fabric.switches.loopback,
        fabric.uplinks.lower_address[numbered],
        fabric.uplinks.upper_address[numbered],
        (fabric.subnets.gateway + space)[:count],
        (fabric.nics.address + space[fabric.nics.subnet])[:count],
    )
    ends = np.cumsum([len(kind) for kind in kinds])
    return Owners(fabric, np.concatenate(kinds), np.concatenate([[0], ends[:-1]]), numbered)
