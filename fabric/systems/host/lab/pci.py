"""PCI devices of a GPU host: lspci, nvidia-smi and the tree of sysfs.

Known: pciutils/pciutils, ls-caps.c and ls-ecaps.c at 0f5b941a (lspci -vv; capabilities are denied
to a user who is not root); Linux Documentation/ABI/testing/sysfs-bus-pci (class, vendor,
numa_node); layout of ``nvidia-smi``, ``-q`` and ``topo -m``, whose header is underlined.
Assumed: only ``lspci -Dnnvv [-s ADDRESS]``; of the capabilities only those that are about speed,
sizes and access control; every GPU is an H100 with NVLink to all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.pages import pages
from fabric.lab.shell.state import Result
from fabric.systems.host.lab.hardware import CPUS, LINK

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn

_NIC_CLASS, _BRIDGE_CLASS, _GPU_CLASS = "0x020000", "0x060400", "0x030200"
_MELLANOX, _BROADCOM, _NVIDIA, _INTEL = "0x15b3", "0x1000", "0x10de", "0x8086"
page = pages(__file__)


def commands(host: HostStandIn) -> dict[str, Tool]:
    """Return the commands by name."""
    return {"lspci": _Lspci(host).command, "nvidia-smi": _NvidiaSmi(host).command}


def write_sysfs(host: HostStandIn) -> None:
    """Write the PCI devices and the links that lead to them."""
    host.fs.mkdir("/sys/class/infiniband")
    for card in host.cards.values():
        top = f"/sys/devices/{card.path.split('/')[0]}"
        rows = [
            (card.root, top, _BRIDGE_CLASS, _INTEL),
            (card.bridge, f"{top}/{card.root}", _BRIDGE_CLASS, _BROADCOM),
            (card.address, f"{top}/{card.root}/{card.bridge}", _NIC_CLASS, _MELLANOX),
        ]
        rows += [
            (gpu.address, f"{top}/{card.root}/{card.bridge}", _GPU_CLASS, _NVIDIA)
            for gpu in host.gpus
            if gpu.near == card.nic.rdma_device
        ]
        for address, folder, pci_class, vendor in rows:
            texts = {"class": pci_class, "vendor": vendor, "numa_node": str(card.numa_node)}
            for name, text in texts.items():
                host.fs.put(f"{folder}/{address}/{name}", f"{text}\n")
            _link(host, f"/sys/bus/pci/devices/{address}", f"{folder}/{address}")
        device = f"/sys/devices/{card.path}"
        for kind, name in (("net", card.nic.interface), ("infiniband", card.nic.rdma_device)):
            if name:
                host.fs.mkdir(f"{device}/{kind}/{name}")
                _link(host, f"/sys/class/{kind}/{name}", f"{device}/{kind}/{name}")
                _link(host, f"{device}/{kind}/{name}/device", device)


def _link(host: HostStandIn, path: str, target: str) -> None:
    if not (host.fs.top / path.lstrip("/")).is_symlink():
        host.fs.link(path, target)


class _Lspci:
    def __init__(self, host: HostStandIn) -> None:
        self._host = host

    def command(self, context: Context, argv: list[str], _stdin: str) -> Result:
        words = argv[1:]
        if words[:1] != ["-Dnnvv"] or words[1:2] not in ([], ["-s"]) or len(words) == 2:  # noqa: PLR2004
            return Result("", "lspci: only -Dnnvv [-s ADDRESS] is supported\n", 1)
        blocks: dict[str, str] = {}
        for card in self._host.cards.values():
            largest = self._host.kernel.max_read_request_bytes(card.address)
            values = {"card": card, "root": context.root, "largest": largest, "full": LINK}
            blocks[card.bridge] = page("lspci-bridge", **values)
            blocks[card.address] = page("lspci-nic", **values)
        wanted = words[2] if words[1:] else ""
        if wanted:
            return Result(blocks.get(wanted, ""))
        return Result("\n".join(blocks[address] for address in sorted(blocks)))


class _NvidiaSmi:
    def __init__(self, host: HostStandIn) -> None:
        self._host = host

    def command(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        if not self._host.gpus:
            return Result("No devices were found\n", "", 6)
        words = argv[1:]
        if words in ([], ["-q"]):
            return Result(
                page("-".join(["nvidia-smi", *words]).replace("--", "-"), gpus=self._host.gpus)
            )
        if words == ["topo", "-m"]:
            return Result(_matrix(self._host))
        return Result(f'ERROR: Option "{" ".join(words)}" is not recognized.\n', "", 2)


def _matrix(host: HostStandIn) -> str:
    gpus = [(f"GPU{gpu.index}", gpu.near, gpu.numa_node) for gpu in host.gpus]
    devices = [card for card in host.cards.values() if card.nic.rdma_device]
    nics = [
        (f"NIC{number}", card.nic.rdma_device, card.numa_node)
        for number, card in enumerate(devices)
    ]
    columns = [*gpus, *nics]
    rows = [(row[0], row[2], [_nearness(row, column) for column in columns]) for row in columns]
    return page("nvidia-smi-topo", columns=columns, rows=rows, nics=nics, cpus=CPUS)


def _nearness(left: tuple[str, str, int], right: tuple[str, str, int]) -> str:
    if left[0] == right[0]:
        return " X "
    if left[0].startswith("GPU") and right[0].startswith("GPU"):
        return "NV18"
    if left[1] == right[1]:
        return "PIX"
    return "NODE" if left[2] == right[2] else "SYS"
