"""The traffic of one job between groups of hosts: what any choice must send, and what one sends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fabric.placement.engine.traffic import Collective, exchanges

if TYPE_CHECKING:
    from fabric.placement.engine.traffic import Exchange, Floats, Traffic
    from fabric.topology.model import Ints


#: Hosts of the largest job whose demand is kept: 0.1 MB.
_KEPT_NODES = 1024


@dataclass(frozen=True, eq=False)
class Edges:
    """Volumes from host to host, numbered in rank order; shape (edges,) each."""

    source: Ints
    target: Ints
    volume: Floats


@dataclass(frozen=True, eq=False)
class Demand:
    """What the hosts of a job send.

    Parameters
    ----------
    nodes : int
        Hosts of the job.
    pxn : bool
        Whether an all-to-all stays on the rail of its sender's relay.
    columns : int
        Leaves that a host sends to.
    """

    nodes: int
    parts: list[Exchange]
    pxn: bool = True
    columns: int = 1

    @classmethod
    def of(cls, traffic: Traffic, nodes: int, gpus_per_node: int, columns: int) -> Demand:
        """Return the demand of a job.

        Raises
        ------
        ValueError
            When its layout does not multiply to its ranks.
        """
        small = nodes <= _KEPT_NODES
        return (_kept if small else _kept.__wrapped__)(traffic, nodes, gpus_per_node, columns)

    @cached_property
    def cut(self) -> Floats:
        """Least volume that x of the hosts send to the others, for x = 0 to n; shape (n + 1,).

        Each collective by itself sends at least that, whichever hosts these are.
        """
        count = np.arange(self.nodes + 1)
        total = np.zeros(self.nodes + 1)
        for part in self.parts:
            total += part.weight * _least_cut(part, count)
        return total

    @cached_property
    def crossing(self) -> Floats:
        """Least volume that x hosts of a group send over its uplinks, for x = 0 to n.

        More than `cut` where an all-to-all changes the rail inside a group.
        """
        if self.pxn or self.nodes == 1:
            return self.cut
        count = np.arange(self.nodes + 1)
        total = np.zeros(self.nodes + 1)
        for part in self.parts:
            least = part.weight * _least_cut(part, count)
            if part.kind is Collective.ALL_TO_ALL:
                other_rail = 1 - 1 / self.columns
                least = np.maximum(least, least / self.columns + part.weight * count * other_rail)
            total += least
        return total

    @property
    def crosses_rails(self) -> bool:
        """Whether hosts of a group send to other rails."""
        return bool((self.crossing > self.cut).any())

    @cached_property
    def edges(self) -> Edges:
        """Volumes of rings, trees and pipelines between different hosts."""
        parts = [_edges(part) for part in self.parts if part.kind is not Collective.ALL_TO_ALL]
        source, target, volume = (
            np.concatenate([getattr(part, name) for part in parts] or [np.zeros(0)])
            for name in ("source", "target", "volume")
        )
        return Edges(source.astype(np.int64), target.astype(np.int64), volume)

    def on_rail(self, where: Ints, groups: int) -> Floats:
        """Return the volume between groups that stays on its rail, shape (groups, groups).

        Parameters
        ----------
        where : array of int, shape (nodes,)
            Group of each host, in rank order.
        """
        edges = self.edges
        pair = where[edges.source] * groups + where[edges.target]
        volume = np.bincount(pair, weights=edges.volume, minlength=groups * groups)
        between = volume.astype(np.float64).reshape(groups, groups)
        if self.pxn:
            between = between + self.all_to_all(where, groups)
        np.fill_diagonal(between, 0.0)
        return between

    def between(self, where: Ints, groups: int) -> Floats:
        """Return the volume between different groups, on any rail, as `on_rail`."""
        return replace(self, pxn=True).on_rail(where, groups)

    def all_to_all(self, where: Ints, groups: int) -> Floats:
        """Return the volume of each all-to-all between hosts, by group, also inside one."""
        total = np.zeros((groups, groups))
        for part in self.parts:
            if part.kind is Collective.ALL_TO_ALL:
                total += _all_to_all(part, where, groups)
        return total


@lru_cache(maxsize=64)
def _kept(traffic: Traffic, nodes: int, gpus_per_node: int, columns: int) -> Demand:
    """Return a demand; jobs of one size and traffic share what was computed of it."""
    return Demand(nodes, exchanges(traffic, nodes, gpus_per_node), traffic.pxn, columns)


def _least_cut(part: Exchange, count: Ints) -> Floats:
    """Return the least volume out of x hosts, for a part of weight 1.

    Communicators that share hosts only where they are of the same hosts part the job: all but
    one of them lie wholly inside or outside of the best choice. Otherwise the bound is 0.
    """
    hosts = int(count[-1])
    sets = np.unique(np.sort(part.members, axis=1), axis=0)
    sizes = 1 + (np.diff(sets, axis=1) > 0).sum(axis=1)
    size = int(sizes[0])
    if (sizes != size).any() or len(sets) * size != hosts:
        return np.zeros(hosts + 1)
    rest = count % size
    if part.kind is Collective.ALL_TO_ALL:
        return rest * (size - rest) / max(size - 1, 1)
    if part.kind is Collective.RING:
        return np.minimum(rest, 1).astype(np.float64)
    edges = _edges(part)
    least = edges.volume.min() if len(edges.volume) else 0.0
    return least * np.minimum(rest, 1)


def _edges(part: Exchange) -> Edges:
    """Return the volumes between hosts; the host that sends most sends the part's weight."""
    members = part.members
    if part.kind is Collective.RING:
        pairs = [(members, np.roll(members, -1, axis=1))]
    elif part.kind is Collective.PIPELINE:
        pairs = [(members[:, :-1], members[:, 1:]), (members[:, 1:], members[:, :-1])]
    else:
        pairs = [
            (members[:, child], members[:, parent])
            for below, above in _double_tree(members.shape[1])
            for child, parent in ((below, above), (above, below))
        ]
    source = np.concatenate([one.reshape(-1) for one, _ in pairs])
    target = np.concatenate([one.reshape(-1) for _, one in pairs])
    leaves = source != target
    source, target = source[leaves], target[leaves]
    most = np.bincount(source).max() if len(source) else 1
    return Edges(source, target, np.full(len(source), part.weight / most))


def _double_tree(ranks: int) -> list[tuple[Ints, Ints]]:
    """Return children and parents of NCCL's two binary trees (NCCL, src/graph/trees.cc).

    Each tree carries half of the data; the second is the first shifted by one rank where their
    number is odd, and mirrored where it is even.
    """
    rank = np.arange(1, ranks)
    bit = rank & -rank
    parent = (rank ^ bit) | (bit << 1)
    parent = np.where(parent >= ranks, rank ^ bit, parent)
    if ranks % 2:
        return [(rank, parent), ((rank + 1) % ranks, (parent + 1) % ranks)]
    return [(rank, parent), (ranks - 1 - rank, ranks - 1 - parent)]


def _all_to_all(part: Exchange, where: Ints, groups: int) -> Floats:
    """Return what the members of each communicator send to each other, by group."""
    members = part.members
    row = np.arange(len(members))[:, None] * groups
    count = np.bincount(
        (row + where[members]).reshape(-1), minlength=len(members) * groups
    ).reshape(-1, groups)
    ranks = np.bincount(members.reshape(-1)).max()  # of a host, over all communicators
    others = max(int((members[0] != members[0, 0]).sum()), 1)  # ranks on other hosts
    pairs = count.T @ count - np.diag(_inside(members, where, groups))
    return np.asarray(pairs * (part.weight / ranks / others))


def _inside(members: Ints, where: Ints, groups: int) -> Ints:
    """Return how many pairs of ranks of a communicator are on one host, by its group."""
    nodes = len(where)
    key = (np.arange(len(members))[:, None] * nodes + members).reshape(-1)
    hosts, ranks = np.unique(key, return_counts=True)
    found = np.bincount(where[hosts % nodes], weights=ranks**2, minlength=groups)
    return np.asarray(found.astype(np.int64))
