"""``nvidia-smi topo -m`` and ``-mp``: how near GPUs and NICs of a host are to each other."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.values import (
    rdma_name,
    shown,
    whole_lines,
)
from fabric.observe.parsers import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Mapping


#: After the legend that the tool prints.
_LINK = re.compile(r"X|NV[0-9]{1,3}|PIX|PXB|PHB|NODE|SYS")
_TITLES = re.compile(r"CPU Affinity|NUMA Affinity|GPU NUMA ID")
_NAME = re.compile(r"GPU[0-9]{1,3}|NIC[0-9]{1,3}|[a-z][A-Za-z0-9_.-]{0,62}")
_LEGEND = re.compile(r"(NIC[0-9]{1,3}): (\S{1,64})")
_CPUS = re.compile(r"[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*|N/A")
_NUMA = re.compile(r"[0-9]{1,4}")


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
