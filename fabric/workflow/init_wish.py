"""init --design: what the user asks for."""

from __future__ import annotations

from dataclasses import dataclass, field

from fabric.platforms.catalogue import Skus

#: Maker of the NICs of a driver, and RDMA device of a number.
NICS = {
    "mlx5-ofed": ("nvidia", "mlx5_{}"),
    "mlx5": ("nvidia", "mlx5_{}"),
    "bnxt": ("broadcom", "bnxt_re{}"),
    "ionic": ("amd", "ionic_{}"),
}


@dataclass(frozen=True)
class Wish:
    """What the user asks for; an empty spine model is that of the leaves.

    Parameters
    ----------
    room_for : int
        Hosts that the fabric can grow to; 0: as many as now.
    split : str
        Breakout of all cages, such as ``2x400G``; empty: whole ports.
    spines : int
        Number of spines; 0: the fewest without oversubscription.
    nic_gbps : int
        Speed of the NICs; 0: the highest of the leaf, at most ``USUAL_NIC_GBPS``.
    nic : str
        Driver of the NICs: a key of :data:`NICS`.
    skus : Skus
        The switch models that can be named: the catalogue, and those of the folder.
    spine_split : str
        Breakout of the cages of spines; empty: ``split``.
    nic_ports, planes : int
        Ports of each NIC, and planes of spines: each plane has a port of every NIC.
    tenants : int
        Tenants that share the hosts; 0: no tenancy.
    vlan_per : str
        ``rail``, or ``none``: routed NIC ports.
    """

    design: str = "rail-optimised"
    hosts: int = 16
    rails: int = 8
    leaf: str = "ACS-SN5600"
    spine: str = ""
    split: str = ""
    spines: int = 0
    room_for: int = 0
    nic_gbps: int = 0
    nic: str = "mlx5-ofed"
    skus: Skus = field(default_factory=Skus)
    spine_split: str = ""
    nic_ports: int = 1
    planes: int = 1
    tenants: int = 0
    vlan_per: str = "rail"

    @property
    def is_routed(self) -> bool:
        """Whether each NIC port is routed, without a VLAN; those of tenants are."""
        return bool(self.tenants) or self.vlan_per == "none"

    @property
    def ports_per_nic(self) -> int:
        """Ports of each NIC: one for each plane at least."""
        return max(self.nic_ports, self.planes)
