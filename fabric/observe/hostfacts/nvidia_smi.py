"""``nvidia-smi`` and ``nvidia-smi -q``: the GPUs of a host.

``nvidia-smi topo -m`` and ``-mp``: how near GPUs and NICs of a host are to each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import (
    label,
    number,
    pci_address,
    rdma_name,
    shown,
    whole_lines,
)
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping


_VERSIONS = re.compile(
    r"NVIDIA-SMI +[0-9.]{1,20} +Driver Version: +([0-9.]{1,20})"
    r" +CUDA Version: +([0-9.]{1,20}|N/A)"
)
_MEMORY = re.compile(r"[0-9]{1,9}MiB / +([0-9]{1,9})MiB")
_GPU = re.compile(r"([0-9]{1,3}) +([A-Za-z0-9][A-Za-z0-9 ._/+-]{0,60}) +(?:On|Off|N/A)")
_BUS = re.compile(r"([0-9A-Fa-f:.]{1,20}) +(?:On|Off|N/A)")
_UUID = re.compile(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_QUERY_GPU = re.compile(r"GPU ([0-9A-Fa-f:.]{1,20})")


#: From near to far, after the legend that the tool prints; ``NV`` and a number of links is nearer.
NEARNESS = ("PIX", "PXB", "PHB", "NODE", "SYS")
_LINK = re.compile(r"X|NV[0-9]{1,3}|PIX|PXB|PHB|NODE|SYS")
_TITLES = re.compile(r"CPU Affinity|NUMA Affinity|GPU NUMA ID")
_NAME = re.compile(r"GPU[0-9]{1,3}|NIC[0-9]{1,3}|[a-z][A-Za-z0-9_.-]{0,62}")
_LEGEND = re.compile(r"(NIC[0-9]{1,3}): (\S{1,64})")
_CPUS = re.compile(r"[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*|N/A")
_NUMA = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU; the table shortens long names with dots and shows no UUID."""

    index: int
    name: str
    pci_address: str
    memory_mib: int
    uuid: str | None = None


@dataclass(frozen=True, slots=True)
class NvidiaSmi:
    """Versions and GPUs; ``cuda`` is ``N/A`` where it is not installed."""

    driver: str
    cuda: str
    gpus: tuple[Gpu, ...]


@reads("nvidia_smi", "nvidia-smi")
def parse_nvidia_smi(text: str) -> NvidiaSmi:
    """Parse the table, with the blanks of the tool or without them.

    Raises
    ------
    UnreadableError
        When the end of the table is missing, or a GPU has no memory.
    """
    lines = whole_lines(text)
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    versions = next((match for row in rows if row and (match := _VERSIONS.fullmatch(row[0]))), None)
    processes = [number for number, row in enumerate(rows) if row == ["Processes:"]]
    last = next((line for line in reversed(lines) if line.strip()), "")
    if not versions or len(processes) != 1 or not last.startswith("+---"):
        raise UnreadableError("nvidia-smi printed no table, or not all of it")
    gpus: list[Gpu] = []
    rows = rows[: processes[0]]
    for row, below in zip(rows, [*rows[1:], []], strict=True):
        name, bus, *_ = (*row, "", "")
        if _GPU.fullmatch(name) or _BUS.fullmatch(bus):
            gpus.append(_gpu(name, bus, below))
    if not gpus or [gpu.index for gpu in gpus] != sorted({gpu.index for gpu in gpus}):
        raise UnreadableError("nvidia-smi printed no GPU, or one twice")
    return NvidiaSmi(versions[1], versions[2], tuple(gpus))


def _gpu(name: str, bus: str, below: list[str]) -> Gpu:
    match, place = _GPU.fullmatch(name), _BUS.fullmatch(bus)
    memory = _MEMORY.fullmatch(below[1]) if len(below) > 1 else None
    if not match or not place or not memory:
        raise UnreadableError(f"nvidia-smi printed half of a GPU: {shown(name)}")
    return Gpu(int(match[1]), match[2].rstrip(), pci_address(place[1]), int(memory[1]))


@reads("nvidia_smi_query", "nvidia-smi -q")
def parse_nvidia_smi_query(text: str) -> NvidiaSmi:
    """Parse the log; GPUs stand in it in the order of their indices.

    Raises
    ------
    UnreadableError
        When it holds fewer GPUs than are attached, or one is cut.
    """
    blocks: list[tuple[str, dict[str, str]]] = [("", {})]
    section = ""
    for line in whole_lines(text):
        name, colon, value = (part.strip() for part in line.partition(" : "))
        if match := _QUERY_GPU.fullmatch(line.rstrip()):
            blocks.append((pci_address(match[1]), {}))
        elif not colon and line.startswith("    ") and not line.startswith("     "):
            section = name
        elif colon:
            inside = f"{section}/" if line.startswith("     ") else ""
            blocks[-1][1].setdefault(f"{inside}{name}", value)
    (_, head), *gpus = blocks
    if number(head.get("Attached GPUs", ""), "number of GPUs") != len(gpus):
        raise UnreadableError("nvidia-smi -q did not print every GPU")
    return NvidiaSmi(
        label(head.get("Driver Version"), "version of the driver"),
        label(head.get("CUDA Version"), "version of CUDA"),
        tuple(_query_gpu(index, *gpu) for index, gpu in enumerate(gpus)),
    )


def _query_gpu(index: int, address: str, values: dict[str, str]) -> Gpu:
    uuid = values.get("GPU UUID", "")
    memory = values.get("FB Memory Usage/Total", "").removesuffix(" MiB")
    if not _UUID.fullmatch(uuid) or values.get("PCI/Bus Id", "").lower() not in {
        address,
        f"0000{address}",
    }:
        raise UnreadableError(f"nvidia-smi -q printed half of the GPU at {shown(address)}")
    name = label(values.get("Product Name"), "name of a GPU")
    return Gpu(index, name, address, number(memory, "memory of a GPU"), uuid)


@dataclass(frozen=True, slots=True)
class GpuTopology:
    """The matrix; ``nics`` are its columns, ``nic_devices`` their RDMA devices where it says them.

    ``links`` holds both directions of each pair. A GPU without a NUMA node is not in ``numa_node``.
    """

    gpus: tuple[str, ...]
    nics: tuple[str, ...]
    links: Mapping[tuple[str, str], str]
    nic_devices: Mapping[str, str] = field(default_factory=dict)
    cpu_affinity: Mapping[str, str] = field(default_factory=dict)
    numa_node: Mapping[str, int] = field(default_factory=dict)

    def affinity(self, gpu: str) -> dict[str, str]:
        """Return the nearness of each RDMA device to a GPU; empty without the names of devices."""
        return {device: self.links[gpu, nic] for nic, device in self.nic_devices.items()}

    def nearest(self, gpu: str) -> tuple[str, ...]:
        """Return the RDMA devices that are nearest to a GPU: several when they are equally near."""
        affinity = self.affinity(gpu)
        best = min((NEARNESS.index(link) for link in affinity.values()), default=0)
        return tuple(device for device, link in affinity.items() if link == NEARNESS[best])


@reads("nvidia_topo", "nvidia-smi topo -m", colour=True)
def parse_nvidia_topo(text: str) -> GpuTopology:
    """Parse one matrix with or without rows, columns and names of NICs.

    Raises
    ------
    UnreadableError
        When rows are missing or cut, the matrix contradicts itself, or there are two of them.
    """
    lines = [line for line in whole_lines(text) if line.strip()]
    heads = [number for number, line in enumerate(lines) if line.split()[:1] == ["GPU0"]]
    # the row of GPU0 begins as the header does; the header is the first of them
    if len(heads) != 2 or heads != [0, 1]:  # noqa: PLR2004  (the header and the row)
        raise UnreadableError("nvidia-smi printed no matrix, or several")
    columns, titles = _header(lines[0])
    end = next((number for number, line in enumerate(lines) if "Legend:" in line), len(lines))
    table = [line.split() for line in lines[1:end]]
    links = _links(columns, table)
    gpus = tuple(name for name in columns if name.startswith("GPU"))
    nics = tuple(name for name in columns if name not in gpus)
    cpus, numa = _affinities(titles, [row for row in table if row[0] in gpus], len(columns))
    return GpuTopology(gpus, nics, links, _devices(nics, lines[end:]), cpus, numa)


def _header(line: str) -> tuple[list[str], list[str]]:
    titles = _TITLES.findall(line)
    columns = _TITLES.sub(" ", line).split()
    if not all(_NAME.fullmatch(name) for name in columns) or len(set(columns)) != len(columns):
        raise UnreadableError(f"nvidia-smi printed columns that are none: {shown(line)}")
    return columns, titles


def _links(columns: list[str], table: list[list[str]]) -> dict[tuple[str, str], str]:
    names = [row[0] for row in table]
    # old versions and copies have no rows of NICs; otherwise there is a row for each column
    if names not in (columns, [name for name in columns if name.startswith("GPU")]):
        raise UnreadableError("nvidia-smi did not print a row for each of its columns")
    links = {
        (row[0], column): cell
        for row in table
        for column, cell in zip(columns, row[1 : len(columns) + 1], strict=False)
    }
    if len(links) != len(table) * len(columns):
        raise UnreadableError("a row of the matrix is cut")
    for (row_name, column), link in links.items():
        back = links.get((column, row_name), link)
        if not _LINK.fullmatch(link) or link != back or (link == "X") != (row_name == column):
            raise UnreadableError(f"{row_name} and {column} cannot be {shown(link)}")
    return links | {(column, row_name): link for (row_name, column), link in links.items()}


def _affinities(
    titles: list[str], table: list[list[str]], columns: int
) -> tuple[dict[str, str], dict[str, int]]:
    cpus: dict[str, str] = {}
    numa: dict[str, int] = {}
    for row in table:
        cells = row[columns + 1 :]
        # an empty cell leaves no trace between blanks: then the others are not known either
        values = dict(zip(titles, cells, strict=True)) if len(cells) == len(titles) else {}
        if cells and values.get("CPU Affinity", "N/A") != "N/A":
            cpus[row[0]] = values["CPU Affinity"]
        if _NUMA.fullmatch(values.get("NUMA Affinity", "")):
            numa[row[0]] = int(values["NUMA Affinity"])
        if not _CPUS.fullmatch(values.get("CPU Affinity", "N/A")):
            message = f"{row[0]} cannot be near the processors {shown(values['CPU Affinity'])}"
            raise UnreadableError(message)
    return cpus, numa


def _devices(nics: tuple[str, ...], lines: list[str]) -> dict[str, str]:
    if not any(line.strip() == "NIC Legend:" for line in lines):
        return {name: rdma_name(name) for name in nics if not name.startswith("NIC")}
    named = [match for line in lines if (match := _LEGEND.fullmatch(line.strip()))]
    devices = {match[1]: match[2] for match in named}
    if set(devices) != set(nics) or len({match[2] for match in named}) != len(named):
        raise UnreadableError("the legend does not name each NIC once")
    return {name: rdma_name(devices[name]) for name in nics}
