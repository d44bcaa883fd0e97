"""Lengths of cables where a source has one for several ports: that of the longest."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.exchange.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from fabric.core.findings import Finding
    from fabric.exchange.plant import End, Plant


def with_lengths(
    plant: Plant, longest: Mapping[End, int], switches: Collection[str], source: str
) -> tuple[Plant, tuple[Finding, ...]]:
    """Return the plant with lengths that keep the length of every group of ports, and a warning.

    A cable between switches is as long as both ends allow. Where the longest of a group is not
    among these, its cables to hosts have the length of the group, or all where it has none.

    Parameters
    ----------
    longest : mapping
        Length of the longest cable of the ports that one line is about, by port.
    switches : collection of str
        Devices that are known to be switches.
    """
    lengths: dict[tuple[End, End], int] = {}
    groups: dict[tuple[str, int], list[tuple[End, End]]] = defaultdict(list)
    known = {(cable.near, cable.far): cable.cable_m for cable in plant.cables}
    for cable in known:
        limits = {end: longest[end] for end in cable if end in longest}
        for (switch, _), metres in limits.items():
            groups[switch, metres].append(cable)
        if limits and all(switch in switches for switch, _ in cable):
            lengths[cable] = min(limits.values())
    for (_, metres), cables in groups.items():
        if metres > max(known[cable] or lengths.get(cable, 0) for cable in cables):
            to_hosts = [one for one in cables if one not in lengths and known[one] is None]
            lengths |= dict.fromkeys(to_hosts or cables, metres)
    notes = Notes(source)
    changed = []
    for cable in plant.cables:
        metres = lengths.get((cable.near, cable.far))
        is_new = cable.cable_m is None and metres is not None
        changed.append(replace(cable, cable_m=metres) if is_new else cable)
        if is_new:
            what = "cables have the length of the longest one that their switch has headroom for"
            notes.add(what, "write their own lengths into cabling.csv", " ".join(cable.near))
    return replace(plant, cables=tuple(changed)), notes.all()
