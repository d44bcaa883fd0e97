"""What the stand-in prints: ``nv show``, and the Linux tools beside it.

Known: the layouts of CumulusNetworks/docs, content/cumulus-linux-510 and -514 (Quality of Service,
RDMA over Converged Ethernet, Virtual Router Redundancy for ``nv show interface``, Bidirectional
Forwarding Detection for ``ptmctl``), FRRouting/frr bgpd/bgp_vty.c for the summary of BGP, lldpd for
``lldpcli -f json``, ``decode-syseeprom`` with its checksum line. Assumed: counts of prefixes, and
that nobody talks on the wires, so that counters stand still until a test moves them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.core.units import BYTES_PER_KIB
from fabric.lab.lines.tree import natural
from fabric.lab.shell.state import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.cumulus.lab import CumulusStandIn

_COUNT = 8
_ROCE_DEFAULTS = {"min-threshold": 150_000, "max-threshold": 1_500_000, "probability": 100}


def show(device: CumulusStandIn, words: list[str]) -> Result:
    """Answer ``nv show``."""
    match words:
        case ["interface"]:
            return Result(_interfaces(device))
        case ["qos", "roce"]:
            return Result(_roce(device))
        case ["interface", port, *what] if port in device.ports:
            pages: dict[tuple[str, ...], Callable[[CumulusStandIn, str], str]] = {
                ("counters", "qos"): _counters,
                ("qos", "pfc-watchdog"): _watchdog,
                ("qos", "roce", "counters"): _roce_counters,
            }
            if tuple(what) in pages:
                return Result(pages[tuple(what)](device, port))
    return Result("", f"Error: Invalid Command: show {' '.join(words)}\n", 1)


def tools(device: CumulusStandIn) -> dict[str, Tool]:
    """Return the Linux tools of the switch."""
    return {
        "vtysh": lambda context, argv, _stdin: _vtysh(device, context, argv),
        "lldpcli": lambda context, argv, _stdin: _lldp(device, context, argv),
        "ptmctl": lambda _context, argv, _stdin: _ptmctl(device, argv),
        "ip": lambda _context, argv, _stdin: _ip(device, argv),
        "decode-syseeprom": lambda context, argv, _stdin: _eeprom(device, context, argv),
    }


def _table(headers: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "") -> str:
    widths = [
        max(len(header), *(len(row[place]) for row in rows), 1) if rows else len(header)
        for place, header in enumerate(headers)
    ]
    lines = [headers, ["-" * width for width in widths], *rows]
    return "".join(
        indent
        + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        + "\n"
        for line in lines
    )


def _interfaces(device: CumulusStandIn) -> str:
    rows = []
    for name in sorted({*device.ports, *device.interfaces()}, key=natural):
        neighbour = next(iter(device.neighbours.get(name, [])), None)
        up = device.link_up(name)
        is_port = name in device.ports
        speed = device.value("interface", name, "link", "speed") or device.default_speed
        rows.append([
            name,
            "up" if up else "down",
            speed if is_port and up else "",
            device.value("interface", name, "link", "mtu") or "9216",
            device.value("interface", name, "type") or "swp",
            neighbour.system_name if neighbour and up else "",
            neighbour.port_id if neighbour and up else "",
            "",
        ])
    headers = ("Interface", "State", "Speed", "MTU", "Type", "Remote Host", "Remote Port")
    return _table([*headers, "Summary"], rows)


def _size(size_bytes: int) -> str:
    kib = size_bytes / BYTES_PER_KIB
    return f"{kib / BYTES_PER_KIB:.2f} MB" if kib >= BYTES_PER_KIB else f"{kib:.2f} KB"


def _roce(device: CumulusStandIn) -> str:
    switch = device.value("qos", "roce", device.words.enable) or device.words.off
    mode = device.value("qos", "roce", "mode")
    rows = [[device.words.enable, "", switch]]
    if switch == device.words.on:
        profile = ("qos", "congestion-control", "default-global", "traffic-class", "3")
        numbers = {
            name: int(device.value(*profile, name) or default)
            for name, default in _ROCE_DEFAULTS.items()
        }
        rows += [
            ["mode", mode, mode],
            ["congestion-control", "", ""],
            ["  congestion-mode", "ECN", ""],
            ["  enabled-tc", "0,3", ""],
            ["  max-threshold", _size(numbers["max-threshold"]), ""],
            ["  min-threshold", _size(numbers["min-threshold"]), ""],
            ["  probability", str(numbers["probability"]), ""],
        ]
        if mode != "lossy":
            priority = device.child("qos", "pfc", "default-global", "switch-priority") or "3"
            words = ("rx-enabled", "tx-enabled")
            rows += [["pfc", "", ""], ["  pfc-priority", priority, ""]]
            rows += [[f"  {word}", "enabled", ""] for word in words]
        rows += [["trust", "", ""], ["  trust-mode", "pcp,dscp", ""]]
    return _table(["", "operational", "applied"], rows)


def _counters(device: CumulusStandIn, port: str) -> str:
    counts = device.counters[port]
    zero = "0 Bytes"
    numbers = [str(number) for number in range(_COUNT)]
    parts = (
        (
            "Ingress Buffer Statistics",
            ["priority-group", "rx-frames", "rx-buffer-discards", "rx-shared-buffer-discards"],
            [[n, str(counts.get(f"rx-frames {n}", 0)), zero, zero] for n in numbers],
        ),
        (
            "Egress Queue Statistics",
            ["traffic-class", "tx-frames", "tx-bytes", "tx-uc-buffer-discards", "wred-discards"],
            [[n, str(counts.get(f"tx-frames {n}", 0)), zero, zero, "0"] for n in numbers],
        ),
        (
            "PFC Statistics",
            [
                "switch-priority",
                *(f"{way}-pause-{what}" for way in ("rx", "tx") for what in ("frames", "duration")),
            ],
            [
                [
                    n,
                    str(counts.get(f"rx-pause {n}", 0)),
                    "0",
                    str(counts.get(f"tx-pause {n}", 0)),
                    "0",
                ]
                for n in numbers
            ],
        ),
    )
    return "\n".join(
        f"{title}\n{'=' * (len(title) + 3)}\n{_table(headers, rows, '    ')}"
        for title, headers, rows in parts
    )


def _watchdog(device: CumulusStandIn, port: str) -> str:
    state = device.value("interface", port, "qos", "pfc-watchdog", "state")
    word = "enabled" if state == "enable" else "disabled"
    text = _table(["", "operational", "applied"], [["state", word, word]])
    rows = [
        [str(n), "OK", str(device.counters[port].get(f"deadlock {n}", 0))] for n in range(_COUNT)
    ]
    body = _table(["traffic-class", "status", "deadlock-count"], rows, "    ")
    return f"{text}\nPFC WD Status\n===========================\n{body}"


def _roce_counters(device: CumulusStandIn, port: str) -> str:
    marked = str(device.counters[port].get("marked", 0))
    rows = [
        ["tx-stats", "", "", ""],
        ["  tx-ecn-stats", "", "", ""],
        ["    ecn-marked-packets", marked, "", "Tx ECN marked packets"],
        ["  tx-roce-stats", "", "", ""],
        ["    roce-packets", "0", "", "Tx RoCE Packets"],
    ]
    return _table(["", "operational", "applied", "description"], rows)


def _needs_root(context: Context, name: str) -> Result | None:
    return None if context.root else Result("", f"{name}: Permission denied\n", 1)


def _vtysh(device: CumulusStandIn, context: Context, argv: list[str]) -> Result:
    if argv[1:] != ["-c", "show ip bgp summary json"]:
        return Result("", "% Unknown command.\n", 1)
    refused = _needs_root(context, "vtysh")
    if refused:
        return refused
    own = device.value("router", "bgp", "autonomous-system")
    peers = {
        peer: {
            "remoteAs": device.far_asn(peer),
            "localAs": int(own),
            "state": "Established" if device.bgp_up(peer) else "Active",
            "pfxRcd": 4 if device.bgp_up(peer) else 0,
        }
        for peer in device.bgp_peers()
    }
    body: dict[str, Any] = {}
    if own and peers:
        body = {"ipv4Unicast": {"as": int(own), "peers": peers, "totalPeers": len(peers)}}
    return Result(json.dumps(body, indent=2) + "\n")


def _lldp(device: CumulusStandIn, context: Context, argv: list[str]) -> Result:
    refused = _needs_root(context, "lldpcli")
    if refused or argv[1:] != ["show", "neighbors", "-f", "json"]:
        return refused or Result("", "lldpcli: only show neighbors -f json is supported\n", 1)
    rows = []
    for port, seen in sorted(device.neighbours.items(), key=lambda item: natural(item[0])):
        for neighbour in seen if device.link_up(port) else []:
            chassis = {
                neighbour.system_name: {"id": {"type": "mac", "value": neighbour.chassis_mac}}
            }
            far = {
                "id": {"type": "ifname", "value": neighbour.port_id},
                "descr": neighbour.port_id,
            }
            rows.append({port: {"via": "LLDP", "chassis": chassis, "port": far}})
    interface: Any = rows[0] if len(rows) == 1 else rows
    return Result(json.dumps({"lldp": {"interface": interface} if rows else {}}, indent=2) + "\n")


def _ptmctl(device: CumulusStandIn, argv: list[str]) -> Result:
    if argv[1:] != ["-b"]:
        return Result("", "ptmctl: only -b is supported\n", 1)
    ruler = "-" * 88 + "\n"
    text = f"\n{ruler}port  peer  state  local  type       diag  det   tx_timeout  rx_timeout\n"
    text += f"{' ' * 50}mult\n{ruler}"
    for peer in device.bgp_peers():
        words = device.words
        neighbor = ("vrf", "default", "router", "bgp", "neighbor", peer)
        if device.value(*neighbor, "bfd", words.enable) == words.on:
            state = "Up" if device.bgp_up(peer) else "Down"
            port = device.towards(peer) or "N/A"
            text += f"{port}  {peer}  {state}  N/A  singlehop  N/A  3  300  900\n"
    return Result(text)


def _ip(device: CumulusStandIn, argv: list[str]) -> Result:
    if argv[1:] not in (["neighbor", "show"], ["neigh", "show"]):
        return Result("", "ip: only neighbor show is supported\n", 1)
    return Result(
        "".join(
            f"{peer} dev {device.towards(peer)} lladdr {device.mac_of(peer)} REACHABLE\n"
            for peer in device.bgp_peers()
            if device.bgp_up(peer)
        )
    )


def _eeprom(device: CumulusStandIn, context: Context, argv: list[str]) -> Result:
    refused = _needs_root(context, "decode-syseeprom")
    if refused or len(argv) > 1:
        return refused or Result("", "decode-syseeprom: no option is supported\n", 1)
    values = (
        ("Product Name", "0x21", device.spec.model),
        ("Serial Number", "0x23", device.spec.serial),
        ("Base MAC Address", "0x24", device.spec.mac.upper()),
        ("CRC-32", "0xFE", "0x96543BC5"),
    )
    head = "TlvInfo Header:\n   Id String:    TlvInfo\n   Version:      1\n   Total Length: 114\n"
    head += f"TLV Name             Code Len Value\n{'-' * 20} ---- --- -----\n"
    rows = "".join(f"{name:<20} {code} {len(text):>3} {text}\n" for name, code, text in values)
    return Result(f"{head}{rows}(checksum valid)\n")
