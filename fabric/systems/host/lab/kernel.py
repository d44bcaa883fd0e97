"""What a GPU host has of the kernel beside its network: PCIe, processor, memory, RDMA-CM, mlx5.

Known: Linux Documentation/ABI/testing (configfs-rdma_cm, sysfs-class-net), drivers/infiniband/hw/
mlx5/cong.c (debugfs), setpci(8) (``CAP_EXP+08.w``, ``ECAP_ACS+0x6.w``, value and mask), arping(8)
of iputils, rmdir(1). Assumed: one PCIe bridge with ACS; every NIC takes every read request; ports
of RDMA-CM are there as soon as its module is loaded, where the kernel has their folder only between
mkdir and rmdir. Seen on Linux 6.1 with Soft-RoCE: mkdir for an unknown device ends with ``No such
device``, and what was set goes with the RDMA device.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.lab.shell.files import FILE_TOOLS
from fabric.lab.shell.state import Result
from fabric.qos.dcqcn.registers import FIELDS

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from fabric.lab.shell.state import Context, Tool

    Answer = Result | Awaitable[Result]
    from fabric.lab.spec import NicSpec
    from fabric.systems.host.lab import HostStandIn

BRIDGE = "0000:00:01.0"
CONFIGFS = "/sys/kernel/config/rdma_cm"
_HUGEPAGES = "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages"
_GOVERNOR = "/sys/devices/system/cpu/cpu{number}/cpufreq/scaling_governor"
_PROCESSORS = 2
#: MaxReadReq 512 and the flags of a device after a reset; source validation and redirection of ACS.
_DEVICE_CONTROL, _ACS_CONTROL = 0x2936, 0x001D
_WORD = re.compile(r"[0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})?")


class HostKernel:
    """PCI registers, and files of the kernel, of one host.

    Parameters
    ----------
    host : HostStandIn
        Whose they are.
    """

    def __init__(self, host: HostStandIn) -> None:
        self._host = host
        self.registers: dict[tuple[str, str], int] = {}
        self.announced: list[tuple[str, str]] = []

    def commands(self) -> dict[str, Tool]:
        """Return the commands by name."""
        return {
            "setpci": self._setpci,
            "arping": self._arping,
            "mkdir": self._mkdir,
            "rmdir": self._rmdir,
        }

    def reset_registers(self) -> None:
        """Put the PCI registers into the state after a boot."""
        self.registers = {(BRIDGE, "ECAP_ACS+0x6.w"): _ACS_CONTROL}
        for nic in self._host.spec.nics:
            self.registers[self._address(nic), "CAP_EXP+08.w"] = _DEVICE_CONTROL

    def write_files(self) -> None:
        """Put the files into the state after a boot."""
        fs, host = self._host.fs, self._host
        device = f"/sys/devices/pci0000:00/{BRIDGE}"
        for name, text in (("class", "0x060400"), ("vendor", "0x8086"), ("numa_node", "0")):
            fs.put(f"{device}/{name}", f"{text}\n")
        if not fs.exists(f"/sys/bus/pci/devices/{BRIDGE}"):
            fs.link(f"/sys/bus/pci/devices/{BRIDGE}", device)
        for number in range(_PROCESSORS):
            fs.put(_GOVERNOR.format(number=number), "powersave\n")
        fs.put(_HUGEPAGES, "0\n")
        for nic in host.spec.nics:
            address = self._address(nic)
            for field in FIELDS:
                path = f"/sys/kernel/debug/mlx5/{address}/cc_params/{field.debugfs}"
                fs.put(path, "0\n")
                fs.watch(path, lambda text, field=field: read_back(text, field.high))  # type: ignore[misc]

    def _address(self, nic: NicSpec) -> str:
        return self._host.cards[nic.interface].address

    def max_read_request_bytes(self, address: str) -> int:
        """Return what the Device Control register of a NIC says (PCI Express Base, 7.5.3.4)."""
        code = self.registers[address, "CAP_EXP+08.w"] >> 12
        size_bytes: int = 128 << code
        return size_bytes

    def load_rdma_cm(self, *, again: bool = False) -> None:
        """Make the folders of RDMA-CM; ``again`` when the devices are new and nothing is set."""
        for nic in self._host.spec.nics:
            folder = f"{CONFIGFS}/{nic.rdma_device}/ports/1"
            if again or not self._host.fs.exists(folder):
                self._host.fs.put(f"{folder}/default_roce_mode", "RoCE v2\n")
                self._host.fs.put(f"{folder}/default_roce_tos", "0\n")
                self._host.fs.watch(f"{folder}/default_roce_tos", lambda text: read_back(text, 255))
                self._host.fs.watch(f"{folder}/default_roce_mode", _mode)

    def _setpci(self, context: Context, argv: list[str], _stdin: str) -> Result:
        match argv[1:]:
            case ["-s", address, word] if (address, word.partition("=")[0]) in self.registers:
                register, sign, value = word.partition("=")
            case ["-s", address, word]:
                text = f"setpci: {address}: Instance #0 of {word.partition('+')[0]} not found.\n"
                return Result("", text, 1)
            case _:
                return Result("", "setpci: only -s ADDRESS REGISTER[=VALUE] is supported\n", 1)
        if not context.root:
            return Result("", "setpci: Access denied\n", 1)
        old = self.registers[address, register]
        if not sign:
            return Result(f"{old:04x}\n")
        if not _WORD.fullmatch(value):
            return Result("", f"setpci: Invalid value {value}\n", 1)
        new, _, mask = value.partition(":")
        bits = int(mask or "FFFF", 16)
        self.registers[address, register] = (old & ~bits) | (int(new, 16) & bits)
        return Result()

    def _arping(self, context: Context, argv: list[str], _stdin: str) -> Result:
        match argv[1:]:
            case ["-q", "-U", "-c", count, "-I", interface, address] if count.isdigit():
                pass
            case _:
                return Result("", "arping: only -q -U -c COUNT -I DEVICE ADDRESS is supported\n", 2)
        link = self._host.network.state.links.get(interface)
        if not context.root or link is None:
            return Result("", f"arping: Device {interface} not available.\n", 2)
        if address not in [text.partition("/")[0] for text in link.addresses]:
            return Result("", "arping: bind: Cannot assign requested address\n", 2)
        self.announced.append((interface, address))
        return Result()

    def _mkdir(self, context: Context, argv: list[str], stdin: str) -> Answer:
        """Make folders; RDMA-CM takes none for a device that is not there."""
        devices = {nic.rdma_device for nic in self._host.rdma_nics}
        for name in argv[1:]:
            path = self._host.fs.name_of(name, context.shell.cwd)
            device = path.removeprefix(f"{CONFIGFS}/").partition("/")[0]
            if path.startswith(f"{CONFIGFS}/") and device not in devices:
                text = f"mkdir: cannot create directory '{name}': No such device\n"
                return Result("", text, 1)
        return FILE_TOOLS["mkdir"](context, argv, stdin)

    def _rmdir(self, context: Context, argv: list[str], _stdin: str) -> Result:
        fs = self._host.fs
        for name in argv[1:]:
            path = fs.name_of(name, context.shell.cwd)
            if path.startswith(f"{CONFIGFS}/") and fs.is_dir(path):
                continue  # the kernel keeps the values; only the folder would go
            if not fs.is_dir(path) or fs.listing(path):
                return Result("", f"rmdir: failed to remove '{name}'\n", 1)
            fs.local(path).rmdir()
        return Result()


def read_back(text: str, high: int) -> str:
    """Return what is read of a number that is written; raise OSError where it is none."""
    word = text.strip()
    if not word.isdigit() or int(word) > high:
        raise OSError(22, "Invalid argument", "write error")
    return f"{word}\n"


def _mode(text: str) -> str:
    if text.strip() not in ("RoCE v2", "IB/RoCE v1"):
        raise OSError(22, "Invalid argument", "write error")
    return text
