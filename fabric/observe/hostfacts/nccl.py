"""Topology and graphs that NCCL dumps (NVIDIA/nccl, src/graph/xml.cc and topo.cc).

``NCCL_TOPO_DUMP_FILE`` and ``NCCL_GRAPH_DUMP_FILE`` name the files.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabric.core.units import mbps_to_bps
from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.jsontext import Element, read_xml
from fabric.observe.hostfacts.values import label, pci_address, rdma_name, word
from fabric.observe.parsers import UnreadableError

_VERSION = "1"
#: Target of an NVLink that ends at a switch, or that a virtual machine does not see.
NO_TARGET = "fffffff:ff:ff.0"


@dataclass(frozen=True, slots=True)
class NcclNvlink:
    """NVLinks of a GPU to one target; ``target`` None is a switch, or hidden."""

    target: str | None
    count: int


@dataclass(frozen=True, slots=True)
class NcclGpu:
    """A GPU; ``capability`` is its compute capability times ten, ``gpudirect`` NCCL's ``gdr``.

    None is what a file for ``NCCL_TOPO_FILE`` leaves to detection.
    """

    device: int
    capability: int | None
    rank: int | None
    gpudirect: bool | None
    nvlinks: tuple[NcclNvlink, ...]


@dataclass(frozen=True, slots=True)
class NcclNet:
    """A port that NCCL can use; ``rail`` and ``plane`` are there since NCCL 2.30."""

    name: str
    device: int | None
    rate_bps: int | None
    port: int | None
    guid: int | None
    gpudirect: bool | None
    rail: int | None = None
    plane: int | None = None


@dataclass(frozen=True, slots=True)
class NcclPci:
    """A PCI device: a switch with devices below it, a GPU, or a NIC.

    ``link_width`` is in lanes; NCCL writes 0 for a width that it does not know.
    """

    address: str
    pci_class: str
    link_speed: str | None
    link_width: int | None
    gpu: NcclGpu | None
    nets: tuple[NcclNet, ...]
    below: tuple[NcclPci, ...]


@dataclass(frozen=True, slots=True)
class NcclCpu:
    """A NUMA node; ``nets`` are the ports whose place on the PCI bus is not known.

    ``host_hash`` tells the hosts of a dump apart that was made across several.
    """

    numa_node: int | None
    host_hash: int | None
    architecture: str | None
    vendor: str | None
    devices: tuple[NcclPci, ...]
    nets: tuple[NcclNet, ...]


@dataclass(frozen=True, slots=True)
class NcclTopology:
    """What NCCL found in one host."""

    cpus: tuple[NcclCpu, ...]


@dataclass(frozen=True, slots=True)
class NcclChannel:
    """The way of one channel: ``hops`` are ``("net" or "gpu", device)`` in its order."""

    hops: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class NcclGraph:
    """A graph that NCCL searched; speeds are GB/s of one channel.

    ``pattern`` is 1 balanced tree, 2 split tree, 3 tree, 4 ring, 5 NVLS, 6 CollNet direct.
    """

    identity: int
    pattern: int
    cross_nic: int
    speed_intra: float
    speed_inter: float
    type_intra: str
    type_inter: str
    same_channels: bool
    channels: tuple[NcclChannel, ...]


@reads("nccl_topology", "cat {nccl_topo_dump_file}")
def parse_nccl_topology(text: str) -> NcclTopology:
    """Parse a topology of version 1, dumped or written for ``NCCL_TOPO_FILE``.

    Raises
    ------
    UnreadableError
        When the XML is not whole, declares a document type, or lacks a member.
    """
    root = read_xml(text, "system")
    if root.text("version") != _VERSION:
        message = f"the topology has version {word(root.text('version'), 'version')}, not 1"
        raise UnreadableError(message)
    return NcclTopology(tuple(_cpu(element) for element in root.all("cpu")))


def _cpu(element: Element) -> NcclCpu:
    numa = element.number("numaid")
    return NcclCpu(
        None if numa < 0 else numa,
        element.maybe("host_hash"),
        _word(element, "arch"),
        _word(element, "vendor"),
        tuple(_pci(child) for child in element.all("pci")),
        _nets(element),
    )


def _word(element: Element, name: str) -> str | None:
    return word(element.text(name), name) if name in element.attributes else None


def _pci(element: Element) -> NcclPci:
    gpus = element.all("gpu")
    speed = element.attributes.get("link_speed")
    if len(gpus) > 1:
        raise UnreadableError("a PCI device cannot be two GPUs")
    return NcclPci(
        pci_address(element.text("busid")),
        word(element.text("class"), "PCI class"),
        label(speed, "speed of a PCI link") if speed else None,
        element.maybe("link_width") or None,
        _gpu(gpus[0]) if gpus else None,
        _nets(element),
        tuple(_pci(child) for child in element.all("pci")),
    )


def _gpu(element: Element) -> NcclGpu:
    return NcclGpu(
        element.number("dev"),
        element.maybe("sm"),
        element.maybe("rank"),
        element.flag("gdr") if "gdr" in element.attributes else None,
        tuple(_nvlink(link) for link in element.all("nvlink")),
    )


def _nvlink(element: Element) -> NcclNvlink:
    target = element.text("target")
    return NcclNvlink(None if target == NO_TARGET else pci_address(target), element.number("count"))


def _nets(element: Element) -> tuple[NcclNet, ...]:
    return tuple(_net(net) for nic in element.all("nic") for net in nic.all("net"))


def _net(element: Element) -> NcclNet:
    speed = element.maybe("speed")
    return NcclNet(
        rdma_name(element.text("name")),
        element.maybe("dev"),
        None if speed is None or speed < 0 else round(mbps_to_bps(speed)),
        element.maybe("port"),
        element.maybe("guid"),
        element.flag("gdr") if "gdr" in element.attributes else None,
        element.maybe("rail"),
        element.maybe("plane"),
    )


@reads("nccl_graph", "cat {nccl_graph_dump_file}")
def parse_nccl_graph(text: str) -> tuple[NcclGraph, ...]:
    """Parse the graphs of version 1.

    Raises
    ------
    UnreadableError
        When the XML is not whole, declares a document type, or a graph lacks channels.
    """
    root = read_xml(text, "graphs")
    if root.text("version") != _VERSION:
        message = f"the graphs have version {word(root.text('version'), 'version')}, not 1"
        raise UnreadableError(message)
    return tuple(_graph(element) for element in root.all("graph"))


def _graph(element: Element) -> NcclGraph:
    channels = tuple(_channel(child) for child in element.all("channel"))
    if element.number("nchannels") != len(channels):
        raise UnreadableError("a graph has more or fewer channels than it says")
    return NcclGraph(
        element.number("id"),
        element.number("pattern"),
        element.number("crossnic"),
        _speed(element.text("speedintra")),
        _speed(element.text("speedinter")),
        word(element.text("typeintra"), "type of path"),
        word(element.text("typeinter"), "type of path"),
        element.flag("samechannels"),
        channels,
    )


def _channel(element: Element) -> NcclChannel:
    return NcclChannel(
        tuple(
            (child.name, child.number("dev"))
            for child in element.children
            if child.name in {"net", "gpu"}
        )
    )


def _speed(text: str) -> float:
    try:
        value = float(text) if text.isascii() else -1.0
    except ValueError:
        value = -1.0
    if not 0 <= value < 10_000:  # noqa: PLR2004  (no link carries 10 TB/s; also refuses nan)
        raise UnreadableError(f"{text[:20]!a} is not a speed")
    return value
