"""Rails that no leaf of a unit serves: a leaf is missing in the source, or hosts have few NICs.

An explicit design wants a leaf for each rail of a unit with hosts. A leaf without a rail serves
those that no other leaf of its unit serves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.hostlist import natural_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.exchange.notes import Notes
    from fabric.exchange.plant import Device, Nic

_LEAF = "add the leaf if the fabric has it, or leave the hosts out with --leave-out"


def with_leaves(
    devices: Mapping[str, Device], peers: Mapping[str, set[str]], notes: Notes
) -> dict[str, Device]:
    """Return the devices, with every host in a unit that has a leaf; others are left out.

    Parameters
    ----------
    peers : mapping
        Devices at the other ends of the cables of each.
    """
    units = {device.unit for device in devices.values() if device.role == "leaf"}
    result = dict(devices)
    for name, device in devices.items():
        if device.kind != "host" or device.unit in units:
            continue
        near = (devices[peer] for peer in sorted(peers.get(name, ())) if peer in devices)
        counts = Counter(peer.unit for peer in near if peer.role == "leaf")
        if counts:
            unit = counts.most_common(1)[0][0]
            what = "hosts are in the unit of their leaf, as their own has none"
            notes.add(what, "set the unit of the leaf", f"{name} ({unit})")
            result[name] = replace(device, unit=unit)
        else:
            notes.add("hosts without a cable to a leaf are ignored", _LEAF, name)
            del result[name]
    return result


def with_rails(devices: Mapping[str, Device], rails: int, notes: Notes) -> dict[str, Device]:
    """Return the devices, with a leaf for every rail of each unit of hosts.

    A unit that has a leaf without a rail, or of a rail that does not exist, stays as it is.
    """
    leaves: dict[str, list[Device]] = defaultdict(list)
    for device in devices.values():
        if device.role == "leaf":
            leaves[device.unit].append(device)
    result = dict(devices)
    for unit in dict.fromkeys(device.unit for device in devices.values() if device.kind == "host"):
        served = {leaf.rail for leaf in leaves[unit]}
        lacking = sorted(set(range(rails)) - served)
        if lacking and served <= {*range(rails)}:
            last = max(leaves[unit], key=lambda leaf: (leaf.rail or 0, natural_key(leaf.name)))
            result[last.name] = replace(last, rail=None)
            what = "units have no leaf for some rails; another of their leaves serves them"
            numbers = hostlist.fold([str(rail) for rail in lacking])
            notes.add(what, _LEAF, f"{unit}, rail {numbers}, on {last.name}")
    return result


def fewer_nics(devices: Mapping[str, Device], nics: Iterable[Nic], notes: Notes) -> None:
    """Note the hosts that have fewer NICs than others, or none."""
    counts = Counter(nic.host for nic in nics)
    most = max(counts.values(), default=0)
    hosts = (name for name, device in devices.items() if device.kind == "host")
    for host in sorted((name for name in hosts if counts[name] < most), key=natural_key):
        what = "hosts have fewer NICs than others; what they lack has no cable"
        notes.add(what, "add their NICs and cables if they are there", host)
