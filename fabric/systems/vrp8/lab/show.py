"""What the VRP8 stand-in displays.

Known: layouts of the samples in the CloudEngine V300R023C00 command reference
(WheaterW/INTA-project @ 9308062d). Assumed: ports without a neighbour have no LLDP entry; queues
that nobody counted passed nothing; tables of PFC name each port in each row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import unified_diff
from ipaddress import IPv4Address, IPv4Interface
from typing import TYPE_CHECKING

from fabric.lab.lines.grammar import LineRefusedError
from fabric.systems.vrp8.lab.config import UNKNOWN, text_lines
from fabric.systems.vrp8.lab.reasons import priorities
from fabric.systems.vrp8.lab.state import configuration_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.lab.lines.tree import Node
    from fabric.systems.vrp8.lab import Vrp8StandIn
    from fabric.systems.vrp8.lab.state import Candidate

CLASSES = 8
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
    found = _COMMANDS.get(command)
    if found is None:
        raise LineRefusedError(UNKNOWN)
    return found(switch)


def _table(head: list[str], rows: list[str], *, before: list[str] | None = None) -> str:
    rule = "-" * max(len(line) for line in head)
    return "\n".join([*(before or [rule]), *head, rule, *rows, rule, ""])


def _version(switch: Vrp8StandIn) -> str:
    minutes = int(switch.state.uptime_s / 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    return (
        "Huawei Versatile Routing Platform Software\n"
        "YunShan OS, Version 1.23.0.2 (CloudEngine 58&68&78&88&98 V300R023C00)\n"
        "Copyright (C) 2021-2023 Huawei Technologies Co., Ltd.\n"
        f"HUAWEI {switch.spec.model} uptime is {days} day, {hours} hours, {minutes % 60} minutes\n"
    )


def huawei_mac(mac: str) -> str:
    """Return a MAC address as the system writes it."""
    digits = mac.replace(":", "").lower()
    return "-".join(digits[at : at + 4] for at in range(0, 12, 4))


def _name(port: Node) -> str:
    return port.line.removeprefix("interface ")


def _interfaces(switch: Vrp8StandIn) -> str:
    lines: list[str] = []
    for port in switch.ports_of():
        name = _name(port)
        routed = port.has("undo portswitch")
        up, counted = switch.link_up(name), switch.count(name)
        word = "UP" if up else "DOWN"
        frame = port.value("jumboframe enable") or "9216"
        kind = (
            f"Route Port,The Maximum Transmit Unit is {port.value('mtu') or 1500},"
            if routed
            else f"Switch Port, PVID : {port.value('port default vlan') or 1}, TPID : 8100(Hex), "
        )
        split = f"port split dimension interface {name.partition(':')[0]} split-type"
        speed = _SPEED.match(switch.state.running.value(split) or name)
        rate = int(speed[1]) * 1000 if up and speed else "AUTO"
        state = "Administratively DOWN" if port.has("shutdown") else word
        lines += [
            f"{name} current state : {state} (ifindex: {len(lines) + 5})",
            f"Line protocol current state : {word}",
            f"Description: {port.value('description')}".rstrip(),
            f"{kind}The Maximum Frame Length is {frame}",
            "Port Mode:     COMMON FIBER,     Port Split/Aggregate:         DISABLE",
            f"Speed:{rate:>21},     Loopback:                        NONE",
            f"Mdi:                      -,     Fec:{'RS-FEC' if up else '-':>33}",
            f"    Input :{counted.in_bytes:>19} bytes,{counted.in_bytes // 1000:>19} packets",
            f"    Output:{counted.out_bytes:>19} bytes,{counted.out_bytes // 1000:>19} packets",
            "    Input:",
            f"      Discard:{0:>23},   Frames:{0:>27}",
            "    Output:",
            f"      Discard:{sum(counted.drops.values()):>23},   Buffers Purged:{0:>19}",
            "    Last 300 seconds output utility rate: 0.00%",
        ]
    return "\n".join([*lines, ""])


def _lldp(switch: Vrp8StandIn) -> str:
    if not switch.state.running.has("lldp enable"):
        message = "Error: Global LLDP is not enabled."
        raise LineRefusedError(message)
    lines = []
    for port in switch.ports_of():
        cabled = switch.neighbours.get(_name(port), [])
        seen = cabled if switch.link_up(_name(port)) else []
        if cabled:  # assumed: a port without light is counted with 0
            lines += [f"{_name(port)} has {len(seen)} neighbor(s):", ""]
        for index, neighbour in enumerate(seen, 1):
            lines += [
                f"Neighbor index                     :{index}",
                "Port ID subtype                    :Interface Name",
                f"Port ID                            :{neighbour.port_id}",
                "Port description                   :--",
                f"System name                        :{neighbour.system_name}",
                "Discovered time                    :2026-11-20 09:15:43",
                "",
            ]
    return "\n".join([*lines, ""])


def _bgp(switch: Vrp8StandIn) -> str:
    bgp = next(iter(switch.state.running.below("bgp ")), None)
    if bgp is None:
        message = "Error: BGP is not enabled."
        raise LineRefusedError(message)
    peers = switch.bgp_peers()
    up = [peer for peer in peers if switch.bgp_up(peer)]
    lines = [
        " Status codes: * - Dynamic",
        f" BGP local router ID        : {bgp.value('router-id')}",
        f" Local AS number            : {bgp.line.removeprefix('bgp ')}",
        f" Total number of peers      : {len(peers)}",
        f" Peers in established state : {len(up)}",
        " Total number of dynamic peers : 0",
        "",
        "  Peer            V          AS  MsgRcvd  MsgSent  OutQ  Up/Down       State  PrefRcv",
    ]
    for peer in peers:
        asn = bgp.value(f"peer {peer} as-number")
        word = "Established" if peer in up else "Idle"
        lines.append(f"  {peer:<16}4 {asn:>11}      622      953     0 00:43:00 {word:>11} {0:>8}")
    return "\n".join([*lines, ""])


def _bfd(switch: Vrp8StandIn) -> str:
    if not switch.state.running.has("bfd"):
        message = "Error: BFD is not enabled globally."
        raise LineRefusedError(message)
    watched = [peer for peer in switch.bgp_peers() if switch.has_bfd(peer)]
    up = [peer for peer in watched if switch.bgp_up(peer)]
    rows = [
        f"{16385 + at:<11}{16385:<11}{peer:<16}{'Up' if peer in up else 'Down':<10}"
        f"{'D/IP-IF':<12}{switch.towards(peer) or '-'}"
        for at, peer in enumerate(watched)
    ]
    head = f"{'Local':<11}{'Remote':<11}{'PeerIpAddr':<16}{'State':<10}{'Type':<12}InterfaceName"
    total = f"Total UP/DOWN Session Number : {len(up)}/{len(watched) - len(up)}"
    return _table([head], rows, before=["S: Static session", total, "-" * len(head)])


def _arp(switch: Vrp8StandIn) -> str:
    rows = []
    for name, address in switch.addresses():
        own = f"{address.ip!s:<16}{huawei_mac(switch.spec.mac):<15}{'':<7} I{'':<11}{name}"
        rows.append(own)
    dynamic = 0
    for name, address in switch.addresses():
        seen = switch.neighbours.get(name, [])
        if seen and address.network.num_addresses == 2:  # noqa: PLR2004 - the far end of a link
            far = IPv4Address(int(address.ip) ^ 1)
            mac = huawei_mac(switch.mac_of(name))
            rows.append(f"{far!s:<16}{mac:<15}{17:<7} D{'':<11}{name}")
            dynamic += 1
    head = "IP ADDRESS      MAC ADDRESS    EXP(M) TYPE/VLAN       INTERFACE        VPN-INSTANCE"
    total = (
        f"Total:{len(rows)}    Dynamic:{dynamic}    Static:0    Interface:{len(rows) - dynamic}"
        "    OpenFlow:0\nRedirect:0\n"
    )
    return _table([head], rows, before=["ARP Entry Types: D - Dynamic, S - Static"]) + total


def _macs(switch: Vrp8StandIn) -> str:
    rows = []
    for port in switch.ports_of():
        vlan = port.value("port default vlan")
        seen = switch.neighbours.get(_name(port), []) if switch.link_up(_name(port)) else []
        if vlan and seen:
            mac = huawei_mac(switch.mac_of(_name(port)))
            rows.append(f"{mac:<18}{f'{vlan}/-/-':<28}{_name(port):<20}dynamic{30:>11}")
    head = "MAC Address       VLAN/VSI/BD                 Learned-From        Type        Age"
    rule = "-" * len(head)
    return _table([head], rows, before=["Flags: * - Backup", rule]) + f"Total items: {len(rows)}\n"


def pausing(switch: Vrp8StandIn, port: Node) -> set[int]:
    """Return the priorities that a port pauses."""
    root = switch.state.running
    enabled = [found for node in port.sorted() if (found := _ENABLED.fullmatch(node.line))]
    if not enabled or root.has("dcb pfc global disable"):
        return set()
    name = enabled[0][1] or "default"
    profiles = [n for n in root.below("dcb pfc") if n.line.removeprefix("dcb pfc ") == name]
    return priorities(profiles[0], name) if profiles else {3}


def _paused(switch: Vrp8StandIn) -> Iterator[tuple[str, int, PortCounters]]:
    for port in switch.ports_of():
        for queue in sorted(pausing(switch, port)):
            yield _name(port), queue, switch.count(_name(port))


def _pfc(switch: Vrp8StandIn) -> str:
    rows = []
    for name, queue, counted in _paused(switch):
        received, sent = counted.pause_received.get(queue, 0), counted.pause_sent.get(queue, 0)
        storms = counted.deadlocks.get(queue, 0)
        rows.append(f"{name:<18}{queue:>6}{received:>24}{0:>25}{storms:>16}")
        rows.append(f"{'':<24}{sent:>24}{0:>25}{storms:>16}")
    head = [
        "Interface         Queue         Received(Frames)        ReceivedRate(pps)     DeadlockNum",
        "                             Transmitted(Frames)     TransmittedRate(pps)     RecoveryNum",
    ]
    return _table(head, rows)


def _deadlocks(switch: Vrp8StandIn) -> str:
    rows = []
    for name, queue, counted in _paused(switch):
        off = queue in counted.turned_off
        status = "TurnOff" if off else "LinkUp" if switch.link_up(name) else "LinkDown"
        rows.append(f"{name:<15}{queue:>5}  {'TurnOff':<12}{30:>8}  {status}")
    return _table(["Interface      Queue  TriggerMode Threshold  Status"], rows)


def _marked(switch: Vrp8StandIn) -> str:
    names = [_name(port) for port in switch.ports_of()]
    rows = [f"{name:<30}{switch.count(name).marked}" for name in names]
    return _table(["Interface          ECN-marked packets"], rows, before=[])


def _queues(switch: Vrp8StandIn) -> str:
    rule = f" {'-' * 94}"
    lines = []
    for port in switch.ports_of():
        counted = switch.count(_name(port))
        lines += [f" Queue statistics info: interface {_name(port)}", rule]
        lines += [" Queue   CIR/PIR   Passed   Pass Rate   Dropped   Drop Rate  Drop Time"]
        lines += ["     (% or kbps)     (Packets/Bytes)     (pps/bps)     (Packets/Bytes)", rule]
        for queue in range(CLASSES):
            packets, drops = counted.packets.get(queue, 0), counted.drops.get(queue, 0)
            lines.append(f"{queue:>6}{0:>10}{packets:>20}{0:>14}{drops:>20}{0:>14}          -")
            lines.append(f"{100000000:>16}{packets * 1000:>20}{0:>14}{drops * 1000:>20}{0:>14}")
            lines.append(rule)
    return "\n".join([*lines, ""])


_COMMANDS: dict[str, Callable[[Vrp8StandIn], str]] = {
    "display current-configuration | include sysname": lambda s: f"sysname {s.hostname()}\n",
    "display version": _version,
    "display device esn": lambda s: f" ESN of slot 1: {s.spec.serial}\n",
    "display system mac-address": lambda s: (
        f"Current System MAC address: {huawei_mac(s.spec.mac)}\nCurrent System MAC number : 16\n"
    ),
    "display current-configuration": lambda s: configuration_text(s.state.running),
    "display saved-configuration": lambda s: configuration_text(s.state.startup),
    "display configuration trial status": lambda s: s.state.trial_status(),
    "display interface main": _interfaces,
    "display lldp neighbor": _lldp,
    "display bgp peer": _bgp,
    "display bfd session all": _bfd,
    "display arp": _arp,
    "display mac-address": _macs,
    "display dcb pfc": _pfc,
    "display dcb pfc deadlock trigger status": _deadlocks,
    "display qos ecn statistics": _marked,
    "display qos queue statistics slot 1": _queues,
}


def addresses(root: Node) -> list[tuple[str, IPv4Interface]]:
    """Return the addresses of a configuration by interface."""
    found = []
    for node in root.below("interface "):
        for line in node.below("ip address "):
            words = line.line.split()
            found.append((_name(node), IPv4Interface(f"{words[2]}/{words[3]}")))
    return found
