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

from fabric.observe.configuration import Bgp, PolicyTerm, readers
from fabric.observe.configuration.blocks import read_blocks
from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.defaults import holds, leave_open
from fabric.observe.configuration.peer_lines import MEANINGS
from fabric.observe.configuration.port_lines import add_address6, give_address
from fabric.observe.configuration.texts import header_ends
from fabric.systems.comware7.platforms import FRAME_EXTRA_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Configured, ConfiguredPort

#: Kind of the file that ``render`` writes.
FILE = "running-config"

_LINES = BookReader("comware7", "routing", "undo")
for _name, _action in MEANINGS.items():
    _LINES.means(_name)(_action)


@readers.add("comware7")
def read(files: Mapping[str, str]) -> Configured:
    """Return what a Comware 7 configuration says."""
    switch = read_blocks("comware7", FILE, files[FILE], _LINES.top, header_ends)
    for port in switch.ports.values():
        _limit_ipv6(switch, port)
        if port.addresses and port.mtu_bytes is None and not port.name.startswith("LoopBack"):
            leave_open(switch, port.line, "mtu", f"interface {port.name}")
        if port.frame_bytes:
            longest = port.frame_bytes - FRAME_EXTRA_BYTES
            port.mtu_bytes = min(port.mtu_bytes or longest, longest)
    return switch


def _limit_ipv6(switch: Configured, port: ConfiguredPort) -> None:
    """Take over the MTU of IPv6 packets; the shorter one counts."""
    if not any(entry.is_ipv6 for entry in port.addresses):
        return
    own = [int(line) for line in port.own_lines]
    if not own:
        leave_open(switch, port.line, "ipv6_mtu", f"interface {port.name}")
    port.mtu_bytes = min([*own, *([port.mtu_bytes] if port.mtu_bytes else [])], default=None)


@_LINES.means("vlan_range")
def _vlan_range(switch: Configured, line: int, first: str, last: str) -> None:
    MEANINGS["vlans"](switch, line, f"{first}-{last}")


@_LINES.means("interface")
def _interface(switch: Configured, line: int, name: str) -> ConfiguredPort:
    new = name not in switch.ports
    port = switch.port(name, line)
    if new and not name.startswith(("Vlan", "Loop")):
        port.enabled = holds("comware7", "port_up")
    if name.startswith(("Vlan", "Loop")):
        port.routed = True
    if name.startswith("Vlan"):
        port.gateway_vlan = int(name.removeprefix("Vlan-interface"))
    return port


@_LINES.means("link_mode")
def _link_mode(port: ConfiguredPort, _: int, mode: str) -> None:
    if port.routed is not (mode == "route"):
        port.routed = mode == "route"
        port.addresses, port.vlan, port.mtu_bytes = [], None, None


@_LINES.means("jumboframe")
def _jumboframe(port: ConfiguredPort, _: int, frame: str | None = None) -> None:
    port.frame_bytes = int(frame) if frame else None


_LINES.means("address")(give_address)
_LINES.means("address6")(add_address6)


@_LINES.means("ipv6_mtu")
def _ipv6_mtu(port: ConfiguredPort, _: int, bytes: str) -> None:  # noqa: A002 - of the book
    port.own_lines = {bytes}


@_LINES.means("access")
def _access(port: ConfiguredPort, _: int, vlan: str) -> None:
    if port.routed is not False:
        raise ValueError("not a switched port")
    port.vlan = int(vlan)


@_LINES.means("match")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    term.prefix_lists = [name]


@_LINES.means("bgp")
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    active = holds("comware7", "ipv4_unicast")
    return switch.open_bgp(Bgp(int(asn), line, active_by_default=active, max_paths6=1))


@_LINES.means("bfd")
def _bfd(bgp: Bgp, line: int, name: str, hops: str = "single-hop") -> None:
    if hops != "single-hop":
        raise ValueError(hops)
    bgp.speaker(name, line).bfd = True
