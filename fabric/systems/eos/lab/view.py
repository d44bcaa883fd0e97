"""What the show commands of the EOS stand-in see: configuration, cables and counters as one.

Assumed: an Ethernet port is up when it is enabled and the lab has a cable on it; a VLAN interface
is up when an access port of its VLAN is; a BGP neighbour is established when it is configured with
an AS, its subnet is on an interface that is up (or it is not directly connected) and the lab says
that the other end agrees.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.lab.lines.tree import Section
    from fabric.lab.spec import Neighbour, StandInSpec
    from fabric.lab.standin import Cabled
    from fabric.systems.eos.lab.sessions import EosState

_DEFAULT_BPS = {"if-management": 10**9, "if-loopback": 0, "if-vlan": 0}


@dataclass(slots=True)
class PortCounters:
    """Counters of one port, for a test or the lab to set."""

    pfc_rx_frames: int = 0
    pfc_tx_frames: int = 0
    in_errors: int = 0
    out_errors: int = 0
    fcs_errors: int = 0
    symbol_errors: int = 0
    in_discards: int = 0
    out_discards: int = 0
    ecn_marked: dict[int, int] = field(default_factory=dict)
    queue_drops: dict[int, int] = field(default_factory=dict)
    watchdog_stuck: dict[int, int] = field(default_factory=dict)
    watchdog_recovered: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArpEntry:
    """One line of the ARP table."""

    address: str
    mac: str
    interface: str
    age_s: int = 0


@dataclass(frozen=True, slots=True)
class ShownPort:
    """One interface as the show commands see it."""

    name: str
    node: Section
    enabled: bool
    linked: bool

    @property
    def up(self) -> bool:
        """Enabled and with link."""
        return self.enabled and self.linked

    @property
    def status(self) -> str:
        """Status as the commands name it."""
        if not self.enabled:
            return "disabled"
        return "connected" if self.linked else "notconnect"

    @property
    def line(self) -> str:
        """Status of the line protocol."""
        return "up" if self.up else "down"

    @property
    def routed(self) -> bool:
        """Has no switchport."""
        switched = self.node.mode in ("if-ethernet", "if-portchannel")
        return not switched or self.node.has("no switchport")

    @property
    def description(self) -> str:
        """The description, or nothing."""
        return self.node.setting("description")

    @property
    def mtu(self) -> int:
        """Layer-3 MTU in bytes."""
        return int(self.node.setting("mtu") or (65535 if self.node.mode == "if-loopback" else 1500))

    @property
    def speed_bps(self) -> int:
        """Configured speed; 400G for Ethernet without a word about it."""
        words = self.node.setting("speed")
        speed = re.search(r"([\d.]+)([gt])", words)
        if not speed:
            return _DEFAULT_BPS.get(self.node.mode, 400 * 10**9)
        return int(float(speed[1]) * (10**9 if speed[2] == "g" else 10**12))

    @property
    def access_vlan(self) -> int:
        """VLAN of a switched port."""
        return int(self.node.setting("switchport access vlan") or 1)

    @property
    def trunk(self) -> bool:
        """Carries several VLANs."""
        return (self.node.setting("switchport mode") or "access") == "trunk"

    @property
    def ipv6(self) -> list[str]:
        """IPv6 addresses."""
        return [node.line.split()[2] for node in self.node.below("ipv6 address ")]

    @property
    def address(self) -> ipaddress.IPv4Interface | None:
        """Primary IPv4 address."""
        text = self.node.setting("ip address") or self.node.setting("ip address virtual")
        return ipaddress.IPv4Interface(text) if text else None


@dataclass(frozen=True, slots=True)
class Peer:
    """One BGP neighbour as the show commands see it."""

    address: str
    asn: str
    description: str
    enabled: bool
    established: bool
    interface: str
    has_evpn: bool = False
    has_ip: bool = True

    @property
    def state(self) -> str:
        """State of the session."""
        if not self.enabled:
            return "Idle"
        return "Established" if self.established else "Active"

    @property
    def version(self) -> str:
        """IP version of the session."""
        return _version(self.address)

    @property
    def families(self) -> tuple[str, ...]:
        """IP versions of its routes, and EVPN: between link-local addresses IPv4 too (RFC 8950)."""
        versions = ("4", "6") if "%" in self.address else (self.version,)
        return (*(versions if self.has_ip else ()), *(("evpn",) if self.has_evpn else ()))


@dataclass(slots=True)
class View:
    """Everything that a show command may look at."""

    wires: Cabled
    state: EosState
    version: str
    counters: dict[str, PortCounters] = field(default_factory=dict)
    arp: list[ArpEntry] = field(default_factory=list)
    alias: str = ""

    @property
    def spec(self) -> StandInSpec:
        """Who the switch is."""
        return self.wires.spec

    @property
    def hostname(self) -> str:
        """Name that the switch gives itself."""
        return self.alias or self.state.running.setting("hostname") or "localhost"

    @property
    def cables(self) -> dict[str, Neighbour]:
        """LLDP neighbour by local port."""
        return {one.local_port: one for one in self.spec.neighbours}

    def count(self, port: str) -> PortCounters:
        """Return the counters of a port."""
        return self.counters.get(port) or PortCounters()

    def ports(self) -> list[ShownPort]:
        """Return all interfaces in the order of the configuration."""
        ports: list[ShownPort] = []
        for node in self.state.running.below("interface "):
            name = node.line.removeprefix("interface ")
            enabled = not node.has("shutdown")
            front = name.split(".")[0]
            linked = node.mode != "if-ethernet" or (front in self.cables and self.wires.lit(front))
            ports.append(ShownPort(name, node, enabled, linked))
        live = {p.access_vlan for p in ports if p.up and not p.routed and not p.trunk}
        trunk = any(p.up and not p.routed and p.trunk for p in ports)
        return [
            ShownPort(p.name, p.node, p.enabled, trunk or int(p.name[4:]) in live)
            if p.node.mode == "if-vlan" and not p.node.has("no autostate") else p
            for p in ports
        ]  # fmt: skip

    def ethernets(self) -> list[ShownPort]:
        """Return the front ports."""
        return [port for port in self.ports() if port.node.mode == "if-ethernet"]

    def lldp(self) -> Iterator[Neighbour]:
        """Yield the neighbours that LLDP hears."""
        if self.state.running.has("no lldp run"):
            return
        ports = {port.name: port for port in self.ports()}
        for one in self.spec.neighbours:
            port = ports.get(one.local_port)
            if port is None or (port.up and not port.node.has("no lldp receive")):
                yield one

    def bgp(self) -> Iterator[tuple[str, Section, str]]:
        """Yield (VRF, node of the BGP configuration, own AS)."""
        for node in self.state.running.below("router bgp "):
            asn = node.line.split()[2]
            yield "default", node, asn
            for vrf in node.below("vrf "):
                yield vrf.line.split()[1], vrf, asn

    def router_id(self, bgp: Section) -> str:
        """Return the router id: configured, else the address of a loopback."""
        loopbacks = [p.address for p in self.ports() if p.node.mode == "if-loopback" and p.address]
        return bgp.setting("router-id") or (str(loopbacks[0].ip) if loopbacks else "0.0.0.0")

    def peers(self, bgp: Section) -> list[Peer]:
        """Return the neighbours of one VRF, by address."""
        peers: list[Peer] = []
        ports = self.ports()
        addressed = [(port, port.address) for port in ports if port.address]
        for address in _peer_addresses(bgp):
            group = bgp.setting(f"neighbor {address} peer group")
            asn = _of(bgp, address, group, "remote-as")
            if not asn:
                continue
            enabled = not any(bgp.has(f"neighbor {one} shutdown") for one in (address, group))
            port = _port_towards(addressed, address)
            up = enabled and (port is None or port.up) and self.wires.peer_up(address)
            words = _of(bgp, address, group, "description")
            interface = port.name if port else ""
            evpn = _is_active(bgp, "evpn", address, group)
            ip = not evpn or _is_active(bgp, f"ipv{_version(address)}", address, group)
            peers.append(Peer(address, asn, words, enabled, up, interface, evpn, ip))
        return peers + list(self._unnumbered(bgp, ports))

    def _unnumbered(self, bgp: Section, ports: list[ShownPort]) -> Iterator[Peer]:
        known = {port.name: port for port in ports}
        for node in bgp.below("neighbor interface "):
            words = node.line.split()
            asn = words[words.index("remote-as") + 1] if "remote-as" in words else ""
            asn = asn or bgp.setting(f"neighbor {words[4]} remote-as")
            port = known.get(words[2])
            address = f"fe80::1%{words[2].replace('Ethernet', 'Et')}"
            up = port is not None and port.up and self.wires.peer_up(words[2])
            yield Peer(address, asn, "", enabled=True, established=up, interface=words[2])

    def counts_ecn(self, port: ShownPort, queue: int) -> bool:
        """Tell whether a queue counts the packets that it marks."""
        profile = self.state.running.get(f"qos profile {port.node.setting('service-profile')}")
        for holder in (profile, port.node):
            for word in ("tx-queue", "uc-tx-queue"):
                node = holder.get(f"{word} {queue}") if holder else None
                if node and node.has("random-detect ecn count"):
                    return True
        return False


def _of(bgp: Section, address: str, group: str, what: str) -> str:
    own = bgp.setting(f"neighbor {address} {what}")
    return own or bgp.setting(f"neighbor {group} {what}")


def _version(address: str) -> str:
    return "6" if ":" in address else "4"


def _is_active(bgp: Section, family: str, address: str, group: str) -> bool:
    """Tell whether a line of an address family activates a neighbour, or its group."""
    node = bgp.get(f"address-family {family}")
    names = (name for name in (address, group) if name)
    return node is not None and any(node.has(f"neighbor {name} activate") for name in names)


def _peer_addresses(bgp: Section) -> list[str]:
    addresses: dict[str, None] = {}
    for node in bgp.below("neighbor "):
        word = node.line.split()[1]
        try:
            ipaddress.ip_address(word)
        except ValueError:
            continue
        addresses[word] = None
    return list(addresses)


def _port_towards(
    addressed: list[tuple[ShownPort, ipaddress.IPv4Interface]], address: str
) -> ShownPort | None:
    peer = ipaddress.ip_address(address)
    for port, own in addressed:
        if peer in own.network and peer != own.ip:
            return port
    return None
