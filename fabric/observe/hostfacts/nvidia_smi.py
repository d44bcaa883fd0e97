"""``nvidia-smi`` and ``nvidia-smi -q``: the GPUs of a host."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fabric.observe.hostfacts import reads
from fabric.observe.hostfacts.textlines import whole_lines
from fabric.observe.hostfacts.values import label, number, pci_address, shown
from fabric.observe.parsers import UnreadableError

_VERSIONS = re.compile(
    r"NVIDIA-SMI +[0-9.]{1,20} +Driver Version: +([0-9.]{1,20})"
    r" +CUDA Version: +([0-9.]{1,20}|N/A)"
)
_MEMORY = re.compile(r"[0-9]{1,9}MiB / +([0-9]{1,9})MiB")
_GPU = re.compile(r"([0-9]{1,3}) +([A-Za-z0-9][A-Za-z0-9 ._/+-]{0,60}) +(?:On|Off|N/A)")
_BUS = re.compile(r"([0-9A-Fa-f:.]{1,20}) +(?:On|Off|N/A)")
_UUID = re.compile(r"GPU-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_QUERY_GPU = re.compile(r"GPU ([0-9A-Fa-f:.]{1,20})")


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


def _query_gpu(index: int, address: str, told: dict[str, str]) -> Gpu:
    uuid = told.get("GPU UUID", "")
    memory = told.get("FB Memory Usage/Total", "").removesuffix(" MiB")
    if not _UUID.fullmatch(uuid) or told.get("PCI/Bus Id", "").lower() not in {
        address,
        f"0000{address}",
    }:
        raise UnreadableError(f"nvidia-smi -q printed half of the GPU at {shown(address)}")
    name = label(told.get("Product Name"), "name of a GPU")
    return Gpu(index, name, address, number(memory, "memory of a GPU"), uuid)
