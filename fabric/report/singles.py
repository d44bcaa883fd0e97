"""whatif --all-links, --all-switches: every failure alone, the worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core import hostlist
from fabric.core.formats import form_of
from fabric.core.steps import report
from fabric.core.units import share_to_percent
from fabric.topology.clos import clos, failed, switched_off
from fabric.topology.naming import nic_names
from fabric.topology.outages import outage
from fabric.topology.singles import SingleFailures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fabric.design.designs import Designs
    from fabric.topology.clos import Clos
    from fabric.topology.model import Bools, Fabric, Ints
    from fabric.topology.routes_failures import Mapped
    from fabric.topology.singles import Singles


#: Failures that are written out in a group; the rest is counted.
NAMED = 1000
_ALL_PAIRS = (
    "host_pairs counts all pairs of hosts, whatever their tenant; with --fail, `whatif` counts "
    "those that may talk"
)
_HEADERS = (
    *("rank", "what", "count", "host_pairs", "leaf_pairs", "rails_split", "hosts_lose_rail"),
    *("left_percent", "example"),
)


@dataclass(frozen=True)
class Group:
    """Failures of one kind that all do the same.

    Parameters
    ----------
    what : str
        Kind: uplink, core link, NIC cable, leaf, spine, super-spine.
    names : tuple of str
        The first of them.
    count : int
        How many there are.
    host_pairs, leaf_pairs, rails : int
        What each of them cuts alone.
    rail_lost : int
        Hosts that lose the last port of a rail by each of them.
    left_percent : float
        Bandwidth that the unit (or AS of spines, or host) keeps that loses most.
    """

    what: str
    names: tuple[str, ...]
    count: int
    host_pairs: int
    leaf_pairs: int
    rails: int
    rail_lost: int
    left_percent: float

    @property
    def single_point(self) -> bool:
        """Whether hosts, or leaves of a rail, lose each other, or a host a rail."""
        return bool(self.host_pairs or self.rails or self.rail_lost)


@dataclass(frozen=True)
class Ranking:
    """All single failures, gathered by what they do; ``circle`` tells of a deadlock after one.

    Parameters
    ----------
    idle : tuple of str
        Switches without a cable that is up, whose failure was not looked at.
    counted : str
        Which pairs of hosts count, where the inventory has tenants; else empty.
    """

    groups: tuple[Group, ...]
    circle: str = ""
    idle: tuple[str, ...] = ()
    counted: str = ""

    headers = _HEADERS

    @property
    def single_points(self) -> int:
        """How many failures are a single point of failure."""
        return sum(group.count for group in self.groups if group.single_point)

    @property
    def failures(self) -> int:
        """How many failures were looked at."""
        return sum(group.count for group in self.groups)

    def rows(self) -> list[tuple[object, ...]]:
        """Return the groups, worst first."""
        return [
            (
                rank,
                one.what,
                one.count,
                one.host_pairs,
                one.leaf_pairs,
                one.rails,
                one.rail_lost,
                f"{one.left_percent:.1f}",
                _example(one),
            )
            for rank, one in enumerate(self.groups, 1)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "format": form_of("single-failures"),
            "failures": self.failures,
            "single_points_of_failure": self.single_points,
            "lossless_circle": self.circle,
            "switches_without_cables": list(self.idle),
            "counted": self.counted,
            "groups": [
                {
                    "what": one.what,
                    "count": one.count,
                    "host_pairs_cut": one.host_pairs,
                    "leaf_pairs_cut": one.leaf_pairs,
                    "rails_split": one.rails,
                    "hosts_that_lose_a_rail": one.rail_lost,
                    "bandwidth_left_percent": round(one.left_percent, 3),
                    "single_point_of_failure": one.single_point,
                    "names": list(one.names),
                }
                for one in self.groups
            ],
        }


def _example(group: Group) -> str:
    if len(group.names) == group.count and not any(" " in name for name in group.names):
        return hostlist.fold_inside(group.names)
    return group.names[0] + (f" and {group.count - 1:,} more" if group.count > 1 else "")


def singles(
    designs: Designs,
    words: Sequence[str] = (),
    *,
    links: bool = True,
    switches: bool = True,
    mapped: Mapped = map,
) -> Ranking:
    """Return what each single failure does, after what the words name has failed already.

    Parameters
    ----------
    mapped : callable, optional
        Routes batches of failures; default: this process.

    Raises
    ------
    InputError
        When a word names nothing.
    """
    fabric = designs.fabric
    network = failed(clos(fabric), outage(fabric, words))
    every = SingleFailures(network)
    kinds: list[tuple[Callable[[], Singles], Bools, _Switches | _Cables | _Nics]] = []
    idle: tuple[str, ...] = ()
    if switches:
        alive = np.bincount(_ends(network), minlength=len(network.tier)) > 0
        idle = tuple(fabric.switches.names[row] for row in np.flatnonzero(~alive).tolist())
        kinds.append((every.switches, alive, _Switches(fabric)))
    if links:
        kinds.append((every.cables, network.cables.up, _Cables(fabric, network)))
        kinds.append((every.nics, network.nics.up, _Nics(fabric, network)))
    groups = _all_groups(kinds)
    circle = _circle(designs, network, mapped)
    return Ranking(
        tuple(sorted(groups, key=_badness)), circle, idle, _ALL_PAIRS if fabric.tenants else ""
    )


def _all_groups(
    kinds: list[tuple[Callable[[], Singles], Bools, _Switches | _Cables | _Nics]],
) -> list[Group]:
    """Return the groups of failures of each kind, and report how many failures are done."""
    groups: list[Group] = []
    done, total = 0, sum(int(alive.sum()) for _, alive, _ in kinds)
    report("failures", done, total)
    for effects, alive, things in kinds:
        groups += _groups(effects(), alive, things)
        done += int(alive.sum())
        report("failures", done, total)
    return groups


def _ends(network: Clos) -> Ints:
    cables, nics = network.cables, network.nics
    return np.concatenate([cables.lower[cables.up], cables.upper[cables.up], nics.leaf[nics.up]])


def _badness(group: Group) -> tuple[float, ...]:
    cut = (group.host_pairs, group.leaf_pairs, group.rails, group.rail_lost)
    return *(-number for number in cut), group.left_percent


def _circle(designs: Designs, network: Clos, mapped: Mapped) -> str:
    from fabric.qos.deadlock import prove

    proof = prove(switched_off(designs.fabric, network), designs.resolver, mapped=mapped)
    if proof.cycle is None:
        return ""
    when = f"when {proof.failure} fails" if proof.failure else "without a failure"
    return f"{when}, cyclic buffer dependency: {proof.cycle}"


class _Switches:
    def __init__(self, fabric: Fabric) -> None:
        self._switches = fabric.switches

    def kind(self, row: int) -> str:
        return self._switches.role(row)

    def name(self, row: int) -> str:
        return self._switches.names[row]

    def kinds(self, rows: Ints) -> Ints:
        roles = [self._switches.role(row) for row in rows.tolist()]
        return np.unique(roles, return_inverse=True)[1]


class _Cables:
    def __init__(self, fabric: Fabric, network: Clos) -> None:
        self._switches, self._network = fabric.switches, network

    def kinds(self, rows: Ints) -> Ints:
        return self._network.tier[self._network.cables.lower[rows]]

    def kind(self, row: int) -> str:
        tier = int(self._network.tier[self._network.cables.lower[row]])
        return ("uplink", "core link")[min(tier, 1)]

    def name(self, row: int) -> str:
        cables, switches = self._network.cables, self._switches
        ends = (
            (int(cables.lower[row]), int(cables.lower_port[row])),
            (int(cables.upper[row]), int(cables.upper_port[row])),
        )
        return " - ".join(f"{switches.names[at]} {switches.skus[at].port(n)}" for at, n in ends)


class _Nics:
    def __init__(self, fabric: Fabric, network: Clos) -> None:
        self._fabric, self._nics = fabric, network.nics

    def kinds(self, rows: Ints) -> Ints:
        return np.zeros(len(rows), dtype=np.int64)

    def kind(self, _row: int) -> str:
        return "NIC cable"

    def name(self, row: int) -> str:
        fabric, nics = self._fabric, self._nics
        host, leaf = fabric.hosts.names[int(nics.host[row])], int(nics.leaf[row])
        port = fabric.switches.skus[leaf].port(int(nics.leaf_port[row]))
        names = nic_names(fabric, host)
        interface = names[row % len(names)].interface
        return f"{host} {interface} - {fabric.switches.names[leaf]} {port}"


def _groups(effects: Singles, alive: Bools, things: _Switches | _Cables | _Nics) -> list[Group]:
    """Gather the failures of things that are up by kind and by what they do."""
    rows = np.flatnonzero(alive)
    left = np.round(effects.left[rows], 6)
    every = (effects.host_pairs, effects.leaf_pairs, effects.rails, effects.rail_lost)
    columns = [column[rows] for column in every]
    table = np.stack([things.kinds(rows), *columns, left], axis=1)
    _, first, back = np.unique(table, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(back.reshape(-1), kind="stable")
    bounds = np.searchsorted(back.reshape(-1)[order], np.arange(len(first) + 1)).tolist()
    groups = []
    for number, one in enumerate(rows[first].tolist()):
        mine = rows[order[bounds[number] : bounds[number + 1]]]
        groups.append(
            Group(
                what=things.kind(one),
                names=tuple(things.name(row) for row in mine[:NAMED].tolist()),
                count=len(mine),
                host_pairs=int(effects.host_pairs[one]),
                leaf_pairs=int(effects.leaf_pairs[one]),
                rails=int(effects.rails[one]),
                rail_lost=int(effects.rail_lost[one]),
                left_percent=share_to_percent(float(effects.left[one])),
            )
        )
    return groups
