"""Hosts of clouds: nine interfaces with huge pages, and eRDMA, whose NICs serve four GPUs each."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from fabric.core.exports import export, exporters
from fabric.placement.export import Order
from fabric.placement.exporters.nccltopo import topology
from fabric.topology import Fabric
from tests.placement.crds import FOLDER, judge
from tests.placement.k8s_fabrics import objects
from tests.topology.fabrics import fabric

#: Tencent Cloud, TACO Train with HARP: a primary interface and one for each of eight GPUs.
NINE: dict[str, Any] = {
    "rails": 8,
    "host__gpus": 8,
    "host__interfaces": "eth[1-8]",
    "host__management_interface": "eth0",
    "host__nic": {"link_layer": "ethernet"},
    "host__tuning": {"hugepages_1g": 50},
}
#: Alibaba Cloud, ebmgn7ex: two NICs, one per socket.
ERDMA: dict[str, Any] = {
    "host__gpus": 8,
    "host__rdma_devices": "erdma_[0-1]",
    "host__gpu": {
        "pci_addresses": [f"0000:1{gpu}:00.0" for gpu in range(8)],
        "numa_nodes": [0, 0, 0, 0, 1, 1, 1, 1],
    },
}
JOBS = ("pytorchjob", "mpijob", "trainjob", "raycluster")


def erdma(nearness: str) -> Fabric:
    """Return hosts with eRDMA whose GPUs are so near."""
    nic = {"link_layer": "iwarp", "nearness": nearness, "numa_nodes": [0, 1]}
    return fabric(**ERDMA, host__nic={**nic, "pci_addresses": ["0000:05:00.0", "0000:85:00.0"]})


@pytest.mark.parametrize("name", ["nine", "erdma"])
def test_nothing_of_roce_is_set(name: str) -> None:
    built = fabric(**NINE) if name == "nine" else erdma("PHB")
    names = Order(built, nodes=2).environments["b1"].values
    assert not [name for name in names if name.startswith(("NCCL_IB_", "UCX_"))]
    assert names["NCCL_SOCKET_IFNAME"] == "=eth0"


def test_lightcc_reduces_inside_of_the_eight_gpus() -> None:
    built = fabric(**NINE)
    (file,) = export(Order(built, nodes=2), exporters["taco"], ("command",)).files
    assert " LIGHT_INTRA_SIZE=8 " in file.text.replace("\n", " ")
    assert " btl_tcp_if_include eth0 " in file.text


def boxes(item: Any) -> list[dict[str, Any]]:
    """Return the resources of every container of an object, and of a trainer."""
    if isinstance(item, list):
        return [box for one in item for box in boxes(one)]
    if not isinstance(item, dict):
        return []
    mine = [item[key] for key in ("resources", "resourcesPerNode") if key in item]
    return mine + [box for value in item.values() for box in boxes(value)]


@pytest.mark.parametrize(("gpus", "pages"), [(8, "50Gi"), (4, "25Gi")])
@pytest.mark.parametrize("part", JOBS)
def test_pods_get_their_share_of_the_huge_pages(part: str, gpus: int, pages: str) -> None:
    built = objects(fabric(**NINE), part, gpus_per_node=gpus)
    limits = {"nvidia.com/gpu": gpus, "hugepages-1Gi": pages}
    assert boxes(built)
    for resources in boxes(built):
        assert resources == {"requests": {"cpu": gpus}, "limits": limits}
    volumes = str(built)
    assert "'emptyDir': {'medium': 'HugePages-1Gi'}" in volumes
    assert "'mountPath': '/dev/hugepages'" in volumes
    if FOLDER.exists() and part != "raycluster":
        for item in built:
            judge(item)


def test_without_huge_pages_pods_ask_for_none() -> None:
    built = objects(fabric(**{**NINE, "host__tuning": {}}), "pytorchjob")
    assert boxes(built)[0] == {"limits": {"nvidia.com/gpu": 8}}
    assert "hugepages" not in str(built).lower()


def test_four_gpus_use_each_nic() -> None:
    ranks = Order(erdma("PIX"), nodes=1).placement.ranks
    assert [(rank.rdma_device, rank.rail) for rank in ranks] == (
        [("erdma_0", 0)] * 4 + [("erdma_1", 1)] * 4
    )


#: Nearness, and what is above a NIC besides the CPU: how many bridges, shared with its GPUs.
NEAR = {"PIX": 1, "PHB": 0, "SYS": 0}


@pytest.mark.parametrize("nearness", NEAR)
def test_the_tree_of_a_virtual_machine(nearness: str) -> None:
    root = ET.fromstring(topology(erdma(nearness), "b1"))
    assert [cpu.attrib["numaid"] for cpu in root] == ["0", "1"]
    for cpu, nic, gpus in zip(
        root, ("0000:05:00.0", "0000:85:00.0"), (range(4), range(4, 8)), strict=True
    ):
        bridges = cpu.findall("pci[@class='0x060400']")
        assert len(bridges) == NEAR[nearness]
        (parent,) = bridges or [cpu]
        assert parent.find(f"pci[@busid='{nic}']") is not None
        assert [gpu.attrib["dev"] for gpu in parent.findall("pci/gpu")] == [str(n) for n in gpus]
