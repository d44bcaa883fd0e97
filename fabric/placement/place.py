"""Chooses hosts for a job and orders its ranks; whether rails meet over the spines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.topology.naming import nic_names, rails_of_gpus

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from fabric.topology.model import Bools, Fabric, Ints


@dataclass(frozen=True, slots=True)
class Rank:
    """One process of the job and the NIC that serves its GPU."""

    rank: int
    host: str
    local_rank: int
    gpu: int
    rail: int
    interface: str
    rdma_device: str
    leaf: str


@dataclass(frozen=True)
class Placement:
    """Hosts in rank order and the map from ranks to rails.

    Parameters
    ----------
    units : dict
        Chosen hosts by unit, in rank order.
    spine_crossings : int
        Times that a ring over the hosts leaves one group of leaves for another, per rail.
    rails_connected : bool
        Whether the leaves of all its rails reach each other over the spines.
    """

    hosts: tuple[str, ...]
    units: dict[str, tuple[str, ...]]
    ranks: tuple[Rank, ...]
    rails: tuple[int, ...]
    spine_crossings: int
    rails_connected: bool
    reason: str


class UnplaceableError(InputError):
    """The request cannot be met; the message says what there is."""


def place(
    fabric: Fabric, nodes: int, gpus_per_node: int, excluded: Collection[str] = ()
) -> Placement:
    """Return hosts for a job: the tightest unit that fits, else the fewest units.

    Parameters
    ----------
    fabric : Fabric
        The network.
    nodes : int
        Hosts that the job needs, >= 1.
    gpus_per_node : int
        GPUs that it uses on each, from GPU 0 on.
    excluded : collection of str
        Hosts that must not be used: busy, drained, broken.

    Raises
    ------
    UnplaceableError
        When there are not enough hosts, or hosts have fewer GPUs.
    """
    _check_request(fabric, nodes, gpus_per_node, excluded)
    rails = _rails(fabric, gpus_per_node)
    free = _free_by_unit(fabric, rails, excluded)
    total = sum(len(rows) for rows in free.values())
    if total < nodes:
        out = len(set(excluded))
        message = (
            f"{nodes} hosts are needed, but only {total} of {len(fabric.hosts)} are free ({out} "
            "excluded, "
            f"{len(fabric.hosts) - total - out} without a NIC of the rails in use)"
        )
        raise _unplaceable(message, "request fewer nodes, or exclude fewer hosts")
    chosen = _choose(_in_one_pod(fabric, free, nodes), nodes)
    if len(chosen) > 1 and not len(fabric.uplinks):
        most = max(len(rows) for rows in free.values())
        message = (
            f"{nodes} hosts are needed, but a unit has at most {most} free and no spine connects "
            "units"
        )
        raise _unplaceable(message, "request fewer nodes")
    return _placement(fabric, chosen, gpus_per_node, rails, free)


def _check_request(
    fabric: Fabric, nodes: int, gpus_per_node: int, excluded: Collection[str]
) -> None:
    gpus = fabric.intent.fabric.host.gpus
    unknown = sorted(set(excluded) - set(fabric.host_row))
    if nodes < 1 or gpus_per_node < 1:
        raise _unplaceable("a job needs at least one node and one GPU", "increase the number")
    if gpus_per_node > gpus:
        message = f"{gpus_per_node} GPUs per node are needed, but the hosts have {gpus}"
        raise _unplaceable(message, "use more nodes with fewer GPUs each")
    if unknown:
        message = f"cannot exclude host {unknown[0]!r}: no such host"
        raise _unplaceable(message, "`rocefab show hosts` lists them")


def _unplaceable(message: str, fix: str) -> UnplaceableError:
    return UnplaceableError(
        "the job cannot be placed", [Finding("PLC001", Severity.ERROR, message, fix)]
    )


def _rails(fabric: Fabric, gpus_per_node: int) -> tuple[int, ...]:
    profile = fabric.intent.fabric.host
    used = rails_of_gpus(profile, profile.gpus, fabric.rails)[:gpus_per_node]
    return tuple(sorted(set(used)))


def _free_by_unit(
    fabric: Fabric, rails: tuple[int, ...], excluded: Collection[str]
) -> dict[int, list[int]]:
    shape = (len(fabric.hosts), fabric.rails, fabric.nic_ports)
    up: Bools = np.all(fabric.nics.enabled.reshape(shape)[:, list(rails)], axis=(1, 2))
    for name in excluded:
        up[fabric.host_row[name]] = False
    rows = np.flatnonzero(up)
    free: dict[int, list[int]] = {}
    for row, unit in zip(rows.tolist(), fabric.hosts.unit[rows].tolist(), strict=True):
        free.setdefault(unit, []).append(row)
    return free


def _in_one_pod(fabric: Fabric, free: dict[int, list[int]], nodes: int) -> dict[int, list[int]]:
    """Return the units of the pod that needs the fewest of them; all where no pod is enough."""
    pods: dict[int, dict[int, list[int]]] = {}
    leaves = fabric.switches.unit[: fabric.switches.leaf_count].tolist()
    for unit, rows in free.items():
        pods.setdefault(int(fabric.switches.pod[leaves.index(unit)]), {})[unit] = rows
    enough = {pod: units for pod, units in pods.items() if sum(map(len, units.values())) >= nodes}
    if not enough:
        return free
    return enough[min(enough, key=lambda pod: (len(_choose(enough[pod], nodes)), pod))]


def _choose(free: dict[int, list[int]], nodes: int) -> dict[int, list[int]]:
    """Return the chosen host rows by unit.

    As many whole units as needed, largest first, then the tightest unit for the rest: no choice
    of units is smaller in number.
    """
    chosen: dict[int, list[int]] = {}
    left = nodes
    open_units = dict(free)
    while left:
        fitting = [unit for unit, rows in open_units.items() if len(rows) >= left]
        if fitting:
            unit = min(fitting, key=lambda item: (len(open_units[item]), item))
        else:
            unit = max(open_units, key=lambda item: (len(open_units[item]), -item))
        rows = open_units.pop(unit)[:left]
        chosen[unit] = rows
        left -= len(rows)
    return dict(sorted(chosen.items()))


def _placement(
    fabric: Fabric,
    chosen: dict[int, list[int]],
    gpus_per_node: int,
    rails: tuple[int, ...],
    free: dict[int, list[int]],
) -> Placement:
    names = fabric.hosts.names
    units = {
        fabric.intent.fabric.units[unit].name: tuple(names[row] for row in rows)
        for unit, rows in chosen.items()
    }
    hosts = [row for rows in chosen.values() for row in rows]
    return Placement(
        hosts=tuple(names[row] for row in hosts),
        units=units,
        ranks=tuple(
            rank
            for number, row in enumerate(hosts)
            for rank in ranks_of_host(fabric, row, number * gpus_per_node, gpus_per_node)
        ),
        rails=rails,
        spine_crossings=len(units) if len(units) > 1 else 0,
        rails_connected=rails_connected(fabric, hosts, rails),
        reason=_reason(fabric, chosen, free),
    )


def ranks_of_host(fabric: Fabric, row: int, first: int, count: int) -> list[Rank]:
    """Return the ranks of a host by its row, the number of its first rank, and how many it has."""
    gpus, name = fabric.intent.fabric.host.gpus, fabric.hosts.names[row]
    nics = nic_names(fabric, name)
    rails = rails_of_gpus(fabric.intent.host_traits(name), gpus, fabric.rails)
    ranks = []
    for local, rail in enumerate(rails[:count]):
        number = rail * fabric.nic_ports
        leaf = int(fabric.nics.leaf[row * fabric.nics_per_host + number])
        ranks.append(
            Rank(
                rank=first + local,
                host=name,
                local_rank=local,
                gpu=local,
                rail=rail,
                interface=nics[number].interface,
                rdma_device=nics[number].rdma_device,
                leaf=fabric.switches.names[leaf],
            )
        )
    return ranks


def _reason(fabric: Fabric, chosen: dict[int, list[int]], free: dict[int, list[int]]) -> str:
    names = [fabric.intent.fabric.units[unit].name for unit in chosen]
    nodes = sum(len(rows) for rows in chosen.values())
    if len(names) == 1:
        unit = next(iter(chosen))
        return (
            f"{names[0]} is the smallest unit with {nodes} free hosts ({len(free[unit])} "
            f"free); every rail stays on one leaf"
        )
    most = max(len(rows) for rows in free.values())
    return (
        f"no unit has {nodes} hosts free, at most {most}; {len(names)} units "
        f"({hostlist.fold(names)}) are the minimum; ranks are ordered unit by "
        "unit, so that a ring crosses the spines once per unit and rail"
    )


def rails_connected(fabric: Fabric, hosts: Sequence[int], rails: Sequence[int]) -> bool:
    """Say whether every two leaves of some hosts reach each other by cables that are on.

    They share a spine, or have spines that share a super-spine; with planes, the leaves of each
    plane do. The way over a third leaf does not count: all spines (of a pod) are in one AS, so that
    BGP refuses it (RFC 4271 section 9.1.2, AS loop).

    Parameters
    ----------
    hosts, rails : sequence of int
        Rows in ``fabric.hosts``, and the rails in use.
    """
    shape = (len(fabric.hosts), fabric.rails, fabric.nic_ports)
    leaves = np.unique(fabric.nics.leaf.reshape(shape)[np.ix_(hosts, rails)])
    planes = fabric.switches.plane[leaves]
    return all(_connected(fabric, leaves[planes == plane]) for plane in np.unique(planes))


def _connected(fabric: Fabric, leaves: Ints) -> bool:
    if len(leaves) == 1:
        return True
    spines = _cabled(fabric, leaves, fabric.switches.of_tier(1))
    spines = np.unique(spines, axis=0)  # leaves that are cabled alike count once
    above = _cabled(fabric, fabric.switches.of_tier(1), fabric.switches.of_tier(2))
    tops = spines @ above
    return bool(((spines @ spines.T > 0) | (tops @ tops.T > 0)).all())


def _cabled(fabric: Fabric, lower: Ints, upper: Ints) -> NDArray[np.float32]:
    """Return 1 where a switch has an enabled cable to one above, shape (lower, upper)."""
    up, size = fabric.uplinks, len(fabric.switches)
    rows, columns = np.full(size, -1), np.full(size, -1)
    rows[lower], columns[upper] = np.arange(len(lower)), np.arange(len(upper))
    row, column = rows[up.lower[up.enabled]], columns[up.upper[up.enabled]]
    known = (row >= 0) & (column >= 0)
    cabled = np.zeros((len(lower), len(upper)), dtype=np.float32)
    cabled[row[known], column[known]] = 1
    return cabled
