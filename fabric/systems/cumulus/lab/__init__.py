"""Stand-in of a switch that runs NVIDIA Cumulus Linux 5.x with NVUE.

Known and assumed of its commands: see ``cumulus_nv``, ``cumulus_config`` and ``cumulus_show``.
Known of the system (CumulusNetworks/docs, content/cumulus-linux-514): revisions, a pending one that
changes nothing before ``nv config apply``, a commit timer after which the revision before is
applied again, auto-save from 5.9 on, FRR restarting when BGP begins or its AS number changes, data
ports that are down until they are set up. Assumed: a restart of FRR takes a second of lab time; the
first revision is what the switch was started with; of a peer that is only called ``external`` no AS
number is learnt; a reboot drops what is pending or unconfirmed.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fabric.lab.linux.frr import Frr
from fabric.lab.shell.state import Result
from fabric.lab.ssh.server import SshStandIn
from fabric.lab.standin import BgpEnd, as_number, stand_ins
from fabric.systems.cumulus.lab import nv as cumulus_nv
from fabric.systems.cumulus.lab import show as cumulus_show
from fabric.systems.cumulus.lab.config import change, commands
from fabric.systems.cumulus.platforms.lines import natural, read, split
from fabric.systems.cumulus.platforms.words import DEFAULT_RELEASE, words

if TYPE_CHECKING:
    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock, Timer
    from fabric.lab.shell.state import Context
    from fabric.lab.spec import Neighbour as Neighbour
    from fabric.lab.spec import StandInSpec
    from fabric.systems.cumulus.platforms.lines import Path

RESTART_S = 1.0
#: CumulusNetworks/docs, NVUE CLI: as many revisions are kept (NVUE_MAX_REVISIONS).
_MOST_HISTORY = 100
_BGP = ("vrf", "default", "router", "bgp")


@dataclass
class Revision:
    """A configuration with a number; states are those of ``nv config revision``."""

    config: set[Path]
    state: str


@stand_ins.add("cumulus")
class CumulusStandIn(SshStandIn):
    """A Cumulus Linux switch.

    Parameters
    ----------
    spec : StandInSpec
        ``running`` is text of ``nv set`` lines. Options: ``release`` (default 5.14), ``ports``
        (names with commas), ``speed`` of ports that say nothing.
    """

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        self.words = words(spec.options.get("release", DEFAULT_RELEASE))
        self.ports = tuple(name for name in spec.options.get("ports", "").split(",") if name)
        self.default_speed = spec.options.get("speed", "400G")
        self.revisions = {1: Revision(read(spec.running or ""), "applied")}
        self.applied_revision = 1
        self.pending: int | None = None
        self.confirming: int | None = None
        self.history: list[dict[str, Any]] = []
        self.startup = set(self.applied)
        self.counters: dict[str, dict[str, int]] = {port: {} for port in self.ports}
        self._before = 1
        self._timer: Timer | None = None
        self.frr = Frr(lambda: self.children("vrf"), self.has_route)
        self._bgp_down_until_s = 0.0
        for name in ("lo", "eth0", *self.ports):
            self.fs.mkdir(f"/sys/class/net/{name}")
        self.fs.mkdir("/run")
        version = spec.options.get("release", DEFAULT_RELEASE)
        self.fs.put("/etc/lsb-release", cumulus_show.page("lsb-release", version=version))
        self.tools.update({
            "nv": lambda context, argv, _stdin: cumulus_nv.run(self, context, argv),
            "hostname": lambda _context, _argv, _stdin: Result(self.hostname() + "\n"),
            "reboot": self._reboot_command,
            **cumulus_show.tools(self),
        })

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:
        """Return the configuration of a switch that is fresh from the box."""
        own = words(design.sku.facts.get("release", DEFAULT_RELEASE))
        return (
            f"nv set system hostname {design.name}\n"
            "nv set system aaa user cumulus hashed-password '$6$lab$notasecret'\n"
            "nv set system aaa user cumulus role system-admin\n"
            f"nv set interface eth0 type eth\nnv set interface eth0 {own.ip} address dhcp\n"
            f"nv set interface eth0 {own.vrf} mgmt\n"
        )

    # -- configuration ---------------------------------------------------------------------------

    @property
    def applied(self) -> set[Path]:
        """The configuration that runs."""
        return self.revisions[self.applied_revision].config

    @property
    def running_text(self) -> str:
        """The applied configuration as commands."""
        with self.lock:
            return commands(self.applied)

    def named(self, name: str) -> set[Path]:
        """Return a configuration by the name or the number of its revision."""
        if name == "pending":
            return self.revisions[self.pending].config if self.pending else self.applied
        if name.isdecimal() and int(name) in self.revisions:
            return self.revisions[int(name)].config
        return {"applied": self.applied, "startup": self.startup}.get(name, set())

    def pending_revision(self) -> int:
        """Return the number of the pending revision; it is made when there is none."""
        if self.pending is None:
            self.pending = max(self.revisions) + 1
            self.revisions[self.pending] = Revision(set(self.applied), "pending")
        return self.pending

    def detach(self) -> None:
        """Drop the pending revision; it stays in the list."""
        if self.pending is not None:
            self.revisions[self.pending].state = "inactive"
            self.pending = None

    def apply(self, number: int, confirm_s: float | None) -> None:
        """Put a revision into force, with a timer where one is asked for."""
        self._before = self.applied_revision
        self._switch_to(number, "applied" if confirm_s is None else "confirm")
        self._note(number, self.spec.username)
        self.pending = None if self.pending == number else self.pending
        if confirm_s is None:
            self._auto_save()
            return
        self.confirming = number
        self._timer = self.clock.call_later(confirm_s, self._expire)

    def _switch_to(self, number: int, state: str) -> None:
        old = self.applied
        self.revisions[self.applied_revision].state = "inactive"
        self.applied_revision = number
        self.revisions[number].state = state
        asn = {path for path in self.applied if path[:3] == ("router", "bgp", "autonomous-system")}
        if not asn <= old:
            self._bgp_down_until_s = self.clock.now_s() + RESTART_S
        if {path for path in old ^ self.applied if "router" in path}:
            self.frr.drained = False

    def _note(self, number: int, user: str) -> None:
        """Write down who applied a revision."""
        at = datetime.fromtimestamp(self.clock.now_s(), UTC).isoformat()
        meta = {"method": "CLI", "reason": "Config update", "rev_id": str(number), "user": user}
        message = f"Config update by {user} via CLI"
        row: dict[str, object] = {
            "apply-id": str(number),
            "apply-meta": meta,
            "date": at,
            "message": message,
        }
        self.history.insert(0, row)
        del self.history[_MOST_HISTORY:]

    def confirm_left_s(self) -> float | None:
        """Return the time until the way back, or None."""
        return self._timer.due_s - self.clock.now_s() if self._timer else None

    def keep(self) -> None:
        """Keep the revision that waits for its confirmation."""
        if self.confirming is not None:
            self.revisions[self.confirming].state = "applied"
            self._disarm()
            self._auto_save()

    def go_back(self) -> None:
        """Apply the revision from before the one that waits for its confirmation."""
        if self.confirming is not None:
            self._disarm()
            self._switch_to(self._before, "applied")

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self.confirming = None, None

    def _expire(self) -> None:
        with self.lock:
            self.go_back()

    def _auto_save(self) -> None:
        path = ("system", "config", "auto-save", self.words.enable, self.words.off)
        if path not in self.applied:
            self.save()

    def save(self) -> None:
        """Make the applied configuration the one of the next start."""
        if not self.faults.strike("nv config save", "forget_save"):
            self.startup = set(self.applied)

    def hand_edit(self, *lines: str, save: bool = True) -> None:
        """Change the applied configuration as a person on the switch would, by ``nv`` lines."""
        with self.lock:
            config = self.applied
            for line in lines:
                _, verb, *rest = split(line)
                config = change(config, verb, rest, self.words)
            number = max(self.revisions) + 1
            self.revisions[number] = Revision(config, "pending")
            self._switch_to(number, "applied")
            self._note(number, "operator")
            if save:
                self.save()

    def on_reboot(self) -> None:
        """Drop what is pending or unconfirmed; apply the startup configuration."""
        self.frr.drained = False
        self._disarm()
        self.detach()
        number = max(self.revisions) + 1
        self.revisions[number] = Revision(set(self.startup), "pending")
        self._switch_to(number, "applied")

    def expire_timers(self) -> None:
        """Let the commit timer run out now."""
        self.go_back()

    # -- what the wires do -----------------------------------------------------------------------

    def hostname(self) -> str:
        """Return the host name of the configuration, or that of a fault."""
        return self._identity or self.value("system", "hostname") or "cumulus"

    def value(self, *path: str) -> str:
        """Return the one value below a path, or nothing."""
        return next((item[-1] for item in self.applied if item[:-1] == path), "")

    def children(self, *path: str) -> list[str]:
        """Return the keys below a path."""
        depth = len(path)
        keys = (item[depth] for item in self.applied if item[:depth] == path)
        return sorted({one for key in keys for one in key.split(",")})

    def interfaces(self) -> set[str]:
        """Return the interfaces of the configuration."""
        return {path[1] for path in self.applied if path[0] == "interface"}

    def link_up(self, name: str) -> bool:
        """Tell whether an interface is up."""
        return name not in self.ports or (self.sends_light(name) and self.lit(name))

    def sends_light(self, name: str) -> bool:
        """Tell whether a port is configured, not shut, and has its cable."""
        state = self.value("interface", name, "link", "state")
        configured = name in self.interfaces() and state != "down"
        return configured and name not in self.unplugged

    def bgp_peers(self) -> list[str]:
        """Return the peers of the default VRF."""
        peers = {path[5] for path in self.applied if path[:5] == (*_BGP, "neighbor")}
        return sorted(peers, key=lambda peer: natural((peer,)))

    def towards(self, peer: str) -> str:
        """Return the interface of a peer: its name, or the one with its subnet."""
        if peer in self.ports:
            return peer
        for path in self.applied:
            if path[0] == "interface" and path[-2:-1] == ("address",) and "/" in path[-1]:
                network = ipaddress.ip_interface(path[-1]).network
                if ipaddress.ip_address(peer) in network:
                    return path[1]
        return ""

    def bgp_up(self, peer: str) -> bool:
        """Tell whether a session is established."""
        port = self.towards(peer)
        on = self.value(*_BGP, self.words.enable) == self.words.on
        ready = on and bool(port) and self.link_up(port) and bool(self.neighbours.get(port))
        held = self._bgp_down_until_s > self.clock.now_s()
        return ready and not held and self.peer_up(peer)

    def far_asn(self, peer: str) -> int:
        """Return the AS number that the configuration gives a peer; 0 where it names none."""
        return as_number(self.value(*_BGP, "neighbor", peer, "remote-as"))

    def mac_of(self, peer: str) -> str:
        """Return the MAC address that a neighbour answers with."""
        seen = self.neighbours.get(self.towards(peer), [])
        return next((item.chassis_mac for item in seen), "") or "02:00:00:00:00:01"

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        if session not in self.bgp_peers():
            return None
        own = self.value("router", "bgp", "autonomous-system")
        return BgpEnd(as_number(own), self.far_asn(session))

    def _reboot_command(self, context: Context, _argv: list[str], _stdin: str) -> Any:
        if not context.root:
            return Result("", "Failed to set wall message, ignoring: Access denied\n", 1)
        self.reboot()
        return Result()
