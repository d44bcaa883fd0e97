"""What the Comware 7 stand-in displays.

Known: layouts of networktocode/ntc-templates @ d0bc5a48 tests/hp_comware (captures) and of
grayfalcon666/netmiko-h3c-skill @ 4f5e9dfd references/CMD-help (the vendor's manual).
Assumed: what the captures do not show: that no neighbours make an empty output, and that BGP that
is not running shows no peers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address, ip_interface
from typing import TYPE_CHECKING

from fabric.lab.lines.tree import Node
from fabric.systems.comware7.lab.config import DEFAULT_MAPS, text_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.lab.spec import Neighbour
    from fabric.lab.standin import Cabled

SHORT = "HGE"


@dataclass(slots=True)
class PortCounters:
    """What a port has counted."""

    packets: int = 0
    pauses: int = 0
    errors: int = 0


@dataclass(slots=True)
class View:
    """What displays look at; ``running`` gives the tree of this moment."""

    wires: Cabled
    running: Callable[[], Node]
    ports: tuple[str, ...]
    version: str
    alias: str = ""
    counters: dict[str, PortCounters] = field(default_factory=dict)

    @property
    def hostname(self) -> str:
        """The name in the configuration, or that of a fault."""
        return self.alias or self.running().value("sysname") or "H3C"

    def node(self, port: str) -> Node:
        """Return the section of an interface; an empty one when there is none."""
        return self.running().children.get(f"interface {port}", Node())

    def neighbour(self, port: str) -> Neighbour | None:
        """Return who is at the other end of a cable."""
        seen = self.wires.neighbours.get(port, [])
        return None if port in self.wires.unplugged else next(iter(seen), None)

    def up(self, port: str) -> bool:
        """Tell whether a port is up."""
        return self.neighbour(port) is not None and self.sends_light(port) and self.wires.lit(port)

    def sends_light(self, port: str) -> bool:
        """Tell whether a port is not shut and has its cable."""
        return port not in self.wires.unplugged and not self.node(port).has("shutdown")

    def towards(self, peer: str) -> str:
        """Return the port in whose network an address is; empty when there is none."""
        for port in self.ports:
            value = self.node(port).value("ip address").split()
            if value and ip_address(peer) in ip_interface("/".join(value)).network:
                return port
        return ""


def display_configuration(root: Node, version: str) -> str:
    """Return a configuration as it is displayed and saved."""
    return "\n".join(["#", f" version {version}", *text_lines(root), "#", "return", ""])


def display_current(view: View) -> str:
    """Return ``display current-configuration``, under the name of a fault where there is one."""
    text = display_configuration(view.running(), view.version)
    return re.sub(r"(?m)^ sysname .*$", f" sysname {view.alias}", text) if view.alias else text


def display_map(view: View, name: str) -> str:
    """Return ``display qos map-table NAME``: with directions, and without."""
    said = view.running().children.get(f"qos map-table {name}", Node())
    rows = []
    for number, default in enumerate(DEFAULT_MAPS[name]):
        value = said.value(f"import {number} export") or str(default)
        rows.append(f"{number:>4}    : {value:>4}")
    parts = []
    for direction in ("   DIRECTION: inbound", "   DIRECTION: outbound", ""):
        head = f"MAP-TABLE NAME: {name}   TYPE: pre-define{direction}"
        parts += [head, "IMPORT  :  EXPORT", *rows]
    return "\n".join([*parts, ""])


def display_lldp_status(view: View) -> str:
    """Return ``display lldp status``, as far as it is about the whole switch."""
    on = view.running().has("lldp global enable")
    seen = sum(view.up(port) for port in view.ports) if on else 0
    return (
        f"Global status of LLDP: {'Enable' if on else 'Disable'}\n"
        "Bridge mode of LLDP: customer-bridge\n"
        f"The current number of LLDP neighbors: {seen}\n"
        "The current number of CDP neighbors: 0\n"
        "Transmit interval              : 30s\n"
    )


def display_lldp(view: View) -> str:
    """Return ``display lldp neighbor-information verbose``."""
    lines: list[str] = []
    on = view.running().has("lldp global enable")
    for number, port in enumerate(view.ports if on else (), 1):
        one = view.neighbour(port)
        if one is None or not view.up(port) or view.node(port).has("undo lldp enable"):
            continue
        lines += [f"LLDP neighbor-information of port {number}[{port}]:"]
        lines += ["LLDP agent nearest-bridge:", " LLDP neighbor index : 1"]
        lines += [" Chassis type        : MAC address"]
        lines += [" Port ID type        : Interface name"]
        lines += [f" Port ID             : {one.port_id}", " Time to live        : 120"]
        lines += [f" Port description    : {one.port_id} Interface"]
        lines += [f" System name         : {one.system_name}", ""]
    return "\n".join([*lines[:-1], ""]) if lines else ""


def display_interface(view: View) -> str:
    """Return ``display interface``."""
    gateways = view.running().below("interface Vlan-interface")
    parts = ["\n".join(_port(view, port)) for port in view.ports]
    parts += ["\n".join(_gateway(node)) for node in gateways]
    return "\n\n".join(parts) + "\n"


def _port(view: View, port: str) -> Iterator[str]:
    node, up = view.node(port), view.up(port)
    counted = view.counters.get(port, PortCounters())
    state = "UP" if up else "Administratively DOWN" if node.has("shutdown") else "DOWN"
    yield from (port, f"Current state: {state}", f"Line protocol state: {'UP' if up else 'DOWN'}")
    yield f"Description: {node.value('description') or f'{port} Interface'}"
    yield "Bandwidth: 100000000 kbps"
    if node.value("port link-mode") == "route":
        yield f"Maximum transmission unit: {node.value('mtu') or 1500}"
    yield (
        "100Gbps-speed mode, full-duplex mode" if up else "Unknown-speed mode, unknown-duplex mode"
    )
    yield "Maximum frame length: 9416"
    for side, name in (("Input", "input"), ("Output", "output")):
        yield f" {side} (total):  {counted.packets} packets, {counted.packets * 100} bytes"
        kinds = f"{counted.packets} unicasts, 0 broadcasts, 0 multicasts"
        yield f"         {kinds}, {counted.pauses} pauses"
        yield f" {side}:  {counted.errors} {name} errors, - underruns, - buffer failures"
    yield f"         {counted.errors} CRC, 0 frame, - overruns, 0 aborts"
    yield "         0 lost carrier, - no carrier"


def _gateway(node: Node) -> Iterator[str]:
    yield node.line.removeprefix("interface ")
    yield from ("Current state: UP", "Line protocol state: UP")
    yield f"Maximum transmission unit: {node.value('mtu') or 1500}"


def display_bgp(view: View) -> str:
    """Return ``display bgp peer ipv4 unicast``."""
    root = view.running()
    bgp = next(iter(root.below("bgp ")), Node())
    family = bgp.children.get("address-family ipv4 unicast", Node())
    rows = []
    for node in bgp.below("peer "):
        words = node.line.split()
        if words[2] != "as-number" or not family.has(f"peer {words[1]} enable"):
            continue
        port = view.towards(words[1])
        up = bool(port) and view.up(port) and view.wires.peer_up(words[1])
        state = "Established" if up else "Connect"
        rows.append((
            up,
            f"  {words[1]:<16}{words[3]:>10}       12       13    0       1 00:01:00 {state}",
        ))
    counts = f"peers: {len(rows)}{'':17}Peers in established state: {sum(up for up, _ in rows)}"
    lines = [
        "",
        f" BGP local router ID: {bgp.value('router-id') or '0.0.0.0'}",
        f" Local AS number: {bgp.line.partition(' ')[2] or 0}",
        f" Total number of {counts}",
        "",
        "  * - Dynamically created peer",
        "  Peer                    AS  MsgRcvd  MsgSent OutQ PrefRcv Up/Down  State",
        "",
        *(row for _, row in rows),
    ]
    return "\n".join([*lines, ""])


def display_arp(view: View) -> str:
    """Return ``display arp``: the far ends of the routed ports."""
    lines = [
        "  Type: S-Static   D-Dynamic   O-Openflow   R-Rule   M-Multiport  I-Invalid",
        "IP address      MAC address    VLAN     Interface                Aging Type",
    ]
    for port in view.ports:
        value = view.node(port).value("ip address").split()
        if value and view.up(port):
            near = ip_interface("/".join(value))
            far = next(str(one) for one in near.network if one != near.ip)
            short = port.replace("HundredGigE", SHORT)
            lines.append(f"{far:<16}0200-0000-0001 N/A      {short:<25}4     D")
    return "\n".join([*lines, ""])


def display_macs(view: View) -> str:
    """Return ``display mac-address``: the hosts at the access ports."""
    lines = ["MAC ADDR       VLAN ID  STATE          PORT INDEX               AGING TIME(s)"]
    for number, port in enumerate(view.ports, 1):
        vlan = view.node(port).value("port access vlan")
        if vlan and view.up(port):
            lines.append(f"0200-0000-{number:04x} {vlan:<9}Learned        {port:<25}AGING")
    return "\n".join([*lines, ""])


def display_manuinfo(view: View) -> str:
    """Return ``display device manuinfo``."""
    digits = view.wires.spec.mac.replace(":", "").upper()
    mac = "-".join(digits[at : at + 4] for at in range(0, 12, 4))
    return (
        " Slot 1 CPU 0:\n"
        f"DEVICE_NAME          : {view.wires.spec.model}\n"
        f"DEVICE_SERIAL_NUMBER : {view.wires.spec.serial}\n"
        f"MAC_ADDRESS          : {mac}\n"
        "MANUFACTURING_DATE   : 2020-05-08\n"
        "VENDOR_NAME          : H3C\n"
        "Fan 1\nDEVICE_NAME          : FAN\nDEVICE_SERIAL_NUMBER : FAN0001\n"
    )


DISPLAYS: dict[str, Callable[[View], str]] = {
    "display current-configuration": display_current,
    "display lldp status": display_lldp_status,
    "display lldp neighbor-information verbose": display_lldp,
    "display interface": display_interface,
    "display bgp peer ipv4 unicast": display_bgp,
    "display arp": display_arp,
    "display mac-address": display_macs,
    "display device manuinfo": display_manuinfo,
    **{f"display qos map-table {name}": partial(display_map, name=name) for name in DEFAULT_MAPS},
}
