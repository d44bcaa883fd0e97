"""What is decided for each switch and each host. Templates print these and decide nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_interface
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fabric.design.qos_model import HostQos, QosProfile
    from fabric.intent.host_model import HostTraits
    from fabric.intent.scalars import BufferModel, EcmpMode
    from fabric.platforms.cage import Mode, Place
    from fabric.platforms.model import HeadroomRow, Role, Sku
    from fabric.qos.dcqcn.registers import Setting
    from fabric.qos.headroom.terms import Headroom, Link
    from fabric.qos.headroom.verdict import Judgement
    from fabric.topology.pause_response import PauseResponse


@dataclass(frozen=True, slots=True, eq=False)
class HeadroomProfile:
    """Lossless buffer of a priority group at one speed and cable length.

    Parameters
    ----------
    cable_m : int
        Length of the cable.
    setting_m : int
        Length that the switch is set to: the step of the vendor's table where it has one, which
        is at least that of the cable, else the length of the cable.
    row : HeadroomRow or None
        Row of the vendor's table; None where there is no table (EOS) or it has none so long.
    law : Headroom or None
        What the headroom law of the ASIC asks for; None where a figure of it is not known.
    no_law : str
        Why ``law`` is None; else empty.
    link : Link
        Speed, length and frames that the headroom is for.
    judgement : Judgement or None
        What ``headroom_bytes`` is good for; None where that is not known.
    computed : bool
        Whether the switch computes its headroom by itself; then ``law`` is what it should come to.
    shares : bool
        Whether a computed headroom comes out of one that all groups share.
    peer : PauseResponse or None
        How long the peer goes on after a pause, where that is known.
    """

    speed_gbps: int
    speed_mbps: int
    cable_m: int
    setting_m: int
    row: HeadroomRow | None
    dynamic_th: int
    law: Headroom | None
    no_law: str
    link: Link
    judgement: Judgement | None
    computed: bool = False
    shares: bool = False
    peer: PauseResponse | None = None

    @property
    def headroom_bytes(self) -> int | None:
        """Headroom that the port has: the vendor's row, else by the law, else not known."""
        if self.row:
            return self.row.headroom_bytes
        return int(self.law.headroom_bytes) if self.law else None

    @property
    def guaranteed_bytes(self) -> int:
        """Bytes of the group beside its headroom; NVIDIA's size holds both."""
        if self.row is None:
            law = self.law if self.computed else None
            if law is None or law.size_bytes is None:
                return 0
            return int(law.size_bytes - (0 if self.shares else law.headroom_bytes))
        return max(self.row.size_bytes - self.row.headroom_bytes, self.row.xon_threshold_bytes)


@dataclass(frozen=True, slots=True)
class PortDesign:
    """One port: a whole cage of the front panel, or a part of one.

    Parameters
    ----------
    cage : str
        Name of the whole port of its cage; equal to ``name`` where the cage is not broken out.
    place : Place
        Its cage on the front panel, and which part of it.
    kind : str
        ``host`` (access port of a NIC), ``uplink`` (routed, to the other tier), ``unused``.
    vlan : int or None
        Access VLAN of a host port; None where it is routed.
    address, ipv6 : str
        Interface addresses with prefix length of a routed port (``10.254.0.1/31``), else empty.
    qos : QosProfile or None
        Lossless policy; None on unused ports.
    headroom : HeadroomProfile or None
        Lossless buffer; None on unused ports and where PFC is off.
    vrf : str
        VRF of a routed host port of a tenant; empty for the default VRF, and in a VLAN.
    quarantined : bool
        Whether its NIC is of no tenant, so that it is shut down without VLAN, address and VRF.
    """

    name: str
    number: int
    alias: str
    lanes: tuple[int, ...]
    cage: str
    place: Place
    kind: Literal["host", "uplink", "unused"]
    enabled: bool
    speed_gbps: int
    speed_mbps: int
    speed_token: str
    mtu_bytes: int
    fec: str
    description: str
    cable_m: int
    peer: str
    peer_port: str
    vlan: int | None = None
    address: str = ""
    ipv6: str = ""
    qos: QosProfile | None = None
    headroom: HeadroomProfile | None = None
    vrf: str = ""
    quarantined: bool = False

    @property
    def announces_router(self) -> bool:
        """Whether it tells a NIC its prefix, so that the NIC makes its own address."""
        return self.kind == "host" and self.ipv6.endswith(f"/{HALF_BITS}")

    @property
    def lossless_groups(self) -> tuple[HeadroomProfile, ...]:
        """Its lossless buffer, once for each class."""
        return (self.headroom,) * len(self.qos.classes) if self.headroom and self.qos else ()

    @property
    def breakout(self) -> Mode | None:
        """How its cage is broken out, on the first port of the cage; else None."""
        return self.place.mode if self.place.part == 0 else None


@dataclass(frozen=True, slots=True)
class VlanDesign:
    """A VLAN with its gateway on this leaf."""

    vlan: int
    name: str
    rail: int
    network: str
    gateway: str
    prefix_length: int
    mtu_bytes: int
    vrf: str = ""

    @property
    def gateway_interface(self) -> str:
        """Gateway address with prefix length."""
        return f"{self.gateway}/{self.prefix_length}"


@dataclass(frozen=True, slots=True)
class BgpNeighbour:
    """A BGP session of the underlay; without addresses where its cable is unnumbered.

    Between addresses it has routes of their family, otherwise of both. ``role`` is that of the
    peer.
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
    ``tells_peer_as`` says that a neighbour is told routes that came from its AS.
    """

    asn: int
    router_id: str
    allowas_in: int
    tells_peer_as: bool
    keepalive_s: int
    hold_s: int
    max_paths: int
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


@dataclass(frozen=True, slots=True)
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

    @property
    def lossless_groups(self) -> tuple[HeadroomProfile, ...]:
        """Lossless buffers of the ports: that of a port once for each of its classes."""
        return tuple(group for port in self.ports for group in port.lossless_groups)

    @property
    def lossless_ports(self) -> int:
        """How many ports have lossless buffers."""
        return sum(port.headroom is not None for port in self.ports)

    @property
    def unnumbered_ports(self) -> tuple[PortDesign, ...]:
        """Ports to other switches without an address, also those that are off."""
        return tuple(port for port in self.ports if port.kind == "uplink" and not port.address)

    @property
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


#: Length of a subnet in which NICs make their addresses (RFC 4862 section 5.5.3).
HALF_BITS = 64


@dataclass(frozen=True, slots=True)
class NicAddress:
    """An address of a NIC with its subnet, and what it reaches.

    ``address`` is empty where it follows from a MAC address that nobody tells. ``pools`` are routed
    to the gateway: the whole pool of NIC subnets, the parts of its plane, or the subnets of its
    leaf where no cable leads further; its own subnet is none of them.
    """

    address: str
    prefix_length: int
    network: str
    gateway: str
    pools: tuple[str, ...]

    @property
    def is_ipv6(self) -> bool:
        """Whether it is of IPv6."""
        return ":" in self.network

    @property
    def interface(self) -> str:
        """The address with the length of its subnet."""
        return f"{self.address}/{self.prefix_length}"

    @property
    def source(self) -> str:
        """The prefix of packets from it: the address, or its subnet where it is not known."""
        length = 128 if self.is_ipv6 else 32
        return f"{self.address}/{length}" if self.address else self.network

    @property
    def everything(self) -> str:
        """The prefix of all addresses of the family."""
        return "::/0" if self.is_ipv6 else "0.0.0.0/0"


@dataclass(frozen=True, slots=True)
class NicDesign:
    """One port of a NIC of a host and the cable that leaves it.

    ``addresses`` has one of each family, the first of that which RDMA uses.
    ``table`` and ``rule_priority`` are those of its source routing; ``gpus`` are the local GPU
    numbers nearest to it; ``card`` counts the cards of the host, whose ports are rails.
    ``path`` is its udev path where files find it by that. ``pci_address``, ``gateway_mac`` and
    ``port_uuid`` are empty and ``numa_node`` None where the
    inventory does not tell them. ``receive_buffer_bytes`` is empty where firmware sizes the
    buffers, ``dcqcn`` (what the driver takes) and ``firmware`` (what mlxconfig takes) where
    parameters are left as they are. Sockets without a source go by a NIC ``in_main_table``.
    """

    rail: int
    nic_port: int
    enabled: bool
    interface: str
    rdma_device: str
    mac: str
    speed_gbps: int
    mtu_bytes: int
    addresses: tuple[NicAddress, ...]
    vlan: int
    table: int
    rule_priority: int
    cable_m: int
    gpus: tuple[int, ...]
    card: int
    pci_address: str
    numa_node: int | None
    leaf: str
    leaf_port: str
    qos: HostQos
    gateway_mac: str = ""
    port_uuid: str = ""
    pause_storm_ms: int | None = None
    receive_buffer_bytes: tuple[int, ...] = ()
    priority_to_receive_buffer: tuple[int, ...] = ()
    dcqcn: tuple[Setting, ...] = ()
    firmware: tuple[Setting, ...] = ()
    in_main_table: bool = False
    path: str = ""

    @property
    def uses_ipv6(self) -> bool:
        """Whether it has IPv6."""
        return any(one.is_ipv6 for one in self.addresses)

    @property
    def makes_address(self) -> bool:
        """Whether it makes an address from what the leaf announces."""
        return any(one.is_ipv6 and one.prefix_length == HALF_BITS for one in self.addresses)

    @property
    def address(self) -> str:
        """The address that RDMA uses."""
        return self.addresses[0].address

    @property
    def prefix_length(self) -> int:
        """Length of the subnet of the address that RDMA uses."""
        return self.addresses[0].prefix_length

    @property
    def network(self) -> str:
        """Subnet of the address that RDMA uses."""
        return self.addresses[0].network

    @property
    def gateway(self) -> str:
        """Gateway of the address that RDMA uses."""
        return self.addresses[0].gateway


@dataclass(frozen=True, slots=True)
class HostDesign:
    """Everything that is decided for one host.

    ``no_lossless`` says why the host gets no lossless configuration; empty where it gets one.
    ``base_reachable_time_ms`` and ``gc_stale_time_s`` age its neighbours. ``namespace`` stands in
    the names of its files and units; empty where no other fabric needs to be told apart.
    ``is_shared``: another fabric of the site has NICs of it too.
    """

    name: str
    unit: str
    serial: str
    gpus: int
    management_interface: str
    management_rdma_device: str
    gc_thresholds: tuple[int, int, int]
    traits: HostTraits
    no_lossless: str
    base_reachable_time_ms: int
    gc_stale_time_s: int
    nics: tuple[NicDesign, ...]
    namespace: str = ""
    is_shared: bool = False

    @property
    def own_name(self) -> str:
        """What the names of files, units and profiles on the host begin with."""
        return f"rocefab-{self.namespace}" if self.namespace else "rocefab"

    @property
    def folder(self) -> str:
        """Where the scripts are on the host."""
        return f"/etc/rocefab/{self.namespace}" if self.namespace else "/etc/rocefab"
