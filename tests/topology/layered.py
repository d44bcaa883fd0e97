"""Small layered networks for the tests, and what plain networkx says of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, pairwise, product

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from fabric.topology.clos import Cables, Clos, Edge, Outage, failed

#: AS numbers: one for the spines of a pod, one for each spine, or any; and one for two leaves each,
#: which drop each other's routes or allow them.
SCHEMES = ("pods", "own", "random", "shared", "allowed")
HOSTS_PER_UNIT, RAILS = 2, 2


def ints(values) -> np.ndarray:
    return np.array(list(values), dtype=np.int64)


def made(tiers: list[int], ends: list[tuple[int, int]], asns: list[int], gbps=None) -> Clos:
    """Return a network of so many switches in each tier; each unit has two leaves.

    Every unit has two hosts with a NIC in each of its leaves.
    """
    tier = ints(np.repeat(np.arange(len(tiers)), tiers))
    leaves, links = tiers[0], len(ends)
    units = -(-leaves // RAILS)
    nic_leaf = [
        min(unit * RAILS + rail, leaves - 1)
        for unit in range(units)
        for _ in range(HOSTS_PER_UNIT)
        for rail in range(RAILS)
    ]
    hosts = units * HOSTS_PER_UNIT
    nics = hosts * RAILS
    return Clos(
        tier=tier,
        unit=ints([row // RAILS if row < leaves else -1 for row in range(len(tier))]),
        pod=np.full(len(tier), -1),
        asn=ints(asns),
        cables=Cables(
            lower=ints(low for low, _ in ends),
            lower_port=ints(range(links)),
            upper=ints(high for _, high in ends),
            upper_port=ints(range(links)),
            speed_gbps=ints(gbps or [400] * links),
            cable_m=ints(10 + 7 * (number % 5) for number in range(links)),
            up=np.ones(links, dtype=np.bool_),
        ),
        nics=Edge(
            host=ints(np.repeat(np.arange(hosts), RAILS)),
            rail=ints(np.tile(np.arange(RAILS), hosts)),
            leaf=ints(nic_leaf),
            leaf_port=ints(range(nics)),
            speed_gbps=ints([400] * nics),
            cable_m=ints(3 + number % 3 for number in range(nics)),
            up=np.ones(nics, dtype=np.bool_),
        ),
        host_unit=ints(np.repeat(np.arange(units), HOSTS_PER_UNIT)),
        units=units,
        pods=0,
    )


@st.composite
def networks(draw: st.DrawFn, schemes: tuple[str, ...] = SCHEMES) -> Clos:
    """Return a network of two or three tiers with missing and parallel cables."""
    tiers = draw(st.sampled_from([[4, 2], [5, 3], [4, 4, 2], [6, 4, 3], [4, 4, 4]]))
    pods = 2 if len(tiers) > 2 else 1
    scheme = draw(st.sampled_from(schemes))
    leaves, spines = tiers[:2]
    every = [
        (leaf, leaves + spine)
        for leaf, spine in product(range(leaves), range(spines))
        if leaf * pods // leaves == spine * pods // spines
    ]
    for core in range(tiers[2] if len(tiers) > 2 else 0):
        every += [(leaves + spine, leaves + spines + core) for spine in range(spines)]
    if scheme == "random":
        every += draw(
            st.lists(
                st.tuples(st.integers(0, leaves - 1), st.integers(leaves, leaves + spines - 1)),
                max_size=2,
            )
        )
    copies = draw(
        st.lists(st.sampled_from([0, 0, 1, 1, 1, 2]), min_size=len(every), max_size=len(every))
    )
    ends = [pair for pair, count in zip(every, copies, strict=True) for _ in range(count)]
    gbps = draw(st.lists(st.sampled_from([100, 400]), min_size=len(ends), max_size=len(ends)))
    network = made(tiers, ends, asns(draw, tiers, scheme), gbps)
    return replace(network, allowas_in=1) if scheme == "allowed" else network


@st.composite
def pods(draw: st.DrawFn) -> Clos:
    """Return a network of two or three pods; some of its cables are missing or parallel."""
    count, cores = draw(st.integers(2, 3)), draw(st.integers(1, 3))
    leaves, spines = 2 * count, 2 * count
    every = [
        (leaf, leaves + spine)
        for leaf, spine in product(range(leaves), range(spines))
        if leaf // 2 == spine // 2
    ]
    every += product(
        range(leaves, leaves + spines), range(leaves + spines, leaves + spines + cores)
    )
    copies = st.lists(st.sampled_from([0, 0, 1, 1, 1, 2]), min_size=len(every), max_size=len(every))
    ends = [pair for pair, copy in zip(every, draw(copies), strict=True) for _ in range(copy)]
    gbps = draw(st.lists(st.sampled_from([100, 400]), min_size=len(ends), max_size=len(ends)))
    scheme = draw(st.sampled_from(["pods", "own", "random"]))
    network = made([leaves, spines, cores], ends, asns(draw, [leaves, spines, cores], scheme), gbps)
    pod = ints([*(row // 2 for row in [*range(leaves), *range(spines)]), *[-1] * cores])
    return replace(network, pod=pod, pods=count)


def asns(draw: st.DrawFn, tiers: list[int], scheme: str) -> list[int]:
    leaves, spines = tiers[:2]
    numbers = [1000 + leaf for leaf in range(leaves)]
    if scheme in {"shared", "allowed"}:
        numbers = [1000 + leaf % 3 for leaf in range(leaves)]
    if scheme in {"pods", "shared", "allowed"}:
        pods = 2 if len(tiers) > 2 else 1
        numbers += [2000 + spine * pods // spines for spine in range(spines)]
    elif scheme == "own":
        numbers += [2000 + spine for spine in range(spines)]
    else:
        numbers += [2000 + draw(st.integers(0, 1)) for _ in range(spines)]
    return numbers + [3000] * sum(tiers[2:])


@dataclass(frozen=True)
class Plain:
    """The same network as a networkx graph: each switch once on the way up and once down."""

    network: Clos
    graph: nx.DiGraph

    @classmethod
    def of(cls, network: Clos) -> Plain:
        graph = nx.DiGraph()
        for row in range(len(network.tier)):
            graph.add_edge((row, "up"), (row, "down"), cables=1)
        links = network.cables
        for low, high, up in zip(links.lower.tolist(), links.upper.tolist(), links.up, strict=True):
            if up:
                for edge in (((low, "up"), (high, "up")), ((high, "down"), (low, "down"))):
                    count = graph.edges[edge]["cables"] if graph.has_edge(*edge) else 0
                    graph.add_edge(*edge, cables=count + 1)
        return cls(network, graph)

    def paths(self, leaf: int, other: int) -> list[tuple[int, ...]]:
        """Return every path between two leaves that holds each AS number once."""
        result = nx.all_simple_paths(self.graph, (leaf, "up"), (other, "down"))
        rows = (tuple(dict.fromkeys(row for row, _ in path)) for path in result)
        asn = self.network.asn
        held = ((path, asn[[*path]].tolist()) for path in rows)
        free = 1 if self.network.allowas_in else 0
        return [path for path, own in held if len({*own[free:]}) == len(own) - free]

    def shortest(self, leaf: int, other: int) -> list[tuple[int, ...]]:
        every = self.paths(leaf, other)
        return [path for path in every if len(path) == min(map(len, every))]

    def ways(self, path: tuple[int, ...]) -> int:
        """Return over how many ways of parallel cables a path goes."""
        tier, total = self.network.tier, 1
        for near, far in pairwise(path):
            low, high = sorted((near, far), key=lambda row: tier[row])
            total *= self.graph.edges[(low, "up"), (high, "up")]["cables"]
        return total

    @property
    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(self.network.leaves), 2))

    def reached(self) -> set[tuple[int, int]]:
        return {pair for pair in self.pairs if self.paths(*pair)}


def without(network: Clos, *, cables=(), switches=(), nics=(), hosts=()) -> Clos:
    return failed(network, outage(network, cables, switches, nics, hosts))


def outage(network: Clos, cables=(), switches=(), nics=(), hosts=()) -> Outage:
    nothing = Outage.none(network)
    masks = {"cables": cables, "switches": switches, "nics": nics, "hosts": hosts}
    for name, rows in masks.items():
        getattr(nothing, name)[list(rows)] = True
    return replace(nothing)
