"""What is decided for a host and its NICs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fabric.design.qos_model import HostQos
    from fabric.intent.host_model import HostTraits
    from fabric.qos.dcqcn.registers import Setting


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
