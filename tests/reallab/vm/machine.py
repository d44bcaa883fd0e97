"""Virtual machines in the place of hosts of the real lab.

The end of each cable of a host moves into one namespace for all virtual machines, where a bridge
of its own joins it with the tap device of a NIC. From that namespace alone, each machine is
reached by SSH on a port of loopback.
"""

from __future__ import annotations

import json
import shlex
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.errors import LabError
from fabric.lab.real.keeper import batch
from tests.reallab.vm.kernel import initramfs, kernel
from tests.reallab.vm.seed import TARGET, USER, key_pair, write_seed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.core.artefact import Artefact
    from fabric.design.host_model import HostDesign
    from fabric.lab.real import RealLab
    from fabric.lab.real.keeper import Answer

#: Emulated, beside other tests on two slow cores: 170 s until the kernel has its modules, measured.
BOOT_S = 900.0
#: `networkctl reload` fails until networkd is on the bus.
_IS_UP = "busctl --no-pager status org.freedesktop.network1 >/dev/null"
_MEMORY_MB = 640
_FIRST_PORT = 2201
_BRIDGE = "forward_delay 0 stp_state 0 mcast_snooping 0"
#: Modules that devices of the machine ask for, and nothing here needs.
_NOT_LOADED = ("cfg80211", "kvm_amd", "kvm_intel", "kvm", "ahci", "iTCO_wdt", "psmouse", "lpc_ich")
#: KVM where it is there may hang (nested in some clouds): TCG boots as well, and always.
_QEMU = (
    *("qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-M", "q35", "-smp", "1"),
    *("-m", str(_MEMORY_MB), "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
    *("-device", "virtio-rng-pci"),
)


@dataclass(frozen=True)
class Nic:
    """A data NIC of a virtual machine: its tap device, MAC address and MTU."""

    tap: str
    mac: str
    mtu_bytes: int


class Machines:
    """Virtual machines of a lab; they end with it."""

    def __init__(self, lab: RealLab, folder: Path) -> None:
        self.lab = lab
        self.folder = folder
        self.namespace = f"{lab.record.prefix}vms"
        self.ports: dict[str, int] = {}
        self.keys: dict[str, str] = {}
        self._authorized = key_pair(folder / "key")
        found = kernel()
        assert found
        self._kernel = found
        self._image = initramfs(found, folder)
        batch([f"netns add {self.namespace}"])
        batch(["link set dev lo up"], self.namespace)

    def start(self, host: HostDesign, artefacts: list[Artefact]) -> None:
        """Start a virtual machine in the place of a host."""
        seed = self.folder / host.name
        self.keys[host.name] = write_seed(
            seed, host, artefacts, self._kernel, authorized=self._authorized
        )
        self.ports[host.name] = _FIRST_PORT + len(self.ports)
        nics = [self._take_over(host, nic.interface, nic.mtu_bytes) for nic in host.nics]
        argv = [*_QEMU, *self._boot(host.name, seed), *self._network(host.name, nics)]
        self.lab.keeper.start(self.namespace, argv, self.folder / f"{host.name}.qemu")

    def _take_over(self, host: HostDesign, interface: str, mtu_bytes: int) -> Nic:
        """Move the end of a cable here and join it with a new tap device."""
        number = len(list(self._links()))
        end, bridge, tap = (f"{letter}{number}" for letter in ("v", "b", "t"))
        kernel_name = self.lab.interface(host.name, interface)
        shown = self.lab.run(host.name, ["ip", "-j", "link", "show", "dev", kernel_name]).out
        (link,) = json.loads(shown)
        batch(
            [f"link set dev {kernel_name} netns {self.namespace} name {end}"],
            self.lab.namespace(host.name),
        )
        batch(
            [
                # the NIC keeps the address that the leaf has learnt; a port may not have it too
                f"link set dev {end} address 02:00:00:00:00:{number:02x}",
                f"link add name {bridge} type bridge {_BRIDGE}",
                f"tuntap add dev {tap} mode tap",
                *(f"link set dev {name} addrgenmode none" for name in (end, bridge, tap)),
                *(f"link set dev {name} mtu {mtu_bytes}" for name in (end, tap, bridge)),
                *(f"link set dev {name} master {bridge}" for name in (end, tap)),
                *(f"link set dev {name} up" for name in (end, tap, bridge)),
            ],
            self.namespace,
        )
        return Nic(tap, link["address"], mtu_bytes)

    def _links(self) -> list[str]:
        shown = self.lab.keeper.run(self.namespace, ["ip", "-j", "link", "show"]).out
        return [link["ifname"] for link in json.loads(shown)]

    def _boot(self, name: str, seed: Path) -> list[str]:
        blacklist = f"module_blacklist={','.join(_NOT_LOADED)}"
        words = f"console=ttyS0 net.ifnames=0 panic=-1 quiet systemd.unit={TARGET}"
        return [
            *("-kernel", str(self._kernel.image), "-initrd", str(self._image)),
            *("-append", f"{words} {blacklist} systemd.hostname={name}"),
            *("-serial", f"file:{self.folder}/{name}.console"),
            *_share("root", Path("/")),
            *_share("seed", seed),
        ]

    def _network(self, name: str, nics: Sequence[Nic]) -> list[str]:
        forward = f"hostfwd=tcp:127.0.0.1:{self.ports[name]}-:22"
        words = ["-netdev", f"user,id=m,{forward}", "-device", "virtio-net-pci,netdev=m"]
        for nic in nics:
            words += [
                *("-netdev", f"tap,id={nic.tap},ifname={nic.tap},script=no,downscript=no"),
                *("-device", f"virtio-net-pci,netdev={nic.tap},mac={nic.mac}"),
            ]
        return words

    def wait(self) -> None:
        """Wait until every machine answers by SSH, and its networkd on the bus.

        Raises
        ------
        LabError
            When one does not; with the end of its console.
        """
        until_s = time.monotonic() + BOOT_S
        for name in self.ports:
            while self.run(name, _IS_UP).code:
                if time.monotonic() > until_s:
                    console = (self.folder / f"{name}.console").read_text(errors="replace")
                    raise LabError(name, f"it does not boot: {console[-600:]}")
                time.sleep(1)

    def run(self, name: str, command: str, timeout_s: float = 120.0) -> Answer:
        """Run a command on a virtual machine as root: exit code, output and errors."""
        words = [
            *("ssh", "-i", str(self.folder / "key"), "-p", str(self.ports[name])),
            *("-o", "StrictHostKeyChecking=yes", "-o", "LogLevel=ERROR", "-o", "ConnectTimeout=30"),
            *("-o", f"UserKnownHostsFile={self._known(name)}", "-o", "BatchMode=yes"),
            *("-F", "none", f"{USER}@127.0.0.1", f"sudo sh -c {shlex.quote(command)}"),
        ]
        return self.lab.keeper.run(self.namespace, words, timeout_s)

    def _known(self, name: str) -> Path:
        path = self.folder / f"{name}.known"
        path.write_text(f"[127.0.0.1]:{self.ports[name]} {self.keys[name]}\n", encoding="ascii")
        return path

    def connections(self) -> Path:
        """Write the connections file of all machines."""
        path = self.folder / "connections.json"
        devices = {
            name: {"address": "127.0.0.1", "port": port, "username": USER, "trust": self.keys[name]}
            for name, port in self.ports.items()
        }
        content = {"key_file": str(self.folder / "key"), "devices": devices}
        path.write_text(json.dumps(content), encoding="ascii")
        return path


def _share(tag: str, folder: Path) -> list[str]:
    return [
        "-fsdev",
        f"local,id={tag},path={folder},security_model=none,readonly=on,multidevs=remap",
        *("-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"),
    ]
