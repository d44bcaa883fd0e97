"""Addresses of NICs by family; RDMA uses those of IPv4, or of IPv6 where the inventory says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import ipv4_text
from fabric.topology.model import NO_VLAN
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
    if uses_ipv6(fabric, int(fabric.nics.host[nic])):
        return nic_ipv6(fabric, nic)
    return ipv4_text(int(fabric.nics.address[nic]))


def nic_ipv6(fabric: Fabric, nic: int) -> str:
    """Return the IPv6 address of a NIC; empty where it has none, or nobody tells its MAC."""
    table, subnet = fabric.subnets.ipv6, int(fabric.nics.subnet[nic])
    if table is None or fabric.subnets.vlan[subnet] != NO_VLAN:
        return ""
    return str(table.nic(subnet, nic_mac(fabric, nic) if table.slaac else "") or "")


def nic_mac(fabric: Fabric, nic: int) -> str:
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
