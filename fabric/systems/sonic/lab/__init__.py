"""Stand-in of a switch that runs community SONiC.

Known: sonic-net/sonic-utilities 202405 (config/main.py, show, scripts/ecnconfig, pfcwd),
sonic-net/sonic-swss (buffermgrd, pfcwdorch), sonic-net/sonic-buildimage (bgpcfgd, sysctl,
sonic-cfggen). The configuration lives in CONFIG_DB, is written to `/etc/sonic/config_db.json` by
``config save`` only, and comes from there after a restart. bgpcfgd holds a peer back until
Loopback0 has an address and ``local_addr`` is an address of a local interface, and applies nothing
but ``admin_status`` to a row that is live. buffermgrd adds PG profiles and BUFFER_PG rows itself,
or, where the buffer model is dynamic, computes them and changes no row of CONFIG_DB.
Assumed: a reload takes a second of lab time for BGP only; sessions over SSH stay. Prefix and
message counts of BGP are invented. Users other than root may not change the configuration.
"""

from __future__ import annotations

import copy
import ipaddress
import json
from typing import TYPE_CHECKING, Any

from fabric.lab.linux.frr import Frr
from fabric.lab.linux.sysctl import Sysctl
from fabric.lab.linux.systemd import Systemd
from fabric.lab.shell.state import Result
from fabric.lab.ssh.server import SshStandIn
from fabric.lab.standin import BgpEnd, as_number, stand_ins
from fabric.systems.sonic.daemons import Daemons as Orchestration
from fabric.systems.sonic.lab import buffers as sonic_buffers
from fabric.systems.sonic.lab import config as sonic_config
from fabric.systems.sonic.lab import counters as sonic_counters
from fabric.systems.sonic.lab import show as sonic_show
from fabric.systems.sonic.lab import tuning as sonic_tuning
from fabric.systems.sonic.lab.daemons import Daemons
from fabric.systems.sonic.lab.kernel import KERNEL, OWN_VALUES, own_file
from fabric.systems.sonic.platforms import asic_type_of

if TYPE_CHECKING:
    from collections.abc import Container

    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock
    from fabric.lab.shell.state import Context
    from fabric.lab.spec import Neighbour as Neighbour
    from fabric.lab.spec import StandInSpec
    from fabric.systems.sonic.lab.check import Tables

STARTUP = "/etc/sonic/config_db.json"
CHECKPOINTS = "/etc/sonic/checkpoints"
RESTART_S = 1.0
_PLATFORM = "x86_64-kvm_x86_64-r0"


@stand_ins.add("sonic")
class SonicStandIn(SshStandIn):
    """A SONiC switch.

    Parameters
    ----------
    spec : StandInSpec
        ``running`` is the CONFIG_DB. Options: ``platform`` (ONIE platform), ``release`` (default
        ``202405``; from ``202505`` on every reload is checked), ``prefixes`` per BGP session,
        ``arp_update`` (state of that daemon, default ``RUNNING``).
    clock : LabClock
        Clock of the timers.
    """

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        self.release = spec.options.get("release", "202405")
        self.running: Tables = copy.deepcopy(spec.running) if spec.running else {}
        self._fill_metadata()
        self.port_flaps: dict[str, int] = {}
        self.bgp_peers: dict[str, dict[str, Any]] = {}
        self.restarts = 0
        self.longest_sort = 0  # moves of the largest patch so far
        self.computed_groups: set[str] = set()
        self.orchestration = self._orchestrate()
        self._ports_up = self._enabled()
        self.counters = sonic_counters.Counters(self.clock)
        self.daemons = Daemons(spec.options)
        self.frr = Frr(self._vrfs, self.has_route)
        self._down_until_s: dict[str, float] = {}  # BGP row or port -> lab time
        self.systemd = Systemd(self)
        self.sysctl = Sysctl(self, KERNEL)
        self._write_files()
        self.sysctl.reset()
        self.after_change(restart=True)
        self._down_until_s.clear()
        self.restarts = 0
        self.save()
        self.tools.update(sonic_config.commands(self))
        self.tools.update(sonic_tuning.commands(self))
        self.tools.update(sonic_show.commands(self))
        self.tools.update({
            "sonic-db-cli": sonic_counters.command(self),
            "systemd-run": self.systemd.run_transient,
            "systemctl": self.systemd.control,
            "sysctl": self.sysctl.command,
            "hostname": lambda _context, _argv, _stdin: Result(self.hostname() + "\n"),
            "uname": self._uname,
            "reboot": self._reboot_command,
            "decode-syseeprom": self._eeprom,
            "sonic-cfggen": self._cfggen,
            "docker": self.daemons.command(),
            "vtysh": self.frr.vtysh,
        })

    # -- state -----------------------------------------------------------------------------------

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> dict[str, Any]:
        """Return the identity of a switch and its ports, all of them whole and shut."""
        whole = design.sku.whole
        return {
            "DEVICE_METADATA": {
                "localhost": {
                    "hostname": design.name,
                    "hwsku": design.sku.name,
                    "platform": design.sku.facts["platform"],
                    "mac": mac,
                    "type": "LeafRouter",
                    "buffer_model": "traditional",
                }
            },
            "MGMT_PORT": {"eth0": {"alias": "eth0", "admin_status": "up"}},
            "MGMT_INTERFACE": {"eth0|192.0.2.2/24": {"gwaddr": "192.0.2.1"}},
            "PORT": {
                whole.port(number): {
                    "alias": whole.alias(number),
                    "lanes": ",".join(str(lane) for lane in whole.lanes(number)),
                    "index": str(number),
                    "speed": str(max(whole.speeds_of(number)) * 1000),
                    "admin_status": "down",
                }
                for number in range(1, whole.port_count + 1)
            }
            | {
                port.name: {
                    "alias": port.alias,
                    "lanes": port.lanes,
                    "index": str(whole.port_count + number),
                    "speed": "10000",
                    "admin_status": "down",
                }
                for number, port in enumerate(whole.service_ports, 1)
            },
        }

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        row = self.bgp_peers.get(session, self.bgp_peers.get(f"default|{session}"))
        if row is None:
            return None
        return BgpEnd(as_number(self.own_asn()), as_number(row.get("asn")))

    def own_asn(self) -> str:
        """Return the AS number of the default VRF; ``0`` where it has none."""
        own = self.table("BGP_GLOBALS").get("default", {}).get("local_asn", "0")
        return str(self.metadata().get("bgp_asn") or own)

    def _fill_metadata(self) -> None:
        row = self.running.setdefault("DEVICE_METADATA", {}).setdefault("localhost", {})
        row.setdefault("hostname", self.spec.name)
        row.setdefault("hwsku", self.spec.model)
        row.setdefault("platform", self.platform)
        row.setdefault("mac", self.spec.mac)

    @property
    def platform(self) -> str:
        """ONIE platform name."""
        row = self.metadata()
        return str(self.spec.options.get("platform") or row.get("platform") or _PLATFORM)

    def _write_files(self) -> None:
        self.fs.mkdir(CHECKPOINTS)
        self.fs.put("/etc/machine-id", "0" * 32 + "\n")
        for folder in ("/etc/sysctl.d", "/usr/lib/sysctl.d"):
            self.fs.mkdir(folder)
        self.fs.put(own_file(self.release), OWN_VALUES)
        version = f"build_version: '{self.release}.0'\nasic_type: {self.asic}\n"
        self.fs.put("/etc/sonic/sonic_version.yml", version)

    @property
    def software(self) -> str:
        """What ``show version`` calls the system."""
        return f"SONiC.{self.release}.0"

    @property
    def asic(self) -> str:
        """ASIC vendor, by the platform name."""
        return asic_type_of(self.platform)

    def metadata(self) -> dict[str, Any]:
        """Return the row DEVICE_METADATA|localhost."""
        return self.running.get("DEVICE_METADATA", {}).get("localhost", {})

    def hostname(self) -> str:
        """Return the hostname of CONFIG_DB, or that of a fault."""
        return self._identity or str(self.metadata().get("hostname", "sonic"))

    def table(self, name: str) -> dict[str, dict[str, Any]]:
        """Return the rows of a table, empty when it does not exist."""
        return self.running.get(name, {})

    def save(self) -> None:
        """Write the running configuration as the startup configuration."""
        self.fs.put(STARTUP, dump(self.running))

    @property
    def startup(self) -> Tables:
        """The startup configuration as it is on disk."""
        loaded: Tables = json.loads(self.fs.read(STARTUP))
        return loaded

    def hand_edit(self, table: str, key: str, field: str | None, value: Any) -> None:
        """Change the running configuration as a person on the switch would, past all checks.

        Parameters
        ----------
        table, key : str
            Row of CONFIG_DB.
        field : str or None
            Field to set; None sets a row without fields.
        value : Any
            New value; None deletes the field, or the row when ``field`` is None.
        """
        with self.lock:
            rows = self.running.setdefault(table, {})
            if field is None and value is None:
                rows.pop(key, None)
            elif field is None:
                rows[key] = dict(value)
            elif value is None:
                rows.get(key, {}).pop(field, None)
            else:
                rows.setdefault(key, {})[field] = value
            if not rows:
                del self.running[table]
            self.after_change()

    def delete_row(self, name: str) -> int:
        """Delete a row of CONFIG_DB past all checks, as redis does; return how many there were."""
        table, _, key = name.partition("|")
        if key not in self.table(table):
            return 0
        self.hand_edit(table, key, None, None)
        return 1

    # -- daemons ---------------------------------------------------------------------------------

    def after_change(self, *, restart: bool = False) -> None:
        """Let the daemons see the running configuration."""
        if restart:
            self.bgp_peers.clear()
            self.frr.drained = False
            self.restarts += 1
            self.sysctl.interfaces(set())
            self.daemons.start(vlans=bool(self.table("VLAN")))
        self.sysctl.interfaces(set(self.table("VLAN")))  # vlanmgrd makes one of the kernel for each
        self.orchestrate(restart=restart)
        self.computed_groups = sonic_buffers.computed_groups(self)
        self._bgpcfgd(restart=restart)

    def _orchestrate(self) -> Orchestration:
        return Orchestration(
            self.running,
            self.asic,
            lambda speed, cable: sonic_buffers.looked_up(self.platform, speed, cable),
        )

    def orchestrate(self, *, restart: bool = False, trains: bool = False) -> None:
        """Let orchagent and the managers of ports and buffers take what has changed.

        Parameters
        ----------
        trains : bool
            Whether the link of a port that is enabled takes time to come up.
        """
        if restart or self.orchestration.config is not self.running:
            self.orchestration = self._orchestrate()
            self._ports_up = self._enabled()
        self.orchestration.see()
        enabled = self._enabled()
        for port in self._ports_up - enabled:
            self.port_flaps[port] = self.port_flaps.get(port, 0) + 1
        for port in enabled - self._ports_up if trains else ():
            self.hold_down(f"port {port}")
        self._ports_up = enabled
        for line in self.orchestration.log:
            self.log(line)
        self.orchestration.log.clear()

    def _vrfs(self) -> Container[str]:
        """Return the VRFs of FRR."""
        return self.table("VRF")

    def _bgpcfgd(self, *, restart: bool) -> None:
        managed = self.metadata().get("frr_mgmt_framework_config") == "true"
        rows = {k: row for k, row in self.table("BGP_NEIGHBOR").items() if ("|" in k) == managed}
        for key in list(self.bgp_peers):
            if key not in rows:
                del self.bgp_peers[key]
        for key, row in rows.items():
            if key not in self.bgp_peers:
                self.bgp_peers[key] = dict(row)
                if restart:
                    self.hold_down(f"bgp {key}")
            elif row.get("admin_status") != self.bgp_peers[key].get("admin_status"):
                self.bgp_peers[key]["admin_status"] = row.get("admin_status", "up")

    def _enabled(self) -> set[str]:
        rows = self.table("PORT").items()
        return {port for port, row in rows if row.get("admin_status") == "up"}

    def hold_down(self, what: str) -> None:
        """Keep a BGP session or a port down for a second of lab time."""
        self._down_until_s[what] = self.clock.now_s() + RESTART_S

    def _held(self, what: str) -> bool:
        return self._down_until_s.get(what, 0.0) > self.clock.now_s()

    def log(self, text: str) -> None:
        """Write a line of syslog."""
        self.fs.mkdir("/var/log")
        self.fs.write("/var/log/syslog", f"{self.hostname()} {text}\n", append=True)

    @property
    def running_text(self) -> str:
        """CONFIG_DB as it runs."""
        with self.lock:
            return dump(self.running)

    # -- what the wires do -----------------------------------------------------------------------

    def port_up(self, port: str) -> bool:
        """Tell whether a port is operationally up."""
        return self.sends_light(port) and self.lit(port)

    def sends_light(self, port: str) -> bool:
        """Tell whether a port is enabled, has its cable and does not restart."""
        admin = self.table("PORT").get(port, {}).get("admin_status", "down")
        return admin == "up" and port not in self.unplugged and not self._held(f"port {port}")

    def interface_up(self, name: str) -> bool:
        """Tell whether a port, VLAN or loopback interface is up."""
        if name.startswith("Loopback"):
            return True
        if name.startswith("Vlan"):
            keys = (key.split("|") for key in self.table("VLAN_MEMBER"))
            return any(vlan == name and self.port_up(port) for vlan, port in keys)
        return self.port_up(name)

    def addresses(self) -> dict[str, str]:
        """Return interface by local IP address."""
        interfaces: dict[str, str] = {}
        if not self.orchestration.has_interfaces:
            return interfaces
        for table in ("INTERFACE", "VLAN_INTERFACE", "LOOPBACK_INTERFACE"):
            for key in self.table(table):
                name, _, prefix = key.partition("|")
                if prefix:
                    interfaces[str(ipaddress.ip_interface(prefix).ip)] = name
        return interfaces

    def router_id(self) -> str:
        """Return the BGP router id, empty when bgpcfgd would wait for one."""
        explicit = self.metadata().get("bgp_router_id")
        globals_ = self.table("BGP_GLOBALS").get("default", {}).get("router_id")
        loopback = next((ip for ip, name in self.addresses().items() if name == "Loopback0"), "")
        return str(explicit or globals_ or loopback)

    def bgp_state(self, key: str) -> str | None:
        """Return ``Established``, another state, or None for a peer that FRR does not know."""
        row = self.bgp_peers.get(key, {})
        name = key.rsplit("|", 1)[-1]
        addresses = self.addresses()
        local = str(row.get("local_addr", ""))
        interface = addresses.get(local) if local else self._towards(name)
        if not self.router_id() or interface is None:
            return None
        default = str(self.metadata().get("default_bgp_status", "up"))
        if row.get("admin_status", default) != "up":
            return "Idle (Admin)"
        if not self.interface_up(interface) or self._held(f"bgp {key}"):
            return "Active"
        return "Established" if self.peer_up(name) else "Active"

    def _towards(self, peer: str) -> str | None:
        """Return the interface of a peer without local address: its name or its subnet."""
        if peer in self.table("PORT"):
            return peer
        for table in ("INTERFACE", "VLAN_INTERFACE"):
            for key in self.table(table):
                name, _, prefix = key.partition("|")
                if prefix and ipaddress.ip_address(peer) in ipaddress.ip_interface(prefix).network:
                    return name
        return None

    # -- life ------------------------------------------------------------------------------------

    def on_reboot(self) -> None:
        """Drop timers and what was not saved; load the startup configuration."""
        self.systemd.forget()
        self.sysctl.reset()
        try:
            self.running = self.startup
        except (OSError, ValueError):
            self.running = {}
        self.after_change(restart=True)
        self.run_detached("rm -f /run/rocefab-*")
        self.systemd.start_enabled()

    def expire_timers(self) -> None:
        """Run the pending transient timers now."""
        self.systemd.expire()

    # -- small commands --------------------------------------------------------------------------

    def _reboot_command(self, context: Context, _argv: list[str], _stdin: str) -> Result:
        if not context.root:
            return Result("", "This command must be run as root\n", 1)
        self.reboot()
        return Result()

    def _uname(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        words = {"-n": self.hostname(), "-r": "6.1.0-11-2-amd64", "-m": "x86_64", "-s": "Linux"}
        return Result(words.get(argv[1] if len(argv) > 1 else "-s", "Linux") + "\n")

    def _eeprom(self, context: Context, argv: list[str], _stdin: str) -> Result:
        if not context.root:
            return Result("", "Root privileges are required for this operation\n", 1)
        values = {"-s": self.spec.serial, "-m": self.spec.mac, "-p": self.spec.model}
        if len(argv) != 2 or argv[1] not in values:  # noqa: PLR2004  (one option)
            return Result("", "decode-syseeprom: only -s, -m and -p are supported\n", 1)
        return Result(values[argv[1]] + "\n")

    def _cfggen(self, _context: Context, argv: list[str], _stdin: str) -> Result:
        if argv[1:] == ["-d", "--print-data"]:
            return Result(dump(self.running))
        if argv[1:3] == ["-d", "-v"] and len(argv) == 4:  # noqa: PLR2004  (one variable)
            node: Any = self.running
            for part in argv[3].split("."):
                node = node.get(part, "") if isinstance(node, dict) else ""
            return Result(f"{node}\n")
        return Result("", "sonic-cfggen: only -d --print-data and -d -v are supported\n", 2)


def dump(config: Tables) -> str:
    """Print a CONFIG_DB as sonic-cfggen does."""
    return json.dumps(config, indent=4, sort_keys=True) + "\n"
