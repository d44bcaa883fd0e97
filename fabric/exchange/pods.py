"""Pods that follow from the cables: units and spines that are cabled to each other, below a core.

Leaves that share their spines are in one pod, and a unit is never split, so that planes and rails
with spines of their own stay together. Fabrics without super-spines have no pods.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.exchange.plant import Device

Devices: TypeAlias = "Mapping[str, Device]"
Peers: TypeAlias = "Mapping[str, set[str]]"


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
