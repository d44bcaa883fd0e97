"""OS10: what a configuration says of ports, VLANs and BGP.

Invented, as the rest: ports work until ``shutdown``, ``interface vlan`` makes the VLAN, and 64
equal paths are used.
"""

from __future__ import annotations

from collections.abc import Mapping

from fabric.observe.configuration import Bgp, BgpPeer, Configured, Origination, Port, readers
from fabric.observe.configuration.blocks import Context, address, read_blocks

FILE = "running-config"

TOP = Context(r"(wred|trust|qos-map|ntp|logging) .*", r"end")
PORT = Context(r"(trust-map|service-policy|random-detect|priority-flow-control) .*")
BGP = Context()
PEER = Context()

TOP.sets(r"hostname (?P<value>\S+)", "name")
PORT.switches("shutdown", "enabled", on=False)
PORT.sets(r"description (?P<value>.*)", "description")
PORT.sets(r"mtu (?P<value>\d+)", "mtu_bytes", int)
PORT.sets(r"switchport access vlan (?P<value>\d+)", "vlan", int)
BGP.sets(r"router-id (?P<value>\S+)", "router_id")
PEER.sets(r"remote-as (?P<value>\d+)", "asn", int)
PEER.sets(r"description (?P<value>.*)", "description")


@readers.add("os10")
def read(files: Mapping[str, str]) -> Configured:
    """Return what the configuration of a switch says."""
    return read_blocks("os10", FILE, files[FILE], TOP)


@TOP.line(r"interface (?P<name>(ethernet|loopback|vlan)\S+)", inside=PORT)
def _interface(switch: Configured, line: int, name: str) -> Port:
    port = switch.port(name, line)
    if name.startswith("vlan"):
        port.gateway_vlan = int(name.removeprefix("vlan"))
        switch.vlans[port.gateway_vlan] = line
    return port


@PORT.line(r"ip address (?P<text>\S+)")
def _address(port: Port, line: int, text: str) -> None:
    port.addresses.append(address(text, None, line))


@TOP.line(r"router bgp (?P<asn>\d+)", inside=BGP)
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    switch.bgp = Bgp(int(asn), line, max_paths=64)
    return switch.bgp


@BGP.line(r"redistribute connected")
def _redistribute(bgp: Bgp, line: int) -> None:
    bgp.originations.append(Origination(None, "", line))


@BGP.line(r"neighbor (?P<session>\S+)", inside=PEER)
def _neighbour(bgp: Bgp, line: int, session: str) -> BgpPeer:
    return bgp.peer(session, line)


@PEER.line(r"timers (?P<keepalive>\d+) (?P<hold>\d+)")
def _timers(peer: BgpPeer, _: int, keepalive: str, hold: str) -> None:
    peer.keepalive_s, peer.hold_s = int(keepalive), int(hold)
