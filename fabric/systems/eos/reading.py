"""Arista EOS: what a startup or running configuration says of ports, VLANs and BGP.

What holds without a line is in ``defaults.toml``: a switch routes nothing without ``ip routing``,
and the address of a port counts only after ``no switchport``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.configuration import (
    Bgp,
    Configured,
    Discard,
    Origination,
    PolicyTerm,
    StaticRoute,
    readers,
)
from fabric.observe.configuration.blocks import address as address_line
from fabric.observe.configuration.blocks import (
    aggregate,
    fill,
    network,
    numbers,
    prefix_match,
)
from fabric.observe.configuration.defaults import absence, holds, leave_open, number_of
from fabric.observe.configuration.model import is_address
from fabric.observe.configuration.routes import Process
from fabric.observe.configuration.sequences import add_entry, enter_term
from fabric.systems.eos.line_table import LINES
from fabric.systems.eos.reading_vrfs import settle_vrfs
from fabric.systems.eos.texts import text_ends

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import ConfiguredPort

#: Kind of the file that ``render`` writes.
FILE = "startup-config"

_MODEL = "service routing protocols model"
_MULTI_AGENT, _RIBD = f"{_MODEL} multi-agent", f"{_MODEL} ribd"
_ROUTED_PORTS = "switchport default mode routed"
#: Begin of the line for every port that routes and has none of its own.
_MTU = "interface defaults mtu "
#: What an entry without a number adds to the last one (Arista EOS manual, ip prefix-list).
_SEQUENCE_STEP = 10


class _PrefixList(NamedTuple):
    """A prefix list of a switch by its name."""

    switch: Configured
    name: str


class _Family(NamedTuple):
    """A family of routes of BGP, and how its fields end."""

    bgp: Bgp
    suffix: str


@readers.add("eos")
def read(files: Mapping[str, str]) -> Configured:
    """Return what an EOS configuration says."""
    switch = Configured("eos", FILE)
    switch.no_routing.append(absence("eos", "routing"))
    switch.no_routing6.append(absence("eos", "ipv6_routing"))
    switch.no_routing_over_ipv6 += [
        absence("eos", "routing_ipv6_interfaces"),
        absence("eos", "ipv6_routing"),
    ]
    fill(switch, files[FILE], LINES.top, text_ends)
    for port in switch.ports.values():
        _settle(switch, port)
    _settle_model(switch)
    settle_vrfs(switch)
    return switch


def _settle_model(switch: Configured) -> None:
    """Say why sessions over ports do not come up, or leave it open without a routing model."""
    peers = switch.bgp.peers.values() if switch.bgp else ()
    over = next((peer for peer in peers if not is_address(peer.session)), None)
    if over is None or _MULTI_AGENT in switch.global_lines:
        return
    if _RIBD in switch.global_lines:
        switch.no_routing_over_ipv6.append(f"`{_RIBD}` stands: it knows no IPv6 next hops of IPv4")
    else:
        leave_open(switch, over.line, "routing_model", "router bgp")


def _settle(switch: Configured, port: ConfiguredPort) -> None:
    """Give a port what holds without a line, and take what does not count in its mode."""
    if not port.name.startswith("Ethernet") or "." in port.name:
        port.routed = True
    elif port.routed is None:
        port.routed = _ROUTED_PORTS in switch.global_lines or holds("eos", "routed_port")
    if not port.routed:
        port.addresses, port.ipv6_link = [], False
        return
    port.vlan = None
    if port.mtu_bytes is None and not port.name.startswith("Loopback"):
        own = (line.removeprefix(_MTU) for line in switch.global_lines if line.startswith(_MTU))
        port.mtu_bytes = int(next(own, number_of("eos", "routed_mtu")))


@LINES.means("routing")
def _routing(switch: Configured, _: int, no: str | None, over: str | None = None) -> None:
    _switch(switch.no_routing, "routing", on=not no)
    if over:
        _switch(switch.no_routing_over_ipv6, "routing_ipv6_interfaces", on=not no)


@LINES.means("ipv6_routing")
def _ipv6_routing(switch: Configured, _: int, no: str | None) -> None:
    for reasons in (switch.no_routing6, switch.no_routing_over_ipv6):
        _switch(reasons, "ipv6_routing", on=not no)


def _switch(reasons: list[str], key: str, *, on: bool) -> None:
    """Take the absence of a line out of some reasons, or put it back."""
    words = absence("eos", key)
    reasons[:] = [reason for reason in reasons if reason != words] + ([] if on else [words])


@LINES.means("routing_model")
def _routing_model(switch: Configured, _: int, model: str) -> None:
    switch.global_lines -= {_MULTI_AGENT, _RIBD}
    switch.global_lines.add(f"{_MODEL} {model}")


@LINES.means("agent")
def _agent(switch: Configured, _: int, no: str | None) -> None:
    switch.no_sessions[:] = [] if no else ["the agent Bgp is shut down"]


@LINES.means("default_mode")
def _default_mode(switch: Configured, _: int, mode: str) -> None:
    if mode == "routed":
        switch.global_lines.add(_ROUTED_PORTS)


@LINES.means("defaults")
def _defaults(_: Configured, __: int) -> None:
    """Return the switch: the lines inside are about every port."""


@LINES.means("default_mtu")
def _default_mtu(switch: Configured, _: int, bytes: str) -> None:  # noqa: A002 - of the book
    switch.global_lines.add(f"{_MTU}{bytes}")


@LINES.means("vlans")
def _vlans(switch: Configured, line: int, vlans: str) -> None:
    switch.vlans |= dict.fromkeys(numbers(vlans), line)


@LINES.means("interface")
def _interface(switch: Configured, line: int, name: str) -> ConfiguredPort:
    if name not in switch.ports and name.startswith("Ethernet"):
        switch.port(name, line).enabled = holds("eos", "port_up")
    port = switch.port(name, line)
    if name.startswith("Vlan"):
        port.gateway_vlan = int(name.removeprefix("Vlan"))
    return port


@LINES.means("address")
def _address(port: ConfiguredPort, line: int, address: str) -> None:
    others = [entry for entry in port.addresses if entry.is_ipv6]
    port.addresses = [*others, address_line(address, None, line)]


@LINES.means("address6")
def _address6(port: ConfiguredPort, line: int, address: str) -> None:
    port.addresses.append(address_line(address, None, line))
    port.ipv6_link = True


@LINES.means("prefix_list")
def _prefix_list(switch: Configured, _: int, name: str) -> _PrefixList:
    switch.prefix_lists.setdefault(name, [])
    return _PrefixList(switch, name)


@LINES.means("prefix_list6")
def _prefix_list6(switch: Configured, _: int, name: str) -> _PrefixList:
    switch.prefix_lists6.setdefault(name, [])
    return _PrefixList(switch, name)


@LINES.means("prefix")
def _prefix(
    target: _PrefixList,
    line: int,
    action: str,
    prefix: str,
    number: str | None = None,
    **bits: str | None,
) -> None:
    lists = target.switch.prefix_lists6 if ":" in prefix else target.switch.prefix_lists
    entries = lists.get(target.name, [])
    last = max((entry.number for entry in entries), default=0)
    place = int(number) if number else last + _SEQUENCE_STEP
    add_entry(target.switch, target.name, place, prefix_match(action, prefix, line, **bits))


@LINES.means("whole_prefix")
def _whole_prefix(switch: Configured, line: int, name: str, **entry: str) -> None:
    _prefix(_PrefixList(switch, name), line, **entry)


@LINES.means("match")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    if term.prefix_lists not in ([], [name]):
        raise ValueError("a second condition")
    term.prefix_lists = [name]


@LINES.means("match6")
def _match6(term: PolicyTerm, _: int, name: str) -> None:
    if term.prefix_lists6 not in ([], [name]):
        raise ValueError("a second condition")
    term.prefix_lists6 = [name]


@LINES.means("static")
def _static(switch: Configured, line: int, prefix: str, hop: str) -> None:
    first, length = network(prefix)
    to: int | str | Discard = hop
    if hop == "Null0":
        to = Discard()
    elif hop[0].isdigit():
        to = address_line(hop, "32", line).address
    switch.static_routes.append(StaticRoute(first, length, to, line))


@LINES.means("bgp")
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    process = Process(int(asn), line, relax=True, extended_by_default=False)
    process.switch = switch
    return switch.open_bgp(process)


@LINES.means("peer_group")
def _peer_group(bgp: Bgp, line: int, name: str, group: str | None = None) -> None:
    if group is None and not is_address(name):
        bgp.group(name, line)
    else:
        bgp.peer(name, line).group = group


@LINES.means("unnumbered")
def _unnumbered(bgp: Bgp, line: int, port: str, group: str, asn: str) -> None:
    peer = bgp.peer(re.sub(r"^Et(?=\d)", "Ethernet", port), line)
    peer.group, peer.asn = group, int(asn)


@LINES.means("remote_as")
def _remote_as(bgp: Bgp, line: int, name: str, asn: str) -> None:
    bgp.speaker(name, line).asn = int(asn)


@LINES.means("peer_description")
def _peer_description(bgp: Bgp, line: int, name: str, text: str) -> None:
    bgp.peer(name, line).description = text


@LINES.means("peer_shutdown")
def _peer_shutdown(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).enabled = False


@LINES.means("peer_bfd")
def _peer_bfd(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).bfd = True


@LINES.means("allowas_in")
def _allowas_in(bgp: Bgp, line: int, name: str, often: str | None = None) -> None:
    speaker = bgp.speaker(name, line)
    # Without a number: at least once. The line is about the routes of every family.
    speaker.allowas_in = speaker.allowas_in6 = speaker.allowas_in_evpn = int(often or 1)


LINES.means("timers_bgp")(Bgp.set_timers)
LINES.means("router_id")(Bgp.set_router_id)
LINES.means("route_map")(enter_term)
LINES.means("aggregate")(aggregate)


@LINES.means("timers")
def _timers(bgp: Bgp, line: int, name: str, keepalive: str, hold: str) -> None:
    speaker = bgp.speaker(name, line)
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


def _families(target: Bgp | _Family) -> list[_Family]:
    """Return the families that a line is about: both where it stands outside of one."""
    return [target] if isinstance(target, _Family) else [_Family(target, end) for end in ("", "6")]


@LINES.means("policy")
def _policy(target: Bgp | _Family, line: int, name: str, policy: str, way: str) -> None:
    for bgp, suffix in _families(target):
        setattr(bgp.speaker(name, line), f"policy_{way}{suffix}", policy)


@LINES.means("redistribute")
def _redistribute(target: Bgp | _Family, line: int, policy: str | None = None) -> None:
    for bgp, suffix in _families(target):
        bgp.originations.append(Origination(None, policy or "", line, bool(suffix)))


@LINES.means("network")
def _network(bgp: Bgp, line: int, prefix: str, policy: str | None = None) -> None:
    bgp.originations.append(Origination(network(prefix), policy or "", line, ":" in prefix))


@LINES.means("family")
def _family(bgp: Bgp, _: int, family: str) -> _Family:
    """Return the family: the lines inside are about its routes."""
    return _Family(bgp, "6" if family == "ipv6" else "")


@LINES.means("activate")
def _activate(family: _Family, line: int, name: str, no: str | None) -> None:
    setattr(family.bgp.speaker(name, line), f"activated{family.suffix}", not no)


@LINES.means("network_of_family")
def _network_of_family(family: _Family, line: int, prefix: str, policy: str | None = None) -> None:
    _network(family.bgp, line, prefix, policy)


@LINES.means("extended_next_hop")
def _extended_next_hop(family: _Family, line: int, name: str) -> None:
    family.bgp.speaker(name, line).extended_next_hop = True
