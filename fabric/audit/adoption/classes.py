"""Several lossless classes: the list that a device comes to, with priorities and DSCPs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from fabric.audit.adoption.traits import class_of, dscps_of
from fabric.intent.classes import lossless_classes
from fabric.intent.policy import ClassPolicy, merge

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from fabric.audit.adoption.class_values import Classes
    from fabric.intent.policy import LosslessPolicy
    from fabric.observe.configuration.lossless import PortPolicy


class Device(NamedTuple):
    """A device that was read: its ports in use, and its policy by the inventory."""

    name: str
    base: LosslessPolicy
    ports: tuple[PortPolicy, ...]


class Lists(NamedTuple):
    """What devices come to.

    Parameters
    ----------
    classes : dict of str to tuple of ClassPolicy
        Priorities and DSCPs by device; empty where single fields describe the one class.
    left_out : dict of str to str
        Why a priority of a device is not in its list.
    """

    classes: dict[str, Classes]
    left_out: dict[str, str]


def lists(devices: Collection[Device]) -> Lists:
    """Return the list of classes of every device that pauses a priority.

    Classes are in the order in which hosts use them, then of the inventory, then of priorities.

    Parameters
    ----------
    devices : collection of Device
        Switches and hosts that were read.
    """
    sent = _most(port.sends_dscp for one in devices for port in one.ports)
    own = {one.name: _marks(one) for one in devices}
    usual = _usual(own.values())
    result = Lists({}, {})
    for one in devices:
        planned = {item.pfc_priority: item.dscps for item in lossless_classes(one.base)}
        marks = {
            number: dscps or usual[number] or frozenset(planned.get(number, ()))
            for number, dscps in own[one.name].items()
        }
        known = {number: dscps for number, dscps in marks.items() if dscps}
        if lost := ", ".join(map(str, sorted(marks.keys() - known.keys()))):
            result.left_out[one.name] = f"no DSCP leads to the class of priority {lost}"
        if known:
            own_sent = _most(port.sends_dscp for port in one.ports)
            first = sent if own_sent is None else own_sent
            result.classes[one.name] = _list(one.base, known, first)
    return result


def _list(base: LosslessPolicy, marks: Mapping[int, frozenset[int]], sent: int | None) -> Classes:
    """Return the classes of some priorities; those of the inventory keep their names."""
    if len(marks) == 1 and not base.classes:
        return ()
    before = {one.pfc_priority: one for one in base.classes}
    names = _names(before, marks)
    places = [*before]
    first = lossless_classes(base)[0].roce_dscp if sent is None else sent
    classes = []
    for number, reached in marks.items():
        old = before.get(number)
        dscps = in_order(reached, first, old.dscps if old else ())
        new = ClassPolicy(name=names[number], dscps=dscps, pfc_priority=number)
        classes.append(merge(old, new) if old else new)

    def order(one: ClassPolicy) -> tuple[bool, int, int]:
        number = one.pfc_priority
        place = places.index(number) if number in before else len(places)
        return first not in one.dscps, place, number

    return tuple(sorted(classes, key=order))


def _names(before: Mapping[int, ClassPolicy], numbers: Iterable[int]) -> dict[int, str]:
    names = {number: f"class{number}" for number in numbers}
    kept = names | {number: one.name for number, one in before.items() if number in names}
    return kept if len(set(kept.values())) == len(kept) else names


def in_order(dscps: frozenset[int], first: int, known: tuple[int, ...]) -> tuple[int, ...]:
    """Return DSCPs with that of the hosts first, then as they were, then ascending.

    Parameters
    ----------
    first : int
        DSCP that hosts send with.
    known : tuple of int
        DSCPs of the inventory.
    """

    def order(dscp: int) -> tuple[bool, int, int]:
        return dscp != first, known.index(dscp) if dscp in known else len(known), dscp

    return tuple(sorted(dscps, key=order))


def _priorities(one: Device) -> frozenset[int]:
    """Return the priorities that most ports pause: of equal numbers of ports, the more."""
    known = frozenset(item.pfc_priority for item in lossless_classes(one.base))
    votes = Counter(frozenset(port.lossless) for port in one.ports if port.lossless)
    empty: frozenset[int] = frozenset()
    return max(
        votes, key=lambda own: (votes[own], own == known, len(own), sorted(own)), default=empty
    )


def _marks(one: Device) -> dict[int, frozenset[int]]:
    """Return the DSCPs that lead to each priority of a device on most of its ports."""
    return {number: _dscps(one.ports, number) for number in _priorities(one)}


def _usual(devices: Iterable[Mapping[int, frozenset[int]]]) -> dict[int, frozenset[int]]:
    """Return the DSCPs of each priority on most devices that tell them."""
    votes: dict[int, Counter[frozenset[int]]] = defaultdict(Counter)
    for marks in devices:
        for number, dscps in marks.items():
            votes[number][dscps] += bool(dscps)
    return {number: _winner(counter) for number, counter in votes.items()}


def _dscps(ports: Iterable[PortPolicy], number: int) -> frozenset[int]:
    votes: Counter[frozenset[int]] = Counter()
    for port in ports:
        reached = class_of(port, number) if number in port.lossless else None
        if reached is not None and (dscps := dscps_of(port, reached)):
            votes[dscps] += 1
    return _winner(votes)


def _winner(votes: Counter[frozenset[int]]) -> frozenset[int]:
    return max(votes, key=lambda own: (votes[own], sorted(own)), default=frozenset())


def _most(values: Iterable[int | None]) -> int | None:
    votes = Counter(value for value in values if value is not None)
    return max(votes, key=lambda value: (votes[value], -value), default=None)
