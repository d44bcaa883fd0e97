"""What the stand-in prints: ``nv show``, and the Linux tools beside it.

Known: the layouts of CumulusNetworks/docs, content/cumulus-linux-510 and -514 (Quality of Service,
RDMA over Converged Ethernet, Virtual Router Redundancy for ``nv show interface``, Bidirectional
Forwarding Detection for ``ptmctl``), FRRouting/frr bgpd/bgp_vty.c for the summary of BGP, lldpd for
``lldpcli -f json``, iproute2 ip/ipaddress.c for ``ip -s -j link``, NVUE Reference, Platform, for
modules and temperatures, ``decode-syseeprom`` with its checksum line. Assumed: counts of prefixes,
and that nobody talks on the wires, so that counters stand still until a test moves them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.core.units import BYTES_PER_KIB
from fabric.lab.lines.tree import natural
from fabric.lab.pages import pages
from fabric.lab.shell.state import Result
from fabric.lab.text_table import plain

if TYPE_CHECKING:
    from fabric.lab.shell.state import Context, Tool
    from fabric.systems.cumulus.lab import CumulusStandIn

_ROCE_DEFAULTS = {"min-threshold": 150_000, "max-threshold": 1_500_000, "probability": 100}


def _size(size_bytes: int) -> str:
    kib = size_bytes / BYTES_PER_KIB
    return f"{kib / BYTES_PER_KIB:.2f} MB" if kib >= BYTES_PER_KIB else f"{kib:.2f} KB"


page = pages(__file__, plain=plain, size=_size)


def show(device: CumulusStandIn, words: list[str]) -> Result:
    """Answer ``nv show``."""
    match words:
        case ["interface"]:
            return Result(_interfaces(device))
        case ["qos", "roce"]:
            return Result(_roce(device))
        case ["interface", port, "counters", "qos"] if port in device.ports:
            return Result(page("counters", counts=device.counters[port]))
        case ["interface", port, "qos", "roce", "counters"] if port in device.ports:
            return Result(page("roce-counters", counts=device.counters[port]))
        case ["interface", port, "transceiver"] if port in device.ports:
            return Result(page("transceiver") if device.link_up(port) else "")
        case ["platform", "environment", "temperature"]:
            return Result(page("temperature"))
        case ["interface", port, "qos", "pfc-watchdog"] if port in device.ports:
            said = device.value("interface", port, "qos", "pfc-watchdog", "state")
            state = "enabled" if said == device.words.watch else "disabled"
            return Result(page("watchdog", state=state, counts=device.counters[port]))
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


def _interfaces(device: CumulusStandIn) -> str:
    rows = []
    for name in sorted({*device.ports, *device.interfaces()}, key=natural):
        up = device.link_up(name)
        far = next(iter(device.neighbours.get(name, [])), None) if up else None
        speed = device.value("interface", name, "link", "speed") or device.default_speed
        mtu = device.value("interface", name, "link", "mtu")
        kind = device.value("interface", name, "type")
        rows.append((name, up, speed if up and name in device.ports else "", mtu, kind, far))
    return page("interfaces", interfaces=rows)


def _roce(device: CumulusStandIn) -> str:
    words = device.words
    priorities = device.children("qos", "pfc", "default-global", "switch-priority")
    profile = ("qos", "congestion-control", "default-global", "traffic-class", "3")
    numbers = {
        name: int(device.value(*profile, name) or default)
        for name, default in _ROCE_DEFAULTS.items()
    }
    return page(
        "roce",
        words=words,
        switch=device.value("qos", "roce", words.enable) or words.off,
        mode=device.value("qos", "roce", "mode"),
        numbers=numbers,
        priority=",".join(priorities) or "3",
    )


def _needs_root(context: Context, name: str) -> Result | None:
    return None if context.root else Result("", f"{name}: Permission denied\n", 1)


#: Key of the answer to a summary, and what no peer of that family has in its name.
_SUMMARIES = {
    "show ip bgp summary json": ("ipv4Unicast", ":"),
    "show bgp ipv6 summary json": ("ipv6Unicast", "."),
}


def _vtysh(device: CumulusStandIn, context: Context, argv: list[str]) -> Result:
    if argv[1:2] != ["-c"] or argv[2:] not in ([name] for name in _SUMMARIES):
        return device.frr.vtysh(context, argv, "")
    refused = _needs_root(context, "vtysh")
    if refused:
        return refused
    key, foreign = _SUMMARIES[argv[2]]
    own = device.value("router", "bgp", "autonomous-system")
    peers = {
        peer: {
            "remoteAs": device.far_asn(peer),
            "localAs": int(own),
            "state": "Established" if device.bgp_up(peer) else "Active",
            "pfxRcd": 4 if device.bgp_up(peer) else 0,
        }
        for peer in device.bgp_peers()
        if foreign not in peer
    }
    body: dict[str, Any] = {}
    if own and peers:
        body = {key: {"as": int(own), "peers": peers, "totalPeers": len(peers)}}
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
    words, neighbor = device.words, ("vrf", "default", "router", "bgp", "neighbor")
    peers = [
        peer
        for peer in device.bgp_peers()
        if device.value(*neighbor, peer, "bfd", words.enable) == words.on
    ]
    return Result(page("ptmctl", device=device, peers=peers))


def _ip(device: CumulusStandIn, argv: list[str]) -> Result:
    if argv[1:] == ["-s", "-j", "link", "show"]:
        return Result(json.dumps(_links(device)) + "\n")
    if argv[1:] not in (["neighbor", "show"], ["neigh", "show"]):
        return Result("", "ip: only neighbor show and -s -j link show are supported\n", 1)
    return Result(
        "".join(
            f"{peer} dev {device.towards(peer)} lladdr {device.mac_of(peer)} REACHABLE\n"
            for peer in device.bgp_peers()
            if device.bgp_up(peer)
        )
    )


def _links(device: CumulusStandIn) -> list[dict[str, Any]]:
    def of(name: str, way: str) -> dict[str, int]:
        counts = device.counters.get(name, {})
        return {what: counts.get(f"{way}-{what}", 0) for what in ("bytes", "packets")}

    names = ("lo", "eth0", *device.ports)
    return [
        {"ifname": name, "stats64": {way: of(name, way) for way in ("rx", "tx")}} for name in names
    ]


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
    return Result(page("decode-syseeprom", values=values))
