"""Paths between all leaves by matrices, against plain networkx."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology.clos import clos
from fabric.topology.critical import link_numbers, on_links, on_switches
from fabric.topology.links import Links
from fabric.topology.paths import (
    Layers,
    joined_by,
    next_hop_counts,
    next_hops,
    path_counts,
    product,
)
from fabric.topology.routes import Network, route
from fabric.topology.routes_bits import unpack
from tests.cases import examples
from tests.topology.fabrics import example
from tests.topology.layered import Plain, made, networks, without


@given(networks())
@examples(30)
def test_counts_next_hops_and_reach(network):
    layers, plain = Layers.of(network), Plain.of(network)
    counts, hops = path_counts(layers), next_hop_counts(layers)
    for leaf, other in plain.pairs:
        best = plain.shortest(leaf, other)
        assert counts[leaf, other] == sum(plain.ways(path) for path in best)
        assert counts[other, leaf] == counts[leaf, other]
        first = {path[1] for path in best}
        assert set((next_hops(layers, leaf, other) + network.leaves).tolist()) == first
        assert hops[0][leaf, other] == len(first)
        assert hops[1][leaf, other] == sum(plain.ways((leaf, spine)) for spine in first)
        assert layers.reach[leaf, other] == bool(best)
        assert layers.turn_tier[leaf, other] * 2 == (len(best[0]) - 1 if best else 0)
    assert not counts.diagonal().any()


@given(networks())
@examples(30)
def test_pairs_that_hang_on_one_link_or_switch(network):
    layers = Layers.of(network)
    before = Plain.of(network).reached()
    hanging, numbers = on_links(layers), link_numbers(layers, network)
    for number in np.unique(numbers).tolist():
        rows = np.flatnonzero(numbers == number)
        lost = before - Plain.of(without(network, cables=rows)).reached()
        assert pairs_of(hanging, number) == sorted(lost)
    hanging = on_switches(layers, network)
    for switch in range(network.leaves, len(network.tier)):
        lost = before - Plain.of(without(network, switches=[switch])).reached()
        assert pairs_of(hanging, switch) == sorted(lost)


def pairs_of(hanging, what: int) -> list[tuple[int, int]]:
    mine = hanging.what == what
    ends = zip(hanging.leaf[mine].tolist(), hanging.other[mine].tolist(), strict=True)
    return sorted((min(pair), max(pair)) for pair in ends)


@given(networks(schemes=("pods", "shared", "allowed")))
@examples(60)
def test_the_same_leaves_are_reached_as_by_bgp(network):
    """As the search of routes by AS paths, which knows nothing of tiers, says."""
    layers, links = Layers.of(network), network.cables
    net = Network(
        Links.between(links.lower, links.upper, len(network.tier)),
        network.asn,
        np.arange(network.leaves),
        network.tier == 0,
        np.where(network.tier == 0, network.allowas_in, 0),
    )
    known = unpack(route(net).known[-1], network.leaves)[: network.leaves]
    assert np.array_equal(known, layers.reach | np.eye(network.leaves, dtype=bool))


def test_all_paths_hang_on_a_switch_that_is_gone_through_in_both_directions():
    """Leaves 0 and 1 have ways around spine 2 at one end each, never at both."""
    ends = [(0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 5), (2, 6), (4, 6)]
    network = made([2, 3, 2], ends, [1, 2, 11, 12, 13, 21, 22])
    assert pairs_of(on_switches(Layers.of(network), network), 2) == [(0, 1)]
    assert len(on_links(Layers.of(network))) == 0


@pytest.mark.parametrize("name", ["demo", "rail-512", "a100-pcie"])
def test_examples_have_a_path_over_each_spine(name):
    fabric = example(name)
    layers = Layers.of(clos(fabric))
    cables = len(fabric.uplinks) // fabric.switches.leaf_count
    spines = len(fabric.switches) - fabric.switches.leaf_count
    counts = path_counts(layers)
    off = ~np.eye(layers.leaves, dtype=bool)
    assert set(counts[off].tolist()) == {cables * cables // spines}
    assert len(on_links(layers)) == len(on_switches(layers, clos(fabric))) == 0


def test_complete_networks_as_in_an_undirected_graph():
    """Nothing missing: a shortest path of the plain graph goes up once by itself."""
    ends = [(leaf, 4 + leaf // 2 * 2 + side) for leaf in range(4) for side in range(2)]
    ends += [(4 + spine, 8 + core) for spine in range(4) for core in range(2)]
    network = made([4, 4, 2], ends, [1, 2, 3, 4, 11, 11, 12, 12, 21, 21])
    graph = nx.Graph(ends)
    layers = Layers.of(network)
    counts = path_counts(layers)
    for leaf, other in Plain.of(network).pairs:
        plain = list(nx.all_shortest_paths(graph, leaf, other))
        assert counts[leaf, other] == len(plain)
        assert layers.turn_tier[leaf, other] * 2 == len(plain[0]) - 1


def test_counts_beyond_64_bits_are_exact():
    ends = [(leaf, 2) for leaf in range(2) for _ in range(3)]
    network = made([2, 1], ends, [1, 2, 3])
    huge = replace(Layers.of(network), cables=(np.full((2, 1), 2**40),))
    assert path_counts(huge).tolist() == [[0, 2**80], [2**80, 0]]


@given(st.integers(0, 70), st.integers(0, 70), st.integers(0, 10**6))
@examples(30)
def test_products_are_exact(one, other, seed):
    """Whatever type the numbers need."""
    random = np.random.default_rng(seed)
    left = np.array([[int(x) << one for x in row] for row in random.integers(0, 9, (2, 3))], object)
    right = np.array(
        [[int(x) << other for x in row] for row in random.integers(0, 9, (3, 2))], object
    )
    assert product(left, right).tolist() == (left @ right).tolist()


def test_a_cable_that_skips_a_tier_is_refused():
    network = made([2, 1, 1], [(0, 2), (1, 3)], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="not in neighbouring tiers"):
        Layers.of(network)


def test_a_link_to_the_own_as_is_of_no_use():
    """From spine 2 (AS 11) core 5 leads back to spine 3 (AS 11); core 6 leads to spine 4 too."""
    ends = [(0, 2), (1, 3), (1, 4), (2, 5), (3, 5), (2, 6), (3, 6), (4, 6)]
    network = made([2, 3, 2], ends, [1, 2, 11, 11, 12, 21, 21])
    layers = Layers.of(network)
    hanging = on_links(layers)
    numbers = link_numbers(layers, network)
    on = {number for number in numbers.tolist() if pairs_of(hanging, number)}
    assert [ends[row] for row in range(len(ends)) if numbers[row] in on] == [
        (0, 2),
        (1, 4),
        (2, 6),
        (4, 6),
    ]


@given(
    size=st.integers(1, 40),
    pairs=st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39), st.booleans()), max_size=50),
)
def test_switches_that_cables_join_have_one_number(
    size: int, pairs: list[tuple[int, int, bool]]
) -> None:
    ends = np.array([(a % size, b % size) for a, b, _ in pairs], dtype=np.int64).reshape(-1, 2)
    counted = np.array([one for _, _, one in pairs], dtype=bool)
    uplinks = SimpleNamespace(lower=ends[:, 0], upper=ends[:, 1])
    fabric: Any = SimpleNamespace(uplinks=uplinks, switches=range(size))
    graph = nx.Graph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from(ends[counted].tolist())
    expected = [0] * size
    for number, part in enumerate(sorted(map(sorted, nx.connected_components(graph)))):
        for switch in part:
            expected[switch] = number
    assert joined_by(fabric, counted).tolist() == expected
