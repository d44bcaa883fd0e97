"""Chooses hosts for a job and orders its ranks; whether rails meet over the spines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.errors import UnplaceableError
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.rails import used_columns
from fabric.placement.engine.traffic import RING
from fabric.topology.naming import nic_names, rails_of_gpus

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from fabric.placement.engine.query import Answer
    from fabric.topology.model import Fabric, Ints

__all__ = ["Placement", "Rank", "UnplaceableError", "place", "placed"]


@dataclass(frozen=True, slots=True)
class RankPort:
    """A port of the NIC of a rank."""

    interface: str
    rdma_device: str
    leaf: str


@dataclass(frozen=True, slots=True)
class Rank:
    """One process of the job and the NIC that serves its GPU.

    Parameters
    ----------
    interface, rdma_device, leaf : str
        Those of the first port of the NIC.
    ports : tuple of RankPort
        All ports of the NIC.
    """

    rank: int
    host: str
    local_rank: int
    gpu: int
    rail: int
    interface: str
    rdma_device: str
    leaf: str
    ports: tuple[RankPort, ...]


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
    spared : frozenset of int
        NIC ports that carry nothing now, while another port of the NIC does; rows of the fabric.
    answer : Answer
        Cost, lower bound and what else the engine says.
    """

    hosts: tuple[str, ...]
    units: dict[str, tuple[str, ...]]
    ranks: tuple[Rank, ...]
    rails: tuple[int, ...]
    spine_crossings: int
    rails_connected: bool
    spared: frozenset[int]
    reason: str
    answer: Answer = field(compare=False)


def place(
    fabric: Fabric, nodes: int, gpus_per_node: int, excluded: Collection[str] = ()
) -> Placement:
    """Return hosts for a job on a fabric as planned.

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
    return placed(Engine(fabric), Query(nodes, gpus_per_node, exclude=tuple(excluded)))


def placed(engine: Engine, query: Query) -> Placement:
    """Return hosts for a job, with all that launchers need.

    Raises
    ------
    UnplaceableError
        When the query is wrong, or there are not enough hosts for it.
    """
    answer, fabric = engine.place(query), engine.fabric
    gpus = query.gpus_per_node or fabric.intent.fabric.host.gpus
    rows = answer.rows.tolist()
    names = [fabric.hosts.names[row] for row in rows]
    groups = engine.index.groups
    leaves = groups.leaf[np.ix_(groups.of_host[answer.rows], used_columns(fabric, gpus))]
    units: dict[str, tuple[str, ...]] = {}
    first = 0
    for unit, count in answer.units:
        name = fabric.intent.fabric.units[unit].name
        units[name] = (*units.get(name, ()), *names[first : first + count])
        first += count
    return Placement(
        hosts=tuple(names),
        units=units,
        ranks=tuple(
            rank
            for number, row in enumerate(rows)
            for rank in ranks_of_host(fabric, row, number * gpus, gpus)
        ),
        rails=answer.rails,
        spine_crossings=answer.crossings,
        rails_connected=leaves_connected(fabric, leaves),
        spared=engine.index.available.now.spared,
        reason=reason_of(answer, tuple(units), query),
        answer=answer,
    )


def ranks_of_host(fabric: Fabric, row: int, first: int, count: int) -> list[Rank]:
    """Return the ranks of a host by its row, the number of its first rank, and how many it has."""
    gpus, name = fabric.intent.fabric.host.gpus, fabric.hosts.names[row]
    rails = rails_of_gpus(fabric.intent.host_traits(name), gpus, fabric.rails)[:count]
    ports = _ports_of_rails(fabric, row, set(rails))
    return [
        Rank(
            rank=first + local,
            host=name,
            local_rank=local,
            gpu=local,
            rail=rail,
            interface=ports[rail][0].interface,
            rdma_device=ports[rail][0].rdma_device,
            leaf=ports[rail][0].leaf,
            ports=ports[rail],
        )
        for local, rail in enumerate(rails)
    ]


def _ports_of_rails(fabric: Fabric, row: int, rails: set[int]) -> dict[int, tuple[RankPort, ...]]:
    """Return the ports of the NIC of each rail of a host."""
    names, nics = nic_names(fabric, fabric.hosts.names[row]), fabric.nics_of_host(row)
    leaves, size = fabric.switches.names, fabric.nic_ports
    return {
        rail: tuple(
            RankPort(
                names[port].interface,
                names[port].rdma_device,
                leaves[int(fabric.nics.leaf[nics[port]])],
            )
            for port in range(rail * size, (rail + 1) * size)
        )
        for rail in rails
    }


def reason_of(answer: Answer, units: tuple[str, ...], query: Query) -> str:
    """Return why these units were chosen, for people."""
    link = "that of a NIC" if answer.bottleneck == "NIC" else answer.bottleneck
    fullest = f"the fullest link is {link} ({answer.cost:.2f} of line rate)"
    if query.hosts:
        if answer.stopped:
            names = [name for name, _ in answer.stopped]
            return f"placed on the named hosts, although {takes_no_job(names)}"
        return f"the named hosts; {fullest}"
    if len(units) == 1:
        chosen = "is the tightest unit that holds" if not answer.load else "holds"
        tail = fullest if answer.load else "no traffic crosses the spines"
        return f"{units[0]} {chosen} the job; {tail}"
    ring = ", so that a ring leaves each unit once on each rail" if query.traffic == RING else ""
    several = f"{len(units)} units ({hostlist.fold(units)})"
    return f"{several}; {fullest}; ranks are ordered unit by unit{ring}"


def warnings_of(answer: Answer) -> list[str]:
    """Return what keeps a job from the hosts that were named, and what they do not have alike."""
    reasons: dict[str, list[str]] = {}
    for name, why in answer.stopped:
        reasons.setdefault(why, []).append(name)
    stopped = [f"{takes_no_job(names)}: {why}" for why, names in reasons.items()]
    return [*stopped, *unequal_ports(answer)]


def unequal_ports(answer: Answer) -> list[str]:
    """Return the warning of hosts that lost a port in a plane, while others have theirs."""
    if not answer.unequal:
        return []
    hosts = hostlist.fold(answer.unequal)
    message = (
        f"{hosts} lost a NIC port that other hosts of the job have: NCCL gives queue pairs to the "
        "ports of a fused NIC in turn, so that some can join two planes, which have no path to "
        f"each other; exclude {hosts}, or leave the same ports out of NCCL_IB_HCA on all hosts"
    )
    return [message]


def takes_no_job(names: Sequence[str]) -> str:
    """Return that some hosts take no job now, in words."""
    return f"{hostlist.fold(names)} {'takes' if len(names) == 1 else 'take'} no job now"


def leaves_connected(fabric: Fabric, leaves: Ints) -> bool:
    """Say whether every two of some leaves reach each other by cables that are on.

    They share a spine, or have spines that share a super-spine; with planes, the leaves of each
    plane do. The way over a third leaf does not count: all spines (of a pod) are in one AS, so that
    BGP refuses it (RFC 4271 section 9.1.2, AS loop).
    """
    leaves = np.unique(leaves)
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
