"""Arista EOS: what a configuration says of PFC, ECN, maps, watchdog, ageing and MTU.

Defaults that a file does not print are those of EOS: DSCP is trusted on routed ports and CoS on
switched ones, every queue is strict, the watchdog of a port is on, ARP lives 14,400 s, MAC
addresses 300 s, and DSCP 8n to 8n+7 go to traffic class n, but for 0-7 to 1 and 8-15 to 0 (EOS
user manual, chapter QoS; `show running-config all` of 4.19 and 4.22).
"""

from __future__ import annotations

import re

from fabric.observe.configuration.blocks import blocks, numbers
from fabric.observe.configuration.book import BookReader
from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.defaults import number_of
from fabric.observe.configuration.lossless import (
    Lossless,
    LosslessReader,
    Marking,
    Policy,
    PortPolicy,
    Use,
    Value,
    Watchdog,
    lossless_readers,
)
from fabric.qos.dscps import DSCPS
from fabric.systems.eos.texts import text_ends

_DEFAULT_ARP_S, _DEFAULT_MAC_S = 14_400, 300
_MS = 1_000
_SWAPPED = {0: 1, 1: 0}
_CLASSES = 8


class _Switch(Lossless):
    """The switch with its named profiles and its port channels, until ports are complete."""

    profiles: dict[str, Policy]
    attached: dict[str, str]
    members: dict[str, str]
    is_off: bool = False
    is_routed: bool = False
    routed_mtu: Value


#: What the lines of each place are about that count here.
_TOPICS = {
    "config": r"qos (?!(rewrite|tx-queue|cos|map (cos|exp)|map traffic-class .* to (cos|dscp)) )"
    r"|interface (Ethernet|Port-Channel|Vlan|defaults$)|switchport default mode |arp aging"
    r"|mac address-table aging-time|priority-flow-control |hostname "
    r"|platform trident mmu queue profile",
    **dict.fromkeys(
        ("if-ethernet", "if-portchannel", "if-vlan"),
        r"description|mtu|speed|(no )?shutdown|(no )?switchport$|switchport mode trunk$"
        r"|service-profile|(no )?qos trust|(no )?priority-flow-control|arp aging|u?c?-?tx-queue"
        r"|switchport (access vlan|trunk allowed vlan) |ip(v6)? address |channel-group "
        r"|profile |service-policy type qos input ",
    ),
    "defaults": "mtu ",
    "qos-profile": r"(no )?qos trust|(no )?priority-flow-control|(uc-|mc-)?tx-queue"
    r"|service-policy type qos ",
    "queue": r"no priority|priority strict|bandwidth percent|(no )?random-detect",
    "mmu": r"(?!)",
}
_LINES = BookReader("eos", "lossless", "no", _TOPICS)
#: Of a speed that is not negotiated: ``400g-8``, ``forced 40gfull``, ``100full`` is 0.1 Gb/s.
_SPEED = re.compile(r"(forced )?(?P<gbps>\d+)(g|000full|gfull).*")


def read(text: str) -> Lossless:
    """Return what an EOS configuration says of the lossless class."""
    switch = _Switch("eos")
    switch.profiles, switch.attached, switch.members = {}, {}, {}
    switch.routed_mtu = Value(number_of("eos", "routed_mtu"), 0)
    switch.arp_timeout_s, switch.mac_ageing_s = Value(_DEFAULT_ARP_S, 0), Value(_DEFAULT_MAC_S, 0)
    _LINES.top.read(switch, blocks(text, text_ends=text_ends), switch.leftovers)
    shared = switch.profiles.pop("", Policy())
    for name, port in switch.ports.items():
        profile = switch.profiles.get(switch.attached.get(name, ""))
        if profile:
            port.add(profile)
    join(switch.ports, switch.members)
    for port in switch.ports.values():
        port.add(shared)
        _complete(port, switch)
    for gateway in switch.gateways.values():
        _route(gateway, switch)
    return switch


lossless_readers.add("eos")(
    LosslessReader(
        read,
        (
            r"^! device: .*EOS",
            r"^transceiver qsfp default-mode",
            r"^service routing protocols model",
            r"^qos profile ",
            r"^   service-profile ",
            r"^   (uc-)?tx-queue ",
            r"^   (no )?switchport$",
            r"^   qos trust (dscp|cos)$",
            r"^   priority-flow-control (on|priority [0-7] no-drop)$",
            r"^priority-flow-control pause watchdog ",
            r"^qos map (dscp|cos|traffic-class) [\d ]+ to ",
            r"^policy-map type quality-of-service ",
            r"^ip routing$",
            r"^management api http-commands$",
            r"^platform (trident|sand|fap) ",
            r"^platform trident mmu queue profile ",
        ),
        shares_in_percent=True,
        # ! device: leaf1 (DCS-7060DX5-64S, EOS-4.30.2F)
        identity=(
            r"^! device: \S+ \((?:DCS-)?(?P<model>[\w-]{1,40}?)(?:-[FR])?, "
            r"EOS-(?P<release>[\w.]{1,40})\)"
        ),
    )
)


def _route(port: PortPolicy, switch: _Switch) -> None:
    """Set the longest packet of what routes, where no line of its own says it."""
    if port.routed and port.mtu_bytes is None:
        port.mtu_bytes = switch.routed_mtu


def _complete(port: PortPolicy, switch: _Switch) -> None:
    """Set what EOS does where no line says anything."""
    if switch.is_routed and port.routed is None and port.pfc:
        port.routed = True
    _route(port, switch)
    if port.trusts_dscp is None:
        port.trusts_dscp, port.trusts_pcp = bool(port.routed), not port.routed
    port.trust_lines = () if port.trusts_dscp else ("qos trust dscp",)
    port.pfc_on = bool(port.pfc_on) and not switch.is_off
    if port.watchdog is None and switch.watchdog:
        port.watchdog = switch.watchdog
    for dscp in range(DSCPS):
        eighth = dscp // (DSCPS // _CLASSES)
        port.dscp_to_class.setdefault(dscp, _SWAPPED.get(eighth, eighth))
    for number in range(_CLASSES):
        port.class_to_queue.setdefault(number, number)
        if number not in port.percent:
            port.strict.setdefault(number, 0)


@_LINES.means("interface")
def _interface(switch: _Switch, line: int, name: str) -> tuple[_Switch, PortPolicy]:
    if name.startswith("Vlan"):
        vlan = int(name.removeprefix("Vlan"))
        return switch, switch.gateways.setdefault(vlan, PortPolicy(line=line, name=name))
    return switch, switch.port(name, line)


@_LINES.means("defaults")
def _of_all(_: _Switch, __: int) -> None:
    """Return the switch: the lines inside are about every port."""


@_LINES.means("routed_mtu")
def _routed_mtu(switch: _Switch, line: int, bytes: str) -> None:  # noqa: A002 - of the book
    switch.routed_mtu = Value(int(bytes), line)


@_LINES.means("default_mode")
def _default_mode(switch: _Switch, _: int, mode: str) -> None:
    switch.is_routed = mode == "routed"


Inside = tuple[_Switch, PortPolicy]


@_LINES.means("description")
def _description(inside: Inside, _: int, text: str) -> None:
    inside[1].description = text


@_LINES.means("mtu")
def _mtu(inside: Inside, line: int, bytes: str) -> None:  # noqa: A002 - of the book
    inside[1].mtu_bytes = Value(int(bytes), line)


@_LINES.means("speed")
def _speed(inside: Inside, _: int, words: str) -> None:
    speed = _SPEED.fullmatch(words)
    if speed:  # else it is negotiated
        inside[1].speed_gbps = float(speed["gbps"])


@_LINES.means("shutdown")
def _shutdown(inside: Inside, _: int, no: str | None) -> None:
    inside[1].enabled = bool(no)


@_LINES.means("switchport")
def _switchport(inside: Inside, _: int, no: str | None) -> None:
    inside[1].routed = bool(no)


@_LINES.means("trunk")
def _trunk(inside: Inside, _: int) -> None:
    inside[1].tagged = True
    _switched(inside[1])


@_LINES.means("vlans")
def _vlans(inside: Inside, _: int, vlan: str) -> None:
    inside[1].vlans.update(numbers(vlan))
    _switched(inside[1])


def _switched(port: PortPolicy) -> None:
    """Note that a port is in use and switched, where the default `switchport` is not printed."""
    if port.routed is None:
        port.routed = False


@_LINES.means("address")
def _address(inside: Inside, _: int) -> None:
    """Note that a gateway routes; the address of a port counts only where it is routed."""
    if inside[1].name.startswith("Vlan"):
        inside[1].routed = True


@_LINES.means("member")
def _member(inside: Inside, _: int, number: str) -> None:
    switch, port = inside
    switch.members[port.name] = f"Port-Channel{number}"


@_LINES.means("attach")
def _attach(inside: Inside, line: int, name: str) -> None:
    switch, port = inside
    switch.attached[port.name] = name
    switch.used.append(Use("qos profile", name, line))


@_LINES.means("port_arp")
def _port_arp(inside: Inside, line: int, seconds: str) -> None:
    inside[0].arp_timeout_s = Value(int(seconds), line)


@_LINES.means("profile")
def _profile(switch: _Switch, line: int, name: str) -> Policy:
    switch.defined.append(Use("qos profile", name, line))
    return switch.profiles.setdefault(name, Policy(line))


def _policy(target: Policy | Inside) -> Policy:
    return target[1] if isinstance(target, tuple) else target


@_LINES.means("trust")
def _trust(target: Policy | Inside, _: int, no: str | None = None, what: str | None = None) -> None:
    policy = _policy(target)
    policy.trusts_dscp, policy.trusts_pcp = (not no and what == word for word in ("dscp", "cos"))


@_LINES.means("pfc")
def _pfc(target: Policy | Inside, _: int, no: str | None) -> None:
    _policy(target).pfc_on = not no


@_LINES.means("flowcontrol")
def _flowcontrol(inside: Inside, line: int, way: str, state: str) -> None:
    inside[1].port_pauses[way] = Value(state != "off", line)


@_LINES.means("priority")
def _priority(target: Policy | Inside, line: int, priority: str, what: str) -> None:
    if what == "no-drop":
        _policy(target).pfc[int(priority)] = line


@_LINES.means("port_watchdog")
def _port_watchdog(
    target: Policy | Inside,
    line: int,
    no: str | None = None,
    rest: str | None = None,
    **own: str | None,
) -> None:
    policy = _policy(target)
    if no:
        policy.watchdog = Watchdog(line, enabled=False)
    elif rest or own:
        policy.watchdog = policy.watchdog or Watchdog(line)
        _set_watchdog(policy.watchdog, **own)


def _set_watchdog(watchdog: Watchdog, action: str | None = None, **seconds: str | None) -> None:
    """Take over what a line says; a time is absent where the switch chooses it."""
    watchdog.action = action or watchdog.action
    for name, value in seconds.items():
        if value is not None:
            setattr(watchdog, f"{name}_ms", float(value) * _MS)


@_LINES.means("queue")
def _queue(target: Policy | Inside, _: int, queue: str) -> tuple[Policy, int]:
    return _policy(target), int(queue)


Queue = tuple[Policy, int]


@_LINES.means("strict")
def _strict(queue: Queue, line: int) -> None:
    queue[0].strict[queue[1]] = line


@_LINES.means("in_turn")
def _in_turn(queue: Queue, line: int) -> None:
    queue[0].percent.setdefault(queue[1], Value(0, line))


@_LINES.means("percent")
def _percent(queue: Queue, line: int, percent: str) -> None:
    queue[0].percent[queue[1]] = Value(int(percent), line)


@_LINES.means("marking")
def _marking(queue: Queue, line: int, kind: str, percent: str | None = None, **limits: str) -> None:
    marking = Marking(line, pmax_percent=float(percent) if percent else None, ecn=kind == "ecn")
    marking.set_limits(**limits)
    queue[0].markings[queue[1]] = marking


@_LINES.means("dscp")
def _dscp(switch: _Switch, line: int, dscps: str, number: str) -> None:
    shared = switch.profiles.setdefault("", Policy())
    named = [*map(int, dscps.split())]
    shared.dscp_to_class |= dict.fromkeys(named, int(number))
    shared.dscp_lines |= dict.fromkeys(named, line)


@_LINES.means("class")
def _class(switch: _Switch, _: int, numbers: str, queue: str) -> None:
    shared = switch.profiles.setdefault("", Policy())
    shared.class_to_queue |= dict.fromkeys(map(int, numbers.split()), int(queue))


@_LINES.means("watchdog")
def _watchdog(switch: _Switch, line: int, action: str | None = None, **seconds: str) -> None:
    switch.watchdog = switch.watchdog or Watchdog(line)
    _set_watchdog(switch.watchdog, action, **seconds)


@_LINES.means("all_off")
def _all_off(switch: _Switch, _: int) -> None:
    """Note that no port has PFC, whatever its own lines say (aristanetworks/avd, all_off)."""
    switch.is_off = True


@_LINES.means("arp")
def _arp(switch: _Switch, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@_LINES.means("mac")
def _mac(switch: _Switch, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@_LINES.means("buffer_profile")
def _buffer_profile(switch: _Switch, line: int, name: str) -> None:
    switch.defined.append(Use("buffer profile", name, line))


@_LINES.means("buffer_applied")
def _buffer_applied(switch: _Switch, line: int, name: str) -> None:
    switch.used.append(Use("buffer profile", name, line))
