"""Cables, names, addresses and AS numbers that two networks have in different ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from fabric.report.diff.model import Move
from fabric.report.inventory import addresses, links

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.design.designs import Designs

    End: TypeAlias = tuple[str, str]
    #: Far end, speed in Gb/s and length in metres.
    Cable: TypeAlias = tuple[End, int, int]


def cables(before: Designs, after: Designs) -> list[Move]:
    """Return the cables that appear, vanish, move, or have another speed or length.

    A cable moves when one of its ends stays; the end that is nearer to the hosts is looked at
    first.
    """
    old, new = _cables(before), _cables(after)
    gone = {near: cable for near, cable in old.items() if near not in new}
    come = {near: cable for near, cable in new.items() if near not in old}
    moves = list(_same_near(old, new))
    by_far = {cable[0]: near for near, cable in come.items()}
    for near, cable in gone.items():
        other = by_far.pop(cable[0], None)
        if other is None:
            moves.append(Move("removed", _end(near), _cable(cable), None))
        else:
            moves.append(Move("moved", _end(cable[0]), _end(near), _end(other)))
    moves += [
        Move("added", _end(near), None, _cable(come[near]))
        for near in come
        if by_far.get(come[near][0]) == near
    ]
    order = ("added", "removed", "moved", "speed", "length")
    return sorted(moves, key=lambda move: (order.index(move.kind), _natural(move.what)))


def _same_near(old: Mapping[End, Cable], new: Mapping[End, Cable]) -> Iterator[Move]:
    for near in (near for near in old if near in new):
        (far, gbps, metres), (new_far, new_gbps, new_metres) = old[near], new[near]
        if far != new_far:
            yield Move("moved", _end(near), _end(far), _end(new_far))
        if gbps != new_gbps:
            yield Move("speed", _end(near), f"{gbps} Gb/s", f"{new_gbps} Gb/s")
        if metres != new_metres:
            yield Move("length", _end(near), f"{metres} m", f"{new_metres} m")


def _cables(designs: Designs) -> dict[End, Cable]:
    return {
        (str(device), str(port)): ((str(peer), str(peer_port)), int(str(gbps)), int(str(metres)))
        for device, port, peer, peer_port, gbps, metres, _ in links(designs).rows
    }


def moves(before: Designs, after: Designs) -> list[Move]:
    """Return names, AS numbers and addresses that are others on devices and ports of both sides.

    Two switches, or hosts, of one place that have different names are one that is renamed.
    """
    return [*_names(before, after), *_numbers(before, after), *_addresses(before, after)]


def _names(before: Designs, after: Designs) -> Iterator[Move]:
    for places in (_switch_places, _host_places):
        old, new = places(before), places(after)
        known = set(old.values()), set(new.values())
        for place, name in old.items():
            other = new.get(place, name)
            if other != name and name not in known[1] and other not in known[0]:
                yield Move("name", place, name, other)


def _switch_places(designs: Designs) -> dict[str, str]:
    """Return each switch by role, unit, rail, and number among those."""
    switches, units = designs.fabric.switches, designs.intent.fabric.units
    counts: dict[str, int] = {}
    places = {}
    for row, name in enumerate(switches.names):
        unit, rail = int(switches.unit[row]), int(switches.rail[row])
        parts: list[str] = [switches.role(row)]
        parts += [f"of {units[unit].name}"] if unit >= 0 else []
        parts += [f"rail {rail}"] if rail >= 0 else []
        place = " ".join(parts)
        counts[place] = counts.get(place, 0) + 1
        places[f"{place}, number {counts[place]}"] = name
    return places


def _host_places(designs: Designs) -> dict[str, str]:
    hosts, units = designs.fabric.hosts, designs.intent.fabric.units
    return {
        f"host {slot + 1} of {units[unit].name}": name
        for name, unit, slot in zip(
            hosts.names, hosts.unit.tolist(), hosts.slot.tolist(), strict=True
        )
    }


def _numbers(before: Designs, after: Designs) -> Iterator[Move]:
    old, new = _asns(before), _asns(after)
    for name in (name for name in old if name in new):
        if old[name] != new[name]:
            yield Move("AS number", name, str(old[name]), str(new[name]))


def _asns(designs: Designs) -> dict[str, int]:
    switches = designs.fabric.switches
    return dict(zip(switches.names, switches.asn.tolist(), strict=True))


def _addresses(before: Designs, after: Designs) -> list[Move]:
    old, new = (
        {
            (str(d), str(port), _kind(use, address)): str(address)
            for d, port, address, use, _ in rows
        }
        for rows in (addresses(before).rows, addresses(after).rows)
    )
    moved = [
        Move(key[2], f"{key[0]} {key[1]}", old[key], new[key])
        for key in (key for key in old if key in new)
        if old[key] != new[key]
    ]
    return sorted(moved, key=lambda move: (move.kind, _natural(move.what)))


def _kind(use: object, address: object) -> str:
    return f"{use} IPv6 address" if ":" in str(address) else f"{use} address"


def _natural(text: str) -> tuple[tuple[int, int | str], ...]:
    from fabric.core.hostlist import natural_key

    return natural_key(text)


def _end(end: End) -> str:
    return " ".join(end)


def _cable(cable: Cable) -> str:
    far, gbps, metres = cable
    return f"{_end(far)}, {gbps} Gb/s, {metres} m"
