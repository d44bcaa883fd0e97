"""What is decided for each switch and each host. Templates print these and decide nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_interface
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fabric.design.port_model import HeadroomProfile, PortDesign, VlanDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.scalars import BufferModel, EcmpMode
    from fabric.platforms.model import Role, Sku
    from fabric.topology.pause_response import PauseResponse


@dataclass(frozen=True, slots=True)
class BgpNeighbour:
    """A BGP session; without addresses where its cable is unnumbered.

    Between addresses it has routes of their family, otherwise of both. ``role`` is that of the
    peer. One between loopbacks has no ports, and EVPN routes alone.
    """

    address: str
    local_address: str
    asn: int
    name: str
    role: Role
    port: str
    peer_port: str

    @property
    def unnumbered(self) -> bool:
        """Whether it is between link-local addresses."""
        return not self.address

    @property
    def families(self) -> tuple[str, ...]:
        """Families whose routes it has, where the fabric has them."""
        if self.unnumbered:
            return ("ipv4", "ipv6")
        return ("ipv6",) if ":" in self.address else ("ipv4",)

    @property
    def session(self) -> str:
        """What a switch calls the session by: the address of the peer, or its own port."""
        return self.address or self.port


@dataclass(frozen=True, slots=True)
class HostPool:
    """A pool of NIC subnets, the length of the shortest of them, and of what leaves announce.

    ``summary_length`` is None where leaves announce the subnets themselves.
    """

    network: str
    prefix_length: int
    summary_length: int | None = None


@dataclass(frozen=True, slots=True)
class BgpDesign:
    """BGP of a switch; ``advertised_*`` are the only prefixes that it may originate.

    ``allowas_in`` is how often its own AS number may stand in a route that it accepts.
    ``tells_peer_as`` says that a neighbour is told routes that came from its AS. ``equal_paths`` is
    how many the switch has, ``max_paths`` how many it may use.
    """

    asn: int
    router_id: str
    allowas_in: int
    tells_peer_as: bool
    keepalive_s: int
    hold_s: int
    max_paths: int
    equal_paths: int
    bfd: bool
    neighbours: tuple[BgpNeighbour, ...]
    loopback_pool: str
    host_pools: tuple[HostPool, ...]
    host_pools6: tuple[HostPool, ...] = ()


@dataclass(frozen=True, slots=True)
class VrfDesign:
    """The VRF of a tenant on a leaf.

    Parameters
    ----------
    name : str
        Name of the VRF on every switch (``Vrf17``).
    tenant : str
        Name of the tenant, for descriptions.
    tenant_id : int
        Id of the tenant.
    vni : int
        VNI of its packets between leaves; 0 where they stay on the leaf.
    vlan : int
        VLAN behind the VNI, on systems that need one; 0 without a VNI.
    route_distinguisher, route_target : str
        ``10.255.0.11:17`` and ``65000:50017``; empty without a VNI.
    pools : tuple of HostPool
        What the subnets of its NICs lie in; nothing else is announced.
    imports : tuple of str
        VRFs of this switch whose routes it has too, and that have its routes.
    """

    name: str
    tenant: str
    tenant_id: int
    vni: int
    vlan: int
    route_distinguisher: str
    route_target: str
    pools: tuple[HostPool, ...]
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvpnDesign:
    """EVPN of a switch.

    Parameters
    ----------
    source : str
        Address of its tunnel end point; empty where it relays routes alone.
    pool : str
        Pool of end points with a loopback of their own; empty where it is the BGP loopback.
    sessions : tuple of BgpNeighbour
        Sessions between loopbacks; empty where the sessions of the underlay carry EVPN too.
    """

    source: str
    pool: str
    sessions: tuple[BgpNeighbour, ...]


@dataclass(frozen=True, slots=True)
class NeighbourTable:
    """ARP and MAC ageing and table sizes of a switch.

    ``refresh_s`` is the longest time until the switch asks a silent neighbour again.
    """

    arp_timeout_s: int
    refresh_s: int
    mac_ageing_s: int
    base_reachable_time_ms: int
    capacity: int
    gc_thresholds: tuple[int, int, int]


@dataclass(frozen=True)
class DeviceDesign:
    """Everything that is decided for one switch.

    ``ports`` holds every front panel port in number order; ``qos_profiles[0]`` is the default.
    ``routes_nics`` says that a NIC of it has a routed port, or had one but for its quarantine;
    ``has_tenants`` that the fabric has tenants, whether one of them is on this switch or not.
    ``pause_response`` is how long its ports send after a pause, where that is known.
    """

    name: str
    role: Role
    platform: str
    sku: Sku
    mac: str
    serial: str
    loopback: str
    bgp: BgpDesign
    ecmp_mode: EcmpMode
    ports: tuple[PortDesign, ...]
    vlans: tuple[VlanDesign, ...]
    qos_profiles: tuple[QosProfile, ...]
    headroom_profiles: tuple[HeadroomProfile, ...]
    neighbours: NeighbourTable
    server_vrf: str
    ntp_servers: tuple[str, ...]
    syslog_servers: tuple[str, ...]
    buffer_model: BufferModel = "traditional"
    headroom_over_subscription: int | None = None
    scope: Literal["whole", "merge"] = "whole"
    hash_queue_pairs: bool = False
    vrfs: tuple[VrfDesign, ...] = ()
    evpn: EvpnDesign | None = None
    routes_nics: bool = False
    has_tenants: bool = False
    pause_response: PauseResponse | None = None

    @cached_property
    def lossless_groups(self) -> tuple[HeadroomProfile, ...]:
        """Lossless buffers of the ports: that of a port once for each of its classes."""
        return tuple(group for port in self.ports for group in port.lossless_groups)

    @property
    def lossless_ports(self) -> int:
        """How many ports have lossless buffers."""
        return sum(port.headroom is not None for port in self.ports)

    @cached_property
    def port_by_name(self) -> dict[str, PortDesign]:
        """Its ports by their names."""
        return {port.name: port for port in self.ports}

    @cached_property
    def port_kinds(self) -> frozenset[str]:
        """What its ports are for, but for unused ones."""
        return frozenset(port.kind for port in self.ports) - {"unused"}

    @cached_property
    def unnumbered_ports(self) -> tuple[PortDesign, ...]:
        """Ports to other switches without an address, also those that are off."""
        return tuple(port for port in self.ports if port.kind == "uplink" and not port.address)

    @cached_property
    def routed_nics(self) -> tuple[PortDesign, ...]:
        """Routed ports of NICs."""
        return tuple(
            port for port in self.ports if port.kind == "host" and (port.address or port.ipv6)
        )

    @property
    def host_networks(self) -> tuple[str, ...]:
        """Subnets of NICs without a tenant that this leaf announces."""
        return self.networks_of("")

    def networks_of(self, vrf: str) -> tuple[str, ...]:
        """Return the subnets of NICs in a VRF: of its VLANs, then of its routed ports."""
        vlans = (vlan.network for vlan in self.vlans if vlan.vrf == vrf)
        ports = (port.address for port in self.routed_nics if port.vrf == vrf and port.address)
        return (*vlans, *(str(_network(address)) for address in ports))

    @property
    def host_networks6(self) -> tuple[str, ...]:
        """IPv6 subnets of NICs that this leaf announces."""
        return tuple(map(str, self._subnets("ipv6")))

    @property
    def summaries(self) -> tuple[str, ...]:
        """Prefixes that this leaf announces in place of the subnets of its routed NIC ports."""
        return _around(self._subnets("address"), self.bgp.host_pools)

    @property
    def summaries6(self) -> tuple[str, ...]:
        """IPv6 prefixes that this leaf announces in place of the subnets of its NIC ports."""
        return _around(self._subnets("ipv6"), self.bgp.host_pools6)

    def _subnets(self, field: str) -> list[IPv4Network | IPv6Network]:
        texts = (getattr(port, field) for port in self.routed_nics if not port.vrf)
        return [_network(text) for text in texts if text]

    @property
    def uses_ipv6(self) -> bool:
        """Whether the fabric has IPv6."""
        return bool(self.bgp.host_pools6)

    @property
    def uses_arp(self) -> bool:
        """Whether it has neighbours by IPv4; where a fabric has no IPv6, its ageing is told."""
        return not self.uses_ipv6 or bool(self.vlans) or any(port.address for port in self.ports)

    @property
    def announces_routers(self) -> bool:
        """Whether a port tells a NIC its prefix."""
        return any(port.announces_router for port in self.ports)

    @property
    def loopback_sessions(self) -> tuple[BgpNeighbour, ...]:
        """BGP sessions between loopbacks, for EVPN routes."""
        return self.evpn.sessions if self.evpn else ()

    @property
    def sessions(self) -> tuple[BgpNeighbour, ...]:
        """Every BGP session that is planned: over its cables, then between loopbacks."""
        return (*self.bgp.neighbours, *self.loopback_sessions)

    @property
    def above(self) -> tuple[BgpNeighbour, ...]:
        """BGP sessions with switches that are further from the hosts."""
        higher = {"leaf": ("spine",), "spine": ("super-spine",), "super-spine": ()}[self.role]
        return tuple(peer for peer in self.bgp.neighbours if peer.role in higher)


@lru_cache(4096)  # both a subnet and its summary are asked for, by template and rule
def _network(text: str) -> IPv4Network | IPv6Network:
    return ip_interface(text).network


def _around(
    subnets: list[IPv4Network | IPv6Network], pools: tuple[HostPool, ...]
) -> tuple[str, ...]:
    """Return the prefixes of the length of each pool that is summarised, each once."""
    return tuple(
        dict.fromkeys(
            str(subnet.supernet(new_prefix=pool.summary_length))
            for pool in pools
            if pool.summary_length
            for subnet in subnets
        )
    )
