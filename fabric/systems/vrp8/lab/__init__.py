"""Stand-in of a CloudEngine switch that runs Huawei VRP8: its command line over SSH.

Known and assumed of its parts: see ``vrp8_config``, ``vrp8_state``, ``vrp8_session`` and
``vrp8_show``. Known of the system (CloudEngine V300R023C00 command reference, WheaterW/INTA-project
@ 9308062d): LLDP is off until it is switched on; ports are of layer 2. Assumed: ports are up until
they are shut down. SFTP is not served: nothing of rocefab needs it.

Faults: ``accept_part`` counts commits: only the first ``count`` lines of the candidate take effect.
``expire_timer`` strikes only while a trial runs.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from fabric.lab.lines.editor import feed_text
from fabric.lab.ssh.server import SshStandIn
from fabric.lab.standin import BgpEnd, as_number, stand_ins
from fabric.platforms.catalogue import sku
from fabric.systems.vrp8.lab.config import text_lines
from fabric.systems.vrp8.lab.session import Vrp8Session
from fabric.systems.vrp8.lab.show import PortCounters, addresses, page
from fabric.systems.vrp8.lab.state import Vrp8State
from fabric.systems.vrp8.platforms import FAMILIES

if TYPE_CHECKING:
    from ipaddress import IPv4Interface, IPv6Interface

    import asyncssh

    from fabric.design.model import DeviceDesign
    from fabric.lab.clock import LabClock
    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import Neighbour as Neighbour
    from fabric.lab.spec import StandInSpec
    from fabric.lab.ssh.channel import Process
    from fabric.lab.ssh.sftp import LabSftp


@stand_ins.add("vrp8")
class Vrp8StandIn(SshStandIn):
    """One VRP8 switch.

    Parameters
    ----------
    spec : StandInSpec
        ``running`` is its configuration as text. Options: ``ports`` (names with commas).
    clock : LabClock
        Clock of trials and the uptime.

    Raises
    ------
    ValueError
        When the configuration holds a line that the switch refuses.
    """

    def __init__(self, spec: StandInSpec, clock: LabClock) -> None:
        super().__init__(spec, clock)
        names = (name.partition(":")[0] for name in spec.options.get("ports", "").split(","))
        ports = tuple(dict.fromkeys(name for name in names if name))
        family = FAMILIES.get(spec.options.get("asic") or sku(spec.model).asic)
        running = str(spec.running or "")
        self.state: Vrp8State = Vrp8State(clock, running, ports, family.name if family else "")
        self._counters: dict[str, PortCounters] = {}

    @staticmethod
    def factory(design: DeviceDesign, mac: str) -> str:
        """Return what a switch with nothing but management access has."""
        return page("factory", name=design.name)

    async def _serve(self, process: Process) -> None:
        await Vrp8Session(self, process).serve()

    def _sftp(self, channel: asyncssh.SSHServerChannel[bytes]) -> LabSftp:
        raise PermissionError("SFTP is off")

    # -- configuration ---------------------------------------------------------------------------

    @property
    def running_text(self) -> str:
        """The running configuration as text, without the comment lines above it."""
        with self.lock:
            return "\n".join([*text_lines(self.state.running), ""])

    @property
    def startup_text(self) -> str:
        """The startup configuration as text, without the comment lines above it."""
        with self.lock:
            return "\n".join([*text_lines(self.state.startup), ""])

    def hand_edit(self, lines: str) -> None:
        """Change and commit as a person at the console would; indented as the configuration is.

        Raises
        ------
        ValueError
            When a line is refused; the lines before it are applied.
        """
        with self.lock:
            feed_text(self.state.editor(self.state.running), lines)
            self.state.note("operator")

    def on_reboot(self) -> None:
        """Load what was saved; a trial is forgotten."""
        self.state.reboot()

    @property
    def armed(self) -> bool:
        """Whether a trial runs."""
        return self.state.trial is not None

    def expire_timers(self) -> None:
        """Let the trial run out now."""
        with self.lock:
            self.state.go_back()

    # -- what the wires do -----------------------------------------------------------------------

    def hostname(self) -> str:
        """Return the host name of the configuration, or that of a fault."""
        return self._identity or self.state.hostname

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port, to be changed in place."""
        return self._counters.setdefault(port, PortCounters())

    def ports_of(self) -> list[Section]:
        """Return the ports of the hardware."""
        return [node for node in self.state.running.sorted() if node.mode == "port"]

    def link_up(self, name: str) -> bool:
        """Tell whether a port is up."""
        return bool(self.neighbours.get(name)) and self.sends_light(name) and self.lit(name)

    def sends_light(self, name: str) -> bool:
        """Tell whether a port is not shut and has its cable."""
        with self.lock:
            sections = [node for node in self.ports_of() if node.line == f"interface {name}"]
            shut = not sections or sections[0].has("shutdown")
            return not shut and name not in self.unplugged

    def addresses(self) -> list[tuple[str, IPv4Interface | IPv6Interface]]:
        """Return the addresses of the switch by interface, without those of its management."""
        known = addresses(self.state.running)
        return [(name, address) for name, address in known if not name.startswith("MEth")]

    def _bgp(self) -> Section | None:
        return next(iter(self.state.running.below("bgp ")), None)

    def bgp_peers(self, *, is_ipv6: bool | None = None) -> list[str]:
        """Return the peers of the public network; without a family those of both."""
        bgp = self._bgp()
        lines = bgp.below("peer ") if bgp else []
        peers = [node.line.split()[1] for node in lines if " as-number " in node.line]
        return [peer for peer in peers if is_ipv6 in {None, ":" in peer}]

    def bgp_ports(self) -> dict[str, str]:
        """Return the ports over which a peer is found, each with its group."""
        bgp = self._bgp()
        lines = [node.line.split() for node in bgp.below("peer ")] if bgp else []
        return {words[-1]: words[1] for words in lines if words[2] == "unnumbered-interface"}

    def has_bfd(self, peer: str) -> bool:
        """Tell whether BFD watches a peer."""
        bgp = self._bgp()
        return bgp is not None and bool(bgp.below(f"peer {peer} bfd enable"))

    def towards(self, peer: str) -> str:
        """Return the interface with the subnet of a peer."""
        for name, address in self.addresses():
            if ip_address(peer) in address.network and str(address.ip) != peer:
                return name
        return ""

    def bgp_up(self, peer: str) -> bool:
        """Tell whether a session is established."""
        bgp = self._bgp()
        group = self.bgp_ports().get(peer)
        family = "ipv6" if group is None and ":" in peer else "ipv4"
        families = bgp.below(f"{family}-family unicast") if bgp else []
        enabled = any(family.has(f"peer {group or peer} enable") for family in families)
        port = self.towards(peer) if group is None else self._finding(peer)
        return enabled and bool(port) and self.link_up(port) and self.peer_up(peer)

    def _finding(self, port: str) -> str:
        """Return a port if it tells its peer of its link-local address, else nothing."""
        node = self.state.running.children.get(f"interface {port}")
        needed = ("ipv6 enable", "ipv6 address auto link-local", "ipv6 nd ra halt disable")
        return port if node and all(node.has(line) for line in needed) else ""

    def mac_of(self, port: str) -> str:
        """Return the MAC address that the neighbour of a port answers with."""
        seen = self.neighbours.get(port, [])
        return next((item.chassis_mac for item in seen), "") or "02:00:00:00:00:01"

    def bgp_end(self, session: str) -> BgpEnd | None:
        """Return the AS numbers of a session, or None."""
        with self.lock:
            bgp = self._bgp()
            if bgp is None or session not in (*self.bgp_peers(), *self.bgp_ports()):
                return None
            peer = self.bgp_ports().get(session, session)
            expected = bgp.value(f"peer {peer} as-number")
            return BgpEnd(as_number(bgp.line.split()[1]), as_number(expected))
