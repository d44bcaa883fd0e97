"""Paths and failures of a network by loops over a networkx graph."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np

from fabric.topology.clos import Clos


def plain(network: Clos) -> nx.Graph:
    return nx.Graph(zip(network.cables.lower.tolist(), network.cables.upper.tolist(), strict=True))


def plain_counts(network: Clos) -> np.ndarray:
    """Return the shortest paths between all leaves, by a search from each leaf."""
    graph = plain(network)
    counts = np.zeros((network.leaves, network.leaves), dtype=np.int64)
    for leaf in range(network.leaves):
        ways, level = {leaf: 1}, {leaf: 0}
        for here, there in nx.bfs_edges(graph, leaf):
            level[there] = level[here] + 1
        for row in sorted(level, key=level.__getitem__):
            before = (near for near in graph[row] if level[near] == level[row] - 1)
            ways[row] = ways.get(row, 0) + sum(ways[near] for near in before)
        counts[leaf] = [ways.get(other, 0) for other in range(network.leaves)]
    np.fill_diagonal(counts, 0)
    return counts


def plain_failures(network: Clos) -> list[int]:
    """Return how many pairs of leaves each cable cuts, by taking one after the other out."""
    graph, found = plain(network), []
    for edge in zip(network.cables.lower.tolist(), network.cables.upper.tolist(), strict=True):
        graph.remove_edge(*edge)
        parts = nx.connected_components(graph)
        sizes = [sum(row < network.leaves for row in part) for part in parts]
        found.append(sum(one * other for one, other in combinations(sizes, 2)))
        graph.add_edge(*edge)
    return found
