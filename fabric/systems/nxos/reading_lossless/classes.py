"""Classes and policies of an NX-OS configuration."""

from __future__ import annotations

from fabric.core.spans import numbers_of
from fabric.observe.configuration.lossless import Marking, Policy, Use, Value
from fabric.systems.nxos.reading_lossless.model import (
    DEFAULT_CLASS,
    LINES,
    Device,
    Match,
    NetworkPolicy,
    Pause,
)


@LINES.means("class_map")
def _class_map(switch: Device, line: int, name: str) -> Match:
    switch.defined.append(Use("class-map type qos", name, line))
    return switch.matches.setdefault(name, Match())


@LINES.means("named_class")
def _named_class(switch: Device, _: int, kind: str, name: str) -> tuple[Device, str, str]:
    return switch, kind, name


@LINES.means("match_group")
def _match_group(inside: tuple[Device, str, str], _: int, group: str) -> None:
    switch, kind, name = inside
    switch.groups[kind, name] = int(group)


@LINES.means("match_dscp")
def _match_dscp(match: Match, line: int, words: str) -> None:
    match.dscps |= dict.fromkeys(numbers_of(words), line)


@LINES.means("match_tag")
def _match_tag(match: Match, _: int, words: str) -> None:
    match.tags |= set(numbers_of(words))


@LINES.means("qos_map")
def _qos_map(switch: Device, line: int, name: str) -> tuple[Device, Policy]:
    switch.defined.append(Use("policy-map type qos", name, line))
    return switch, switch.inputs.setdefault(name, Policy(line))


@LINES.means("qos_class")
def _qos_class(inside: tuple[Device, Policy], line: int, name: str) -> tuple[Device, Policy, str]:
    switch, policy = inside
    if name != DEFAULT_CLASS:
        switch.used.append(Use("class-map type qos", name, line))
    return switch, policy, name


@LINES.means("group")
def _group(inside: tuple[Device, Policy, str], _: int, group: str) -> None:
    switch, policy, name = inside
    match = switch.matches.get(name, Match())
    policy.dscp_to_class = {**dict.fromkeys(match.dscps, int(group)), **policy.dscp_to_class}
    policy.dscp_lines = {**match.dscps, **policy.dscp_lines}
    policy.pcp_to_class = {**dict.fromkeys(match.tags, int(group)), **policy.pcp_to_class}


@LINES.means("network_map")
def _network_map(switch: Device, line: int, name: str) -> tuple[Device, NetworkPolicy]:
    switch.defined.append(Use("policy-map type network-qos", name, line))
    return switch, switch.networks.setdefault(name, NetworkPolicy())


Groups = tuple[NetworkPolicy, int]


@LINES.means("network_class")
def _network_class(inside: tuple[Device, NetworkPolicy], _: int, name: str) -> Groups:
    switch, network = inside
    return network, switch.group("network-qos", name)


@LINES.means("pause")
def _pause(inside: Groups, line: int, cos: str | None = None) -> None:
    network, group = inside
    network.pauses[group] = Pause(int(cos or group), line)


@LINES.means("network_marking")
def _network_marking(inside: Groups, line: int) -> None:
    network, group = inside
    network.markings[group] = Marking(line)


@LINES.means("queuing_map")
def _queuing_map(switch: Device, line: int, name: str) -> tuple[Device, Policy]:
    switch.defined.append(Use("policy-map type queuing", name, line))
    return switch, switch.outputs.setdefault(name, Policy(line))


Queue = tuple[Policy, int]
Queuing = tuple[Device, Policy]


@LINES.means("input_class")
def _input_class(inside: Queuing, _: int, name: str) -> Queue:
    return inside[1], int(name[-1])


@LINES.means("queuing_class")
def _queuing_class(inside: Queuing, _: int, name: str) -> Queue:
    switch, policy = inside
    return policy, switch.group("queuing", name)


@LINES.means("pause_buffer")
def _pause_buffer(queue: Queue, line: int, size: str, pause: str) -> None:
    policy, number = queue
    policy.pause_bytes[number] = Value(int(pause), line)
    policy.headroom_bytes[number] = Value(int(size) - int(pause), line)


@LINES.means("strict")
def _strict(queue: Queue, line: int) -> None:
    queue[0].strict[queue[1]] = line


@LINES.means("percent")
def _percent(queue: Queue, line: int, percent: str) -> None:
    queue[0].percent[queue[1]] = Value(int(percent), line)


@LINES.means("marking")
def _marking(
    queue: Queue, line: int, *, percent: str | None = None, ecn: str | None = None, **limits: str
) -> None:
    marking = Marking(line, pmax_percent=float(percent) if percent else None, ecn=bool(ecn))
    marking.set_limits(**limits)
    queue[0].markings[queue[1]] = marking


@LINES.means("optimized")
def _optimized(queue: Queue, line: int, ecn: str | None = None) -> None:
    """Note the marking: its thresholds are those of the switch."""
    queue[0].markings[queue[1]] = Marking(line, ecn=bool(ecn))
