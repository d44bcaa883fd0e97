"""The show commands of the NX-OS stand-in, as JSON bodies or as text.

Known: fields and nesting of napalm-automation/napalm ``test/nxos/mocked_data``; layouts of
networktocode/ntc-templates and of open-telemetry/opentelemetry-collector-contrib
``receiver/ciscoosreceiver``; ``show scheduler schedule`` as printed by devices (public scripts that
match it). A table of one row is an object, of several a list. Routes: see the reader of them.
Assumed: a port is up when it is enabled and the lab has a cable on it; a BGP neighbour is
established when its subnet is on a port that is up and the far end agrees; nothing was learnt by
ARP; counters are what a test sets; a VRF that is not there is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import TYPE_CHECKING, Any

from fabric.lab.pages import pages, parsed
from fabric.observe.configuration.model import is_address
from fabric.systems.nxos.lab.config import policies_of, text_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import StandInSpec
    from fabric.lab.standin import Cabled
    from fabric.systems.nxos.lab.state import NxosState

_DOTTED = re.compile(r"(..):(..):(..):(..):(..):(..)")


def dotted(mac: str) -> str:
    """Return ``02:42:ac:11:00:02`` as ``0242.ac11.0002``."""
    return _DOTTED.sub(r"\1\2.\3\4.\5\6", mac)


@dataclass(slots=True)
class PortCounters:
    """Counters of one port, for a test to set; pause frames by priority, packets by group."""

    pause_received: dict[int, int] = field(default_factory=dict)
    pause_sent: dict[int, int] = field(default_factory=dict)
    packets: dict[int, int] = field(default_factory=dict)
    drops: dict[int, int] = field(default_factory=dict)
    storms: dict[int, int] = field(default_factory=dict)
    in_errors: int = 0


@dataclass(slots=True)
class View:
    """Everything that a show command may look at."""

    wires: Cabled
    state: NxosState
    version: str
    counters: dict[str, PortCounters] = field(default_factory=dict)
    alias: str = ""

    @property
    def spec(self) -> StandInSpec:
        """Who the switch is."""
        return self.wires.spec

    @property
    def hostname(self) -> str:
        """Name that the switch gives itself."""
        return self.alias or self.state.running.value("hostname") or "switch"

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port."""
        return self.counters.get(port) or PortCounters()

    def ports(self) -> list[Section]:
        """Return the front ports."""
        return list(self.state.running.below("interface Ethernet"))

    def up(self, port: Section) -> bool:
        """Tell whether a port is enabled and has a cable."""
        name = port.line.removeprefix("interface ")
        if port.mode == "if-vlan":
            return port.has("no shutdown")
        linked = port.mode != "if-ethernet" or (
            name in self.wires.neighbours and self.wires.lit(name)
        )
        return linked and not port.has("shutdown")

    def interfaces(self) -> list[Section]:
        """Return all interfaces."""
        return self.state.running.below("interface ")

    def speed(self, port: Section) -> str:
        """Return the configured speed of a port."""
        speed_mbps = int(port.value("speed") or 0)
        return f"{speed_mbps // 1000} Gb/s" if speed_mbps else "auto-speed"

    def peers(self, bgp: Section, family: str = "") -> list[tuple[str, str, bool]]:
        """Return address, AS number and whether the session is up, of each neighbour.

        A family is ``4`` or ``6``: neighbours with its routes.
        """
        networks = [
            (ip_interface(value).network, port)
            for port in self.interfaces()
            for value in (port.value("ip address"), port.value("ipv6 address"))
            if "/" in value
        ]
        peers = []
        for node in bgp.below("neighbor "):
            if family and not node.has(f"address-family ipv{family} unicast"):
                continue
            address, asn = node.line.split()[1], node.value("remote-as")
            linked = self._over(address) or any(
                is_address(address) and ip_address(address) in network and self.up(port)
                for network, port in networks
            )
            up = linked and not node.has("shutdown") and self.wires.peer_up(address)
            peers += [(address, asn, up)] if asn else []
        return peers

    def _over(self, session: str) -> bool:
        """Tell whether a session is over a port that is up and has a link-local address."""
        port = self.state.running.children.get(f"interface {session}")
        return bool(port and port.has("ipv6 address use-link-local-only") and self.up(port))

    def paused(self, port: Section) -> list[int]:
        """Return the priorities that a port pauses."""
        bitmap = self.pausing(port)
        return [group for group in range(8) if bitmap >> group & 1]

    def pausing(self, port: Section) -> int:
        """Return the bitmap of the priorities that a port pauses."""
        if not self.up(port) or port.value("priority-flow-control mode") != "on":
            return 0
        system = self.state.running.children.get("system qos")
        name = system.value("service-policy type network-qos") if system else ""
        policy = self.state.running.children.get(f"policy-map type network-qos {name}")
        classes = policy.children.values() if policy else ()
        return sum(1 << int(one.value("pause pfc-cos")) for one in classes if one.value("pause"))


page = pages(__file__, dotted=dotted)


def _body(name: str) -> Callable[[View], dict[str, Any]]:
    """Return what fills a JSON template; a table of one row is an object, of several a list."""

    def show(view: View) -> dict[str, Any]:
        text = page(f"json/{name}", view=view, uptime_s=int(view.state.uptime_s))
        answer: dict[str, Any] = _unlisted(parsed(text))
        return answer

    return show


def _unlisted(value: Any) -> Any:
    if isinstance(value, list):
        rows = [_unlisted(row) for row in value]
        return rows[0] if len(rows) == 1 else rows
    if isinstance(value, dict):
        return {key: _unlisted(inner) for key, inner in value.items()}
    return value


def show_lldp(view: View) -> str:
    """Return ``show lldp neighbors``."""
    ports = {port.line.removeprefix("interface "): port for port in view.ports()}
    heard = [
        one
        for one in view.spec.neighbours
        if (port := ports.get(one.local_port)) and view.up(port) and not port.has("no lldp receive")
    ]
    return page("lldp", heard=heard)


def show_bfd(view: View) -> str:
    """Return ``show bfd neighbors``."""
    peers = [
        (address, "Up" if up else "Down")
        for bgp in view.state.running.below("router bgp ")
        for address, _, up in view.peers(bgp)
        if bgp.children[f"neighbor {address}"].has("bfd")
    ]
    return page("bfd", peers=peers)


def show_queuing(view: View) -> str:
    """Return ``show queuing interface``."""
    groups = {0}
    for name in policies_of(view.state.running, "qos"):
        policy = view.state.running.children[f"policy-map type qos {name}"]
        groups |= {int(one.value("set qos-group")) for one in policy.children.values()}
    return page("queuing", view=view, groups=sorted(groups))


def show_schedules(view: View) -> str:
    """Return ``show scheduler schedule``."""
    schedules = []
    for node in view.state.running.below("scheduler schedule name "):
        name = node.line.split()[-1]
        jobs = [job.line.split()[-1] for job in node.below("job name ")]
        schedules.append((name, node.value("time"), view.state.schedules.get(name), jobs))
    return page("schedules", view=view, schedules=schedules)


_ROUTE = re.compile(r"show ip route ([0-9./]+) vrf (\S+)")


def show_route(view: View, command: str) -> str | None:
    """Return ``show ip route PREFIX vrf NAME``, or None where there is no such command or VRF."""
    asked = _ROUTE.fullmatch(command)
    if asked is None or not view.state.running.has(f"vrf context {asked[2]}"):
        return None
    has_route = view.wires.has_route(asked[2], asked[1])
    return page("route", prefix=asked[1], vrf=asked[2], has_route=has_route)


def show_configuration(view: View, kind: str) -> str:
    """Return ``show running-config`` or ``show startup-config``."""
    tree = view.state.running if kind == "running-config" else view.state.startup
    text = page("configuration", view=view, kind=kind, lines=text_lines(tree))
    return re.sub(r"(?m)^hostname .*$", f"hostname {view.alias}", text) if view.alias else text


BODIES: dict[str, Callable[[View], dict[str, Any]]] = {
    "show version": _body("version"),
    "show hostname": lambda view: {"hostname": view.hostname},
    "show inventory": _body("inventory"),
    "show interface": _body("interface"),
    "show bgp all summary vrf all": _body("bgp"),
    "show ip arp vrf all": _body("arp"),
    "show mac address-table": _body("macs"),
}
TEXTS: dict[str, Callable[[View], str]] = {
    "show hostname": lambda view: f"{view.hostname} \n",
    "show lldp neighbors": show_lldp,
    "show bfd neighbors": show_bfd,
    "show interface priority-flow-control": lambda view: page("pfc", view=view),
    "show queuing interface": show_queuing,
    "show queuing pfc-queue detail": lambda view: page("watchdog", view=view),
    "show interface transceiver details": lambda view: page("transceivers", view=view),
    "show environment temperature": lambda view: page("temperature", view=view),
    "show vdc": lambda view: page("vdc", view=view),
    "show scheduler schedule": show_schedules,
    "show checkpoint summary": lambda view: page("checkpoints", view=view),
    "show accounting log": lambda view: "".join(view.state.accounting) or "\n",
    "show running-config": lambda view: show_configuration(view, "running-config"),
    "show startup-config": lambda view: show_configuration(view, "startup-config"),
}
#: Shows that exist only while a feature is on.
NEEDS = {
    "show bgp all summary vrf all": "bgp",
    "show lldp neighbors": "lldp",
    "show bfd neighbors": "bfd",
    "show scheduler schedule": "scheduler",
}
