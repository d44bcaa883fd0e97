"""Facts of one host, typed; what was not read is None."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.hostfacts.gids import Gid
    from fabric.observe.hostfacts.ip import IpRoute, IpRule
    from fabric.observe.hostfacts.lspci import PciDevice
    from fabric.observe.hostfacts.mlnx_qos import NicQos
    from fabric.observe.hostfacts.nvidia_smi import GpuTopology
    from fabric.observe.hostfacts.ofed import EcnFiles, TrafficClass
    from fabric.observe.hostfacts.sysfs import ArpParameters, OwnCheck
    from fabric.observe.state import LldpNeighbour


@dataclass(frozen=True, slots=True)
class NicFacts:
    """One port of an RDMA device, and its network device.

    Parameters
    ----------
    link_layer : str or None
        ``RoCE``, ``iWARP`` or ``InfiniBand``.
    rate_bps : int or None
        Rate in force; None while the link is down.
    counters, hw_counters : mapping or None
        By the names of the driver: of the network device, of the RDMA port.
    traffic_class : TrafficClass or None
        Override of the OFED driver; the upstream driver has none to read.
    active_mtu_bytes : int or None
        MTU of RoCE packets in force, which follows from that of the network device.
    dcqcn : EcnFiles or None
        Where the OFED driver has DCQCN enabled.
    bridge : PciDevice or None
        The PCI device above its own.
    """

    rdma_device: str
    port: int
    interface: str | None = None
    link_layer: str | None = None
    up: bool | None = None
    rate_bps: int | None = None
    mtu_bytes: int | None = None
    model: str | None = None
    driver: str | None = None
    firmware: str | None = None
    pci_address: str | None = None
    numa_node: int | None = None
    fec: tuple[str, ...] | None = None
    global_pause: bool | None = None
    gids: tuple[Gid, ...] | None = None
    addresses: tuple[str, ...] | None = None
    trust: str | None = None
    pfc_priorities: tuple[int, ...] | None = None
    dscp_to_priority: Mapping[int, int] | None = None
    qos: NicQos | None = None
    traffic_class: TrafficClass | None = None
    counters: Mapping[str, int] | None = None
    hw_counters: Mapping[str, int] | None = None
    lldp: tuple[LldpNeighbour, ...] | None = None
    pcie: PciDevice | None = None
    active_mtu_bytes: int | None = None
    dcqcn: EcnFiles | None = None
    arp: ArpParameters | None = None
    dcbx: str | None = None
    bridge: PciDevice | None = None


@dataclass(frozen=True, slots=True)
class HostFacts:
    """One host.

    Parameters
    ----------
    nics : tuple of NicFacts or None
        RDMA ports in the order of their names; None when no reading lists them.
    topology : GpuTopology or None
        The matrix of GPUs and NICs.
    routes6, rules6 : tuple or None
        Those of IPv6; None also where nobody asked for them.
    own_check : OwnCheck or None
        What the script of rocefab on the host says.
    unread : mapping
        Why something is unknown, by the reading that would tell it (``mlnx_qos:eth1``) or by the
        field on which readings disagree (``nics.mlx5_0.interface``).
    raw : mapping
        Texts that were there and could not be read, by reading.
    """

    host: str
    nics: tuple[NicFacts, ...] | None = None
    topology: GpuTopology | None = None
    routes: tuple[IpRoute, ...] | None = None
    rules: tuple[IpRule, ...] | None = None
    routes6: tuple[IpRoute, ...] | None = None
    rules6: tuple[IpRule, ...] | None = None
    neighbour_limits: tuple[int, ...] | None = None
    own_check: OwnCheck | None = None
    unread: Mapping[str, str] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)

    def nic(self, rdma_device: str, port: int = 1) -> NicFacts | None:
        """Return a port of an RDMA device, None when there is none."""
        port_id = (rdma_device, port)
        return next(
            (nic for nic in self.nics or () if (nic.rdma_device, nic.port) == port_id), None
        )

    def affinity(self) -> dict[str, dict[str, str]] | None:
        """Return the nearness (``PIX`` .. ``SYS``) of GPUs and RDMA devices, None when unknown."""
        if self.topology is None or not self.topology.nic_devices:
            return None
        return {gpu: self.topology.affinity(gpu) for gpu in self.topology.gpus}
