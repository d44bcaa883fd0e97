"""The one model of a host's hardware that all of its tools read: cards, bridges, GPUs, links.

Known: ConnectX-7 is device 15b3:1021, named MT4129 by ibstat, with firmware 28.x (Linux
drivers/net/ethernet/mellanox/mlx5/core/main.c; pciutils/pciids, pci.ids). A GPU reaches a NIC by
PIX when one PCIe switch is between them, by NODE on the same NUMA node, else by SYS (legend of
``nvidia-smi topo -m``).
Assumed: where the inventory names no PCI addresses, NIC n is on bus 0x18 + 8n. Root port, switch
port and GPUs of a NIC have the number of its bus and slots of their own, whatever real bus numbers
would be; the first half of the NICs is on NUMA node 0. All cards are alike unless a test says
otherwise, and leave the factory with MaxReadReq 512 and firmware settings at their defaults.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.lab.spec import NicSpec

FIRMWARE = "28.39.1002"
#: GT/s per lane and lanes of a PCIe 5.0 x16 slot.
LINK = ("32GT/s", 16)
#: As on two sockets of 96 threads.
CPUS = ("0-47,96-143", "48-95,144-191")
#: Defaults of ConnectX-6 Dx and -7, as mstconfig prints them.
NV_DEFAULTS = {
    "NUM_OF_VFS": "0",
    "SRIOV_EN": "False(0)",
    "ROCE_CC_PRIO_MASK_P1": "255",
    "CNP_DSCP_P1": "48",
    "CNP_802P_PRIO_P1": "6",
    "LLDP_NB_DCBX_P1": "False(0)",
    "DCBX_WILLING_P1": "True(1)",
    "PCI_WR_ORDERING": "per_mkey(0)",
    "LINK_TYPE_P1": "ETH(2)",
}


@dataclass(slots=True)
class Card:
    """One NIC as hardware.

    Parameters
    ----------
    address, bridge, root : str
        PCI addresses of the NIC, of the switch port above it and of the root port above that.
    fec : str
        FEC in force, as ethtool prints it.
    acs : bool
        Whether Access Control Services of the bridge send requests upwards.
    nv_config, nv_next : dict
        Settings of the firmware in force, and those after the next reboot.
    """

    nic: NicSpec
    address: str
    bridge: str
    root: str
    numa_node: int
    fec: str
    speed_gbps: int
    firmware: str = FIRMWARE
    link: tuple[str, int] = LINK
    acs: bool = False
    nv_config: dict[str, str] = field(default_factory=lambda: dict(NV_DEFAULTS))
    nv_next: dict[str, str] = field(default_factory=dict)

    @property
    def guid(self) -> str:
        """Node GUID: the MAC with fffe in its middle, as mlx5 makes it."""
        octets = self.nic.mac.split(":")
        return "".join(octets[:3]) + "fffe" + "".join(octets[3:])

    @property
    def path(self) -> str:
        """Its folder below `/sys/devices`."""
        top = self.root.rpartition(":")[0]
        return f"pci{top}/{self.root}/{self.bridge}/{self.address}"


@dataclass(frozen=True, slots=True)
class GpuCard:
    """One GPU as hardware; ``near`` is the RDMA device below the same PCIe switch, or empty."""

    index: int
    address: str
    numa_node: int
    near: str

    @property
    def uuid(self) -> str:
        """A stable UUID."""
        digest = hashlib.sha256(self.address.encode()).hexdigest()
        parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])
        return "GPU-" + "-".join(parts)


def cards(nics: Sequence[NicSpec]) -> dict[str, Card]:
    """Return the hardware of NICs by network device."""
    cards = {}
    for number, nic in enumerate(nics):
        address = nic.pci_address or f"0000:{0x18 + 0x08 * number:02x}:00.0"
        domain, bus, _ = address.split(":")
        numa = nic.numa_node
        if numa is None:
            numa = int(2 * number >= max(len(nics), 2))
        cards[nic.interface] = Card(
            nic=nic,
            address=address,
            bridge=f"{domain}:{bus}:1e.0",
            root=f"{domain}:{bus}:1d.0",
            numa_node=numa,
            fec=nic.fec,
            speed_gbps=nic.speed_gbps,
        )
    return cards


def gpus(nics: dict[str, Card]) -> list[GpuCard]:
    """Return the GPUs that the NICs name as their nearest, in the order of their numbers."""
    gpus = {}
    for card in nics.values():
        domain, bus, _ = card.address.split(":")
        for place, index in enumerate(card.nic.gpus, start=1):
            address = f"{domain}:{bus}:{place:02x}.0"
            gpus[index] = GpuCard(index, address, card.numa_node, card.nic.rdma_device)
    return [gpus[index] for index in sorted(gpus)]
