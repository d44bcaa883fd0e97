"""Huawei VRP8: what a running configuration says of ports, VLANs and BGP.

A port is switched until ``undo portswitch``; whether it works without ``undo shutdown`` is not
published, and not judged. What it routes has an MTU of 1500 bytes until ``mtu``, and its frames are
at most 9216 bytes, or what ``jumboframe enable`` says (``defaults.toml``). Addresses carry their
mask as a second word. Packets of IPv6 have an MTU of their own, 1500 bytes too until ``ipv6 mtu``.
BGP uses one path until ``maximum load-balancing``, and paths over different
ASes only with ``load-balancing as-path-relax`` (CloudEngine 8800 V300R023C00, command reference). A
session exchanges IPv4 routes without ``peer enable`` too, until ``undo default ipv4-unicast``. Not
confirmed is that a port takes a 31-bit mask as its first address, which is read as it stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import Bgp, PolicyTerm, readers
from fabric.observe.configuration.blocks import address as address_line
from fabric.observe.configuration.blocks import read_blocks
from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.defaults import holds, number_of
from fabric.observe.configuration.model import EXTERNAL
from fabric.observe.configuration.peer_lines import MEANINGS
from fabric.observe.configuration.port_lines import give_address
from fabric.observe.configuration.texts import header_ends
from fabric.systems.vrp8.platforms import FRAME_EXTRA_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured, ConfiguredPort
    from fabric.observe.configuration.routes import Routes

#: Kind of the file that ``render`` writes.
FILE = "running-config"

#: Lines of a port that sessions over it need, by their own words.
_LINK_LINES = {"enable", "auto", "disable", "unnumbered"}
_MTU6 = "mtu "

_LINES = BookReader("vrp8", "routing", "undo")
for _name, _action in MEANINGS.items():
    _LINES.means(_name)(_action)


@readers.add("vrp8")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a VRP8 configuration says."""
    switch = read_blocks("vrp8", FILE, files[FILE], _LINES.top, header_ends)
    peers = switch.bgp.peers.values() if switch.bgp else ()
    is_dual = any(peer.activated6 for peer in peers)
    for port in switch.ports.values():
        port.ipv6_link = bool(port.routed) and port.own_lines >= _LINK_LINES
        if (is_dual and port.ipv6_link) or any(entry.is_ipv6 for entry in port.addresses):
            _limit_ipv6(port)
    return switch


def _limit_ipv6(port: ConfiguredPort) -> None:
    """Take over that IPv6 packets have an MTU of their own; the shorter one counts."""
    own = [int(line.removeprefix(_MTU6)) for line in port.own_lines if line.startswith(_MTU6)]
    longest = own[0] if own else number_of("vrp8", "mtu")
    port.mtu_bytes = min(port.mtu_bytes or longest, longest)


@_LINES.means("interface")
def _interface(switch: Configured, line: int, name: str) -> ConfiguredPort:
    new = name not in switch.ports
    port = switch.port(name, line)
    port.routed = bool(port.routed) or not name[0].isdigit()
    if name.startswith("Vlanif"):
        port.gateway_vlan = int(name.removeprefix("Vlanif"))
        port.mtu_bytes = number_of("vrp8", "mtu") if new else port.mtu_bytes
    elif new and not port.routed:
        port.mtu_bytes = number_of("vrp8", "frame") - FRAME_EXTRA_BYTES
    return port


@_LINES.means("portswitch")
def _portswitch(port: ConfiguredPort, _: int, no: str | None) -> None:
    port.routed = bool(no)
    frame = number_of("vrp8", "frame") - FRAME_EXTRA_BYTES
    port.mtu_bytes = number_of("vrp8", "mtu") if no else frame


@_LINES.means("jumboframe")
def _jumboframe(port: ConfiguredPort, _: int, frame: str) -> None:
    longest = int(frame) - FRAME_EXTRA_BYTES
    port.mtu_bytes = min(port.mtu_bytes or longest, longest) if port.routed else longest


_LINES.means("address")(give_address)


@_LINES.means("address6")
def _address6(port: ConfiguredPort, line: int, address: str) -> None:
    if not port.routed or "enable" not in port.own_lines:
        raise ValueError("a switched port, or one without IPv6")
    port.addresses.append(address_line(address, None, line))


@_LINES.means("ipv6_mtu")
def _ipv6_mtu(port: ConfiguredPort, _: int, bytes: str) -> None:  # noqa: A002 - of the book
    port.own_lines.add(f"{_MTU6}{bytes}")


@_LINES.means("own_line")
def _own_line(port: ConfiguredPort, _: int, line: str) -> None:
    port.own_lines.add(line)


@_LINES.means("unnumbered_group")
def _unnumbered_group(bgp: Bgp, line: int, name: str, kind: str) -> None:
    if kind == "internal":
        raise ValueError("sessions within one AS")
    bgp.group(name, line).asn = EXTERNAL


@_LINES.means("over_port")
def _over_port(bgp: Bgp, line: int, group: str, port: str) -> None:
    bgp.peer(port, line).group = group


@_LINES.means("access")
def _access(port: ConfiguredPort, _: int, vlan: str) -> None:
    if port.routed:
        raise ValueError("a routed port")
    port.vlan = int(vlan)


@_LINES.means("match")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    if term.prefix_lists:
        raise ValueError("a second condition")
    term.prefix_lists.append(name)


@_LINES.means("bgp")
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    active = holds("vrp8", "ipv4_unicast")
    return switch.open_bgp(Bgp(int(asn), line, active_by_default=active, max_paths6=1))


@_LINES.means("relax")
def _relax(routes: Routes[Bgp], _: int) -> None:
    routes.of.relax = True


@_LINES.means("bfd")
def _bfd(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).bfd = True
