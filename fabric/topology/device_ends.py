"""The ends of cables at one device, with what is planned at the other end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.topology.naming import nic_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.topology.model import Fabric

#: Ends of a cable in arrays of shape (2, cables).
LOWER, UPPER = 0, 1


@dataclass(frozen=True, slots=True)
class DeviceEnd:
    """An end of a cable.

    Parameters
    ----------
    is_nic : bool
        Whether it is a cable of a NIC, a row of ``Fabric.nics``; else one of ``Fabric.uplinks``.
    end : int
        `LOWER` or `UPPER`.
    row : int
        Row of the cable in its table.
    peer, peer_port : str
        Device and port at the other end.
    """

    port: str
    is_nic: bool
    end: int
    row: int
    peer: str
    peer_port: str


def ends_of(fabric: Fabric, device: str) -> Iterator[DeviceEnd]:
    """Yield the ends of the cables at a switch or host; none for another name."""
    if device in fabric.host_row:
        yield from _of_host(fabric, device)
    elif device in fabric.switch_row:
        row = fabric.switch_row[device]
        yield from _of_leaf(fabric, row)
        yield from _of_switch(fabric, row)


def _of_host(fabric: Fabric, host: str) -> Iterator[DeviceEnd]:
    nics, names = fabric.nics, fabric.switches.names
    rows = fabric.nics_of_host(fabric.host_row[host])
    for nic, row in zip(nic_names(fabric, host), rows, strict=False):
        leaf = int(nics.leaf[row])
        far = fabric.port_name(leaf, int(nics.port[row]))
        yield DeviceEnd(nic.interface, True, LOWER, row, names[leaf], far)  # noqa: FBT003


def _of_leaf(fabric: Fabric, leaf: int) -> Iterator[DeviceEnd]:
    nics = fabric.nics
    for row in fabric.nics_of_leaf(leaf).tolist():
        host = fabric.hosts.names[int(nics.host[row])]
        nic = nic_names(fabric, host)[row % fabric.nics_per_host]
        port = fabric.port_name(leaf, int(nics.port[row]))
        yield DeviceEnd(port, True, UPPER, row, host, nic.interface)  # noqa: FBT003


def _of_switch(fabric: Fabric, switch: int) -> Iterator[DeviceEnd]:
    up, names = fabric.uplinks, fabric.switches.names
    lower, upper = (up.lower, up.lower_port), (up.upper, up.upper_port)
    for rows, end, (_, port), (peer, peer_port) in (
        (fabric.uplinks_of(switch), LOWER, lower, upper),
        (fabric.downlinks_of(switch), UPPER, upper, lower),
    ):
        for row in rows.tolist():
            other = int(peer[row])
            far = fabric.port_name(other, int(peer_port[row]))
            own = fabric.port_name(switch, int(port[row]))
            yield DeviceEnd(own, False, end, row, names[other], far)  # noqa: FBT003
