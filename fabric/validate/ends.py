"""The policies at both ends of every cable, as arrays, so that rules look at kinds of cables.

Policies that come from the same lines of the inventory are one object (the resolver keeps them),
so a cable is a pair of small numbers, and a fabric of 130,000 NICs has a handful of distinct pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fabric.topology.pause_response import PauseResponses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.intent.policy import LosslessPolicy
    from fabric.intent.resolve import PolicyResolver
    from fabric.topology.model import Bools, Fabric, Ints


@dataclass(frozen=True, slots=True)
class End:
    """One end of a cable; ``port`` is empty on a host, whose policy holds for all its NICs."""

    policy: LosslessPolicy
    device: str
    port: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """All enabled cables with the same two policies; the ends are those of the first one.

    ``kind`` is ``host`` (left end: the host) or ``uplink`` (left end: the leaf). ``shortest_m`` is
    the length of the shortest one.
    """

    kind: Literal["host", "uplink"]
    left: End
    right: End
    cables: int
    shortest_m: int


def pairs(fabric: Fabric, resolver: PolicyResolver) -> tuple[Pair, ...]:
    """Return every distinct pair of policies that meet on an enabled cable."""
    numbers = _Numbers()
    ports = _port_policies(fabric, resolver, numbers)
    hosts = _host_policies(fabric, resolver, numbers)
    nics, up, switches = fabric.nics, fabric.uplinks, fabric.switches

    def port(switch: int, number: int) -> tuple[str, str]:
        return switches.names[switch], switches.skus[switch].port(number)

    rows = []
    for row, left, right, cables in _distinct(
        hosts[nics.host], ports[nics.leaf, nics.port], nics.enabled
    ):
        host = fabric.hosts.names[int(nics.host[row])]
        near = End(numbers.policies[left], host)
        far = End(numbers.policies[right], *port(int(nics.leaf[row]), int(nics.port[row])))
        alike = (hosts[nics.host] == left) & (ports[nics.leaf, nics.port] == right) & nics.enabled
        rows.append(Pair("host", near, far, cables, int(nics.cable_m[alike].min())))
    lower, upper = ports[up.lower, up.lower_port], ports[up.upper, up.upper_port]
    for row, left, right, cables in _distinct(lower, upper, up.enabled):
        near = End(numbers.policies[left], *port(int(up.lower[row]), int(up.lower_port[row])))
        far = End(numbers.policies[right], *port(int(up.upper[row]), int(up.upper_port[row])))
        alike = (lower == left) & (upper == right) & up.enabled
        rows.append(Pair("uplink", near, far, cables, int(up.cable_m[alike].min())))
    return tuple(rows)


def nic_cables(fabric: Fabric, resolver: PolicyResolver) -> Iterator[tuple[int, int]]:
    """Yield (row of ``fabric.nics``, cables) of every distinct kind of enabled NIC cable."""
    rows = np.flatnonzero(fabric.nics.enabled)
    kinds = kinds_of_nics(fabric, resolver)
    _, first, counts = np.unique(kinds[rows], return_index=True, return_counts=True)
    yield from zip(rows[first].tolist(), counts.tolist(), strict=True)


def kinds_of_nics(fabric: Fabric, resolver: PolicyResolver) -> Ints:
    """Return the number of the kind of each NIC cable.

    A kind is one pair of policies, speed, length, switch model, response to pauses and FEC, and one
    kind of host.
    """
    numbers, nics = _Numbers(), fabric.nics
    ports, hosts = (
        _port_policies(fabric, resolver, numbers),
        _host_policies(fabric, resolver, numbers),
    )
    models = {model.name: number for number, model in enumerate(set(fabric.switches.skus))}
    switches = np.array([models[model.name] for model in fabric.switches.skus])
    columns = (
        hosts[nics.host],
        ports[nics.leaf, nics.port],
        nics.speed_gbps,
        nics.cable_m,
        switches[nics.leaf],
        PauseResponses(fabric).numbers[0][nics.leaf],
        _port_fec(fabric, ports.shape)[nics.leaf, nics.port],
        kind_of_hosts(fabric)[nics.host],
    )
    keys = np.zeros(len(nics), dtype=np.int64)
    for column in columns:
        _, dense = np.unique(column, return_inverse=True)
        keys = keys * (int(dense.max(initial=0)) + 1) + dense
    return keys


def kind_of_hosts(fabric: Fabric) -> Ints:
    """Return the number of the kind of each host; hosts with the same overrides are one kind."""
    known: dict[tuple[int, ...], int] = {}
    numbers = np.zeros(len(fabric.hosts), dtype=np.int64)
    for name, overrides in fabric.intent.host_overrides.items():
        key = tuple(id(one.value) for one in overrides if one.value.traits is not None)
        row = fabric.host_row.get(name)
        if key and row is not None:
            numbers[row] = known.setdefault(key, len(known) + 1)
    return numbers


def _port_fec(fabric: Fabric, shape: tuple[int, ...]) -> Ints:
    words = ("", "rs", "fc", "none")
    table = np.zeros(shape, dtype=np.int64)
    for name, overrides in fabric.intent.device_overrides.items():
        row = fabric.switch_row.get(name)
        for override in overrides if row is not None else ():
            for port, change in override.value.ports.items():
                number = fabric.switches.skus[row or 0].port_numbers().get(port)
                if change.fec and number is not None:
                    table[row, number] = words.index(change.fec)
    return table


class _Numbers:
    """Numbers policies by identity, in the order in which they are met."""

    def __init__(self) -> None:
        self.policies: list[LosslessPolicy] = []
        self._known: dict[int, int] = {}

    def of(self, policy: LosslessPolicy) -> int:
        number = self._known.setdefault(id(policy), len(self.policies))
        if number == len(self.policies):
            self.policies.append(policy)
        return number


def _port_policies(fabric: Fabric, resolver: PolicyResolver, numbers: _Numbers) -> Ints:
    switches = fabric.switches
    widest = max(model.port_count for model in set(switches.skus))
    table = np.zeros((len(switches), widest + 1), dtype=np.int64)
    for row, name in enumerate(switches.names):
        table[row] = numbers.of(resolver.switch(name, switches.role(row)))
        for override in fabric.intent.device_overrides.get(name, []):
            for port, change in override.value.ports.items():
                number = switches.skus[row].port_numbers().get(port) if change.lossless else None
                if number is not None:
                    policy = resolver.switch(name, switches.role(row), port)
                    table[row, number] = numbers.of(policy)
    return table


def _host_policies(fabric: Fabric, resolver: PolicyResolver, numbers: _Numbers) -> Ints:
    own = fabric.intent.host_overrides
    shared = next((name for name in fabric.hosts.names if name not in own), "")
    rows = np.zeros(len(fabric.hosts), dtype=np.int64)
    if shared:
        rows[:] = numbers.of(resolver.host(shared))
    for name in own:
        if name in fabric.host_row:
            rows[fabric.host_row[name]] = numbers.of(resolver.host(name))
    return rows


def _distinct(left: Ints, right: Ints, enabled: Bools) -> Iterator[tuple[int, int, int, int]]:
    rows = np.flatnonzero(enabled)
    width = int(right.max(initial=0)) + 1
    keys, first, counts = np.unique(
        left[rows] * width + right[rows], return_index=True, return_counts=True
    )
    for key, index, count in zip(keys.tolist(), first.tolist(), counts.tolist(), strict=True):
        yield int(rows[index]), key // width, key % width, count
