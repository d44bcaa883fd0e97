"""IPv6 of switches and NICs as rules about addresses look at it: 128 bits, as two halves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.topology.ipv6_plan import rail_network, rail_numbers
from fabric.topology.model import NO_VLAN
from fabric.topology.peering import numbered_links
from fabric.validate.origins import nic_place, port_place, subnet_place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ipaddress import IPv6Address

    from fabric.topology.ipv6 import Halves, Ipv6Subnets
    from fabric.topology.model import Bools, Fabric, Ints
    from fabric.validate.origins import Place


class Wrong(NamedTuple):
    """What is wrong with an address, what to do, where it is set, and whose it is."""

    message: str
    fix: str
    place: Place | None
    device: str


@dataclass(frozen=True, eq=False)
class _Owners:
    """All addresses: those of leaves to NICs, of NICs, of lower and of upper ends of cables."""

    fabric: Fabric
    kind: Ints
    index: Ints

    def owner(self, row: int) -> str:
        """Return the device that has the address of a row."""
        fabric, index = self.fabric, int(self.index[row])
        if self.kind[row] == 0:
            return fabric.switches.names[int(fabric.subnets.leaf[index])]
        if self.kind[row] == 1:
            return fabric.hosts.names[int(fabric.nics.host[index])]
        return fabric.switches.names[self._end(row)[0]]

    def _end(self, row: int) -> tuple[int, int]:
        """Return the switch and the port of the end of a cable."""
        up, index = self.fabric.uplinks, int(self.index[row])
        lower, upper = (up.lower, up.lower_port), (up.upper, up.upper_port)
        ends, ports = lower if self.kind[row] == 2 else upper  # noqa: PLR2004 - as above
        return int(ends[index]), int(ports[index])

    def place(self, row: int) -> Place | None:
        """Return where an override set the address of a row; others follow from the pools."""
        index = int(self.index[row])
        if self.kind[row] == 0:
            return own_place(self.fabric, index)
        if self.kind[row] == 1:
            return nic_place(self.fabric, index, "ipv6")
        switch, port = self._end(row)
        names = self.fabric.switches.names[switch], self.fabric.port_name(switch, port)
        return port_place(self.fabric.intent, *names, "ipv6")


def doubles(fabric: Fabric) -> Iterator[Wrong]:
    """Yield the addresses that an override assigns twice."""
    table = fabric.subnets.ipv6
    if table is None:
        return
    ports = (port for one in fabric.intent.devices for port in one.value.ports.values())
    links = any(port.ipv6 for port in ports)
    if not (links or table.own or table.own_nics or table.own_gateways):
        return
    halves, owners = _owners(fabric, table)
    order = np.lexsort((halves[1], halves[0]))
    for rows in _runs(halves, order):
        for row in rows:
            place = owners.place(row)
            other = owners.owner(next(item for item in rows if item != row))
            if place:
                text = table.text((int(halves[0][row]), int(halves[1][row])))
                message = f"{text} is also the address of {other}"
                yield Wrong(message, "use a free address", place, owners.owner(row))


def owner6(fabric: Fabric, address: IPv6Address) -> str:
    """Return the device that has an address; empty where none has."""
    table = fabric.subnets.ipv6
    if table is None:
        return ""
    (upper, lower), owners = _owners(fabric, table)
    first, last = divmod(int(address), 1 << 64)
    rows = np.flatnonzero((upper == np.uint64(first)) & (lower == np.uint64(last)))
    return owners.owner(int(rows[0])) if rows.size else ""


def _owners(fabric: Fabric, table: Ipv6Subnets) -> tuple[Halves, _Owners]:
    used, nics = used_subnets(fabric), _routed_nics(fabric)
    nics = nics[:0] if table.slaac else nics
    kinds = [(used, tuple(half[used] for half in table.gateways))]
    kinds += [(nics, tuple(half[fabric.nics.subnet[nics]] for half in table.nics))]
    if fabric.links6:
        rows = np.flatnonzero(numbered_links(fabric))
        upper, lower = fabric.links6.upper[rows], fabric.links6.lower[rows]
        kinds += [(rows, (upper, lower ^ np.uint64(1))), (rows, (upper, lower))]
    counts = [len(rows) for rows, _ in kinds]
    halves = tuple(np.concatenate([its[half] for _, its in kinds]) for half in (0, 1))
    index = np.concatenate([rows for rows, _ in kinds])
    owners = _Owners(fabric, np.repeat(np.arange(len(kinds)), counts), index)
    return (halves[0], halves[1]), owners


def _runs(halves: Halves, order: Ints) -> Iterator[list[int]]:
    """Yield the rows that share an address; ``order`` sorts them."""
    same = np.flatnonzero(_equal_to_next(halves, order))
    starts = same[np.insert(np.diff(same) > 1, 0, values=True)] if len(same) else same
    for start in starts.tolist():
        end = start + 1
        while end < len(order) and _same(halves, order[start], order[end]):
            end += 1
        yield order[start:end].tolist()


def _same(halves: Halves, row: int, other: int) -> bool:
    return all(bool(half[row] == half[other]) for half in halves)


def _equal_to_next(halves: Halves, order: Ints) -> Bools:
    upper, lower = (half[order] for half in halves)
    same: Bools = (upper[1:] == upper[:-1]) & (lower[1:] == lower[:-1])
    return same


def outside_subnet(fabric: Fabric) -> Iterator[Wrong]:
    """Yield the addresses of NICs outside their subnet."""
    table = fabric.subnets.ipv6
    for subnet, address in table.own_nics.items() if table else ():
        if table and address not in table.network(subnet):
            message = f"{address} is outside {table.network(subnet)}"
            yield _of_nic(fabric, subnet, message, "use an address in the subnet of this port")


def at_gateway(fabric: Fabric) -> Iterator[Wrong]:
    """Yield the addresses that an override gives to a NIC and to its leaf."""
    table = fabric.subnets.ipv6
    for subnet in sorted({*table.own_nics, *table.own_gateways}) if table else ():
        if table and not table.slaac and table.nic(subnet, "") == table.gateway(subnet):
            message = f"{table.gateway(subnet)} is the address of the leaf in"
            fix = "use the other address, or set the other one of hosts.nics.ipv6 and ipv6_gateway"
            yield _of_nic(fabric, subnet, f"{message} {table.network(subnet)}", fix)


def _of_nic(fabric: Fabric, subnet: int, message: str, fix: str) -> Wrong:
    place, owner = own_place(fabric, subnet), int(fabric.subnets.leaf[subnet])
    for nic in np.flatnonzero(fabric.nics.subnet == subnet)[:1].tolist():
        place = nic_place(fabric, nic, "ipv6") or place
        return Wrong(message, fix, place, fabric.hosts.names[int(fabric.nics.host[nic])])
    return Wrong(message, fix, place, fabric.switches.names[owner])


def wrong_subnets(fabric: Fabric) -> Iterator[Wrong]:
    """Yield the subnets outside the pool, with the leaf elsewhere, or that others have too."""
    table, plan = fabric.subnets.ipv6, fabric.intent.fabric.addressing.ipv6
    if table is None or plan is None or not (table.own or table.own_gateways):
        return
    for row in sorted({*table.own, *table.own_gateways}):
        network, place = table.network(row), own_place(fabric, row)
        leaf = fabric.switches.names[int(fabric.subnets.leaf[row])]
        if not network.subnet_of(plan.hosts):
            message = f"{network} is outside addressing.ipv6.hosts {plan.hosts}"
            yield Wrong(message, "use a subnet of the pool", place, leaf)
        if table.gateway(row) not in network:
            message = f"{network} does not have its gateway {table.gateway(row)} inside"
            yield Wrong(message, "use a gateway of the subnet", place, leaf)
        if not table.slaac and not table.lower[row]:
            message = f"{network} begins with the address that belongs to all routers of its /64"
            yield Wrong(message, "use another /127 of the rail", place, leaf)
    used = used_subnets(fabric)
    halves = (table.upper[used], table.lower[used])
    for rows in _runs(halves, np.lexsort((halves[1], halves[0]))):
        for row in used[rows].tolist():
            leaf = fabric.switches.names[int(fabric.subnets.leaf[row])]
            if place := own_place(fabric, row):
                message = f"{table.network(row)} is also the subnet of another NIC"
                yield Wrong(message, "use a free subnet", place, leaf)


def outside_rail(fabric: Fabric) -> Iterator[Wrong]:
    """Yield the subnets outside the addresses of their rail."""
    table, file = fabric.subnets.ipv6, fabric.intent.fabric
    if table is None or not table.own:
        return
    rows = np.array(sorted(table.own))
    plane = np.maximum(fabric.switches.plane[fabric.subnets.leaf[rows]], 0)
    rails = rail_numbers(file, plane, fabric.subnets.rail[rows])
    for row, number in zip(rows.tolist(), rails.tolist(), strict=True):
        own, network = rail_network(file, number), table.network(row)
        if not network.subnet_of(own):
            rail = int(fabric.subnets.rail[row])
            yield Wrong(
                f"{network} is outside {own}, the addresses of rail {rail}",
                "use a subnet of the rail, or remove the override",
                own_place(fabric, row),
                fabric.switches.names[int(fabric.subnets.leaf[row])],
            )


def own_place(fabric: Fabric, row: int) -> Place | None:
    """Return where an override sets the subnet of a row, or the address of the leaf in it."""
    table = fabric.subnets.ipv6
    if table is None:
        return None
    leaf = fabric.switches.names[int(fabric.subnets.leaf[row])]
    place = subnet_place(fabric.intent, leaf, str(table.network(row)), "ipv6")
    gateway = str(table.gateway(row))
    return place or subnet_place(fabric.intent, leaf, gateway, "ipv6_gateway")


def used_subnets(fabric: Fabric) -> Ints:
    """Return the subnets that NICs have, which are on routed ports."""
    return np.unique(fabric.nics.subnet[_routed_nics(fabric)])


def _routed_nics(fabric: Fabric) -> Ints:
    nics = fabric.nics
    return np.flatnonzero(nics.enabled & (fabric.subnets.vlan[nics.subnet] == NO_VLAN))
