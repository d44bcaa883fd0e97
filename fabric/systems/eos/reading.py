"""Arista EOS: what a startup or running configuration says of ports, VLANs and BGP.

What holds without a line is in ``defaults.toml``: a switch routes nothing without ``ip routing``,
and the address of a port counts only after ``no switchport``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.observe.configuration import (
    Bgp,
    Configured,
    Discard,
    Origination,
    PolicyTerm,
    StaticRoute,
    readers,
)
from fabric.observe.configuration.blocks import (
    Context,
    address,
    fill,
    ipv4,
    network,
    numbers,
    prefix_match,
)
from fabric.observe.configuration.defaults import absence, holds, number_of
from fabric.systems.eos.texts import text_ends

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Port, PrefixMatch

#: Kind of the file that ``render`` writes.
FILE = "startup-config"

_QOS = (
    r"qos .*",
    r"priority-flow-control .*",
    r"(no )?service-profile .*",
    r"(no )?tx-queue .*",
    r"uc-tx-queue .*",
    r"hardware (counter|speed-group) .*",
    r"platform \S+ .*",
    r"load-balance .*",
    r"port-channel load-balance .*",
    r"ip (load-sharing|hardware fib load-balance distribution) .*",
)
_MANAGEMENT = (
    r"(no )?(service|logging|ntp|clock|aaa|username|snmp-server|management|banner|daemon) .*",
    r"(no )?(boot|terminal|alias|errdisable|lldp|spanning-tree|transceiver|dns) .*",
    r"(no )?(queue-monitor|event-monitor|tacacs-server|radius-server|agent) .*",
    r"ip (name-server|domain)\b.*",
    r"end",
    r"interface Management\S+",
    r"vrf instance \S+",
    r"(no )?ip (route|routing) vrf .*",
    r"mac address-table aging-time \d+",
    r"arp aging timeout default \d+",
    r"router (bfd|multicast)",
)

_TOP = Context(*_MANAGEMENT, *_QOS)
_PORT = Context(
    *_QOS,
    r"speed .*",
    r"(no )?error-correction .*",
    r"spanning-tree .*",
    r"switchport mode access",
    r"arp aging timeout \d+",
    r"flowcontrol .*",
    r"lldp .*",
    r"transceiver .*",
)
_VLAN = Context(r"name .*", r"state active")
_LIST = Context()
_TERM = Context(r"description .*")
_BGP = Context(
    r"neighbor \S+ (send-community( .*)?|maximum-routes \d+.*|soft-reconfiguration .*)",
    r"graceful-restart.*",
    r"bgp log-neighbor-changes",
)
_FAMILY = Context()
_ROUTED_PORTS = "switchport default mode routed"
#: Begin of the line for every port that routes and has none of its own.
_MTU = "interface defaults mtu "
_DEFAULTS = Context()


@readers.add("eos")
def read(files: Mapping[str, str]) -> Configured:
    """Return what an EOS configuration says."""
    switch = Configured("eos", FILE)
    switch.no_routing.append(absence("eos", "routing"))
    switch.no_routing_over_ipv6 += [
        absence("eos", "routing_ipv6_interfaces"),
        absence("eos", "ipv6_routing"),
    ]
    fill(switch, files[FILE], _TOP, text_ends)
    for port in switch.ports.values():
        _settle(switch, port)
    return switch


def _settle(switch: Configured, port: Port) -> None:
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


@_TOP.line(r"hostname (?P<name>\S+)")
def _hostname(switch: Configured, _: int, name: str) -> None:
    switch.name = name


@_TOP.line(r"(?P<no>no )?ip routing(?P<over> ipv6 interfaces)?")
def _routing(switch: Configured, _: int, no: str | None, over: str | None) -> None:
    _switch(switch.no_routing, "routing", on=not no)
    if over:
        _switch(switch.no_routing_over_ipv6, "routing_ipv6_interfaces", on=not no)


@_TOP.line(r"(?P<no>no )?ipv6 unicast-routing")
def _ipv6_routing(switch: Configured, _: int, no: str | None) -> None:
    _switch(switch.no_routing_over_ipv6, "ipv6_routing", on=not no)


def _switch(reasons: list[str], key: str, *, on: bool) -> None:
    """Take the absence of a line out of some reasons, or put it back."""
    words = absence("eos", key)
    reasons[:] = [reason for reason in reasons if reason != words] + ([] if on else [words])


@_TOP.line(r"switchport default mode (?P<mode>access|routed)")
def _default_mode(switch: Configured, _: int, mode: str) -> None:
    if mode == "routed":
        switch.global_lines.add(_ROUTED_PORTS)


@_TOP.line(r"interface defaults", inside=_DEFAULTS)
def _of_all(_: Configured, __: int) -> None:
    """Return the switch: the lines inside are about every port."""


@_DEFAULTS.line(r"mtu (?P<mtu>\d+)")
def _default_mtu(switch: Configured, _: int, mtu: str) -> None:
    switch.global_lines.add(f"{_MTU}{mtu}")


@_TOP.line(r"vlan (?P<vlans>[\d,-]+)", inside=_VLAN)
def _vlan(switch: Configured, line: int, vlans: str) -> None:
    switch.vlans |= dict.fromkeys(numbers(vlans), line)


@_TOP.line(r"interface (?P<name>(Ethernet|Loopback|Vlan)\S+)", inside=_PORT)
def _interface(switch: Configured, line: int, name: str) -> Port:
    port = switch.port(name, line)
    if name.startswith("Vlan"):
        port.gateway_vlan = int(name.removeprefix("Vlan"))
    return port


@_PORT.line(r"(?P<no>no )?shutdown")
def _shutdown(port: Port, _: int, no: str | None) -> None:
    port.enabled = bool(no)


@_PORT.line(r"(?P<no>no )?switchport")
def _switchport(port: Port, _: int, no: str | None) -> None:
    port.routed = bool(no)


@_PORT.line(r"description (?P<text>.*)")
def _description(port: Port, _: int, text: str) -> None:
    port.description = text


@_PORT.line(r"mtu (?P<mtu>\d+)")
def _mtu(port: Port, _: int, mtu: str) -> None:
    port.mtu_bytes = int(mtu)


@_PORT.line(r"ip address (?P<text>[\d./]+)")
def _address(port: Port, line: int, text: str) -> None:
    port.addresses = [address(text, None, line)]


@_PORT.line(r"ipv6 enable")
def _ipv6(port: Port, _: int) -> None:
    port.ipv6_link = True


@_PORT.line(r"switchport access vlan (?P<vlan>\d+)")
def _access(port: Port, _: int, vlan: str) -> None:
    port.vlan = int(vlan)


@_TOP.line(r"ip prefix-list (?P<name>\S+)", inside=_LIST)
def _prefix_list(switch: Configured, _: int, name: str) -> list[PrefixMatch]:
    return switch.prefix_lists.setdefault(name, [])


@_LIST.line(
    r"(seq \d+ )?(?P<action>permit|deny) (?P<prefix>\S+)"
    r"( eq (?P<exact>\d+))?( ge (?P<low>\d+))?( le (?P<high>\d+))?"
)
def _prefix(
    entries: list[PrefixMatch], line: int, action: str, prefix: str, **bits: str | None
) -> None:
    entries.append(prefix_match(action, prefix, line, **bits))


@_TOP.line(r"route-map (?P<name>\S+) (?P<action>permit|deny) \d+", inside=_TERM)
def _route_map(switch: Configured, line: int, name: str, action: str) -> PolicyTerm:
    term = PolicyTerm(action == "permit", line)
    switch.policies.setdefault(name, []).append(term)
    return term


@_TERM.line(r"match ip address prefix-list (?P<name>\S+)")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    term.prefix_lists.append(name)


@_TOP.line(r"ip route (?P<prefix>\S+) (?P<hop>\S+)")
def _static(switch: Configured, line: int, prefix: str, hop: str) -> None:
    first, length = network(prefix)
    to: int | str | Discard = hop
    if hop == "Null0":
        to = Discard()
    elif hop[0].isdigit():
        to = address(hop, "32", line).address
    switch.static_routes.append(StaticRoute(first, length, to, line))


@_TOP.line(r"router bgp (?P<asn>\d+)", inside=_BGP)
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    switch.bgp = Bgp(int(asn), line, relax=True, extended_by_default=False)
    return switch.bgp


@_BGP.line(r"router-id (?P<router_id>\S+)")
def _router_id(bgp: Bgp, _: int, router_id: str) -> None:
    bgp.router_id = ipv4(router_id)


@_BGP.line(r"(?P<no>no )?bgp default ipv4-unicast")
def _default_family(bgp: Bgp, _: int, no: str | None) -> None:
    bgp.active_by_default = not no


@_BGP.line(r"(?P<no>no )?bgp bestpath as-path multipath-relax")
def _relax(bgp: Bgp, _: int, no: str | None) -> None:
    bgp.relax = not no


@_BGP.line(r"maximum-paths (?P<paths>\d+)( ecmp \d+)?")
def _max_paths(bgp: Bgp, _: int, paths: str) -> None:
    bgp.max_paths = int(paths)


@_BGP.line(r"neighbor (?P<name>[A-Za-z]\S*) peer group")
def _group(bgp: Bgp, line: int, name: str) -> None:
    bgp.group(name, line)


@_BGP.line(r"neighbor (?P<address>[\d.]+) peer group (?P<group>\S+)")
def _member(bgp: Bgp, line: int, address: str, group: str) -> None:
    bgp.peer(address, line).group = group


@_BGP.line(r"neighbor interface (?P<port>\S+) peer-group (?P<group>\S+) remote-as (?P<asn>\d+)")
def _unnumbered(bgp: Bgp, line: int, port: str, group: str, asn: str) -> None:
    peer = bgp.peer(port, line)
    peer.group, peer.asn = group, int(asn)


@_BGP.line(r"neighbor (?P<name>\S+) remote-as (?P<asn>\d+)")
def _remote_as(bgp: Bgp, line: int, name: str, asn: str) -> None:
    bgp.speaker(name, line).asn = int(asn)


@_BGP.line(r"neighbor (?P<name>\S+) description (?P<text>.*)")
def _peer_description(bgp: Bgp, line: int, name: str, text: str) -> None:
    bgp.peer(name, line).description = text


@_BGP.line(r"neighbor (?P<name>\S+) shutdown")
def _peer_shutdown(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).enabled = False


@_BGP.line(r"neighbor (?P<name>\S+) bfd")
def _peer_bfd(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).bfd = True


@_BGP.line(r"neighbor (?P<name>\S+) allowas-in( (?P<often>\d+))?")
def _allowas_in(bgp: Bgp, line: int, name: str, often: str | None) -> None:
    bgp.speaker(name, line).allowas_in = int(often or 1)  # without a number: at least once


_BGP.line(r"timers bgp (?P<keepalive>\d+) (?P<hold>\d+)( .*)?")(Bgp.set_timers)


@_BGP.line(r"neighbor (?P<name>\S+) timers (?P<keepalive>\d+) (?P<hold>\d+)")
def _timers(bgp: Bgp, line: int, name: str, keepalive: str, hold: str) -> None:
    speaker = bgp.speaker(name, line)
    speaker.keepalive_s, speaker.hold_s = int(keepalive), int(hold)


@_BGP.line(r"neighbor (?P<name>\S+) route-map (?P<policy>\S+) (?P<way>in|out)")
@_FAMILY.line(r"neighbor (?P<name>\S+) route-map (?P<policy>\S+) (?P<way>in|out)")
def _policy(bgp: Bgp, line: int, name: str, policy: str, way: str) -> None:
    speaker = bgp.speaker(name, line)
    setattr(speaker, f"policy_{way}", policy)


@_BGP.line(r"redistribute connected( route-map (?P<policy>\S+))?")
@_FAMILY.line(r"redistribute connected( route-map (?P<policy>\S+))?")
def _redistribute(bgp: Bgp, line: int, policy: str | None) -> None:
    bgp.originations.append(Origination(None, policy or "", line))


@_BGP.line(r"network (?P<prefix>\S+)( route-map (?P<policy>\S+))?")
@_FAMILY.line(r"network (?P<prefix>\S+)( route-map (?P<policy>\S+))?")
def _network(bgp: Bgp, line: int, prefix: str, policy: str | None) -> None:
    bgp.originations.append(Origination(network(prefix), policy or "", line))


@_BGP.line(r"address-family ipv4", inside=_FAMILY)
def _family(_: Bgp, __: int) -> None:
    """Return the process itself: the lines inside are about its sessions."""


@_FAMILY.line(r"(?P<no>no )?neighbor (?P<name>\S+) activate")
def _activate(bgp: Bgp, line: int, name: str, no: str | None) -> None:
    bgp.speaker(name, line).activated = not no


@_FAMILY.line(r"neighbor (?P<name>\S+) next-hop address-family ipv6 originate")
def _extended_next_hop(bgp: Bgp, line: int, name: str) -> None:
    bgp.speaker(name, line).extended_next_hop = True
