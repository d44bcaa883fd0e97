"""Stand-in of a GPU host with RDMA NICs.

Known: the tools as named in the modules ``host_*``, which all read the one model of
``host_hardware``, the driver state of ``host_qos`` and the kernel of ``host_net``, so that their
outputs agree; files of the OFED driver
below `/sys/class/net/<if>/ecn` and `/sys/class/infiniband/<dev>/tc/1/traffic_class` (writing 106
reads back as ``Global tclass=106``, -1 clears). Everything that the driver holds is lost at a
restart; addresses come back from netplan, kernel parameters from sysctl.d, the rest from the
units that are enabled. Assumed: one kernel for all, mlx5 NICs of port 1 only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fabric.lab.linux.sysctl import Sysctl
from fabric.lab.linux.systemd import Systemd
from fabric.lab.shell.state import Result
from fabric.lab.ssh.server import SshStandIn
from fabric.lab.standin import stand_ins
from fabric.systems.host.lab import counters as host_counters
from fabric.systems.host.lab import dcb as host_dcb
from fabric.systems.host.lab import firmware as host_firmware
from fabric.systems.host.lab import hardware as host_hardware
from fabric.systems.host.lab import net as host_net
from fabric.systems.host.lab import pci as host_pci
from fabric.systems.host.lab import qos as host_qos
from fabric.systems.host.lab import rdma as host_rdma
from fabric.systems.host.lab.ethtool import Ethtool
from fabric.systems.host.lab.kernel import HostKernel, read_back
from fabric.systems.host.lab.nic_tools import NicTools
from fabric.systems.host.lab.paths import LabPaths
from fabric.systems.host.lab.probe import ProbeTools
from fabric.systems.host.lab.stacks import HostStacks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fabric.lab.clock import LabClock
    from fabric.lab.shell.state import Context
    from fabric.lab.spec import NicSpec, StandInSpec
    from fabric.lab.vrfs import LabVrfs

_KERNEL = {
    "net.ipv4.neigh.default.gc_thresh1": "128",
    "net.ipv4.neigh.default.gc_thresh2": "512",
    "net.ipv4.neigh.default.gc_thresh3": "1024",
    "net.ipv6.neigh.default.gc_thresh1": "128",
    "net.ipv6.neigh.default.gc_thresh2": "512",
    "net.ipv6.neigh.default.gc_thresh3": "1024",
    "net.ipv4.tcp_ecn": "2",
    "net.ipv4.ip_forward": "0",
}
_PER_INTERFACE = {
    "conf": ("arp_ignore", "arp_announce", "arp_filter", "arp_notify", "arp_accept", "rp_filter"),
    "neigh": ("base_reachable_time_ms", "gc_stale_time"),
}
_PER_INTERFACE6 = {
    "conf": ("accept_ra", "use_tempaddr", "ndisc_notify"),
    "neigh": ("base_reachable_time_ms", "gc_stale_time"),
}
_DEFAULTS = {
    "accept_ra": "1",
    "base_reachable_time_ms": "30000",
    "gc_stale_time": "60",
    "rp_filter": "2",
}
_ECN_FILES = {
    "roce_np/cnp_dscp": "48",
    "roce_np/cnp_802p_prio": "6",
    "roce_np/min_time_between_cnps": "4",
    "roce_rp/clamp_tgt_rate": "0",
    "roce_rp/clamp_tgt_rate_after_time_inc": "1",
    "roce_rp/rpg_time_reset": "300",
    "roce_rp/rpg_byte_reset": "32767",
    "roce_rp/rpg_threshold": "1",
    "roce_rp/rpg_ai_rate": "5",
    "roce_rp/rpg_hai_rate": "50",
    "roce_rp/rpg_max_rate": "0",
    "roce_rp/rpg_min_rate": "1",
    "roce_rp/rpg_min_dec_fac": "50",
    "roce_rp/rpg_gd": "11",
    "roce_rp/dce_tcp_g": "1019",
    "roce_rp/dce_tcp_rtt": "1",
    "roce_rp/rate_reduce_monitor_period": "4",
    "roce_rp/rate_to_set_on_first_cnp": "0",
    "roce_rp/initial_alpha_value": "1023",
    **{f"roce_{side}/enable/{priority}": "1" for side in ("rp", "np") for priority in range(8)},
}


@stand_ins.add("host")
class HostStandIn(SshStandIn):
    """A GPU host.

    Parameters
    ----------
    spec : StandInSpec
        ``nics`` are its NICs. Options: ``machine_id``, the content of `/etc/machine-id`;
        ``without``, parameters that its kernel does not have, and ``pfc-prevention-tout`` for NICs
        that refuse it.
    """

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        self.network = host_net.HostNetwork(self)
        self.stacks = HostStacks(self)
        self.kernel = HostKernel(self)
        self.nic_tools = NicTools(self)
        self.loads = 0
        self.storm_ms: dict[str, int] = {}
        self.qos: dict[str, host_qos.NicQos] = {}
        self.pause: dict[str, dict[str, str]] = {}
        self.counters = host_counters.HostCounters(self)
        self.cards = host_hardware.cards(spec.nics)
        self.gpus = host_hardware.gpus(self.cards)
        self.modules: set[str] = set()
        self.probing = ProbeTools(self)
        self.systemd = Systemd(self)
        self.sysctl = Sysctl(self, _KERNEL | self._interface_parameters())
        self.sysctl.show_files()
        self.without: set[str] = set()
        self.lose(*spec.options.get("without", "").split())
        for folder in ("/etc/systemd/system", "/etc/netplan", "/etc/sysctl.d", "/etc/udev/rules.d"):
            self.fs.mkdir(folder)
        for folder in ("/etc/systemd/network", "/etc/NetworkManager/system-connections"):
            self.fs.mkdir(folder)
        for folder in ("/usr/local/sbin", "/usr/local/bin", "/etc/modules-load.d", "/etc/default"):
            self.fs.mkdir(folder)
        self.fs.put("/etc/machine-id", spec.options.get("machine_id", "0" * 32) + "\n")
        for nic in spec.nics:
            self.network.state.links[nic.interface] = host_net.Link(nic.interface, nic.mac)
            self._watch(nic)
        self._load_driver()
        for tools in (host_rdma, host_pci, host_firmware, host_counters):
            self.tools.update(tools.commands(self))
        self.tools.update({**self.kernel.commands(), **self.nic_tools.commands()})
        self.tools.update({
            **self.probing.commands(),
            "mlnx_qos": host_qos.command(self),
            "dcb": host_dcb.command(self),
            "ethtool": Ethtool(self).command,
            "networkctl": self.stacks.networkctl,
            "nmcli": self.stacks.nmcli,
            "ip": self.network.ip,
            "netplan": self.network.netplan,
            "sysctl": self.sysctl.command,
            "systemctl": self.systemd.control,
            "systemd-run": self.systemd.run_transient,
            "udevadm": self._udevadm,
            "dmidecode": self._dmidecode,
            "modprobe": self._modprobe,
            "hostname": lambda _context, _argv, _stdin: Result(self.hostname() + "\n"),
            "uname": self._uname,
            "reboot": self._reboot_command,
        })

    def start_service(self, words: list[str]) -> Callable[[], None] | None:
        """Start rping or ib_write_bw as a server."""
        return self.probing.serve(words)

    @property
    def rdma_nics(self) -> list[NicSpec]:
        """The NICs that have an RDMA device."""
        return [nic for nic in self.spec.nics if nic.rdma_device]

    def lose(self, *names: str) -> None:
        """Let the kernel be without some parameters, the NICs without `pfc-prevention-tout`."""
        self.without |= set(names)
        self.sysctl.drop(names)

    def _interface_parameters(self) -> dict[str, str]:
        names = ["all", "default", *(nic.interface for nic in self.spec.nics)]
        return {
            f"net/{family}/{group}/{name}/{key}": _DEFAULTS.get(key, "0")
            for family, groups in (("ipv4", _PER_INTERFACE), ("ipv6", _PER_INTERFACE6))
            for group, keys in groups.items()
            for name in names
            for key in keys
        }

    def _load_driver(self) -> None:
        """Put the NICs into the state after a load of the driver."""
        self.loads += 1
        self.storm_ms.clear()
        self.kernel.reset_registers()
        if "rdma_cm" in self.modules:
            self.kernel.load_rdma_cm(again=True)
        for nic in self.spec.nics:
            self.qos[nic.interface] = host_qos.NicQos()
            self.pause[nic.interface] = {"rx": "on", "tx": "on"}
        self.nic_tools.reset()
        self.counters.clear()
        self.fs.defer(self._write_sysfs)

    def _write_sysfs(self) -> None:
        host_pci.write_sysfs(self)
        self.kernel.write_files()
        for number, nic in enumerate(self.spec.nics):
            folder = f"/sys/class/net/{nic.interface}"
            self.fs.put(f"{folder}/address", nic.mac + "\n")
            self.fs.put(f"{folder}/ifindex", f"{len(self.spec.nics) * self.loads + number}\n")
            self.fs.put(f"{folder}/speed", f"{nic.speed_gbps * 1000}\n")
            for name, value in _ECN_FILES.items():
                self.fs.put(f"{folder}/ecn/{name}", value + "\n")
        for nic in self.rdma_nics:
            rdma = f"/sys/class/infiniband/{nic.rdma_device}"
            self.fs.put(f"{rdma}/tc/1/traffic_class", "")
            for name, read in self.counters.files(nic).items():
                self.fs.computed(f"{rdma}/ports/1/hw_counters/{name}", read)
        self.after_network_change()

    def _watch(self, nic: NicSpec) -> None:
        folder = f"/sys/class/net/{nic.interface}/ecn"
        for name in _ECN_FILES:
            high = 63 if name.endswith("cnp_dscp") else 1 if "/enable/" in name else 2**32 - 1
            self.fs.watch(f"{folder}/{name}", lambda text, high=high: read_back(text, high))  # type: ignore[misc]
        self.fs.watch(f"/sys/class/infiniband/{nic.rdma_device}/tc/1/traffic_class", _traffic_class)

    def after_network_change(self) -> None:
        """Write MTU and GID table into sysfs."""
        for nic in self.spec.nics:
            mtu_bytes = self.network.state.links[nic.interface].mtu
            self.fs.put(f"/sys/class/net/{nic.interface}/mtu", f"{mtu_bytes}\n")
        for nic in self.rdma_nics:
            folder = f"/sys/class/infiniband/{nic.rdma_device}/ports/1"
            for name in ("gids", "gid_attrs/types", "gid_attrs/ndevs"):
                self.fs.mkdir(f"{folder}/{name}")
                for entry in self.fs.listing(f"{folder}/{name}"):
                    self.fs.local(f"{folder}/{name}/{entry}").unlink()
            for half, (gid, _) in enumerate(host_rdma.gids(self, nic)):
                for number, kind in ((2 * half, "IB/RoCE v1"), (2 * half + 1, "RoCE v2")):
                    self.fs.put(f"{folder}/gids/{number}", gid + "\n")
                    self.fs.put(f"{folder}/gid_attrs/types/{number}", kind + "\n")
                    self.fs.put(f"{folder}/gid_attrs/ndevs/{number}", nic.interface + "\n")

    @classmethod
    def connect(
        cls, hosts: Mapping[str, HostStandIn], spines: frozenset[str], vrfs: LabVrfs
    ) -> None:
        """Let hosts reach each other as they are cabled, through these switches and VRFs."""
        paths = LabPaths(hosts, spines, vrfs)
        for host in hosts.values():
            host.probing.paths = paths

    def link_up(self, interface: str) -> bool:
        """Tell whether an interface is up and its cable has light."""
        return self.sends_light(interface) and self.lit(interface)

    def sends_light(self, interface: str) -> bool:
        """Tell whether an interface is up and its cable is plugged in."""
        link = self.network.state.links.get(interface)
        return link is not None and link.up and interface not in self.unplugged

    def link_flaps(self, interface: str) -> int:
        """Return how often the driver took the link down and up since it was loaded."""
        return self.qos[interface].link_flaps

    # -- life ------------------------------------------------------------------------------------

    def on_reboot(self) -> None:
        """Forget what the kernel and the driver hold, then start what is enabled."""
        self.systemd.forget()
        self.modules.clear()
        state = self.network.state
        state.routes, state.rules, state.neighbours = [], [], []
        for link in state.links.values():
            link.addresses, link.mtu, link.up = [], 1500, True
        self._load_driver()
        self.sysctl.reset()
        self.run_detached("rm -rf /run/rocefab* /run/systemd/network /sys/kernel/config/rdma_cm")
        self.run_detached("netplan apply")
        self.stacks.boot()
        self.systemd.start_enabled()

    def expire_timers(self) -> None:
        """Run the pending transient timers now."""
        self.systemd.expire()

    # -- small commands --------------------------------------------------------------------------

    def _reboot_command(self, context: Context, _argv: list[str], _stdin: str) -> Result:
        if not context.root:
            return Result("", "Failed to set wall message, ignoring: Access denied\n", 1)
        self.reboot()
        return Result()

    def _udevadm(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        if argv[1:2] in (["control"], ["trigger"], ["settle"]):
            return Result()
        return Result("", "udevadm: only control, trigger and settle are supported\n", 1)

    def _dmidecode(self, context: Context, argv: list[str], _stdin: str) -> Result:
        if not context.root:
            return Result("", "/dev/mem: Permission denied\n", 1)
        if argv[1:] != ["-s", "system-serial-number"]:
            return Result("", "dmidecode: only -s system-serial-number is supported\n", 2)
        return Result(self.spec.serial + "\n")

    def _modprobe(self, context: Context, argv: list[str], _stdin: str) -> Result:
        names = [word for word in argv[1:] if not word.startswith("-")]
        if not context.root:
            return Result("", "modprobe: ERROR: Operation not permitted\n", 1)
        for name in names:
            if name not in ("rdma_cm", "mlx5_ib", "nvidia_peermem", "configfs"):
                text = f"Module {name} not found in directory /lib/modules/6.1.0"
                return Result("", f"modprobe: FATAL: {text}\n", 1)
            self.modules.add(name)
            if name == "rdma_cm":
                self.kernel.load_rdma_cm()
        return Result()

    def _uname(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        words = {"-n": self.hostname(), "-r": "6.1.0", "-m": "x86_64", "-s": "Linux"}
        return Result(words.get(argv[1] if len(argv) > 1 else "-s", "Linux") + "\n")


def _traffic_class(text: str) -> str:
    """Turn what is written to ``traffic_class`` into what is read; flow rules are kept out."""
    word = text.strip()
    if word == "":
        return ""
    if word == "-1":
        return ""
    if not re.fullmatch(r"[0-9]+", word) or int(word) > 255:  # noqa: PLR2004  (one byte)
        raise OSError(22, "Invalid argument", "write error")
    return f"Global tclass={word}\n"
