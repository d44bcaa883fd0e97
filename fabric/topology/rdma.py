"""Addresses that RDMA uses: of IPv4, or of IPv6 where the inventory says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import ipv4_text
from fabric.topology.routed import routed_pool, routed_units

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

    from fabric.topology.model import Fabric


def uses_ipv6(fabric: Fabric, host: int) -> bool:
    """Tell whether RDMA of the host in a row of ``fabric.hosts`` uses IPv6."""
    file = fabric.intent.fabric
    return file.addressing.rdma_ipv6 and routed_units(file)[int(fabric.hosts.unit[host])]


def nic_pools(fabric: Fabric, host: int) -> tuple[IPv4Network | IPv6Network, ...]:
    """Return the pools of the NIC addresses of a host, one of each family, that of RDMA first."""
    file = fabric.intent.fabric
    addressing, is_routed = file.addressing, routed_units(file)[int(fabric.hosts.unit[host])]
    ipv4 = routed_pool(addressing) if is_routed else addressing.hosts
    ipv6 = addressing.ipv6.hosts if addressing.ipv6 and is_routed else None
    pools = (ipv6, ipv4) if uses_ipv6(fabric, host) else (ipv4, ipv6)
    return tuple(pool for pool in pools if pool)


def rdma_address(fabric: Fabric, nic: int) -> str:
    """Return what RDMA uses on the NIC in a row of ``fabric.nics``.

    Empty where it follows from a MAC address that nobody tells.
    """
    nics, table = fabric.nics, fabric.subnets.ipv6
    if table is None or not uses_ipv6(fabric, int(nics.host[nic])):
        return ipv4_text(int(nics.address[nic]))
    return str(table.nic(int(nics.subnet[nic]), _mac(fabric, nic)) or "")


def _mac(fabric: Fabric, nic: int) -> str:
    """Return the MAC address that the inventory gives a NIC, or an empty text."""
    nics = fabric.nics
    place = int(nics.rail[nic]), int(nics.nic_port[nic])
    overrides = fabric.intent.host_overrides.get(fabric.hosts.names[int(nics.host[nic])], [])
    said = [
        one.mac
        for override in overrides
        for one in override.value.nics
        if one.mac and (one.rail, one.nic_port) == place
    ]
    return said[-1] if said else ""
