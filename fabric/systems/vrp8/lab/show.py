"""What the VRP8 stand-in displays.

Known: layouts of the samples in the CloudEngine V300R023C00 command reference
(WheaterW/INTA-project @ 9308062d). Assumed: ports without a neighbour have no LLDP entry; queues
that nobody counted passed nothing; tables of PFC name each port in each row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import unified_diff
from ipaddress import IPv4Address, IPv4Interface, IPv6Interface
from typing import TYPE_CHECKING, Any

from fabric.book.grammar import LineRefusedError
from fabric.lab.pages import pages
from fabric.systems.vrp8.lab.config import UNKNOWN, text_lines
from fabric.systems.vrp8.lab.reasons import priorities

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.lines.tree import Section
    from fabric.systems.vrp8.lab import Vrp8StandIn
    from fabric.systems.vrp8.lab.state import Candidate

_ENABLED = re.compile(r"dcb pfc enable(?: (?!mode )(\S+))?(?: mode \w+)?")
_SPEED = re.compile(r"(?:.*\*)?(\d+)GE")


@dataclass(slots=True)
class PortCounters:
    """Counters of one port, to be set by a test; by queue or priority where they are many."""

    in_bytes: int = 0
    out_bytes: int = 0
    drops: dict[int, int] = field(default_factory=dict)
    packets: dict[int, int] = field(default_factory=dict)
    pause_received: dict[int, int] = field(default_factory=dict)
    pause_sent: dict[int, int] = field(default_factory=dict)
    deadlocks: dict[int, int] = field(default_factory=dict)
    turned_off: set[int] = field(default_factory=set)
    marked: int = 0


def show(switch: Vrp8StandIn, command: str, candidate: Candidate) -> str:
    """Return what a ``display`` command prints.

    Raises
    ------
    LineRefusedError
        When the switch knows no such command, or what it is about is off.
    """
    state = switch.state
    if command in ("display configuration candidate changes", "display configuration candidate"):
        old = list(text_lines(state.running))
        new = list(text_lines(candidate.editor.root)) if candidate.editor else old
        return "".join(f"{line}\n" for line in list(unified_diff(old, new, lineterm="", n=0))[2:])
    command_page = _COMMANDS.get(command)
    if command_page is None:
        raise LineRefusedError(UNKNOWN)
    return command_page(switch)


def huawei_mac(mac: str) -> str:
    """Return a MAC address as the system writes it."""
    digits = mac.replace(":", "").lower()
    return "-".join(digits[at : at + 4] for at in range(0, 12, 4))


page = pages(__file__, huawei=huawei_mac)


def _version(switch: Vrp8StandIn) -> str:
    hours, minutes = divmod(int(switch.state.uptime_s / 60), 60)
    days, hours = divmod(hours, 24)
    return page("version", switch=switch, days=days, hours=hours, minutes=minutes)


def _name(port: Section) -> str:
    return port.line.removeprefix("interface ")


def _interfaces(switch: Vrp8StandIn) -> str:
    ports = [_port(switch, port, number) for number, port in enumerate(switch.ports_of())]
    return page("interfaces", ports=ports)


def _port(switch: Vrp8StandIn, port: Section, number: int) -> dict[str, Any]:
    name = _name(port)
    up = switch.link_up(name)
    split = f"port split dimension interface {name.partition(':')[0]} split-type"
    speed = _SPEED.match(switch.state.running.value(split) or name)
    return {
        "name": name,
        "state": "UP" if up else "DOWN",
        "shut": port.has("shutdown"),
        "index": 14 * number + 5,
        "description": port.value("description"),
        "routed": port.has("undo portswitch"),
        "mtu": port.value("mtu") or 1500,
        "vlan": port.value("port default vlan") or 1,
        "frame": port.value("jumboframe enable") or "9216",
        "rate": int(speed[1]) * 1000 if up and speed else "AUTO",
        "count": switch.count(name),
    }


def _lldp(switch: Vrp8StandIn) -> str:
    _needs(switch, "lldp enable", "Global LLDP is not enabled.")
    names = [_name(port) for port in switch.ports_of()]
    # Assumed: a port without light is counted with 0.
    ports = [
        (name, switch.neighbours[name] if switch.link_up(name) else [])
        for name in names
        if switch.neighbours.get(name)
    ]
    return page("lldp", ports=ports)


def _needs(switch: Vrp8StandIn, line: str, message: str) -> None:
    if not switch.state.running.has(line):
        raise LineRefusedError(f"Error: {message}")


def _bgp(switch: Vrp8StandIn, *, is_ipv6: bool = False) -> str:
    bgp = next(iter(switch.state.running.below("bgp ")), None)
    if bgp is None:
        raise LineRefusedError("Error: BGP is not enabled.")
    peers = switch.bgp_peers(is_ipv6=is_ipv6)
    return page("bgp", bgp=bgp, peers=peers, up=[peer for peer in peers if switch.bgp_up(peer)])


def _bgp_over_ports(switch: Vrp8StandIn) -> str:
    bgp = next(iter(switch.state.running.below("bgp ")), None)
    if bgp is None:
        raise LineRefusedError("Error: BGP is not enabled.")
    ports = switch.bgp_ports()
    up = [port for port in ports if switch.bgp_up(port)]
    asns = {port: switch.asn_there(port) for port in ports}
    return page("bgp_ports", bgp=bgp, asns=asns, up=up)


def _bfd(switch: Vrp8StandIn) -> str:
    _needs(switch, "bfd", "BFD is not enabled globally.")
    peers = [peer for peer in switch.bgp_peers() if switch.has_bfd(peer)]
    up = [peer for peer in peers if switch.bgp_up(peer)]
    return page("bfd", switch=switch, peers=peers, up=up)


def _arp(switch: Vrp8StandIn) -> str:
    own = [
        (name, address)
        for name, address in switch.addresses()
        if isinstance(address, IPv4Interface)
    ]
    far = [
        (name, IPv4Address(int(address.ip) ^ 1), switch.mac_of(name))
        for name, address in own
        if switch.neighbours.get(name) and address.network.num_addresses == 2  # noqa: PLR2004
    ]
    return page("arp", switch=switch, own=own, far=far)


def _macs(switch: Vrp8StandIn) -> str:
    ports = [(_name(port), port.value("port default vlan")) for port in switch.ports_of()]
    macs = [
        (name, vlan, switch.mac_of(name))
        for name, vlan in ports
        if vlan and switch.link_up(name) and switch.neighbours.get(name)
    ]
    return page("macs", macs=macs)


def pausing(switch: Vrp8StandIn, port: Section) -> set[int]:
    """Return the priorities that a port pauses."""
    root = switch.state.running
    enabled = [match for node in port.sorted() if (match := _ENABLED.fullmatch(node.line))]
    if not enabled or root.has("dcb pfc global disable"):
        return set()
    name = enabled[0][1] or "default"
    profiles = [n for n in root.below("dcb pfc") if n.line.removeprefix("dcb pfc ") == name]
    return priorities(profiles[0], name) if profiles else {3}


def _counted(name: str) -> Callable[[Vrp8StandIn], str]:
    """Return what prints a table of counters."""

    def show(switch: Vrp8StandIn) -> str:
        ports = switch.ports_of()
        names = [_name(port) for port in ports]
        paused = [
            (_name(port), queue, switch.count(_name(port)))
            for port in ports
            for queue in sorted(pausing(switch, port))
        ]
        return page(name, switch=switch, names=names, paused=paused)

    return show


def configuration_text(root: Section) -> str:
    """Return a configuration as ``display current-configuration`` prints it."""
    return page("configuration", lines=text_lines(root))


_COMMANDS: dict[str, Callable[[Vrp8StandIn], str]] = {
    "display current-configuration | include sysname": lambda s: f"sysname {s.hostname()}\n",
    "display version": _version,
    "display device esn": lambda s: f" ESN of slot 1: {s.spec.serial}\n",
    "display system mac-address": lambda s: page("mac-address-of-system", switch=s),
    "display current-configuration": lambda s: configuration_text(s.state.running),
    "display saved-configuration": lambda s: configuration_text(s.state.startup),
    "display configuration commit list verbose": lambda s: s.state.commit_list() or "\n",
    "display configuration trial status": lambda s: s.state.trial_status(),
    "display interface main": _interfaces,
    "display lldp neighbor": _lldp,
    "display bgp peer": _bgp,
    "display bgp ipv6 peer": lambda switch: _bgp(switch, is_ipv6=True),
    "display bgp unnumbered peer": _bgp_over_ports,
    "display bfd session all": _bfd,
    "display arp": _arp,
    "display mac-address": _macs,
    "display dcb pfc": _counted("pfc"),
    "display dcb pfc deadlock trigger status": _counted("deadlocks"),
    "display qos ecn statistics": _counted("marked"),
    "display qos queue statistics slot 1": _counted("queues"),
}


def addresses(root: Section) -> list[tuple[str, IPv4Interface | IPv6Interface]]:
    """Return the addresses of a configuration by interface."""
    known: list[tuple[str, IPv4Interface | IPv6Interface]] = []
    for node in root.below("interface "):
        for line in node.below("ip address "):
            words = line.line.split()
            if words[2] != "unnumbered":
                known.append((_name(node), IPv4Interface(f"{words[2]}/{words[3]}")))
        for line in node.below("ipv6 address "):
            words = line.line.split()
            if words[2] != "auto":
                known.append((_name(node), IPv6Interface(words[2])))
    return known
