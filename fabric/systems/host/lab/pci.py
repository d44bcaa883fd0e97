"""PCI devices of a GPU host: lspci, nvidia-smi and the tree of sysfs.

Known: pciutils/pciutils, ls-caps.c and ls-ecaps.c at 0f5b941a (lspci -vv; capabilities are denied
to a user who is not root); Linux Documentation/ABI/testing/sysfs-bus-pci (class, vendor,
numa_node); layout of ``nvidia-smi``, ``-q`` and ``topo -m``, whose header is underlined.
Assumed: only ``lspci -Dnnvv [-s ADDRESS]``; of the capabilities only those that are about speed,
sizes and access control; every GPU is an H100 with NVLink to all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.lab.shell.state import Result
from fabric.systems.host.lab.hardware import CPUS, LINK

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.host.lab import HostStandIn
    from fabric.systems.host.lab.hardware import Card, GpuCard

_DRIVER, _CUDA = "550.54.15", "12.4"
_GPU_NAME, _MEMORY_MIB = "NVIDIA H100 80GB HBM3", 81559
_NIC_CLASS, _BRIDGE_CLASS, _GPU_CLASS = "0x020000", "0x060400", "0x030200"
_MELLANOX, _BROADCOM, _NVIDIA, _INTEL = "0x15b3", "0x1000", "0x10de", "0x8086"
_LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

"""


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
            blocks[card.bridge] = _bridge(card, root=context.root)
            blocks[card.address] = _nic(self._host, card, root=context.root)
        wanted = words[2] if words[1:] else ""
        if wanted:
            return Result(blocks.get(wanted, ""))
        return Result("\n".join(blocks[address] for address in sorted(blocks)))


def _bridge(card: Card, *, root: bool) -> str:
    head = f"{card.bridge} PCI bridge [0604]: Broadcom / LSI PEX890xx PCIe Gen 5 Switch [1000:c030]"
    if not root:
        return f"{head}\n\tCapabilities: <access denied>\n\tKernel driver in use: pcieport\n"
    sign = "+" if card.acs else "-"
    return (
        f"{head}\n\tNUMA node: {card.numa_node}\n"
        "\tCapabilities: [68] Express (v2) Downstream Port (Slot+), MSI 00\n"
        "\t\tLnkCap:\tPort #8, Speed 32GT/s, Width x16, ASPM not supported\n"
        "\t\tLnkSta:\tSpeed 32GT/s, Width x16\n"
        "\tCapabilities: [ac] Access Control Services\n"
        "\t\tACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl+\n"
        f"\t\tACSCtl:\tSrcValid{sign} TransBlk- ReqRedir{sign} CmpltRedir{sign} UpstreamFwd{sign} "
        "EgressCtrl-\n"
        "\tKernel driver in use: pcieport\n"
    )


def _nic(host: HostStandIn, card: Card, *, root: bool) -> str:
    head = f"{card.address} Ethernet controller [0200]: Mellanox Technologies MT2910 Family "
    head += "[ConnectX-7] [15b3:1021]\n"
    if not root:
        return f"{head}\tCapabilities: <access denied>\n\tKernel driver in use: mlx5_core\n"
    largest = host.kernel.max_read_request_bytes(card.address)
    note = " (downgraded)" if card.link != LINK else ""
    return (
        f"{head}\tNUMA node: {card.numa_node}\n"
        "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
        "\t\tDevCtl:\tCorrErr- NonFatalErr+ FatalErr+ UnsupReq+\n"
        "\t\t\tRlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+ FLReset-\n"
        f"\t\t\tMaxPayload 256 bytes, MaxReadReq {largest} bytes\n"
        f"\t\tLnkCap:\tPort #0, Speed {LINK[0]}, Width x{LINK[1]}, ASPM not supported\n"
        f"\t\tLnkSta:\tSpeed {card.link[0]}{note}, Width x{card.link[1]}\n"
        "\tKernel driver in use: mlx5_core\n"
    )


class _NvidiaSmi:
    def __init__(self, host: HostStandIn) -> None:
        self._host = host

    def command(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        if not self._host.gpus:
            return Result("No devices were found\n", "", 6)
        words = argv[1:]
        if words == []:
            return Result(_table(self._host.gpus))
        if words == ["-q"]:
            return Result(_log(self._host.gpus))
        if words == ["topo", "-m"]:
            return Result(_matrix(self._host))
        return Result(f'ERROR: Option "{" ".join(words)}" is not recognized.\n', "", 2)


def _table(gpus: list[GpuCard]) -> str:
    rule = f"+{'-' * 41}+{'-' * 24}+{'-' * 22}+\n"
    wide = f"+{'-' * 89}+\n"
    versions = f" NVIDIA-SMI {_DRIVER:<22} Driver Version: {_DRIVER:<14} CUDA Version: {_CUDA}"
    text = f"Thu Nov 19 09:12:44 2026       \n{wide}|{versions:<89}|\n{rule}"
    for gpu in gpus:
        head = f" {gpu.index:>3}  {_GPU_NAME:<27} On  "
        bus = f"   0000{gpu.address.upper()} Off "
        text += f"|{head:<41}|{bus:<24}|{'0':>21} |\n"
        memory = f" {0:>7}MiB / {_MEMORY_MIB:>6}MiB "
        text += f"|{' N/A   31C    P0':<41}|{memory:<24}|{'      0%      Default':<22}|\n{rule}"
    return f"{text}\n{wide}|{' Processes:':<89}|\n{wide}"


def _log(gpus: list[GpuCard]) -> str:
    text = f"\n==============NVSMI LOG==============\n\nDriver Version : {_DRIVER}\n"
    text += f"CUDA Version : {_CUDA}\n\nAttached GPUs : {len(gpus)}\n"
    for gpu in gpus:
        bus = f"0000{gpu.address.upper()}"
        text += f"GPU {bus}\n    Product Name : {_GPU_NAME}\n    GPU UUID : {gpu.uuid}\n"
        text += f"    PCI\n        Bus Id : {bus}\n"
        text += f"    FB Memory Usage\n        Total : {_MEMORY_MIB} MiB\n\n"
    return text


def _matrix(host: HostStandIn) -> str:
    gpus = [(f"GPU{gpu.index}", gpu.near, gpu.numa_node) for gpu in host.gpus]
    devices = [card for card in host.cards.values() if card.nic.rdma_device]
    nics = [
        (f"NIC{number}", card.nic.rdma_device, card.numa_node)
        for number, card in enumerate(devices)
    ]
    columns = [*gpus, *nics]
    titles = "\t".join(name for name, _, _ in columns)
    text = f"\t\x1b[4m{titles}\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m\n"
    for row in columns:
        cells = "\t".join(_nearness(row, column) for column in columns)
        tail = f"{CPUS[row[2] % 2]}\t{row[2]}\t\tN/A" if row in gpus else "\t\t\t"
        text += f"{row[0]}\t{cells}\t{tail}\n"
    legend = "".join(f"  {name}: {device}\n" for name, device, _ in nics)
    return f"{text}{_LEGEND}{legend}\n"


def _nearness(left: tuple[str, str, int], right: tuple[str, str, int]) -> str:
    if left[0] == right[0]:
        return " X "
    if left[0].startswith("GPU") and right[0].startswith("GPU"):
        return "NV18"
    if left[1] == right[1]:
        return "PIX"
    return "NODE" if left[2] == right[2] else "SYS"
