"""The lines inside ``router bgp`` of Arista EOS."""

from __future__ import annotations

import re

from fabric.observe.configuration import Bgp, Origination
from fabric.observe.configuration.blocks import Context, ipv4, network

BGP = Context(
    r"neighbor \S+ (send-community( .*)?|maximum-routes 0( .*)?|soft-reconfiguration .*)",
    r"graceful-restart.*",
    r"bgp log-neighbor-changes",
)
_FAMILY = Context()


@BGP.line(r"router-id (?P<router_id>\S+)")
def _router_id(bgp: Bgp, _: int, router_id: str) -> None:
    bgp.router_id = ipv4(router_id)


@BGP.line(r"(?P<no>no )?bgp default ipv4-unicast")
def _default_family(bgp: Bgp, _: int, no: str | None) -> None:
    bgp.active_by_default = not no


@BGP.line(r"(?P<no>no )?bgp bestpath as-path multipath-relax")
def _relax(bgp: Bgp, _: int, no: str | None) -> None:
    bgp.relax = not no


@BGP.line(r"maximum-paths (?P<paths>\d+)( ecmp \d+)?")
def _max_paths(bgp: Bgp, _: int, paths: str) -> None:
    bgp.max_paths = int(paths)


@BGP.line(r"neighbor (?P<name>[A-Za-z]\S*) peer[ -]group")
def _group(bgp: Bgp, line: int, name: str) -> None:
    bgp.group(name, line)


@BGP.line(r"neighbor (?P<address>[\d.]+) peer[ -]group (?P<group>\S+)")
def _member(bgp: Bgp, line: int, address: str, group: str) -> None:
    bgp.peer(address, line).group = group


@BGP.line(r"neighbor interface (?P<port>\S+) peer-group (?P<group>\S+) remote-as (?P<asn>\d+)")
def _unnumbered(bgp: Bgp, line: int, port: str, group: str, asn: str) -> None:
    peer = bgp.peer(re.sub(r"^Et(?=\d)", "Ethernet", port), line)
    peer.group, peer.asn = group, int(asn)


@BGP.line(r"neighbor (?P<name>\S+) remote-as (?P<asn>\d+)")
def _remote_as(bgp: Bgp, line: int, name: str, asn: str) -> None:
    bgp.speaker(name, line).asn = int(asn)


@BGP.line(r"neighbor (?P<name>\S+) description (?P<text>.*)")
def _peer_description(bgp: Bgp, line: int, name: str, text: str) -> None:
    bgp.peer(name, line).description = text


@BGP.line(r"neighbor (?P<name>\S+) shutdown")
def _peer_shutdown(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).enabled = False


@BGP.line(r"neighbor (?P<name>\S+) bfd")
def _peer_bfd(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).bfd = True


@BGP.line(r"neighbor (?P<name>\S+) allowas-in( (?P<often>\d+))?")
def _allowas_in(bgp: Bgp, line: int, name: str, often: str | None) -> None:
    bgp.speaker(name, line).allowas_in = int(often or 1)  # without a number: at least once


BGP.line(r"timers bgp (?P<keepalive>\d+) (?P<hold>\d+)( .*)?")(Bgp.set_timers)


@BGP.line(r"neighbor (?P<name>\S+) timers (?P<keepalive>\d+) (?P<hold>\d+)")
def _timers(bgp: Bgp, line: int, name: str, keepalive: str, hold: str) -> None:
    speaker = bgp.speaker(name, line)
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


@BGP.line(r"neighbor (?P<name>\S+) route-map (?P<policy>\S+) (?P<way>in|out)")
@_FAMILY.line(r"neighbor (?P<name>\S+) route-map (?P<policy>\S+) (?P<way>in|out)")
def _policy(bgp: Bgp, line: int, name: str, policy: str, way: str) -> None:
    speaker = bgp.speaker(name, line)
    setattr(speaker, f"policy_{way}", policy)


@BGP.line(r"redistribute connected( route-map (?P<policy>\S+))?")
@_FAMILY.line(r"redistribute connected( route-map (?P<policy>\S+))?")
def _redistribute(bgp: Bgp, line: int, policy: str | None) -> None:
    bgp.originations.append(Origination(None, policy or "", line))


@BGP.line(r"network (?P<prefix>\S+)( route-map (?P<policy>\S+))?")
@_FAMILY.line(r"network (?P<prefix>\S+)( route-map (?P<policy>\S+))?")
def _network(bgp: Bgp, line: int, prefix: str, policy: str | None) -> None:
    bgp.originations.append(Origination(network(prefix), policy or "", line))


@BGP.line(r"address-family ipv4", inside=_FAMILY)
def _family(_: Bgp, __: int) -> None:
    """Return the process itself: the lines inside are about its sessions."""


@_FAMILY.line(r"(?P<no>no )?neighbor (?P<name>\S+) activate")
def _activate(bgp: Bgp, line: int, name: str, no: str | None) -> None:
    bgp.speaker(name, line).activated = not no


@_FAMILY.line(r"neighbor (?P<name>\S+) next-hop address-family ipv6 originate")
def _extended_next_hop(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).extended_next_hop = True
