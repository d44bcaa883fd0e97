"""Lengths of cables where a source has one for several ports: that of the longest."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.exchange.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from fabric.core.findings import Finding
    from fabric.exchange.plant import Cable, End, Plant


_WHAT = "cables have the length of the longest one that their switch has headroom for"
_FIX = "write their own lengths into cabling.csv"


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
    unknown = [cable for cable in plant.cables if cable.cable_m is None]
    lengths: dict[Cable, int] = {}
    for cable in unknown:
        limits = [longest[end] for end in (cable.near, cable.far) if end in longest]
        if limits and {cable.near[0], cable.far[0]} <= {*switches}:
            lengths[cable] = min(limits)
    for metres, cables in _groups(plant, longest):
        if metres > max(cable.cable_m or lengths.get(cable, 0) for cable in cables):
            to_hosts = [one for one in cables if one.cable_m is None and one not in lengths]
            lengths |= dict.fromkeys(to_hosts or cables, metres)
    notes = Notes(source)
    for cable in unknown:
        if cable in lengths:
            notes.add(_WHAT, _FIX, " ".join(cable.near))
    every = (replace(one, cable_m=one.cable_m or lengths.get(one)) for one in plant.cables)
    return replace(plant, cables=tuple(every)), notes.all()


def _groups(plant: Plant, longest: Mapping[End, int]) -> Iterator[tuple[int, list[Cable]]]:
    """Yield each length with the cables of the ports that one line is about."""
    groups: dict[tuple[str, int], list[Cable]] = defaultdict(list)
    for cable in plant.cables:
        for end in (cable.near, cable.far):
            if end in longest:
                groups[end[0], longest[end]].append(cable)
    for (_, metres), cables in groups.items():
        yield metres, cables
