"""Huawei VRP8: what a running configuration says of ports, VLANs and BGP.

A port is switched until ``undo portswitch``; whether it works without ``undo shutdown`` is not
published, and not judged. What it routes has an MTU of 1500 bytes until ``mtu``, and its frames are
at most 9216 bytes, or what ``jumboframe enable`` says (``defaults.toml``). Addresses carry their
mask as a second word. BGP uses one path until ``maximum load-balancing``, and paths over different
ASes only with ``load-balancing as-path-relax`` (CloudEngine 8800 V300R023C00, command reference). A
session exchanges IPv4 routes without ``peer enable`` too, until ``undo default ipv4-unicast``. Not
confirmed is that a port takes a 31-bit mask as its first address, which is read as it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Bgp,
    PolicyTerm,
    readers,
)
from fabric.observe.configuration.blocks import (
    Context,
    address,
    ipv4,
    numbers,
    prefix_match,
    read_blocks,
)
from fabric.observe.configuration.defaults import number_of
from fabric.observe.configuration.peer_lines import (
    PEER_GROUP,
    add_peer_lines,
    add_route_lines,
    join_group,
)
from fabric.observe.configuration.port_lines import add_port_lines
from fabric.observe.configuration.sequences import add_entry, enter_term
from fabric.observe.configuration.texts import header_ends
from fabric.systems.vrp8.platforms import FRAME_EXTRA_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured, Port

#: Kind of the file that ``render`` writes.
FILE = "running-config"

_QOS = (
    r"(undo )?(qos|dcb|trust|diffserv domain|drop-profile|ai-service) ?.*",
    r"load-balance .*",
)
_MANAGEMENT = (
    r"(undo )?(lldp|info-center|ntp|snmp-agent|ssh|stelnet|sftp|aaa|local-user|clock) ?.*",
    r"(undo )?(user-interface|telnet|header|stp|netconf|license) ?.*",
    r"bfd",
    r"port (split|mode) .*",
    r"interface (MEth\S+|NULL0)",
    r"ip vpn-instance \S+",
    r"ip route-static vpn-instance .*",
    r"(arp|mac-address) .*",
    r"(set save-configuration|vlan reserved|device transceiver) .*",
    r"return",
)
_TOP = Context(*_MANAGEMENT, *_QOS)
_PORT = Context(
    *_QOS,
    r"(stp|fec|arp|lldp|carrier|port mode) .*",
    r"port link-type access",
    r"port pfc-deadlock .*",
)
_VLAN = Context(r"(name|description) .*")
_TERM = Context(r"description .*")
_BGP = Context(
    r"timer (?!keepalive ).*", r"graceful-restart.*", r"peer \S+ bfd (min-tx|min-rx|detect)\S* .*"
)
_FAMILY = Context(r"undo synchronization", r"peer \S+ advertise-community")


@_PORT.line(r"(?P<undo>undo )?shutdown")
def _state(port: Port, _: int, undo: str | None) -> None:
    port.enabled = bool(undo)


add_port_lines(_TOP, _PORT, name="sysname", undo="undo ")
_PORT.sets(r"mtu (?P<value>\d+)", "mtu_bytes", int)
_BGP.sets(r"router-id (?P<value>\S+)", "router_id", ipv4)
_BGP.switches("default ipv4-unicast", "active_by_default", undo="undo ")
_FAMILY.sets(r"maximum load-balancing (ebgp )?(?P<value>\d+)", "max_paths", int)
_FAMILY.switches("load-balancing as-path-relax", "relax", undo="undo ")


@readers.add("vrp8")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a VRP8 configuration says."""
    return read_blocks("vrp8", FILE, files[FILE], _TOP, header_ends)


@_TOP.line(r"vlan batch (?P<vlans>[\dto ]+)")
@_TOP.line(r"vlan (?P<vlans>\d+)", inside=_VLAN)
def _vlans(switch: Configured, line: int, vlans: str) -> None:
    for vlan in numbers(vlans):
        switch.vlans[vlan] = line


@_TOP.line(r"interface (?P<name>\d+GE[\d/:]+|Vlanif\d+|LoopBack\d+)", inside=_PORT)
def _interface(switch: Configured, line: int, name: str) -> Port:
    new = name not in switch.ports
    port = switch.port(name, line)
    port.routed = bool(port.routed) or not name[0].isdigit()
    if name.startswith("Vlanif"):
        port.gateway_vlan = int(name.removeprefix("Vlanif"))
        port.mtu_bytes = number_of("vrp8", "mtu") if new else port.mtu_bytes
    elif new and not port.routed:
        port.mtu_bytes = number_of("vrp8", "frame") - FRAME_EXTRA_BYTES
    return port


@_PORT.line(r"(?P<undo>undo )?portswitch")
def _portswitch(port: Port, _: int, undo: str | None) -> None:
    port.routed = bool(undo)
    frame = number_of("vrp8", "frame") - FRAME_EXTRA_BYTES
    port.mtu_bytes = number_of("vrp8", "mtu") if undo else frame


@_PORT.line(r"jumboframe enable (?P<frame>\d+)")
def _jumboframe(port: Port, _: int, frame: str) -> None:
    longest = int(frame) - FRAME_EXTRA_BYTES
    port.mtu_bytes = min(port.mtu_bytes or longest, longest) if port.routed else longest


@_PORT.line(r"ip address (?P<text>[\d.]+) (?P<mask>[\d.]+)(?P<more> sub)?")
def _address(port: Port, line: int, text: str, mask: str, more: str | None) -> None:
    if not port.routed:
        raise ValueError("a switched port")
    port.addresses = [*(port.addresses if more else ()), address(text, mask, line)]


@_PORT.line(r"port default vlan (?P<vlan>\d+)")
def _access(port: Port, _: int, vlan: str) -> None:
    if port.routed:
        raise ValueError("a routed port")
    port.vlan = int(vlan)


@_TOP.line(
    r"ip ip-prefix (?P<name>\S+) index (?P<number>\d+) (?P<action>permit|deny) (?P<prefix>\S+)"
    r" (?P<length>\d+)( greater-equal (?P<low>\d+))?( less-equal (?P<high>\d+))?"
)
def _prefix(
    switch: Configured,
    line: int,
    name: str,
    number: str,
    action: str,
    prefix: str,
    length: str,
    **bits: str | None,
) -> None:
    entry = prefix_match(action, f"{prefix}/{length}", line, **bits)
    add_entry(switch, name, int(number), entry)


@_TOP.line(r"route-policy (?P<name>\S+) (?P<action>permit|deny) node (?P<number>\d+)", inside=_TERM)
def _route_policy(switch: Configured, line: int, name: str, action: str, number: str) -> PolicyTerm:
    return enter_term(switch, name, action, int(number), line)


@_TERM.line(r"if-match ip-prefix (?P<name>\S+)")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    if term.prefix_lists:
        raise ValueError("a second condition")
    term.prefix_lists.append(name)


add_route_lines(_TOP, _BGP, "vrp8")
add_peer_lines(_BGP, _FAMILY)
_FAMILY.line(PEER_GROUP)(join_group)


@_BGP.line(r"ipv4-family unicast", inside=_FAMILY)
def _family(_: Bgp, __: int) -> None:
    """Return the process itself: the lines inside are about it."""


@_BGP.line(r"peer (?P<name>\S+) bfd enable( single-hop-prefer)?")
def _bfd(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).bfd = True
