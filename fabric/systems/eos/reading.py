"""Arista EOS: what a startup or running configuration says of ports, VLANs and BGP.

What holds without a line is in ``defaults.toml``: a switch routes nothing without ``ip routing``,
and the address of a port counts only after ``no switchport``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fabric.observe.configuration import (
    Bgp,
    Configured,
    Discard,
    PolicyTerm,
    StaticRoute,
    readers,
)
from fabric.observe.configuration.blocks import (
    Context,
    address,
    fill,
    network,
    numbers,
    prefix_match,
)
from fabric.observe.configuration.defaults import absence, holds, leave_open, number_of
from fabric.observe.configuration.sequences import add_entry, enter_term
from fabric.systems.eos.reading_bgp import BGP
from fabric.systems.eos.texts import text_ends

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.observe.configuration import Port

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
    r"(no )?service (?!routing protocols ).*",
    r"(no )?(logging|ntp|clock|aaa|username|snmp-server|management|banner|daemon) .*",
    r"(no )?(boot|terminal|alias|errdisable|lldp|spanning-tree|transceiver|dns) .*",
    r"(no )?(queue-monitor|event-monitor|tacacs-server|radius-server) .*",
    r"(no )?agent (?!Bgp shutdown$).*",
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
_MULTI_AGENT = "service routing protocols model multi-agent"
_RIBD = "service routing protocols model ribd"
_ROUTED_PORTS = "switchport default mode routed"
#: Begin of the line for every port that routes and has none of its own.
_MTU = "interface defaults mtu "
_DEFAULTS = Context()
_ENTRY = (
    r"(?P<action>permit|deny) (?P<prefix>\S+)"
    r"( eq (?P<exact>\d+))?( ge (?P<low>\d+))?( le (?P<high>\d+))?"
)
#: What an entry without a number adds to the last one (Arista EOS manual, ip prefix-list).
_SEQUENCE_STEP = 10


class _PrefixList(NamedTuple):
    """A prefix list of a switch by its name."""

    switch: Configured
    name: str


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
    _settle_model(switch)
    return switch


def _settle_model(switch: Configured) -> None:
    """Say why sessions over ports do not come up, or leave it open without a routing model."""
    peers = switch.bgp.peers.values() if switch.bgp else ()
    over = next((peer for peer in peers if not peer.session[0].isdigit()), None)
    if over is None or _MULTI_AGENT in switch.global_lines:
        return
    if _RIBD in switch.global_lines:
        switch.no_routing_over_ipv6.append(f"`{_RIBD}` stands: it knows no IPv6 next hops of IPv4")
    else:
        leave_open(switch, over.line, "routing_model", "router bgp")


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


@_TOP.line(rf"(?P<words>{_MULTI_AGENT}|{_RIBD})")
def _routing_model(switch: Configured, _: int, words: str) -> None:
    switch.global_lines -= {_MULTI_AGENT, _RIBD}
    switch.global_lines.add(words)


@_TOP.line(r"(?P<no>no )?agent Bgp shutdown")
def _agent(switch: Configured, _: int, no: str | None) -> None:
    switch.no_sessions[:] = [] if no else ["the agent Bgp is shut down"]


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
    if name not in switch.ports and name.startswith("Ethernet"):
        switch.port(name, line).enabled = holds("eos", "port_up")
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
def _prefix_list(switch: Configured, _: int, name: str) -> _PrefixList:
    switch.prefix_lists.setdefault(name, [])
    return _PrefixList(switch, name)


@_LIST.line(rf"(seq (?P<number>\d+) )?{_ENTRY}")
def _prefix(
    target: _PrefixList,
    line: int,
    number: str | None,
    action: str,
    prefix: str,
    **bits: str | None,
) -> None:
    entries = target.switch.prefix_lists.get(target.name, [])
    last = max((entry.number for entry in entries), default=0)
    place = int(number) if number else last + _SEQUENCE_STEP
    add_entry(target.switch, target.name, place, prefix_match(action, prefix, line, **bits))


@_TOP.line(rf"ip prefix-list (?P<name>\S+) seq (?P<number>\d+) {_ENTRY}")
def _whole_prefix(
    switch: Configured,
    line: int,
    name: str,
    number: str,
    action: str,
    prefix: str,
    **bits: str | None,
) -> None:
    _prefix(_PrefixList(switch, name), line, number, action, prefix, **bits)


@_TOP.line(r"route-map (?P<name>\S+) (?P<action>permit|deny) (?P<number>\d+)", inside=_TERM)
def _route_map(switch: Configured, line: int, name: str, action: str, number: str) -> PolicyTerm:
    return enter_term(switch, name, action, int(number), line)


@_TERM.line(r"match ip address prefix-list (?P<name>\S+)")
def _match(term: PolicyTerm, _: int, name: str) -> None:
    if term.prefix_lists not in ([], [name]):
        raise ValueError("a second condition")
    term.prefix_lists = [name]


@_TOP.line(r"ip route (?P<prefix>\S+) (?P<hop>\S+)")
def _static(switch: Configured, line: int, prefix: str, hop: str) -> None:
    first, length = network(prefix)
    to: int | str | Discard = hop
    if hop == "Null0":
        to = Discard()
    elif hop[0].isdigit():
        to = address(hop, "32", line).address
    switch.static_routes.append(StaticRoute(first, length, to, line))


@_TOP.line(r"router bgp (?P<asn>\d+)", inside=BGP)
def _bgp(switch: Configured, line: int, asn: str) -> Bgp:
    return switch.open_bgp(Bgp(int(asn), line, relax=True, extended_by_default=False))
