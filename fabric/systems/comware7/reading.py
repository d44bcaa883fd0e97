"""H3C Comware 7: what a running configuration says of ports, VLANs and BGP.

Ports work until ``shutdown``. Whether a port without ``port link-mode`` is routed depends on the
model, so that an address or a VLAN on one is a line that is not understood. BGP uses one path until
``balance``, and equal paths are those with equal AS paths; a session exchanges IPv4 routes only
after ``peer enable`` (H3C, Comware V7 command reference). The MTU of routed interfaces without
``mtu`` is not published for each model: it is not judged. That ``balance as-path-neglect`` only
relaxes the comparison is not confirmed either: it is not understood.
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
from fabric.observe.configuration.defaults import holds, leave_open
from fabric.observe.configuration.peer_lines import (
    add_peer_lines,
    add_route_lines,
)
from fabric.observe.configuration.port_lines import add_port_lines
from fabric.observe.configuration.sequences import add_entry, enter_term
from fabric.observe.configuration.texts import header_ends
from fabric.systems.comware7.platforms import FRAME_EXTRA_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured, Port

#: Kind of the file that ``render`` writes.
FILE = "running-config"

_QOS = (
    r"(undo )?(qos|priority-flow-control|burst-mode) .*",
    r"buffer .*",
    r"ip load-sharing .*",
)
_MANAGEMENT = (
    r"version .*",
    r"(undo )?(lldp|ntp-service|info-center|snmp-agent|ssh|sftp|telnet|clock|irf|mdc) .*",
    r"(undo )?(line|user-interface|local-user|role|user-group|domain|radius|stp|header) .*",
    r"(undo )?(netconf|public-key|password-control|scheduler|archive|dns|ftp|http|https) .*",
    r"(undo )?(system-working-mode|xbar|hardware-resource|forward-path-detection|dhcp) ?.*",
    r"interface (M-GigabitEthernet\S+|NULL0)",
    r"ip vpn-instance \S+",
    r"ip route-static vpn-instance .*",
    r"(arp timer|mac-address timer|link-delay) .*",
    r"(undo )?password-recovery enable",
    r"return",
)
_TOP = Context(*_MANAGEMENT, *_QOS)
_PORT = Context(
    *_QOS,
    r"(stp|speed|duplex|lldp|bfd|link-delay|flow-interval|broadcast-suppression) .*",
    r"(combo|port fec|multicast-suppression|unicast-suppression) .*",
    r"stp edged-port",
    r"port link-type access",
)
_VLAN = Context(r"(name|description) .*")
_TERM = Context(r"description .*")
_BGP = Context(
    r"(non-stop-routing|log-peer-change)", r"graceful-restart.*", r"timer (?!keepalive ).*"
)
_FAMILY = Context(r"balance ibgp \d+", r"peer \S+ advertise-community")

add_port_lines(_TOP, _PORT, name="sysname", undo="undo ")
_PORT.sets(r"mtu (?P<value>\d+)", "mtu_bytes", int)
_BGP.sets(r"router-id (?P<value>\S+)", "router_id", ipv4)
_FAMILY.sets(r"balance (ebgp )?(?P<value>\d+)", "max_paths", int)


@readers.add("comware7")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a Comware 7 configuration says."""
    switch = read_blocks("comware7", FILE, files[FILE], _TOP, header_ends)
    for port in switch.ports.values():
        if port.addresses and port.mtu_bytes is None and not port.name.startswith("LoopBack"):
            leave_open(switch, port.line, "mtu", f"interface {port.name}")
        if port.frame_bytes:
            longest = port.frame_bytes - FRAME_EXTRA_BYTES
            port.mtu_bytes = min(port.mtu_bytes or longest, longest)
    return switch


@_TOP.line(r"vlan (?P<vlans>\d+( to \d+)?)", inside=_VLAN)
def _vlans(switch: Configured, line: int, vlans: str) -> None:
    for vlan in numbers(vlans):
        switch.vlans[vlan] = line


@_TOP.line(
    r"interface (?P<name>[A-Z][A-Za-z-]*(GigE|GigabitEthernet)[\d/:]+)",
    r"interface (?P<name>GigabitEthernet[\d/:]+|Vlan-interface\d+|LoopBack\d+)",
    inside=_PORT,
)
def _interface(switch: Configured, line: int, name: str) -> Port:
    new = name not in switch.ports
    port = switch.port(name, line)
    if new and not name.startswith(("Vlan", "Loop")):
        port.enabled = holds("comware7", "port_up")
    if name.startswith(("Vlan", "Loop")):
        port.routed = True
    if name.startswith("Vlan"):
        port.gateway_vlan = int(name.removeprefix("Vlan-interface"))
    return port


@_PORT.line(r"port link-mode (?P<mode>route|bridge)")
def _link_mode(port: Port, _: int, mode: str) -> None:
    if port.routed is not (mode == "route"):
        port.routed = mode == "route"
        port.addresses, port.vlan, port.mtu_bytes = [], None, None


@_PORT.line(r"jumboframe enable( (?P<frame>\d+))?")
def _jumboframe(port: Port, _: int, frame: str | None) -> None:
    port.frame_bytes = int(frame) if frame else None


@_PORT.line(r"ip address (?P<text>[\d.]+) (?P<mask>[\d.]+)(?P<more> sub)?")
def _address(port: Port, line: int, text: str, mask: str, more: str | None) -> None:
    if not port.routed:
        raise ValueError("not a routed port")
    port.addresses = [*(port.addresses if more else ()), address(text, mask, line)]


@_PORT.line(r"port access vlan (?P<vlan>\d+)")
def _access(port: Port, _: int, vlan: str) -> None:
    if port.routed is not False:
        raise ValueError("not a switched port")
    port.vlan = int(vlan)


@_TOP.line(
    r"ip prefix-list (?P<name>\S+) index (?P<number>\d+) (?P<action>permit|deny) (?P<prefix>\S+)"
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


@_TERM.line(r"if-match ip address prefix-list (?P<name>\S+)")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    term.prefix_lists = [name]


add_route_lines(_TOP, _BGP, "comware7")
add_peer_lines(_BGP, _FAMILY)


@_BGP.line(r"address-family ipv4( unicast)?", inside=_FAMILY)
def _family(_: Bgp, __: int) -> None:
    """Return the process itself: the lines inside are about it."""


@_BGP.line(r"peer (?P<name>\S+) bfd( single-hop)?")
def _bfd(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).bfd = True
