"""OS10: what a configuration says of ports, VLANs and BGP.

Invented, as the rest: ports work until ``shutdown``, ``interface vlan`` makes the VLAN, and 64
equal paths are used.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabric.observe.configuration import (
    Bgp,
    BgpPeer,
    Configured,
    ConfiguredPort,
    Origination,
    readers,
)
from fabric.observe.configuration.blocks import address, read_blocks
from fabric.observe.configuration.book import BookReader

FILE = "running-config"

LINES = BookReader("os10", "routing", "no")


@readers.add("os10")
def read(files: Mapping[str, str]) -> Configured:
    """Return what the configuration of a switch says."""
    return read_blocks("os10", FILE, files[FILE], LINES.top)


@LINES.means("hostname")
def _hostname(switch: Configured, _: int, name: str) -> None:
    switch.name = name


@LINES.means("interface")
def _interface(switch: Configured, line: int, name: str) -> ConfiguredPort:
    port = switch.port(name, line)
    if name.startswith("vlan"):
        port.gateway_vlan = int(name.removeprefix("vlan"))
        switch.vlans[port.gateway_vlan] = line
    return port


@LINES.means("address")
def _address(port: ConfiguredPort, line: int, text: str) -> None:
    port.addresses.append(address(text, None, line))


@LINES.means("bgp")
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    switch.bgp = Bgp(int(asn), line, max_paths=64)
    return switch.bgp


@LINES.means("redistribute")
def _redistribute(bgp: Bgp, line: int) -> None:
    bgp.originations.append(Origination(None, "", line))


@LINES.means("neighbour")
def _neighbour(bgp: Bgp, line: int, session: str) -> BgpPeer:
    return bgp.peer(session, line)


@LINES.means("timers")
def _timers(peer: BgpPeer, _: int, keepalive: str, hold: str) -> None:
    peer.keepalive_s, peer.hold_s = int(keepalive), int(hold)
