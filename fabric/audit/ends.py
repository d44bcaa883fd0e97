"""Switches of one fabric: cables by LLDP and descriptions, and what both ends should have alike."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from fabric.audit.fault import Fault
from fabric.audit.knowledge import weighed
from fabric.core.device_names import DeviceNames
from fabric.design.qos import ETHERNET_OVERHEAD_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabric.observe.configuration.lossless import Lossless, PortPolicy
    from fabric.observe.state import LldpNeighbour

    End = tuple[str, str]
    Neighbours = Mapping[str, Sequence[LldpNeighbour]]

_WORD = re.compile(r"[^\s,;()]+")


def cables(
    switches: Mapping[str, Lossless], seen: Mapping[str, Neighbours]
) -> Iterator[tuple[End, End]]:
    """Yield the cables that LLDP saw, or that descriptions of ports name, each once.

    A description that holds the name of another switch and of one of its ports names the far end;
    Cumulus Linux writes them with an underscore in between.

    Parameters
    ----------
    switches : mapping of str to Lossless
        By name of the switch.
    seen : mapping of str to mapping
        What LLDP saw on the ports of each switch.
    """
    known = set()
    names = DeviceNames(switches)
    for name, switch in switches.items():
        for port in switch.ports.values():
            end = _seen_end(switches, names, seen.get(name, {}).get(port.name, ()))
            end = end or _far_end(switches, name, port.description)
            if end and frozenset((end, (name, port.name))) not in known:
                known.add(frozenset((end, (name, port.name))))
                yield (name, port.name), end


def _seen_end(
    switches: Mapping[str, Lossless], names: DeviceNames, neighbours: Sequence[LldpNeighbour]
) -> End | None:
    """Return the switch and port that LLDP saw, where both have a configuration."""
    for neighbour in neighbours:
        other = names.match(neighbour.system_name)
        for port in (neighbour.port_id, neighbour.description):
            if other and port in switches[other].ports:
                return other, port
    return None


def _far_end(switches: Mapping[str, Lossless], own: str, description: str) -> End | None:
    words = [*_WORD.findall(description), *description.split("_", 1)]
    for other in words:
        if other != own and other in switches:
            port = next((word for word in words if word in switches[other].ports), None)
            return (other, port) if port else None
    return None


def swapped(
    switches: Mapping[str, Lossless], seen: Mapping[str, Neighbours]
) -> Iterator[tuple[str, Fault]]:
    """Yield the ports at which LLDP saw another port than their description names."""
    names = DeviceNames(switches)
    for name, neighbours in seen.items():
        for port_name, row in neighbours.items():
            port = switches[name].ports.get(port_name)
            end = _seen_end(switches, names, row)
            named = _far_end(switches, name, port.description) if port else None
            if port and end and named and end != named:
                message = f"LLDP saw {' '.join(end)}, the description names {' '.join(named)}"
                yield name, Fault("AUD041", port_name, port.line, message)


def disagreements(
    switches: Mapping[str, Lossless], seen: Mapping[str, Neighbours]
) -> Iterator[tuple[str, Fault]]:
    """Yield what the two ends of a cable have different, at the first end."""
    for (name, port_name), (other, other_port) in cables(switches, seen):
        here, there = switches[name].ports[port_name], switches[other].ports[other_port]
        unknown = [*switches[name].leftovers, *switches[other].leftovers]
        for words in (*differences(here, there), *_mtu_difference(here, there)):
            message = f"{words} at the other end, {other} {other_port}"
            fault = Fault("AUD016", port_name, here.line, message, is_absence=True)
            yield name, weighed(fault, unknown)


def differences(here: PortPolicy, there: PortPolicy) -> Iterator[str]:
    """Yield what differs of the lossless class, the speed and the state of the port."""
    is_open = here.is_open or there.is_open
    if not is_open and set(here.lossless) != set(there.lossless):
        own, far = sorted(here.lossless), sorted(there.lossless)
        yield f"lossless priorities are {own or 'none'} here and {far or 'none'}"
    if here.speed_gbps and there.speed_gbps and here.speed_gbps != there.speed_gbps:
        yield f"the speed is {here.speed_gbps:g}G here and {there.speed_gbps:g}G"
    if here.enabled != there.enabled:
        yield f"the port is {'up' if here.enabled else 'shut down'} here and not so"


def _mtu_difference(here: PortPolicy, there: PortPolicy) -> Iterator[str]:
    """Yield MTUs that differ; those by less than the headers of a frame are usual pairs."""
    mtu, other_mtu = here.mtu_bytes, there.mtu_bytes
    if mtu and other_mtu and abs(mtu.value - other_mtu.value) > ETHERNET_OVERHEAD_BYTES:
        yield f"the MTU is {mtu.value:g} here and {other_mtu.value:g}"


def maps(switches: Mapping[str, Lossless]) -> Iterator[tuple[str, Fault]]:
    """Yield the switches, and ports, that put other DSCPs into the lossless class than most."""
    sets = {
        name: _usual(dscps_of_port(port) for port in switch.ports.values())
        for name, switch in switches.items()
    }
    usual = _usual(sets.values())
    for name, dscps in sets.items():
        if dscps and dscps != usual:
            whose = f"{_most(sets.values(), usual)} switches"
            port, line = _place(switches[name], dscps, usual)
            fault = _unlike(port, line, dscps, usual, whose)
            yield name, weighed(fault, switches[name].leftovers)
        yield from ((name, fault) for fault in _maps_of_ports(switches[name], dscps))


def _place(switch: Lossless, dscps: frozenset[int], usual: frozenset[int]) -> tuple[str, int]:
    """Return the line of a DSCP that is lossless here alone, or elsewhere alone.

    Where no line names one: the first port with these DSCPs, and its line.
    """
    port = next(port for port in switch.ports.values() if dscps_of_port(port) == dscps)
    odd = (*sorted(dscps - usual), *sorted(usual - dscps))
    line = next((port.dscp_lines[dscp] for dscp in odd if dscp in port.dscp_lines), 0)
    return ("", line) if line else (port.name, port.line)


def _maps_of_ports(switch: Lossless, usual: frozenset[int]) -> Iterator[Fault]:
    """Yield the ports that put other DSCPs into the lossless class than most of the switch do."""
    sets = [dscps_of_port(port) for port in switch.ports.values()]
    for port, dscps in zip(switch.ports.values(), sets, strict=True):
        if port.enabled and dscps and dscps != usual:
            whose = f"{_most(sets, usual)} ports"
            fault = _unlike(port.name, port.line, dscps, usual, whose)
            yield weighed(fault, switch.leftovers)


def _usual(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    counts = Counter(value for value in sets if value)
    return counts.most_common(1)[0][0] if counts else frozenset()


def _most(sets: Iterable[frozenset[int]], usual: frozenset[int]) -> str:
    """Return the word for those that have a set: ``most``, or ``other`` where they are no more."""
    own = [value == usual for value in sets if value]
    return "most" if 2 * sum(own) > len(own) else "other"


def _unlike(
    port: str, line: int, dscps: frozenset[int], usual: frozenset[int], whose: str
) -> Fault:
    own, others = (", ".join(map(str, sorted(numbers))) for numbers in (dscps, usual))
    message = f"DSCPs {own} are lossless, on {whose} {others}"
    return Fault("AUD017", port, line, message, is_absence=dscps < usual)


def dscps_of_port(port: PortPolicy) -> frozenset[int]:
    """Return the DSCPs that lead into a lossless class on a port; none where it trusts none."""
    if port.trusts_dscp is False:
        return frozenset()
    return frozenset(dscp for dscp, number in port.dscp_to_class.items() if number in port.lossless)


def lossless_dscps(switch: Lossless) -> frozenset[int]:
    """Return the DSCPs that lead into a lossless class on some port."""
    return frozenset(
        dscp
        for port in switch.ports.values()
        for dscp, number in port.dscp_to_class.items()
        if number in port.lossless
    )
