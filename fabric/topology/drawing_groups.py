"""What is one box in a picture: a device, or many where there is no room for each."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.topology.drawing_names import (
    LABEL_LENGTH,
    LEFT_OUT,
    NOTHING_SHARED,
    Shared,
    shared_by,
    shortened,
    shorter_names,
)
from fabric.topology.layout import pod_names
from fabric.topology.paths import joined_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric, Ints

#: What the names of the leaves of a unit differ in.
_NUMBER = re.compile(r"\d+$")
#: Names up to which a label is a range, our choice: of more it takes too long to find one.
MOST_FOLDED = 1000


@dataclass(frozen=True, slots=True)
class Limits:
    """What fits on a page, our choice.

    Parameters
    ----------
    leaves_alone, upper_alone, hosts_alone : int
        Leaves, switches of a tier above them, and hosts, up to which each is a box of its own.
    columns, upper_boxes : int
        Most columns of leaves and hosts, and most boxes of a tier above, where there are more.
    """

    leaves_alone: int = 32
    upper_alone: int = 24
    hosts_alone: int = 16
    columns: int = 12
    upper_boxes: int = 8

    def used(self, network: Clos) -> Limits:
        """Return the limits with 0 where there is more than is drawn alone."""
        highest = int(np.bincount(network.tier)[1:].max(initial=0))
        return replace(
            self,
            leaves_alone=self.leaves_alone * (network.leaves <= self.leaves_alone),
            upper_alone=self.upper_alone * (highest <= self.upper_alone),
            hosts_alone=self.hosts_alone * (len(network.host_unit) <= self.hosts_alone),
        )

    def fewer_columns(self, fit: float) -> Limits:
        """Return limits for narrower leaves and hosts; the same where there are none.

        Parameters
        ----------
        fit : float
            How much of them fits, 0 to 1.
        """
        if self.hosts_alone:
            return replace(self, hosts_alone=0)
        if self.leaves_alone:
            return replace(self, leaves_alone=0)
        return replace(self, columns=max(1, min(self.columns - 1, int(self.columns * fit))))

    def fewer_above(self) -> Limits:
        """Return limits for narrower tiers above the leaves; the same where there are none."""
        if self.upper_alone:
            return replace(self, upper_alone=0)
        if self.upper_boxes > 1:
            return replace(self, upper_boxes=self.upper_boxes - 1)
        return self.fewer_columns(1)


@dataclass(frozen=True, slots=True)
class Group:
    """Devices that are one box.

    Parameters
    ----------
    kind, label, detail, members, rail
        As in `fabric.topology.drawing.Box`.
    column : int
        Column of leaves and hosts (a unit, or several) that it stands in; -1 for switches above.
    pod, plane : int
        Place in `Groups.pods`, and plane; -1 where there is none.
    """

    kind: str
    label: str
    detail: str
    members: tuple[str, ...]
    rail: int
    column: int
    pod: int
    plane: int


@dataclass(frozen=True, eq=False)
class Groups:
    """All boxes.

    Parameters
    ----------
    groups : list of Group
        Boxes without a place.
    of_switch, of_host : array of int
        Number of the box of each switch and host.
    columns, pods : list of str
        Title of each column, and of each pod or of several that are drawn as one.
    """

    groups: list[Group]
    of_switch: Ints
    of_host: Ints
    columns: list[str]
    pods: list[str]

    def shorter(self) -> Iterator[Groups]:
        """Yield the same boxes with ever shorter names of devices that are drawn alone."""
        alone = [n for n, one in enumerate(self.groups) if len(one.members) == 1]
        devices = [(one.kind, one.column, one.members[0]) for one in self.groups]
        drawn = [*self.groups]
        for labels in shorter_names([devices[number] for number in alone]):
            drawn = [*self.groups]
            for number, label in zip(alone, labels, strict=True):
                drawn[number] = replace(drawn[number], label=label)
            yield replace(self, groups=drawn)
        narrow = [_of_rail(one) for one in drawn]
        places = {(one.column, one.label) for one in narrow if one.kind == "leaf"}
        if len(places) == sum(one.kind == "leaf" for one in narrow):  # each label is of one leaf
            yield replace(self, groups=narrow)


def _of_rail(group: Group) -> Group:
    """Return a leaf of a rail with the number that its name ends with; others as they are."""
    number = _NUMBER.search(group.label)
    if group.kind != "leaf" or group.rail < 0 or len(group.members) > 1 or number is None:
        return group
    return replace(group, label=f"{LEFT_OUT}{number[0]}", detail=f"rail{group.rail}")


def label_of(names: Sequence[str], shared: Shared = NOTHING_SHARED) -> str:
    """Return names as a range, or as the first and the last: of a long range, and of many names.

    Parameters
    ----------
    names : sequence of str
        Names of one kind of device.
    shared : Shared
        What a label that is too long leaves out.
    """
    label = _whole_label(names)
    if len(label) > LABEL_LENGTH:
        label = shared.marked(_whole_label([shared.cut(name) for name in names]))
    return shortened(label)


def _whole_label(names: Sequence[str]) -> str:
    ends = f"{names[0]} … {names[-1]}"
    if len(names) > MOST_FOLDED:
        return ends
    folded = hostlist.fold_inside(names)
    if not len(ends) <= LABEL_LENGTH < len(folded):
        return folded
    stepped = f"{names[0]}, {names[1]} … {names[-1]}"
    is_stepped = "," in hostlist.fold_inside(names[:2]) and len(stepped) <= LABEL_LENGTH
    return stepped if is_stepped else ends


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


def groups(fabric: Fabric, network: Clos, limits: Limits) -> Groups:
    """Return what is drawn as one box."""
    return _Gatherer(fabric, network, limits).gather()


class _Gatherer:
    def __init__(self, fabric: Fabric, network: Clos, limits: Limits) -> None:
        self._fabric, self._network, self._limits = fabric, network, limits
        self._drawn: list[Group] = []
        self._of_switch = np.zeros(len(network.tier), dtype=np.int64)
        self._of_host = np.zeros(len(network.host_unit), dtype=np.int64)
        self._shared_by: dict[str, Shared] = {}
        self._pods = pod_names(fabric.intent.fabric)
        self._pod_bounds = even_bounds(len(self._pods), limits.columns) if self._pods else [0]
        place = {name: number for number, name in enumerate(self._pods)}
        named = [place.get(unit.pod or "", -1) for unit in fabric.intent.fabric.units]
        self._unit_pod = self._drawn_pod(np.array(named, dtype=np.int64))

    def gather(self) -> Groups:
        columns = self._columns()
        for number, units in enumerate(columns):
            rows = np.flatnonzero(np.isin(self._network.unit[: self._network.leaves], units))
            pod = int(self._unit_pod[units[0]]) if units[0] >= 0 else -1
            for part in self._leaf_parts(rows):
                self._switches(part, "leaf", number, pod)
            self._hosts(np.flatnonzero(np.isin(self._network.host_unit, units)), number, pod)
        for tier in range(1, self._network.tiers):
            for rows in self._parts(tier):
                role, pod = (
                    self._fabric.switches.role(int(rows[0])),
                    self._fabric.switches.pod[rows[0]],
                )
                self._switches(rows, role, -1, int(self._drawn_pod(pod)))
        titles = [self._title(units) for units in columns]
        pods = [self._pods[first:last] for first, last in pairwise(self._pod_bounds)]
        named = [_pod_title(label_of(some), len(some)) for some in pods]
        return Groups(self._drawn, self._of_switch, self._of_host, titles, named)

    def _drawn_pod(self, pod: Ints) -> Ints:
        """Return the place among the drawn pods of each pod; -1 stays."""
        return np.searchsorted(self._pod_bounds, pod, side="right") - 1

    def _columns(self) -> list[Ints]:
        """Return the units of each column; no column has units of two drawn pods."""
        network, columns = self._network, self._limits.columns
        pods = self._unit_pod
        order = np.argsort(pods, kind="stable")
        if network.leaves <= self._limits.leaves_alone or network.units <= columns:
            parts = np.split(order, len(order))
        elif len(self._pods) > 1:
            parts = np.split(order, np.flatnonzero(np.diff(pods[order])) + 1)
        else:
            parts = np.split(order, even_bounds(network.units, columns)[1:-1])
        strays = (network.unit[: network.leaves] < 0).any()
        return [*([np.array([-1])] if strays else []), *parts]

    def _leaf_parts(self, rows: Ints) -> list[Ints]:
        """Return the leaves of a column that are one box: those of one plane, or each alone."""
        plane = self._fabric.switches.plane[rows]
        rows = rows[np.argsort(plane, kind="stable")]
        if len(rows) and self._network.leaves <= self._limits.leaves_alone:
            return np.split(rows, len(rows))
        return np.split(rows, np.flatnonzero(np.diff(np.sort(plane))) + 1)

    def _parts(self, tier: int) -> list[Ints]:
        """Return the switches above the leaves that are one box: of one pod and plane, if any."""
        rows, switches = self._network.rows(tier), self._fabric.switches
        pods = self._drawn_pod(switches.pod[rows])
        order = np.lexsort((pods, switches.plane[rows]))
        rows, pods = rows[order], pods[order]
        if len(rows) <= self._limits.upper_alone:
            return np.split(rows, len(rows))
        changes = (np.diff(pods) != 0) | (np.diff(switches.plane[rows]) != 0)
        zones = np.split(rows, np.flatnonzero(changes) + 1)
        most = max(1, self._limits.upper_boxes // len(zones))
        return [part for zone in zones for part in self._lane_parts(zone, most)]

    @cached_property
    def _lanes(self) -> Ints:
        """A number for each switch: equal where cables above the leaves join them."""
        is_upper = self._fabric.switches.tier[self._fabric.uplinks.lower] > 0
        return joined_by(self._fabric, is_upper)

    def _lane_parts(self, rows: Ints, most: int) -> list[Ints]:
        """Return at most so many parts, each of one lane, or of several whole ones."""
        rows = rows[np.argsort(self._lanes[rows], kind="stable")]
        ends = [*np.flatnonzero(np.diff(self._lanes[rows])) + 1, len(rows)]
        starts = [0, *ends[:-1]]
        if len(ends) > most:
            firsts = [starts[lane] for lane in even_bounds(len(ends), most)[1:-1]]
            return [np.sort(part) for part in np.split(rows, firsts)]
        return [
            part
            for lane in np.split(rows, starts[1:])
            for part in np.split(lane, even_bounds(len(lane), most // len(ends))[1:-1])
        ]

    def _title(self, units: Ints) -> str:
        if units[0] < 0:
            return "no unit"
        every = self._fabric.intent.fabric.units
        return label_of([every[unit].name for unit in units.tolist()])

    def _switches(self, rows: Ints, role: str, column: int, pod: int) -> None:
        if not len(rows):  # a unit whose hosts are on the leaves of others
            return
        switches = self._fabric.switches
        names = [switches.names[row] for row in rows.tolist()]
        self._of_switch[rows] = len(self._drawn)
        first, rail = int(rows[0]), _common(switches.rail[rows])
        detail = counted(len(names), role)
        if len(names) == 1:
            detail = f"rail {rail}" if rail >= 0 else f"AS {self._network.asn[first]}"
        self._add(role, names, detail, rail, column, pod, int(switches.plane[first]))

    def _hosts(self, rows: Ints, column: int, pod: int) -> None:
        if not len(rows):
            return
        alone = len(self._of_host) <= self._limits.hosts_alone
        for part in np.split(rows, len(rows)) if alone else [rows]:
            names = [self._fabric.hosts.names[row] for row in part.tolist()]
            self._of_host[part] = len(self._drawn)
            ports = int(np.isin(self._network.nics.host, part).sum())
            hosts = "" if alone else f"{counted(len(names), 'host')}, "
            self._add(
                "host", names, f"{hosts}{nics_text(self._fabric, ports)}", -1, column, pod, -1
            )

    def _shared(self, kind: str) -> Shared:
        """Return what all names of a kind of device have in common."""
        if kind not in self._shared_by:
            switches, hosts = self._fabric.switches, self._fabric.hosts
            rows = range(len(switches)) if kind != "host" else ()
            names = [switches.names[row] for row in rows if switches.role(row) == kind]
            self._shared_by[kind] = shared_by(names if kind != "host" else hosts.names)
        return self._shared_by[kind]

    def _add(self, kind: str, names: Sequence[str], detail: str, rail: int, *place: int) -> None:
        label = label_of(names, self._shared(kind))
        self._drawn.append(Group(kind, label, detail, tuple(names), rail, *place))


def _pod_title(label: str, pods: int) -> str:
    """Return the title of a pod, or of several; the word stands once where their names have it."""
    return label if "pod" in label.lower() else f"pod{'s' * (pods > 1)} {label}"


def _common(values: Ints) -> int:
    """Return the value that all have, or -1."""
    return int(values[0]) if (values == values[0]).all() else -1


def nics_text(fabric: Fabric, ports: int) -> str:
    """Return NICs as words, with their ports where a NIC has several.

    Parameters
    ----------
    fabric : Fabric
        Says how many ports a NIC has.
    """
    nics = counted(ports // fabric.nic_ports, "NIC")
    return nics if fabric.nic_ports == 1 else f"{nics}, {counted(ports, 'port')}"
