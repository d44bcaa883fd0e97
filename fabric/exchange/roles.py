"""What follows from the cables where a source does not say it: roles, units, pods, rails.

Roles go by the distance from hosts, units by leaves that hosts share, pods by spines that leaves
share, rails by the index that most NICs on a leaf have on their hosts. What a source says always
counts; what neither it nor the cables tell is a finding.

Pods that follow from the cables: units and spines that are cabled to each other, below a core.

Leaves that share their spines are in one pod, and a unit is never split, so that planes and rails
with spines of their own stay together. Fabrics without super-spines have no pods.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from fabric.core import hostlist
from fabric.core.findings import Finding, Position, Severity
from fabric.core.hostlist import natural_key
from fabric.exchange.plant import Nic, Plant
from fabric.intent.yaml.file import input_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.exchange.plant import Cable, Device, End


_SHOWN = 5
_HOSTS = "list the hosts with --hosts gpu[001-064], or set the role of each device"
_BY_DISTANCE = ("", "leaf", "spine", "super-spine")


Devices: TypeAlias = "Mapping[str, Device]"
Peers: TypeAlias = "Mapping[str, set[str]]"


def complete(plant: Plant, source: str) -> tuple[Plant, tuple[Finding, ...]]:
    """Return a plant in which every device has kind, role and unit, and every NIC a rail.

    Parameters
    ----------
    source : str
        What was read, for messages.

    Raises
    ------
    InputError
        With a finding for each device of which something cannot be told.
    """
    return _Completion(plant, source).completed()


def with_hosts(plant: Plant, names: str, source: str) -> Plant:
    """Return a plant in which the devices of a range are hosts.

    Raises
    ------
    InputError
        When it is no range, or names what is no device, or a switch.
    """
    try:
        hosts = set(hostlist.expand(names))
    except ValueError as error:
        raise input_error([_finding(str(error), _HOSTS, source)], source) from error
    wrong = [
        _finding("no such device", "check the names in --hosts", source, name)
        for name in sorted(hosts - plant.device.keys())
    ]
    wrong += [
        _finding("it is a switch in the source", "remove it from --hosts", source, name)
        for name in sorted(hosts & {item.name for item in plant.switches})
    ]
    if wrong:
        raise input_error(wrong, source)
    devices = (replace(it, kind="host") if it.name in hosts else it for it in plant.devices)
    return replace(plant, devices=tuple(devices))


def _finding(message: str, fix: str, source: str, device: str = "") -> Finding:
    place = Position(source)
    return Finding("EXC008", Severity.ERROR, message, fix, position=place, device=device)


class _Completion:
    def __init__(self, plant: Plant, source: str) -> None:
        self._source = source
        self._given = plant
        self._wrong: list[Finding] = []
        self._peers: dict[str, set[str]] = defaultdict(set)
        for cable in plant.cables:
            self._peers[cable.near[0]].add(cable.far[0])
            self._peers[cable.far[0]].add(cable.near[0])
        self._devices = {
            device.name: device
            for device in plant.devices
            if device.role or self._peers[device.name] or (device.kind == "host" and device.unit)
        }

    def completed(self) -> tuple[Plant, tuple[Finding, ...]]:
        if not self._given.hosts:
            self._fail("no device is identified as a host", _HOSTS)
        self._stop()
        self._kinds()
        self._roles()
        self._units()
        self._stop()
        self._devices = pods(self._devices, self._peers)
        nics = self._nics()
        rails = _rails_of_leaves(self._given.cables, nics)
        devices = tuple(
            replace(device, rail=rails.get(device.name))
            if device.role == "leaf" and device.rail is None
            else device
            for device in self._devices.values()
        )
        plant = Plant(self._given.name, devices, self._given.cables, tuple(nics))
        return plant, (*self._left_out(), *self._crossed(plant))

    def _kinds(self) -> None:
        for name, device in self._devices.items():
            if not device.kind:
                self._devices[name] = replace(device, kind="switch")
            elif device.kind == "host":
                self._devices[name] = replace(
                    device,
                    role="",
                    model="",
                    system="",
                    loopback="",
                    rail=None,
                    plane=None,
                    asn=None,
                )

    def _roles(self) -> None:
        distance = self._distances()
        for name, device in self._devices.items():
            if device.kind == "host" or device.role:
                continue
            steps = distance.get(name, len(_BY_DISTANCE))
            if steps >= len(_BY_DISTANCE):
                message = "it is not connected to a host within three tiers, so its role is unknown"
                self._fail(message, "set its role, or remove it", name)
                continue
            self._devices[name] = replace(device, role=_BY_DISTANCE[steps])

    def _distances(self) -> dict[str, int]:
        """Return the number of cables from the nearest host; hosts pass nothing on."""
        distances = {name: 0 for name, device in self._devices.items() if device.kind == "host"}
        edge = list(distances)
        while edge:
            fresh = {peer for name in edge for peer in self._peers[name] if peer not in distances}
            steps = distances[edge[0]] + 1
            distances |= dict.fromkeys(fresh, steps)
            edge = sorted(fresh)
        return distances

    def _units(self) -> None:
        """Give hosts and leaves that are cabled to each other one unit."""
        taken = {device.unit for device in self._devices.values() if device.unit}
        number = 0
        for group in self._groups():
            known = {self._devices[name].unit for name in group} - {""}
            lacking = [name for name in group if not self._devices[name].unit]
            unit = next(iter(known)) if len(known) == 1 else ""
            if not known and not any(self._devices[name].kind == "host" for name in group):
                for name in group:
                    self._fail(
                        "no host is connected to it, so its unit is unknown", "set its unit", name
                    )
                continue
            if not known:
                number += 1
                while f"unit{number}" in taken:
                    number += 1
                unit = f"unit{number}"
            for name in lacking:
                self._set_unit(name, unit or self._unit_near(name))

    def _unit_near(self, name: str) -> str:
        near = Counter(self._devices[peer].unit for peer in self._peers[name])
        del near[""]
        best = near.most_common(2)
        clear = len(best) == 1 or (best and best[0][1] > best[1][1])
        return best[0][0] if clear else ""

    def _set_unit(self, name: str, unit: str) -> None:
        if unit:
            self._devices[name] = replace(self._devices[name], unit=unit)
        else:
            message = "its cables lead to several units, so its unit is ambiguous"
            self._fail(message, "set its unit", name)

    def _groups(self) -> list[list[str]]:
        """Return hosts and leaves that are connected, in the order of the source."""
        low = {
            name
            for name, device in self._devices.items()
            if device.kind == "host" or device.role == "leaf"
        }
        hosts = {name for name in low if self._devices[name].kind == "host"}
        seen: set[str] = set()
        groups = []
        for first in self._devices:
            if first not in low or first in seen:
                continue
            group, edge = [], [first]
            seen.add(first)
            while edge:
                name = edge.pop()
                group.append(name)
                fresh = {
                    peer
                    for peer in self._peers[name] & low - seen
                    if peer in hosts or name in hosts
                }
                seen |= fresh
                edge += sorted(fresh)
            groups.append(sorted(group, key=natural_key))
        return groups

    def _nics(self) -> list[Nic]:
        """Return the NICs: those of the source, and one for each cable of a host, with rails."""
        by_host: dict[str, dict[str, Nic]] = defaultdict(dict)
        for nic in self._given.nics:
            by_host[nic.host][nic.interface] = nic
        for cable in self._given.cables:
            for host, interface in (cable.near, cable.far):
                if self._devices[host].kind == "host":
                    by_host[host].setdefault(interface, Nic(host, interface))
        usual = _usual(by_host.values())
        nics = []
        for host in sorted(by_host, key=natural_key):
            own = sorted(by_host[host].values(), key=lambda nic: natural_key(nic.interface))
            names = [nic.interface for nic in own]
            order = usual if set(names) <= set(usual) else names
            nics += [
                nic if nic.rail is not None else replace(nic, rail=order.index(nic.interface))
                for nic in own
            ]
        return nics

    def _left_out(self) -> Iterator[Finding]:
        """Yield devices that are in no role and have no cable."""
        names = [item.name for item in self._given.devices if item.name not in self._devices]
        if names:
            shown = ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
            message = f"{len(names)} devices without a cable, role or unit are ignored: {shown}"
            fix = "add their cables if they are part of the fabric"
            place = Position(self._source)
            yield Finding("EXC012", Severity.WARNING, message, fix, position=place)

    def _crossed(self, plant: Plant) -> Iterator[Finding]:
        """Yield NICs on a leaf of another rail; they are taken as they are."""
        for host, other in _by_direction(plant.cables):
            nic, leaf = plant.nic.get(host), plant.device[other[0]]
            if nic is None or leaf.rail in {None, nic.rail}:
                continue
            message = f"rail {nic.rail}, and on {leaf.name} {other[1]} of rail {leaf.rail}"
            yield Finding(
                "EXC013",
                Severity.WARNING,
                message,
                "check whether the cable is crossed",
                position=Position(self._source),
                device=host[0],
                port=host[1],
            )

    def _fail(self, message: str, fix: str, device: str = "") -> None:
        self._wrong.append(_finding(message, fix, self._source, device))

    def _stop(self) -> None:
        if self._wrong:
            raise input_error(self._wrong, self._source)


def _usual(hosts: Iterable[dict[str, Nic]]) -> list[str]:
    """Return the interfaces that most hosts have, of those that have the most."""
    counts: Counter[tuple[str, ...]] = Counter(
        tuple(sorted(names, key=natural_key)) for names in hosts
    )
    ranked = sorted(counts.items(), key=lambda item: (len(item[0]), item[1]))
    return list(ranked[-1][0]) if ranked else []


def _rails_of_leaves(cables: Iterable[Cable], nics: Iterable[Nic]) -> dict[str, int]:
    """Return the rail that most NICs on a leaf have; a fabric of one rail has none to tell."""
    rail = {(nic.host, nic.interface): nic.rail for nic in nics if nic.rail is not None}
    if len(set(rail.values())) == 1:
        return {}
    counts: dict[str, Counter[int]] = defaultdict(Counter)
    for end, other in _by_direction(cables):
        if end in rail:
            counts[other[0]][rail[end]] += 1
    best = {name: count.most_common(2) for name, count in counts.items()}
    return {
        name: first[0]
        for name, (first, *second) in best.items()
        if not second or first[1] > second[0][1]
    }


def _by_direction(cables: Iterable[Cable]) -> Iterator[tuple[End, End]]:
    for cable in cables:
        yield cable.near, cable.far
        yield cable.far, cable.near


def pods(devices: Devices, peers: Peers) -> dict[str, Device]:
    """Return the devices, with a pod for each below the super-spines that has none.

    Parameters
    ----------
    devices : mapping
        Devices by name, with roles and units.
    peers : mapping
        Names of the devices at the other ends of the cables of each.
    """
    completed = dict(devices)
    if not any(device.role == "super-spine" for device in devices.values()):
        return completed
    taken = {device.pod for device in devices.values()}
    fresh = (name for name in (f"pod{number}" for number in count(1)) if name not in taken)
    for group in _groups(devices, peers):
        lacking = [name for name in group if not devices[name].pod]
        known = {devices[name].pod for name in group} - {""}
        one = next(iter(known)) if len(known) == 1 else "" if known or not lacking else next(fresh)
        for name in lacking:
            pod = one or _pod_near(name, group, devices, peers)
            completed[name] = replace(devices[name], pod=pod)
    return completed


def _groups(devices: Devices, peers: Peers) -> Iterator[list[str]]:
    """Yield the names of units and spines that are cabled to each other, in their order."""
    members: dict[str, list[str]] = defaultdict(list)
    below = {name: _knot(device) for name, device in devices.items() if _knot(device)}
    for name, knot in below.items():
        members[knot].append(name)
    seen: set[str] = set()
    for first in members:
        if first in seen:
            continue
        seen.add(first)
        edge, group = [first], []
        while edge:
            own = members[edge.pop()]
            group += own
            others = {below[peer] for name in own for peer in peers[name] if peer in below} - seen
            seen |= others
            edge += sorted(others)
        yield group


def _knot(device: Device) -> str:
    """Return what is in a pod as a whole: a unit, or a spine; nothing for a super-spine."""
    if device.role == "spine":
        return f"spine {device.name}"
    return f"unit {device.unit}" if device.unit and device.role != "super-spine" else ""


def _pod_near(name: str, group: list[str], devices: Devices, peers: Peers) -> str:
    """Return the pod of its unit, else of most of its peers; nothing where that is not clear."""
    knot = _knot(devices[name])
    own = {devices[other].pod for other in group if _knot(devices[other]) == knot} - {""}
    if len(own) == 1:
        return next(iter(own))
    near = Counter(devices[peer].pod for peer in peers[name])
    del near[""]
    (pod, most), *others = near.most_common(2) or [("", 0)]
    return pod if not others or most > others[0][1] else ""
