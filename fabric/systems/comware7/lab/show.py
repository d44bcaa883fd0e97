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

from fabric.lab.lines.tree import Section
from fabric.lab.pages import pages
from fabric.systems.comware7.lab.config import DEFAULT_MAPS, text_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.spec import Neighbour
    from fabric.lab.standin import Cabled

page = pages(__file__)


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
    running: Callable[[], Section]
    ports: tuple[str, ...]
    version: str
    alias: str = ""
    counters: dict[str, PortCounters] = field(default_factory=dict)

    @property
    def hostname(self) -> str:
        """The name in the configuration, or that of a fault."""
        return self.alias or self.running().value("sysname") or "H3C"

    def node(self, port: str) -> Section:
        """Return the section of an interface; an empty one when there is none."""
        return self.running().children.get(f"interface {port}", Section())

    def neighbour(self, port: str) -> Neighbour | None:
        """Return who is at the other end of a cable."""
        seen = self.wires.neighbours.get(port, [])
        return None if port in self.wires.unplugged else next(iter(seen), None)

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port, to be changed in place."""
        return self.counters.setdefault(port, PortCounters())

    def up(self, port: str) -> bool:
        """Tell whether a port is up."""
        return self.neighbour(port) is not None and self.sends_light(port) and self.wires.lit(port)

    def sends_light(self, port: str) -> bool:
        """Tell whether a port is not shut and has its cable."""
        return port not in self.wires.unplugged and not self.node(port).has("shutdown")

    def towards(self, peer: str) -> str:
        """Return the port in whose network an address is; empty when there is none."""
        words = "ipv6 address" if ":" in peer else "ip address"
        for port in self.ports:
            value = self.node(port).value(words).split()
            if value and ip_address(peer) in ip_interface("/".join(value)).network:
                return port
        return ""


def display_configuration(root: Section, version: str) -> str:
    """Return a configuration as it is displayed and saved."""
    return page("configuration", version=version, lines=text_lines(root))


def display_current(view: View) -> str:
    """Return ``display current-configuration``, under the name of a fault where there is one."""
    text = display_configuration(view.running(), view.version)
    return re.sub(r"(?m)^ sysname .*$", f" sysname {view.alias}", text) if view.alias else text


def display_map(view: View, name: str) -> str:
    """Return ``display qos map-table NAME``: with directions, and without."""
    table = view.running().children.get(f"qos map-table {name}", Section())
    values = [
        table.value(f"import {number} export") or default
        for number, default in enumerate(DEFAULT_MAPS[name])
    ]
    return page("map", name=name, values=values)


def display_lldp_status(view: View) -> str:
    """Return ``display lldp status``, as far as it is about the whole switch."""
    on = view.running().has("lldp global enable")
    seen = sum(view.up(port) for port in view.ports) if on else 0
    return page("lldp-status", on=on, seen=seen)


def display_lldp(view: View) -> str:
    """Return ``display lldp neighbor-information verbose``."""
    on = view.running().has("lldp global enable")
    heard = [
        (number, port, view.neighbour(port))
        for number, port in enumerate(view.ports if on else (), 1)
        if view.up(port) and not view.node(port).has("undo lldp enable")
    ]
    return page("lldp", heard=heard)


def display_interface(view: View) -> str:
    """Return ``display interface``."""
    gateways = view.running().below("interface Vlan-interface")
    return page("interfaces", view=view, ports=view.ports, gateways=gateways)


def display_bgp(view: View, name: str) -> str:
    """Return ``display bgp peer ipv4 unicast``, or of ``ipv6``."""
    bgp = next(iter(view.running().below("bgp ")), Section())
    family = bgp.children.get(f"address-family {name} unicast", Section())
    words = [node.line.split() for node in bgp.below("peer ")]
    peers = [
        (address, *rest)
        for _, address, what, *rest in words
        if what == "as-number" and family.has(f"peer {address} enable")
    ]
    up = [
        address
        for address, _ in peers
        if (port := view.towards(address)) and view.up(port) and view.wires.peer_up(address)
    ]
    return page("bgp", bgp=bgp, peers=peers, up=up)


def display_arp(view: View) -> str:
    """Return ``display arp``: the far ends of the routed ports."""
    rows = []
    for port in view.ports:
        value = view.node(port).value("ip address").split()
        if value and view.up(port):
            near = ip_interface("/".join(value))
            rows.append((next(one for one in near.network if one != near.ip), port))
    return page("arp", rows=rows)


def display_macs(view: View) -> str:
    """Return ``display mac-address``: the hosts at the access ports."""
    rows = [
        (number, vlan, port)
        for number, port in enumerate(view.ports, 1)
        if (vlan := view.node(port).value("port access vlan")) and view.up(port)
    ]
    return page("macs", rows=rows)


def display_manuinfo(view: View) -> str:
    """Return ``display device manuinfo``."""
    digits = view.wires.spec.mac.replace(":", "").upper()
    mac = "-".join(digits[at : at + 4] for at in range(0, 12, 4))
    return page("manuinfo", spec=view.wires.spec, mac=mac)


DISPLAYS: dict[str, Callable[[View], str]] = {
    "display current-configuration": display_current,
    "display lldp status": display_lldp_status,
    "display lldp neighbor-information verbose": display_lldp,
    "display interface": display_interface,
    "display bgp peer ipv4 unicast": partial(display_bgp, name="ipv4"),
    "display bgp peer ipv6 unicast": partial(display_bgp, name="ipv6"),
    "display arp": display_arp,
    "display mac-address": display_macs,
    "display device manuinfo": display_manuinfo,
    **{f"display qos map-table {name}": partial(display_map, name=name) for name in DEFAULT_MAPS},
}
