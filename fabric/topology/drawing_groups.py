"""What is one box in a picture: a device, or many where there is no room for each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric, Ints

#: What fits on a page, our choice: devices of a tier that get a box each; and boxes of leaves, and
#: of switches above them, where there are more.
LEAVES_ALONE, UPPER_ALONE, HOSTS_ALONE, BOXES, UPPER_BOXES = 32, 24, 16, 12, 8
#: Longest label, our choice; a longer one loses its middle.
LABEL_LENGTH = 24


@dataclass(frozen=True, slots=True)
class Group:
    """Devices that are one box.

    ``block`` is the column of leaves and hosts (a unit, or several) that it stands in, -1 for
    switches above the leaves.
    """

    kind: str
    label: str
    detail: str
    members: tuple[str, ...]
    block: int


@dataclass(frozen=True, eq=False)
class Groups:
    """All boxes.

    Parameters
    ----------
    groups : list of Group
        Boxes without a place.
    of_switch, of_host : array of int
        Number of the box of each switch and host.
    blocks : list of str
        Title of each column.
    """

    groups: list[Group]
    of_switch: Ints
    of_host: Ints
    blocks: list[str]


def shortened(text: str) -> str:
    """Return a label with its middle left out where it is too long."""
    if len(text) <= LABEL_LENGTH:
        return text
    half = (LABEL_LENGTH - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def label_of(names: Sequence[str]) -> str:
    """Return names as a range, or the first and the last where that is too long."""
    folded, ends = hostlist.fold(names), f"{names[0]} … {names[-1]}"
    return ends if len(ends) <= LABEL_LENGTH < len(folded) else shortened(folded)


def even_bounds(count: int, most: int) -> list[int]:
    """Return the bounds of at most so many parts, equal ones where the count allows it.

    Parameters
    ----------
    count : int
        Things to divide, >= 0.
    most : int
        Largest number of parts, >= 1.

    Returns
    -------
    list of int
        Start of each part, and ``count`` at the end.
    """
    parts = next((parts for parts in range(most, most // 2, -1) if count % parts == 0), most)
    return [*range(0, count, -(-count // parts)), count]


def groups(fabric: Fabric, network: Clos) -> Groups:
    """Return what is drawn as one box."""
    return _Gatherer(fabric, network).gather()


class _Gatherer:
    def __init__(self, fabric: Fabric, network: Clos) -> None:
        self._fabric, self._network = fabric, network
        self._found: list[Group] = []
        self._of_switch = np.zeros(len(network.tier), dtype=np.int64)
        self._of_host = np.zeros(len(network.host_unit), dtype=np.int64)

    def gather(self) -> Groups:
        blocks = list(self._blocks())
        alone = self._network.leaves <= LEAVES_ALONE
        for number, (first, last) in enumerate(blocks):
            units = range(first, last)
            rows = np.flatnonzero(np.isin(self._network.unit[: self._network.leaves], units))
            for part in np.split(rows, len(rows)) if alone and len(rows) else [rows]:
                self._switches(part, "leaf", number)
            self._hosts(np.flatnonzero(np.isin(self._network.host_unit, units)), number)
        for tier in range(1, self._network.tiers):
            for rows in self._parts(tier):
                self._switches(rows, self._fabric.switches.role(int(rows[0])), -1)
        titles = [self._title(first, last) for first, last in blocks]
        return Groups(self._found, self._of_switch, self._of_host, titles)

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Yield first and last unit of each column; no column holds two pods, if it can be."""
        network = self._network
        units = network.units
        if (network.unit[: network.leaves] < 0).any():
            yield -1, 0
        if network.leaves <= LEAVES_ALONE or units <= BOXES:
            yield from ((unit, unit + 1) for unit in range(units))
            return
        pods = self._pods()
        bounds = [0, *(np.flatnonzero(np.diff(pods)) + 1).tolist(), units]
        if len(bounds) - 1 > BOXES or len(bounds) == 2:  # noqa: PLR2004 - one pod
            bounds = even_bounds(units, BOXES)
        yield from pairwise(bounds)

    def _pods(self) -> Ints:
        """Return the AS of the spines of each unit, where there are three tiers."""
        network, cables = self._network, self._network.cables
        pods = np.zeros(network.units, dtype=np.int64)
        if network.tiers > 2:  # noqa: PLR2004 - leaves and spines
            low = cables.lower < network.leaves
            low &= network.unit[cables.lower] >= 0
            pods[network.unit[cables.lower[low]]] = network.asn[cables.upper[low]]
        return pods

    def _parts(self, tier: int) -> list[Ints]:
        """Return the switches above the leaves that are one box each."""
        rows = self._network.rows(tier)
        if len(rows) <= UPPER_ALONE:
            return np.split(rows, len(rows))
        asn = self._network.asn[rows]
        bounds = np.flatnonzero(np.diff(asn)) + 1
        if not 0 < len(bounds) < BOXES:
            bounds = np.array(even_bounds(len(rows), UPPER_BOXES)[1:-1])
        return np.split(rows, bounds)

    def _title(self, first: int, last: int) -> str:
        if first < 0:
            return "no unit"
        names = [unit.name for unit in self._fabric.intent.fabric.units[first:last]]
        return shortened(hostlist.fold(names))

    def _switches(self, rows: Ints, role: str, block: int) -> None:
        if not len(rows):  # a unit whose hosts are on the leaves of others
            return
        names = tuple(self._fabric.switches.names[row] for row in rows.tolist())
        self._of_switch[rows] = len(self._found)
        detail = _counted(len(names), role)
        if len(names) == 1:
            rail = int(self._fabric.switches.rail[rows[0]])
            detail = f"rail {rail}" if rail >= 0 else f"AS {self._network.asn[rows[0]]}"
        self._add(role, names, detail, block)

    def _hosts(self, rows: Ints, block: int) -> None:
        if not len(rows):
            return
        alone = len(self._of_host) <= HOSTS_ALONE
        for part in np.split(rows, len(rows)) if alone else [rows]:
            names = tuple(self._fabric.hosts.names[row] for row in part.tolist())
            self._of_host[part] = len(self._found)
            count = int(np.isin(self._network.nics.host, part).sum())
            hosts = "" if alone else f"{_counted(len(names), 'host')}, "
            self._add("host", names, f"{hosts}{_counted(count, 'NIC')}", block)

    def _add(self, kind: str, names: Sequence[str], detail: str, block: int) -> None:
        self._found.append(Group(kind, label_of(names), detail, tuple(names), block))


def _counted(count: int, word: str) -> str:
    plural = "" if count == 1 else "s"
    if word == "leaf":
        return f"{count:,} {'leaf' if count == 1 else 'leaves'}"
    return f"{count:,} {word}{plural}"
