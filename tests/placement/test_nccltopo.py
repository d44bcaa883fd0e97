"""The topology file of a virtual machine, against a real dump of NCCL."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from fabric.core.errors import InputError
from fabric.core.exports import export, exporters
from fabric.placement.export import Order
from fabric.placement.exporters.nccltopo import topology
from fabric.placement.pcie import link_speed
from tests.reference import reference
from tests.topology.fabrics import fabric

EIGHT = [f"0000:00:{number:02x}.0" for number in range(6, 14)]
#: Eight GPUs on one flat bus and a network interface without a place on it: as in the dump.
FLAT = {
    "rails": 1,
    "speeds": {"host_gbps": 10, "uplink_gbps": 400},
    "host__gpus": 8,
    "host__rdma_devices": "eth0",
    "host__interfaces": "eth0",
    "host__virtual_machine": True,
    "host__nic": {"link_layer": "ethernet"},
    "host__gpu": {"pci_addresses": EIGHT},
}
#: What NCCL 2.30 wrote on a machine with eight H200, shortened to two GPUs.
SHORT = """\
<system version="1">
  <cpu host_hash="0x163359e3fb8e9729" numaid="-1" arch="x86_64" vendor="GenuineIntel">
    <pci busid="0000:00:06.0" class="0x030200" vendor="0x10de" link_speed="32.0 GT/s PCIe">
      <gpu dev="0" sm="90" rank="0" gdr="1">
        <nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>
      </gpu>
    </pci>
    <nic><net name="eth0" dev="0" latency="0" speed="10000" port="0" guid="0x0" gdr="0"/></nic>
    <pci busid="0000:00:07.0" class="0x030200" vendor="0x10de" link_speed="32.0 GT/s PCIe">
      <gpu dev="1" sm="90" rank="1" gdr="1">
        <nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>
      </gpu>
    </pci>
  </cpu>
</system>
"""
#: What says which thing it is, and what a profile can tell of it; the rest is detected.
TOLD = {
    "system": ("version",),
    "cpu": ("numaid",),
    "pci": ("busid", "class"),
    "gpu": ("dev",),
}
#: What NCCL detects, and does not where the file names it.
DETECTED = {"nvlink", "nic"}


def shape(element: ET.Element) -> Any:
    """Return a tree of names and told attributes; brothers in any order."""
    reported = tuple((name, element.get(name)) for name in TOLD[element.tag])
    below = sorted(shape(child) for child in element if child.tag not in DETECTED)
    return element.tag, reported, below


def same_structure(built: str, dump: str) -> None:
    assert shape(ET.fromstring(built)) == shape(ET.fromstring(dump))
    ours, real = (ET.fromstring(text).findall("cpu/pci") for text in (built, dump))
    assert [pci.get("busid") for pci in ours] == [pci.get("busid") for pci in real]


def test_a_profile_of_the_machine_has_the_structure_of_its_dump() -> None:
    same_structure(
        topology(fabric(**FLAT), "a1"),
        reference("fixtures", "host", "h200x8-vm", "nccl-topo.xml").read_text(),
    )


def test_a_short_dump() -> None:
    changes = {**FLAT, "host__gpus": 2, "host__gpu": {"pci_addresses": EIGHT[:2]}}
    same_structure(topology(fabric(**changes), "a1"), SHORT)


NICS = {"0000:18:00.0": "nic0", "0000:98:00.0": "nic1"}


def roce(**nic: Any) -> dict[str, Any]:
    """Return four GPUs and two NICs on two NUMA nodes."""
    reported = {"pci_addresses": list(NICS), "numa_nodes": [0, 1]}
    return {
        "host__gpus": 4,
        "host__nic": {**reported, **nic},
        "host__gpu": {"pci_addresses": EIGHT[:4], "numa_nodes": [0, 0, 1, 1]},
    }


def tree(built: str) -> list[tuple[int | None, list[Any]]]:
    """Return devices by NUMA node; a bridge is a list of what is below it."""
    return [
        (None if cpu.get("numaid") == "-1" else int(cpu.attrib["numaid"]), devices(cpu))
        for cpu in ET.fromstring(built).findall("cpu")
    ]


def devices(parent: ET.Element) -> list[Any]:
    return sorted(map(below, parent.findall("pci")), key=str)


def below(pci: ET.Element) -> Any:
    if pci.get("class") == "0x060400":
        return devices(pci)
    gpu = pci.find("gpu")
    return NICS[pci.attrib["busid"]] if gpu is None else f"gpu{gpu.get('dev')}"


@pytest.mark.parametrize(
    ("nearness", "expected"),
    [
        ("PIX", [(0, [["gpu0", "gpu1", "nic0"]]), (1, [["gpu2", "gpu3", "nic1"]])]),
        (
            "PXB",
            [
                (0, [[["gpu0", "gpu1"], ["nic0"]]]),
                (1, [[["gpu2", "gpu3"], ["nic1"]]]),
            ],
        ),
        ("PHB", [(0, ["gpu0", "gpu1", "nic0"]), (1, ["gpu2", "gpu3", "nic1"])]),
        ("NODE", [(0, ["gpu0", "gpu1", "nic0"]), (1, ["gpu2", "gpu3", "nic1"])]),
    ],
)
def test_nearness(nearness: str, expected: Any) -> None:
    assert tree(topology(fabric(**roce(nearness=nearness)), "a1")) == expected


def test_two_ports_of_a_card_and_gpus_that_are_told() -> None:
    built = fabric(**roce(ports_per_card=2, gpus=[[3, 1], [0, 2]], numa_nodes=[0, 0]))
    with pytest.raises(InputError) as caught:
        topology(built, "a1")
    assert "share a PCIe switch, but not a NUMA node" in str(caught.value.findings[0])
    changes = roce(ports_per_card=2, gpus=[[3, 1], [0, 2]], numa_nodes=[])
    changes["host__gpu"] = {"pci_addresses": EIGHT[:4]}
    assert tree(topology(fabric(**changes), "a1")) == [
        (None, [["gpu0", "gpu1", "gpu2", "gpu3", "nic0", "nic1"]])
    ]


@pytest.mark.parametrize("nearness", ["PHB", "NODE"])
def test_a_nic_whose_node_is_not_told_stands_on_that_of_its_gpus(nearness: str) -> None:
    assert tree(topology(fabric(**roce(nearness=nearness, numa_nodes=[])), "a1")) == [
        (0, ["gpu0", "gpu1", "nic0"]),
        (1, ["gpu2", "gpu3", "nic1"]),
    ]
    with pytest.raises(InputError) as caught:
        topology(fabric(**roce(nearness=nearness, numa_nodes=[1, 0])), "a1")
    assert "share a CPU, but not a NUMA node" in str(caught.value.findings[0])


def test_far_nics_stand_on_their_own_node() -> None:
    changes = roce(nearness="SYS", numa_nodes=[1, 0])
    assert tree(topology(fabric(**changes), "a1")) == [
        (1, ["gpu2", "gpu3", "nic0"]),
        (0, ["gpu0", "gpu1", "nic1"]),
    ]


@pytest.mark.parametrize(
    ("gbps", "expected"),
    [
        (100, "8.0 GT/s PCIe"),
        (200, "16.0 GT/s PCIe"),
        (400, "32.0 GT/s PCIe"),
        (4000, "64.0 GT/s PCIe"),
    ],
)
def test_bridges_are_no_bottleneck(gbps: int, expected: str) -> None:
    assert link_speed(gbps) == expected


def test_nothing_is_left_without_a_link_nor_named_against_detection() -> None:
    """NCCL 2.28.9 aborts: "Attribute link_width of node pci not found"."""
    for nearness in ("PIX", "PXB", "PHB", "SYS"):
        root = ET.fromstring(topology(fabric(**roce(nearness=nearness)), "a1"))
        nics = [pci for pci in root.iter("pci") if pci.get("busid") in NICS]
        links = {(pci.get("link_speed"), pci.get("link_width")) for pci in nics}
        assert links == {("16.0 GT/s PCIe", "16")}
        assert [*root.iter("nic"), *root.iter("net")] == []
        assert all(len(cpu) for cpu in root.iter("cpu"))


def test_a_tag_ends_as_nccl_reads_it() -> None:
    """A space, or a line's end, before ``>`` is read as an attribute without a name."""
    assert not re.search(r"\s/?>", topology(fabric(**roce()), "a1"))


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({}, "fabric.host.gpu.pci_addresses", "0 PCI addresses are set for 2 GPUs; set"),
        (
            {"host__gpu": {"pci_addresses": EIGHT[:2]}},
            "fabric.host.nic.pci_addresses",
            "0 PCI addresses are set for 2 NICs; set",
        ),
        (
            {
                "host__gpu": {"pci_addresses": EIGHT[:2]},
                "host__nic": {"pci_addresses": [EIGHT[4], EIGHT[1]]},
            },
            "fabric.host.nic.pci_addresses",
            "gpu 1 and nic 1 have the PCI address 0000:00:07.0; set the address of each",
        ),
    ],
)
def test_what_is_refused(changes: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        topology(fabric(**changes), "a1")
    (finding,) = caught.value.findings
    assert (finding.rule, finding.field, finding.device) == ("PLC012", field, "a1")
    assert finding.position is not None
    assert message in str(finding)


def test_the_place_is_that_of_the_override() -> None:
    gpu = "    traits:\n      gpu: {pci_addresses: ['0000:01:00.0']}\n"
    hosts = f"hosts:\n  - names: a2\n{gpu}  - names: a[1-2]\n{gpu}  - {{names: a2, serial: X}}\n"
    with pytest.raises(InputError) as caught:
        topology(fabric("", hosts, **roce()), "a2")
    (finding,) = caught.value.findings
    assert str(finding).startswith("inventory/hosts/test.yaml:7:")
    assert finding.field == "hosts[1].traits.gpu.pci_addresses"  # the last that sets it


def test_one_file_where_hosts_are_alike() -> None:
    hosts = "hosts:\n  - names: a2\n    traits: {nic: {nearness: PHB}}\n"
    paths = [
        [f.path for f in export(Order(built, nodes=3), exporters["nccltopo"], ()).files]
        for built in (fabric(**roce()), fabric("", hosts, **roce()))
    ]
    assert paths == [["nccl-topo.xml"], [f"a{n}/nccl-topo.xml" for n in (1, 2, 3)]]
