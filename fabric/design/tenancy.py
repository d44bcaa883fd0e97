"""VRFs of tenants on a switch, and the EVPN that carries their routes."""

from __future__ import annotations

from functools import cached_property
from ipaddress import IPv4Address
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import ipv4_text
from fabric.design.model import BgpNeighbour, EvpnDesign, HostPool, VrfDesign
from fabric.platforms import platforms
from fabric.topology.tenants import UNASSIGNED, route_target, vni_of, vrf_name

if TYPE_CHECKING:
    from fabric.design.port_model import PortDesign
    from fabric.topology.model import Bools, Fabric
    from fabric.topology.tenants import Tenants

#: What a tunnel adds to a packet: IPv4 20, UDP 8, VXLAN 8, inner Ethernet 14 (RFC 7348 section 5).
TUNNEL_BYTES = 50


def tunnel_bytes(fabric: Fabric) -> int:
    """Return what packets are longer by between the switches of a fabric."""
    return TUNNEL_BYTES if fabric.tenants and not fabric.tenants.is_local else 0


class TenancyDesigner:
    """Designs what tenants need on the switches of one fabric.

    Parameters
    ----------
    fabric : Fabric
        The realised network.
    pools : tuple of HostPool
        Pools of the NICs of the fabric.
    """

    def __init__(self, fabric: Fabric, pools: tuple[HostPool, ...]) -> None:
        self._fabric = fabric
        self._pools = pools

    def vrf_of_subnet(self, subnet: int) -> str:
        """Return the VRF of a subnet of NICs; empty for the default VRF."""
        tenants, row = self._fabric.tenants, int(self._subnet_tenant[subnet])
        return vrf_name(tenants.items[row].value) if tenants and row != UNASSIGNED else ""

    def is_quarantined(self, nic: int) -> bool:
        """Tell whether a NIC port is in quarantine."""
        tenants = self._fabric.tenants
        return tenants is not None and bool(tenants.quarantined[nic])

    def vrfs(self, leaf: int) -> tuple[VrfDesign, ...]:
        """Return the VRFs of a leaf by the id of their tenant: of its NICs, and of its services."""
        tenants = self._fabric.tenants
        if tenants is None or leaf >= self._fabric.switches.leaf_count:
            return ()
        members, rows = self._members(leaf), self.rows(leaf)
        by_id = sorted(rows, key=lambda row: tenants.items[row].value.id)
        return tuple(self._vrf(tenants, leaf, row, rows, members) for row in by_id)

    def rows(self, leaf: int) -> set[int]:
        """Return the rows of the tenants whose VRF a leaf has."""
        tenants, members = self._fabric.tenants, self._members(leaf)
        if tenants is None or tenants.is_local:
            return members
        return members | self._users(tenants, members)

    def _members(self, leaf: int) -> set[int]:
        return set(np.flatnonzero(self._on_leaf[leaf]).tolist())

    def evpn(self, row: int, ports: tuple[PortDesign, ...]) -> EvpnDesign | None:
        """Return the EVPN of a switch; None where no tenant needs the spines."""
        tenants, switches = self._fabric.tenants, self._fabric.switches
        if tenants is None or tenants.is_local:
            return None
        own = platforms[switches.skus[row].nos].own_vtep
        pool = tenants.tenancy.vteps if own else None
        is_leaf = row < switches.leaf_count
        return EvpnDesign(
            source=self._source(row, own=own) if is_leaf else "",
            pool=str(pool) if pool and is_leaf else "",
            sessions=self._sessions(row, ports) if self._between_loopbacks else (),
        )

    def _vrf(
        self, tenants: Tenants, leaf: int, row: int, rows: set[int], members: set[int]
    ) -> VrfDesign:
        tenant, tenancy = tenants.items[row].value, tenants.tenancy
        vni = 0 if tenants.is_local else vni_of(tenancy, tenant)
        partners = (other for other in tenants.partners(row) if other in rows)
        joined = [
            tenants.items[other].value
            for other in partners
            if (row if tenant.shared else other) in members
        ]
        loopback = ipv4_text(int(self._fabric.switches.loopback[leaf]))
        return VrfDesign(
            name=vrf_name(tenant),
            tenant=tenant.name,
            tenant_id=tenant.id,
            vni=vni,
            vlan=tenancy.vlan_first + tenant.id if vni else 0,
            route_distinguisher=f"{loopback}:{tenant.id}" if vni else "",
            route_target=route_target(tenancy, tenant) if vni else "",
            pools=tuple(
                HostPool(str(own), pool.prefix_length)
                for own, pool in zip(tenant.pools, self._pools, strict=True)
            )
            if tenant.pools
            else self._pools,
            imports=tuple(vrf_name(one) for one in sorted(joined, key=lambda one: one.id)),
        )

    @staticmethod
    def _users(tenants: Tenants, members: set[int]) -> set[int]:
        """Return the tenants that reach a service that has NICs on a leaf."""
        services = (row for row in members if tenants.items[row].value.shared)
        return {user for row in services for user in tenants.partners(row)}

    @cached_property
    def _subnet_tenant(self) -> np.ndarray:
        """Tenant of each subnet; ``UNASSIGNED`` for the default VRF."""
        rows = np.full(len(self._fabric.subnets), UNASSIGNED)
        if self._fabric.tenants:
            mine = np.flatnonzero(self._fabric.tenants.of_nic != UNASSIGNED)
            rows[self._fabric.nics.subnet[mine]] = self._fabric.tenants.of_nic[mine]
        return rows

    @cached_property
    def _on_leaf(self) -> Bools:
        """Whether each tenant has a NIC on each leaf, shape (leaves, tenants)."""
        tenants, nics = self._fabric.tenants, self._fabric.nics
        assert tenants is not None
        table = np.zeros((self._fabric.switches.leaf_count, len(tenants)), dtype=np.bool_)
        mine = (tenants.of_nic != UNASSIGNED) & (nics.port != 0)
        table[nics.leaf[mine], tenants.of_nic[mine]] = True
        return table

    @cached_property
    def _between_loopbacks(self) -> bool:
        """Whether a system of the fabric has EVPN over sessions between loopbacks alone."""
        systems = {sku.nos for sku in self._fabric.switches.skus}
        return any(platforms[system].evpn_sessions == "loopback" for system in systems)

    def _source(self, row: int, *, own: bool) -> str:
        """Return the tunnel end point of a leaf: its loopback, or its place in their own pool."""
        tenants, switches = self._fabric.tenants, self._fabric.switches
        address = int(switches.loopback[row])
        pool = tenants.tenancy.vteps if own and tenants is not None else None
        if pool is None:
            return ipv4_text(address)
        first = int(self._fabric.intent.fabric.addressing.loopbacks[0])
        return str(IPv4Address(int(pool[0]) + address - first))

    def _sessions(self, row: int, ports: tuple[PortDesign, ...]) -> tuple[BgpNeighbour, ...]:
        """Return a session between loopbacks for each switch that a cable leads to."""
        fabric, switches = self._fabric, self._fabric.switches
        names = dict.fromkeys(port.peer for port in ports if port.kind == "uplink" and port.enabled)
        rows = [fabric.switch_row[name] for name in names]
        return tuple(
            BgpNeighbour(
                address=ipv4_text(int(switches.loopback[peer])),
                local_address=ipv4_text(int(switches.loopback[row])),
                asn=int(switches.asn[peer]),
                name=switches.names[peer],
                role=switches.role(peer),
                port="",
                peer_port="",
            )
            for peer in rows
        )
