"""What follows from the cables where a source does not say it: roles, units, pods, rails.

Roles go by the distance from hosts, units by leaves that hosts share, pods by spines that leaves
share, rails by the index that most NICs on a leaf have on their hosts. What a source says always
counts; what neither it nor the cables tell is a finding.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.findings import Finding, Position, Severity
from fabric.core.hostlist import natural_key
from fabric.exchange.notes import Notes
from fabric.exchange.plant import Nic, Plant
from fabric.exchange.pods import pods
from fabric.exchange.served import fewer_nics, with_leaves, with_rails
from fabric.intent.yaml.file import input_error
from fabric.topology.naming import unpadded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.exchange.plant import Cable, End


_SHOWN = 5
_HOSTS = "list the hosts with --hosts gpu[001-064], or set the role of each device"
_NAMES = "check the names in --hosts"
_UNIT = "set its unit, or name it in --leave-out if it is in another network"
_UNKNOWN_PORT = "it is seen as a neighbour, and its port is unknown, so it has no cable"
#: What a device may be called, as messages have it.
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_BY_DISTANCE = ("", "leaf", "spine", "super-spine")


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


def with_hosts(plant: Plant, names: str, source: str, notes: tuple[Finding, ...] = ()) -> Plant:
    """Return a plant in which the devices of a range are hosts.

    Parameters
    ----------
    notes : tuple of Finding, optional
        What the import did not take: a name in it was seen.

    Raises
    ------
    InputError
        When it is no range, or names what is no device, or a switch.
    """
    try:
        hosts = set(hostlist.expand(names))
    except ValueError as error:
        raise input_error([_finding(str(error), _HOSTS, source)], source) from error
    seen = {word for note in notes for word in _WORD.findall(note.message)}
    wrong = _unknown(plant, hosts, seen, source)
    wrong += [
        _finding("it is a switch in the source", "remove it from --hosts", source, name)
        for name in sorted(hosts & {item.name for item in plant.switches})
    ]
    if wrong:
        raise input_error(wrong, source)
    devices = (replace(it, kind="host") if it.name in hosts else it for it in plant.devices)
    return replace(plant, devices=tuple(devices))


def _unknown(plant: Plant, hosts: set[str], seen: set[str], source: str) -> list[Finding]:
    """Return which names are no device; those of other zeros alone are one finding.

    Parameters
    ----------
    seen : set of str
        Words of what the import did not take.
    """
    by_number = {unpadded(item.name): item.name for item in plant.devices if item.kind != "switch"}
    unknown = sorted(hosts - plant.device.keys())
    meant = {name: by_number.get(unpadded(name), "") for name in unknown}
    if meant and all(meant.values()):
        message = f"no device is called {hostlist.in_short(meant)}"
        names = hostlist.fold({*meant.values(), *(hosts - meant.keys())})
        return [_finding(message, f"did you mean --hosts {names}?", source)]
    return [
        _finding(_UNKNOWN_PORT, "provide its output too, or remove it from --hosts", source, name)
        if name in seen
        else _finding("no such device", f"did you mean {near}?" if near else _NAMES, source, name)
        for name, near in meant.items()
    ]


def _finding(message: str, fix: str, source: str, device: str = "") -> Finding:
    place = Position(source)
    return Finding("EXC008", Severity.ERROR, message, fix, position=place, device=device)


class _Completion:
    def __init__(self, plant: Plant, source: str) -> None:
        self._source = source
        self._given = plant
        self._wrong: list[Finding] = []
        self._notes, self._outside = Notes(source), set[str]()
        self._cables = list(plant.cables)
        self._peers = _peers(self._cables)
        self._devices = {
            device.name: device
            for device in plant.devices
            if device.role
            or self._peers.get(device.name)
            or (device.kind == "host" and device.unit)
        }

    def completed(self) -> tuple[Plant, tuple[Finding, ...]]:
        if not self._given.hosts:
            self._fail("no device is identified as a host", _HOSTS)
        if self._given.devices and all(one.kind == "host" for one in self._given.devices):
            self._fail("no device is a switch", "set the roles of the switches")
        self._stop()
        self._kinds()
        self._roles()
        self._fit()
        self._units()
        self._stop()
        self._reached()
        self._stop()
        self._devices = pods(self._devices, self._peers)
        nics = self._nics()
        rails = _rails_of_leaves(self._cables, nics)
        devices = {
            name: replace(device, rail=rails.get(name))
            if device.role == "leaf" and device.rail is None
            else device
            for name, device in self._devices.items()
        }
        every = max((nic.rail or 0 for nic in nics), default=0) + 1
        served = with_rails(devices, every, self._notes)
        fewer_nics(served, nics, self._notes)
        plant = Plant(self._given.name, tuple(served.values()), tuple(self._cables), tuple(nics))
        return plant, (*self._left_out(), *self._notes.all(), *self._crossed(plant))

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
                what = "switches without a host within three tiers are ignored"
                self._notes.add(what, "set their roles if they are part of the fabric", name)
                self._outside.add(name)
                continue
            self._devices[name] = replace(device, role=_BY_DISTANCE[steps])

    def _fit(self) -> None:
        """Ignore what a fabric of leaves and spines does not have, and note it."""
        served = {end[0] for cable in self._cables for end in self._on_leaves(cable)}
        for name, device in self._devices.items():
            if device.role == "leaf" and not device.unit and name not in served:
                what = "leaves without hosts are ignored, such as border leaves"
                self._notes.add(what, "set their unit if they are part of the fabric", name)
                self._outside.add(name)
        self._outside |= set(self._beside())
        for name in self._outside:
            del self._devices[name]
        self._cables = [cable for cable in self._cables if self._belongs(cable)]
        self._peers = _peers(self._cables)

    def _beside(self) -> Iterator[str]:
        """Yield switches of no known role that have hosts alone, where others have uplinks."""
        switches = {name for name, one in self._devices.items() if one.kind == "switch"}
        leaves = [name for name in switches if self._devices[name].role == "leaf"]
        uplinks = {name: bool(self._peers[name] & switches) for name in leaves}
        for name in sorted(leaves, key=natural_key):
            given = self._given.device[name]
            if any(uplinks.values()) and not (uplinks[name] or given.role or given.unit):
                what = "switches without a role have cables to hosts alone, and are ignored"
                self._notes.add(what, "set their roles if they are leaves", name)
                yield name

    def _on_leaves(self, cable: Cable) -> Iterator[End]:
        """Yield the end of a cable on a switch that comes from a host."""
        for end, other in ((cable.near, cable.far), (cable.far, cable.near)):
            if self._devices[end[0]].kind == "switch" and self._devices[other[0]].kind == "host":
                yield end

    def _belongs(self, cable: Cable) -> bool:
        """Tell whether a cable leads from a tier to another; note others of the fabric."""
        ends = [self._devices.get(end[0]) for end in (cable.near, cable.far)]
        tiers = [_BY_DISTANCE.index(end.role) for end in ends if end is not None]
        if len(tiers) < len(ends):
            return False
        if tiers[0] != tiers[1]:
            return True
        what = "cables inside a tier are ignored, such as peer links"
        fix = "correct the roles of their ends if they are part of the fabric"
        self._notes.add(what, fix, f"{' '.join(cable.near)} to {' '.join(cable.far)}")
        return False

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
                    self._fail("no host is connected to it, so its unit is unknown", _UNIT, name)
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
            self._fail(message, _UNIT, name)

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

    def _reached(self) -> None:
        """Ignore hosts without a leaf, and note them."""
        reached = with_leaves(self._devices, self._peers, self._notes)
        if not any(device.kind == "host" for device in reached.values()):
            self._fail("no host has a cable to a leaf", "add the cables of the hosts")
        self._outside |= self._devices.keys() - reached.keys()
        self._devices = reached
        self._cables = [
            cable for cable in self._cables if not {cable.near[0], cable.far[0]} & self._outside
        ]

    def _nics(self) -> list[Nic]:
        """Return the NICs: those of the source, and one for each cable of a host, with rails."""
        by_host: dict[str, dict[str, Nic]] = defaultdict(dict)
        for nic in (nic for nic in self._given.nics if nic.host in self._devices):
            by_host[nic.host][nic.interface] = nic
        for cable in self._cables:
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
        known = self._devices.keys() | self._outside
        names = [item.name for item in self._given.devices if item.name not in known]
        if names:
            shown = ", ".join(names[:_SHOWN]) + (" ..." if len(names) > _SHOWN else "")
            message = f"devices without a cable, role or unit are ignored ({len(names):,}): {shown}"
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
            raise input_error([*self._wrong, *self._given.notes], self._source)


def _peers(cables: Iterable[Cable]) -> dict[str, set[str]]:
    """Return the devices at the other ends of the cables of each."""
    peers: dict[str, set[str]] = defaultdict(set)
    for end, other in _by_direction(cables):
        peers[end[0]].add(other[0])
    return peers


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
