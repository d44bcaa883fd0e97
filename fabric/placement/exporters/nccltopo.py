"""``NCCL_TOPO_FILE``: the PCIe tree for virtual machines that hide it.

Form: NVIDIA/nccl ``src/graph/xml.cc`` and ``topo.cc``, version 1. A file of the user is the base,
and NCCL detects what it leaves out: nothing is written that the inventory does not tell. Bridges
carry addresses that no device has, as in the files that clouds ship for their machines.

A NIC is its PCI device alone. For a ``<net>`` that the file names NCCL detects nothing
(``ncclTopoFillNet``): neither the link of its PCI device nor the CPU above, and it aborts without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from fabric.core.exports import PLACED_OPTIONS, Exported, Exporter, exporters, text_file
from fabric.placement.pcie import pcie_groups, refused_trait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.placement.export import Order
    from fabric.placement.pcie import Group
    from fabric.topology.model import Fabric

#: PCI classes as NCCL compares them: 3D controller, Ethernet controller, PCI bridge.
_GPU, _ETHERNET, _INFINIBAND, _BRIDGE = "0x030200", "0x020000", "0x020700", "0x060400"
_LANES = "16"
#: What NCCL writes for a NUMA node that is not known.
_UNKNOWN_NODE = "-1"


def topology(fabric: Fabric, host: str) -> str:
    """Return the topology of a host.

    Raises
    ------
    InputError
        When PCI addresses are missing or doubled, or NUMA nodes contradict the nearness.
    """
    root = ET.Element("system", version="1")
    writer = _Writer(fabric, host, root)
    for group in pcie_groups(fabric, host):
        writer.group(group)
    ET.indent(root)
    # NCCL reads a space before "/>" as an attribute without a name (xml.cc, xmlGetToken).
    return ET.tostring(root, encoding="unicode").replace(" />", "/>") + "\n"


class _Writer:
    def __init__(self, fabric: Fabric, host: str, root: ET.Element) -> None:
        self._fabric, self._host, self._root = fabric, host, root
        self._nic = fabric.intent.host_traits(host).nic
        self._nic_class = _INFINIBAND if self._nic.link_layer == "infiniband" else _ETHERNET
        self._cpus: dict[int | None, ET.Element] = {}
        self._bridges: Iterator[str] = (
            f"ffff:{bus:02x}:{device:02x}.0" for bus in range(255, 0, -1) for device in range(32)
        )

    def group(self, group: Group) -> None:
        """Write a card and its GPUs, as near to each other as the inventory says."""
        nic_parent, gpu_parent = self._parents(group)
        for nic in group.nics:
            if nic.address:
                parent = self._cpu(nic.numa_node) if nic_parent is None else nic_parent
                self._device(parent, nic.address, self._nic_class, group.link_speed)
        for gpu in group.gpus:
            parent = self._cpu(gpu.numa_node) if gpu_parent is None else gpu_parent
            device = self._device(parent, gpu.address, _GPU)
            ET.SubElement(device, "gpu", dev=str(gpu.number))

    def _parents(self, group: Group) -> tuple[ET.Element | None, ET.Element | None]:
        """Return the bridges of the NICs and of the GPUs; None is the CPU of each."""
        near, placed = self._nic.nearness, all(nic.address for nic in group.nics)
        if near == "SYS" or not group.gpus or not placed:
            return None, None
        cpu = self._cpu(self._common_node(group))
        if near in {"PHB", "NODE"}:
            return cpu, cpu
        shared = self._bridge(cpu, group)
        if near == "PIX":
            return shared, shared
        return self._bridge(shared, group), self._bridge(shared, group)

    def _common_node(self, group: Group) -> int | None:
        nodes = {item.numa_node for item in (*group.nics, *group.gpus)} - {None}
        if len(nodes) > 1:
            names = ", ".join(f"{f.kind} {f.number}" for f in (*group.nics, *group.gpus))
            shared = "a PCIe switch" if self._nic.nearness in {"PIX", "PXB"} else "a CPU"
            message = f"{names} share {shared}, but not a NUMA node"
            fix = f"use the nearness that nvidia-smi topo -m prints, not {self._nic.nearness}"
            raise refused_trait(self._fabric, self._host, ("nic", "nearness"), message, fix)
        return next(iter(nodes), None)

    def _cpu(self, node: int | None) -> ET.Element:
        if node not in self._cpus:
            text = _UNKNOWN_NODE if node is None else str(node)
            self._cpus[node] = ET.SubElement(self._root, "cpu", numaid=text)
        return self._cpus[node]

    def _bridge(self, parent: ET.Element, group: Group) -> ET.Element:
        return self._device(parent, next(self._bridges), _BRIDGE, group.link_speed)

    @staticmethod
    def _device(parent: ET.Element, address: str, kind: str, link_speed: str = "") -> ET.Element:
        device = ET.SubElement(parent, "pci", {"busid": address, "class": kind})
        if link_speed:
            device.set("link_speed", link_speed)
            device.set("link_width", _LANES)
        return device


def _topology(order: Order) -> Exported:
    texts = {host: topology(order.fabric, host) for host in order.placement.hosts}
    if len(set(texts.values())) == 1:
        files = [text_file("nccltopo", "topology", "nccl-topo.xml", next(iter(texts.values())))]
    else:
        files = [
            text_file("nccltopo", "topology", f"{host}/nccl-topo.xml", text)
            for host, text in texts.items()
        ]
    return Exported(tuple(files))


exporters.add("nccltopo")(
    Exporter(
        {"topology": _topology},
        title="topology file of NCCL for a host",
        options={"topology": PLACED_OPTIONS},
    )
)
