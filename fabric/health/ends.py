"""Both ends of every cable as rows of arrays, and the ports of every device among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from fabric.topology.model import Bools, Fabric, Ints

    Floats = NDArray[np.float64]

#: Tier of a host; leaves have tier 0.
HOST_TIER = -1


@dataclass(frozen=True, eq=False)
class Ends:
    """Ends of the enabled cables, shape (n,) each.

    Parameters
    ----------
    names : tuple of str
        Devices: switches in the order of the fabric, then hosts.
    device : array of int
        Device of each end.
    ports : tuple of str
        Name of its port or NIC.
    far : array of int
        Row of the other end.
    nic : array of int
        Row of the NIC on the cable; -1 between switches.
    tier : array of int, shape (devices,)
        0 for leaves, ``HOST_TIER`` for hosts.
    """

    fabric: Fabric
    names: tuple[str, ...]
    device: Ints
    ports: tuple[str, ...]
    far: Ints
    nic: Ints
    speed_gbps: Ints
    tier: Ints

    def __len__(self) -> int:
        return len(self.device)

    @cached_property
    def number(self) -> dict[str, int]:
        """Number of each device."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def is_nic(self) -> Bools:
        """Whether each end is at a host."""
        hosts: Bools = self.tier[self.device] == HOST_TIER
        return hosts

    @cached_property
    def is_below(self) -> Bools:
        """Whether the other end of each is nearer to the hosts."""
        below: Bools = self.tier[self.device[self.far]] < self.tier[self.device]
        return below

    @cached_property
    def of_device(self) -> tuple[Ints, ...]:
        """Rows of each device."""
        order = np.argsort(self.device, kind="stable")
        bounds = np.searchsorted(self.device[order], np.arange(len(self.names) + 1))
        return tuple(np.split(order, bounds[1:-1]))

    @cached_property
    def rows(self) -> tuple[dict[str, int], ...]:
        """Row of each port, by device."""
        return tuple({self.ports[row]: row for row in rows.tolist()} for rows in self.of_device)

    def title(self, row: int) -> str:
        """Return device and port of an end."""
        return f"{self.names[self.device[row]]} {self.ports[row]}"

    def rails(self, rows: Ints) -> tuple[int, ...]:
        """Return the rails of the NICs among some ends."""
        nics = self.nic[rows]
        return tuple(np.unique(self.fabric.nics.rail[nics[nics >= 0]]).tolist())

    def hosts(self, rows: Ints) -> tuple[str, ...]:
        """Return the hosts of the NICs on the cables of some ends."""
        nics = self.nic[rows]
        hosts = np.unique(self.fabric.nics.host[nics[nics >= 0]])
        return tuple(self.fabric.hosts.names[host] for host in hosts.tolist())


def ends_of(fabric: Fabric) -> Ends:
    """Return the ends of the enabled cables of a fabric: NICs, their leaf ports, uplinks."""
    nics, up, switches = fabric.nics, fabric.uplinks, fabric.switches
    nic, cable = np.flatnonzero(nics.enabled), np.flatnonzero(up.enabled)
    first = len(switches)
    device = (first + nics.host[nic], nics.leaf[nic], up.lower[cable], up.upper[cable])
    interfaces = [one.interface for host in fabric.hosts.names for one in nic_names(fabric, host)]
    switch = np.concatenate(device[1:])
    number = np.concatenate([nics.port[nic], up.lower_port[cable], up.upper_port[cable]])
    ports = [interfaces[row] for row in nic.tolist()]
    ports += [
        fabric.port_name(*place) for place in zip(switch.tolist(), number.tolist(), strict=True)
    ]
    a, b = len(nic), len(cable)
    far = np.arange(2 * (a + b))
    far = np.concatenate([far[a : 2 * a], far[:a], far[2 * a + b :], far[2 * a : 2 * a + b]])
    speeds = nics.speed_gbps[nic], up.speed_gbps[cable]
    return Ends(
        fabric=fabric,
        names=(*switches.names, *fabric.hosts.names),
        device=np.concatenate(device),
        ports=tuple(ports),
        far=far,
        nic=np.concatenate([nic, nic, np.full(2 * b, -1)]),
        speed_gbps=np.concatenate([speeds[0], speeds[0], speeds[1], speeds[1]]),
        tier=np.concatenate([switches.tier, np.full(len(fabric.hosts), HOST_TIER)]),
    )
