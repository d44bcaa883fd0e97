"""A part of a network as a picture: the devices of a unit, pod, rail, plane or job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from fabric.topology.drawing import CableStates
from fabric.topology.layout import pod_names
from fabric.topology.model import NO_PORT

if TYPE_CHECKING:
    from collections.abc import Collection

    from fabric.topology.drawing import Picture
    from fabric.topology.model import Bools, Fabric, Ints

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Choice:
    """What is to be seen; a field that is None limits nothing.

    Parameters
    ----------
    hosts : collection of str or None
        Names, such as those of a job.
    """

    units: Collection[str] | None = None
    pods: Collection[str] | None = None
    rail: int | None = None
    plane: int | None = None
    hosts: Collection[str] | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """Which rows of each table belong to a part; a cable does where both of its ends do."""

    switches: Bools
    hosts: Bools
    nics: Bools
    cables: Bools

    @classmethod
    def whole(cls, fabric: Fabric) -> Self:
        """Return the part that has every row."""
        tables = (fabric.switches, fabric.hosts, fabric.nics, fabric.uplinks)
        return cls(*(np.ones(len(table), dtype=np.bool_) for table in tables))

    def states(self, states: CableStates) -> CableStates:
        """Return the states of its cables."""
        looked = {
            state: (cables[self.cables], nics[self.nics])
            for state, (cables, nics) in states.looked.items()
        }
        return CableStates(states.cables[self.cables], states.nics[self.nics], looked)


def part(fabric: Fabric, choice: Choice) -> Part:
    """Return the part of a network: hosts and leaves that are chosen, and what is above them."""
    hosts = _hosts(fabric, choice)
    nics, switches = fabric.nics, fabric.switches
    cabled = hosts[nics.host] & (nics.port != NO_PORT)
    if choice.rail is not None:
        cabled &= nics.rail == choice.rail
    if choice.plane is not None:
        cabled &= switches.plane[nics.leaf] == choice.plane
    kept = _leaves(fabric, choice)
    kept[nics.leaf[cabled]] = True
    for tier in range(1, int(switches.tier.max(initial=0)) + 1):
        up = fabric.uplinks
        above = np.zeros_like(kept)
        above[up.upper[kept[up.lower]]] = True
        kept |= above & (switches.tier == tier)
    if choice.plane is not None:
        kept &= (switches.plane == choice.plane) | (switches.plane < 0)
    if choice.rail is not None or choice.plane is not None:
        hosts &= np.bincount(nics.host[cabled], minlength=len(hosts)) > 0
    cables = kept[fabric.uplinks.lower] & kept[fabric.uplinks.upper]
    return Part(kept, hosts, cabled, cables)


def _hosts(fabric: Fabric, choice: Choice) -> Bools:
    file = fabric.intent.fabric
    units = np.array(
        [
            (choice.units is None or one.name in choice.units)
            and (choice.pods is None or one.pod in choice.pods)
            for one in file.units
        ],
        dtype=np.bool_,
    )
    kept: Bools = units[fabric.hosts.unit]
    if choice.hosts is not None:
        named = np.zeros_like(kept)
        named[[fabric.host_row[name] for name in choice.hosts if name in fabric.host_row]] = True
        kept &= named
    return kept


def _leaves(fabric: Fabric, choice: Choice) -> Bools:
    """Return the leaves that are chosen themselves; others come with their hosts."""
    switches, file = fabric.switches, fabric.intent.fabric
    kept: Bools = (switches.tier == 0) & (choice.hosts is None)
    if choice.units is not None:
        rows = [row for row, one in enumerate(file.units) if one.name in choice.units]
        kept &= np.isin(switches.unit, rows)
    if choice.pods is not None:
        pods = [row for row, name in enumerate(pod_names(file)) if name in choice.pods]
        kept &= np.isin(switches.pod, pods)
    if choice.rail is not None:
        kept &= switches.rail == choice.rail
    if choice.plane is not None:
        kept &= switches.plane == choice.plane
    return kept


def limited(fabric: Fabric, some: Part) -> Fabric:
    """Return a network of the rows of a part, for a picture.

    Other rules of its tables may not hold: a host may have fewer rows of NICs than
    `Fabric.nics_per_host`.
    """
    switch, host = _numbers(some.switches), _numbers(some.hosts)
    switches, hosts, nics, up = fabric.switches, fabric.hosts, fabric.nics, fabric.uplinks
    every = fabric.intent.fabric
    seen = np.concatenate([switches.unit[some.switches], hosts.unit[some.hosts]])
    unit = _numbers(np.isin(np.arange(len(every.units)), seen))
    units = tuple(one for one, row in zip(every.units, unit.tolist(), strict=True) if row >= 0)
    file = every.model_copy(update={"units": units})
    names = pod_names(file)
    pods = [names.index(name) if name in names else -1 for name in pod_names(every)]
    nic, cable = some.nics, some.cables
    return replace(
        fabric,
        intent=replace(fabric.intent, fabric=file),
        switches=replace(
            switches,
            names=_kept(switches.names, some.switches),
            skus=_kept(switches.skus, some.switches),
            leaf_count=int(some.switches[: switches.leaf_count].sum()),
            unit=_renamed(unit, switches.unit[some.switches]),
            pod=_renamed(np.array(pods, dtype=np.int64), switches.pod[some.switches]),
            **{
                name: getattr(switches, name)[some.switches]
                for name in ("tier", "rail", "plane", "asn", "loopback")
            },
        ),
        hosts=replace(
            hosts,
            names=_kept(hosts.names, some.hosts),
            unit=_renamed(unit, hosts.unit[some.hosts]),
            slot=hosts.slot[some.hosts],
        ),
        nics=replace(
            nics,
            host=host[nics.host[nic]],
            leaf=switch[nics.leaf[nic]],
            **{
                name: getattr(nics, name)[nic]
                for name in (
                    *("rail", "nic_port", "port", "subnet", "address"),
                    *("speed_gbps", "cable_m", "enabled"),
                )
            },
        ),
        uplinks=replace(
            up,
            lower=switch[up.lower[cable]],
            upper=switch[up.upper[cable]],
            **{
                name: getattr(up, name)[cable]
                for name in (
                    *("lower_port", "upper_port", "upper_address"),
                    *("speed_gbps", "cable_m", "enabled", "prefix_length"),
                )
            },
        ),
        tenants=fabric.tenants and replace(fabric.tenants, of_nic=fabric.tenants.of_nic[nic]),
    )


def _numbers(kept: Bools) -> Ints:
    """Return the new number of each row; -1 of one that is not kept."""
    return np.where(kept, np.cumsum(kept) - 1, -1)


def _renamed(number: Ints, rows: Ints) -> Ints:
    """Return the new numbers of rows; -1 stays."""
    return np.where(rows < 0, -1, np.append(number, -1)[rows])


def _kept(items: tuple[T, ...], kept: Bools) -> tuple[T, ...]:
    return tuple(items[row] for row in np.flatnonzero(kept).tolist())


def lines_of_cables(fabric: Fabric, picture: Picture) -> tuple[Ints, Ints]:
    """Return the number of the line of each NIC cable, and of each cable between switches.

    Parameters
    ----------
    fabric : Fabric
        What the picture shows, whole.
    picture : Picture
        Its boxes and lines.
    """
    of_switch = np.zeros(len(fabric.switches), dtype=np.int64)
    of_host = np.zeros(len(fabric.hosts), dtype=np.int64)
    for number, box in enumerate(picture.boxes):
        rows, of = (
            (fabric.host_row, of_host) if box.kind == "host" else (fabric.switch_row, of_switch)
        )
        of[[rows[name] for name in box.members]] = number
    size = len(picture.boxes)
    pairs = [
        (low * size + line.upper, number)
        for number, line in enumerate(picture.lines)
        for low in line.lower
    ]
    key, line = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    nics, up = fabric.nics, fabric.uplinks
    near = of_host[nics.host] * size + of_switch[nics.leaf]
    between = of_switch[up.lower] * size + of_switch[up.upper]
    return line[np.searchsorted(key, near)], line[np.searchsorted(key, between)]
