"""Arista EOS: what a configuration says of PFC, ECN, maps, watchdog, ageing and MTU.

Defaults that a file does not print are those of EOS: DSCP is trusted on routed ports and CoS on
switched ones, every queue is strict, the watchdog of a port is on, ARP lives 14,400 s, MAC
addresses 300 s, and DSCP 8n to 8n+7 go to traffic class n, but for 0-7 to 1 and 8-15 to 0 (EOS
user manual, chapter QoS; `show running-config all` of 4.19 and 4.22).
"""

from __future__ import annotations

from fabric.observe.configuration.blocks import Context, blocks, numbers
from fabric.observe.configuration.bundles import join
from fabric.observe.configuration.defaults import number_of
from fabric.observe.configuration.lossless import (
    DSCPS,
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


_ANY = r".*"
_TOP = Context(
    r"(?!qos |interface |switchport default mode |arp |mac address-table"
    r" |priority-flow-control |hostname |platform ).*",
    r"platform (?!trident mmu queue profile).*",
    r"qos (rewrite|tx-queue|cos|map (cos|exp)|map traffic-class .* to (cos|dscp)) .*",
    r"interface (?!Ethernet|Port-Channel|Vlan|defaults$).*",
    r"mac address-table (?!aging-time).*",
    r"arp (?!aging).*",
)
_PORT = Context(
    r"(?!description|mtu|speed|(no )?shutdown|(no )?switchport$|switchport mode trunk$"
    r"|service-profile|(no )?qos trust|(no )?priority-flow-control|arp aging|u?c?-?tx-queue"
    r"|switchport (access vlan|trunk allowed vlan) |ip(v6)? address |channel-group "
    r"|profile |service-policy type qos input ).*"
)
_DEFAULTS = Context(r"(?!mtu ).*")
_PROFILE = Context(
    r"(?!(no )?qos trust|(no )?priority-flow-control|(uc-|mc-)?tx-queue|service-policy type qos ).*"
)
_QUEUE = Context(r"(?!no priority|priority strict|bandwidth percent|(no )?random-detect).*")
_BUFFER = Context(_ANY)


def read(text: str) -> Lossless:
    """Return what an EOS configuration says of the lossless class."""
    switch = _Switch("eos")
    switch.profiles, switch.attached, switch.members = {}, {}, {}
    switch.routed_mtu = Value(number_of("eos", "routed_mtu"), 0)
    switch.arp_timeout_s, switch.mac_ageing_s = Value(_DEFAULT_ARP_S, 0), Value(_DEFAULT_MAC_S, 0)
    _TOP.read(switch, blocks(text, text_ends=text_ends), switch.leftovers)
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
            r"^ip routing$",
            r"^management api http-commands$",
            r"^platform (trident|sand|fap) ",
            r"^platform trident mmu queue profile ",
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


@_TOP.line(r"hostname (?P<name>\S+)")
def _hostname(switch: Lossless, _: int, name: str) -> None:
    switch.name = name


@_TOP.line(r"interface (?P<name>Ethernet\S+|Port-Channel\S+|Vlan\S+)", inside=_PORT)
def _interface(switch: _Switch, line: int, name: str) -> tuple[_Switch, PortPolicy]:
    if name.startswith("Vlan"):
        vlan = int(name.removeprefix("Vlan"))
        return switch, switch.gateways.setdefault(vlan, PortPolicy(line=line, name=name))
    return switch, switch.port(name, line)


@_TOP.line(r"interface defaults", inside=_DEFAULTS)
def _of_all(_: _Switch, __: int) -> None:
    """Return the switch: the lines inside are about every port."""


@_DEFAULTS.line(r"mtu (?P<mtu>\d+)")
def _routed_mtu(switch: _Switch, line: int, mtu: str) -> None:
    switch.routed_mtu = Value(int(mtu), line)


@_TOP.line(r"switchport default mode (?P<mode>access|routed)")
def _default_mode(switch: _Switch, _: int, mode: str) -> None:
    switch.is_routed = mode == "routed"


Inside = tuple[_Switch, PortPolicy]


@_PORT.line(r"description (?P<text>.*)")
def _description(inside: Inside, _: int, text: str) -> None:
    inside[1].description = text


@_PORT.line(r"mtu (?P<mtu>\d+)")
def _mtu(inside: Inside, line: int, mtu: str) -> None:
    inside[1].mtu_bytes = Value(int(mtu), line)


@_PORT.line(r"speed (forced )?(?P<gbps>\d+)(g|000full|gfull).*")
def _speed(inside: Inside, _: int, gbps: str) -> None:
    inside[1].speed_gbps = float(gbps)


@_PORT.line(r"speed (?!(forced )?\d+(g|000full|gfull)).*")
def _auto(_: Inside, __: int) -> None:
    """Leave the speed open: it is negotiated."""


@_PORT.line(r"(?P<no>no )?shutdown")
def _shutdown(inside: Inside, _: int, no: str | None) -> None:
    inside[1].enabled = bool(no)


@_PORT.line(r"(?P<no>no )?switchport")
def _switchport(inside: Inside, _: int, no: str | None) -> None:
    inside[1].routed = bool(no)


@_PORT.line(r"switchport mode trunk")
def _trunk(inside: Inside, _: int) -> None:
    inside[1].tagged = True
    _switched(inside[1])


@_PORT.line(r"switchport (access|trunk allowed) vlan (add )?(?P<vlans>[\d,-]+)")
def _vlans(inside: Inside, _: int, vlans: str) -> None:
    inside[1].vlans.update(numbers(vlans))
    _switched(inside[1])


def _switched(port: PortPolicy) -> None:
    """Note that a port is in use and switched, where the default `switchport` is not printed."""
    if port.routed is None:
        port.routed = False


@_PORT.line(r"switchport (access|trunk allowed) vlan .*")
def _other_vlans(_: Inside, __: int) -> None:
    """Leave out what is no list: none, all, or all but some."""


@_PORT.line(r"ip(v6)? address .*")
def _address(inside: Inside, _: int) -> None:
    """Note that a gateway routes; the address of a port counts only where it is routed."""
    if inside[1].name.startswith("Vlan"):
        inside[1].routed = True


@_PORT.line(r"channel-group (?P<number>\d+)( mode \S+)?")
def _member(inside: Inside, _: int, number: str) -> None:
    switch, port = inside
    switch.members[port.name] = f"Port-Channel{number}"


@_PORT.line(r"service-profile (?P<name>\S+)")
def _attach(inside: Inside, line: int, name: str) -> None:
    switch, port = inside
    switch.attached[port.name] = name
    switch.used.append(Use("qos profile", name, line))


@_PORT.line(r"arp aging timeout (?P<seconds>\d+)")
def _port_arp(inside: Inside, line: int, seconds: str) -> None:
    inside[0].arp_timeout_s = Value(int(seconds), line)


@_TOP.line(r"qos profile (?P<name>\S+)", inside=_PROFILE)
def _profile(switch: _Switch, line: int, name: str) -> Policy:
    switch.defined.append(Use("qos profile", name, line))
    return switch.profiles.setdefault(name, Policy(line))


def _policy(target: Policy | Inside) -> Policy:
    return target[1] if isinstance(target, tuple) else target


@_PROFILE.line(r"(?P<no>no )?qos trust( (?P<what>dscp|cos))?")
@_PORT.line(r"(?P<no>no )?qos trust( (?P<what>dscp|cos))?")
def _trust(target: Policy | Inside, _: int, no: str | None, what: str | None) -> None:
    policy = _policy(target)
    policy.trusts_dscp, policy.trusts_pcp = (not no and what == word for word in ("dscp", "cos"))


@_PROFILE.line(r"(?P<no>no )?priority-flow-control( (mode )?on)?")
@_PORT.line(r"(?P<no>no )?priority-flow-control( (mode )?on)?")
def _pfc(target: Policy | Inside, _: int, no: str | None) -> None:
    _policy(target).pfc_on = not no


@_PROFILE.line(r"priority-flow-control priority (?P<priority>\d) (?P<what>no-drop|drop)")
@_PORT.line(r"priority-flow-control priority (?P<priority>\d) (?P<what>no-drop|drop)")
def _priority(target: Policy | Inside, line: int, priority: str, what: str) -> None:
    if what == "no-drop":
        _policy(target).pfc[int(priority)] = line


@_PROFILE.line(r"no priority-flow-control (priority \d|pause watchdog port .*)")
@_PORT.line(r"no priority-flow-control (priority \d|pause watchdog port .*)")
def _defaults(_: Policy | Inside, __: int) -> None:
    """Leave the defaults that `show running-config all` prints."""


@_PROFILE.line(r"(?P<no>no )?priority-flow-control pause watchdog(?P<rest> port .*)?")
@_PORT.line(r"(?P<no>no )?priority-flow-control pause watchdog(?P<rest> port .*)?")
def _port_watchdog(target: Policy | Inside, line: int, no: str | None, rest: str | None) -> None:
    policy = _policy(target)
    if no:
        policy.watchdog = Watchdog(line, enabled=False)
    elif rest and policy.watchdog is None:
        policy.watchdog = Watchdog(line)


@_PROFILE.line(r"(uc-)?tx-queue (?P<queue>\d+)", inside=_QUEUE)
@_PORT.line(r"(uc-)?tx-queue (?P<queue>\d+)", inside=_QUEUE)
def _queue(target: Policy | Inside, _: int, queue: str) -> tuple[Policy, int]:
    return _policy(target), int(queue)


@_PROFILE.line(r"mc-tx-queue \d+", inside=Context(_ANY))
def _multicast(_: Policy, __: int) -> None:
    """Leave multicast queues out: RoCE is unicast."""


Queue = tuple[Policy, int]


@_QUEUE.line(r"priority strict")
def _strict(queue: Queue, line: int) -> None:
    queue[0].strict[queue[1]] = line


@_QUEUE.line(r"no priority")
def _in_turn(queue: Queue, line: int) -> None:
    queue[0].percent.setdefault(queue[1], Value(0, line))


@_QUEUE.line(r"bandwidth percent (?P<percent>\d+)")
def _percent(queue: Queue, line: int, percent: str) -> None:
    queue[0].percent[queue[1]] = Value(int(percent), line)


@_QUEUE.line(
    r"random-detect (?P<kind>ecn|drop)( drop-precedence \d)?"
    r" minimum-threshold (?P<low>\d+) (?P<low_unit>\w+)"
    r" maximum-threshold (?P<high>\d+) (?P<high_unit>\w+)"
    r"( (max-mark-probability|drop-probability) (?P<percent>\d+))?( weight \d+)?"
)
def _marking(queue: Queue, line: int, kind: str, percent: str | None, **limits: str) -> None:
    marking = Marking(line, pmax_percent=float(percent) if percent else None, ecn=kind == "ecn")
    marking.set_limits(**limits)
    queue[0].markings[queue[1]] = marking


@_QUEUE.line(r"random-detect ecn count", r"no random-detect .*")
def _no_marking(_: Queue, __: int) -> None:
    """Leave the marking as it is: a counter, or no marking, which is the default."""


@_TOP.line(r"qos map dscp (?P<dscps>[\d ]+) to traffic-class (?P<number>\d)( .*)?")
def _dscp(switch: _Switch, _: int, dscps: str, number: str) -> None:
    shared = switch.profiles.setdefault("", Policy())
    shared.dscp_to_class |= dict.fromkeys(map(int, dscps.split()), int(number))


@_TOP.line(r"qos map traffic-class (?P<numbers>[\d ]+) to (uc-)?tx-queue (?P<queue>\d)")
def _class(switch: _Switch, _: int, numbers: str, queue: str) -> None:
    shared = switch.profiles.setdefault("", Policy())
    shared.class_to_queue |= dict.fromkeys(map(int, numbers.split()), int(queue))


@_TOP.line(
    r"priority-flow-control pause watchdog (default )?(?P<what>timeout|recovery-time"
    r"|polling-interval|action|override action) (?P<value>\S+)"
)
def _watchdog(switch: _Switch, line: int, what: str, value: str) -> None:
    watchdog = switch.watchdog = switch.watchdog or Watchdog(line)
    if what == "timeout":
        watchdog.detection_ms = float(value) * _MS
    elif what == "recovery-time":
        watchdog.restoration_ms = float(value) * _MS
    elif what == "action":
        watchdog.action = value


@_TOP.line(r"priority-flow-control all off")
def _all_off(switch: _Switch, _: int) -> None:
    """Note that no port has PFC, whatever its own lines say (aristanetworks/avd, all_off)."""
    switch.is_off = True


@_TOP.line(r"arp aging timeout default (?P<seconds>\d+)")
def _arp(switch: _Switch, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@_TOP.line(r"mac address-table aging-time (?P<seconds>\d+)")
def _mac(switch: _Switch, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@_TOP.line(r"platform trident mmu queue profile (?P<name>\S+)", inside=_BUFFER)
def _buffer_profile(switch: _Switch, line: int, name: str) -> None:
    switch.defined.append(Use("buffer profile", name, line))


@_TOP.line(r"platform trident mmu queue profile (?P<name>\S+) apply")
def _buffer_applied(switch: _Switch, line: int, name: str) -> None:
    switch.used.append(Use("buffer profile", name, line))
