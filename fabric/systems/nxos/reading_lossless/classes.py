"""Classes and policies of an NX-OS configuration."""

from __future__ import annotations

from fabric.core.spans import numbers_of
from fabric.observe.configuration.blocks import Context
from fabric.observe.configuration.lossless import Marking, Policy, Use, Value
from fabric.systems.nxos.reading_lossless.model import (
    DEFAULT_CLASS,
    TOP,
    Device,
    Match,
    NetworkPolicy,
    Pause,
)

_CLASS_MAP = Context()
_GROUP_MAP = Context()
_QOS_MAP = Context()
_QOS_CLASS = Context(r"set (?!qos-group ).*")
_NETWORK_MAP = Context()
_NETWORK_CLASS = Context(r"mtu .*", r"congestion-control (?!random-detect( .*)? ecn$).*")
_QUEUING_MAP = Context()
_QUEUING_CLASS = Context(r"(?!priority level |bandwidth remaining percent |random-detect ).*")
_INPUT_CLASS = Context(r"(?!pause buffer-size ).*")


@TOP.line(r"class-map (type qos )?(match-(any|all) )?(?!type )(?P<name>\S+)", inside=_CLASS_MAP)
def _class_map(switch: Device, line: int, name: str) -> Match:
    switch.defined.append(Use("class-map type qos", name, line))
    return switch.matches.setdefault(name, Match())


@_CLASS_MAP.line(r"match precedence .*", r"description .*")
def _other_match(_: Match, __: int) -> None:
    """Leave other marks out."""


@TOP.line(
    r"class-map type (?P<kind>network-qos|queuing) (match-(any|all) )?(?P<name>\S+)",
    inside=_GROUP_MAP,
)
def _named_class(switch: Device, _: int, kind: str, name: str) -> tuple[Device, str, str]:
    return switch, kind, name


@_GROUP_MAP.line(r"match qos-group (?P<group>[0-7])")
def _match_group(inside: tuple[Device, str, str], _: int, group: str) -> None:
    switch, kind, name = inside
    switch.groups[kind, name] = int(group)


@_CLASS_MAP.line(r"match dscp (?P<words>[\d, -]+)")
def _match_dscp(match: Match, _: int, words: str) -> None:
    match.dscps |= set(numbers_of(words))


@_CLASS_MAP.line(r"match cos (?P<words>[\d, -]+)")
def _match_tag(match: Match, _: int, words: str) -> None:
    match.tags |= set(numbers_of(words))


@TOP.line(r"policy-map type qos (?P<name>\S+)", inside=_QOS_MAP)
def _qos_map(switch: Device, line: int, name: str) -> tuple[Device, Policy]:
    switch.defined.append(Use("policy-map type qos", name, line))
    return switch, switch.inputs.setdefault(name, Policy(line))


@_QOS_MAP.line(r"class (type qos )?(?P<name>\S+)", inside=_QOS_CLASS)
def _qos_class(inside: tuple[Device, Policy], line: int, name: str) -> tuple[Device, Policy, str]:
    switch, policy = inside
    if name != DEFAULT_CLASS:
        switch.used.append(Use("class-map type qos", name, line))
    return switch, policy, name


@_QOS_CLASS.line(r"set qos-group (?P<group>\d)")
def _group(inside: tuple[Device, Policy, str], _: int, group: str) -> None:
    switch, policy, name = inside
    match = switch.matches.get(name, Match())
    policy.dscp_to_class = {**dict.fromkeys(match.dscps, int(group)), **policy.dscp_to_class}
    policy.pcp_to_class = {**dict.fromkeys(match.tags, int(group)), **policy.pcp_to_class}


@TOP.line(r"policy-map type network-qos (?P<name>\S+)", inside=_NETWORK_MAP)
def _network_map(switch: Device, line: int, name: str) -> tuple[Device, NetworkPolicy]:
    switch.defined.append(Use("policy-map type network-qos", name, line))
    return switch, switch.networks.setdefault(name, NetworkPolicy())


Groups = tuple[NetworkPolicy, int]


@_NETWORK_MAP.line(r"class type network-qos (?P<name>\S+)", inside=_NETWORK_CLASS)
def _network_class(inside: tuple[Device, NetworkPolicy], _: int, name: str) -> Groups:
    switch, network = inside
    return network, switch.group("network-qos", name)


@_NETWORK_CLASS.line(r"pause (buffer-size .* )?pfc-cos (?P<cos>[0-7])( .*)?", r"pause no-drop")
def _pause(inside: Groups, line: int, cos: str | None = None) -> None:
    network, group = inside
    network.pauses[group] = Pause(int(cos or group), line)


@_NETWORK_CLASS.line(r"congestion-control random-detect( .*)? ecn")
def _network_marking(inside: Groups, line: int) -> None:
    network, group = inside
    network.markings[group] = Marking(line)


@TOP.line(r"policy-map type queuing (?P<name>\S+)", inside=_QUEUING_MAP)
def _queuing_map(switch: Device, line: int, name: str) -> tuple[Device, Policy]:
    switch.defined.append(Use("policy-map type queuing", name, line))
    return switch, switch.outputs.setdefault(name, Policy(line))


Queue = tuple[Policy, int]
Queuing = tuple[Device, Policy]


@_QUEUING_MAP.line(r"class type queuing c-in-q(?P<group>[0-7])", inside=_INPUT_CLASS)
def _input_class(inside: Queuing, _: int, group: str) -> Queue:
    return inside[1], int(group)


@_QUEUING_MAP.line(r"class type queuing c-in-\S+", inside=Context(r".*"))
def _other_class(_: Queuing, __: int) -> None:
    """Leave the other classes of input policies out."""


@_QUEUING_MAP.line(r"class type queuing (?P<name>\S+)", inside=_QUEUING_CLASS)
def _queuing_class(inside: Queuing, _: int, name: str) -> Queue:
    switch, policy = inside
    return policy, switch.group("queuing", name)


@_INPUT_CLASS.line(
    r"pause buffer-size (?P<size>\d+) pause-threshold (?P<pause>\d+) resume-threshold \d+"
)
def _pause_buffer(queue: Queue, line: int, size: str, pause: str) -> None:
    policy, number = queue
    policy.pause_bytes[number] = Value(int(pause), line)
    policy.headroom_bytes[number] = Value(int(size) - int(pause), line)


@_QUEUING_CLASS.line(r"priority level \d")
def _strict(queue: Queue, line: int) -> None:
    queue[0].strict[queue[1]] = line


@_QUEUING_CLASS.line(r"bandwidth remaining percent (?P<percent>\d+)")
def _percent(queue: Queue, line: int, percent: str) -> None:
    queue[0].percent[queue[1]] = Value(int(percent), line)


@_QUEUING_CLASS.line(
    r"random-detect minimum-threshold (?P<low>\d+) (?P<low_unit>\w+)"
    r" maximum-threshold (?P<high>\d+) (?P<high_unit>\w+)"
    r"( drop-probability (?P<percent>\d+))?( weight \d+)?(?P<ecn> ecn)?"
)
def _marking(queue: Queue, line: int, percent: str | None, ecn: str | None, **limits: str) -> None:
    marking = Marking(line, pmax_percent=float(percent) if percent else None, ecn=bool(ecn))
    marking.set_limits(**limits)
    queue[0].markings[queue[1]] = marking


@_QUEUING_CLASS.line(r"random-detect threshold (burst|mesh)-optimized(?P<ecn> ecn)?")
def _optimized(queue: Queue, line: int, ecn: str | None) -> None:
    """Note the marking: its thresholds are those of the switch."""
    queue[0].markings[queue[1]] = Marking(line, ecn=bool(ecn))
