"""Peeling of arrays against the dependencies written out, with networkx as the judge."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.qos.deadlock.cycle import Channels, one_cycle, remaining
from fabric.topology.routes_bits import pack


@st.composite
def cases(draw: st.DrawFn):
    """Return channels between some places, and which destinations each carries."""
    places, count = draw(st.integers(1, 5)), draw(st.integers(0, 14))
    density = draw(st.sampled_from([0.02, 0.1, 0.4]))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    leaves = np.sort(rng.integers(0, places, count))
    arrives = rng.integers(0, places, count)
    return Channels(leaves, arrives), rng.random((count, draw(st.integers(1, 100)))) < density


def written_out(channels: Channels, carried) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(channels.leaves)))
    for near in graph:
        for far in graph:
            meets = channels.arrives[near] == channels.leaves[far]
            if meets and (carried[near] & carried[far]).any():
                graph.add_edge(near, far)
    return graph


@given(cases())
@settings(max_examples=300)
def test_what_remains_leads_to_a_cycle(case):
    channels, carried = case
    graph = written_out(channels, carried)
    on_cycle = {
        node
        for component in nx.strongly_connected_components(graph)
        for node in component
        if len(component) > 1 or graph.has_edge(node, node)
    }
    expected = on_cycle.union(*(nx.ancestors(graph, node) for node in on_cycle))
    live = remaining(channels, pack(carried))
    assert set(live.tolist()) == expected


@given(cases())
@settings(max_examples=300)
def test_named_cycle_is_one_and_the_shortest_through_its_first(case):
    channels, carried = case
    bits = pack(carried)
    live = remaining(channels, bits)
    if not len(live):
        return
    graph = written_out(channels, carried)
    cycle = one_cycle(channels, bits, live)
    assert all(graph.has_edge(near, far) for near, far in pairwise([*cycle, cycle[0]]))
    assert len(set(cycle)) == len(cycle)
    ways = [
        nx.shortest_path_length(graph, far, cycle[0]) + 1
        for far in graph.successors(cycle[0])
        if nx.has_path(graph, far, cycle[0])
    ]
    assert len(cycle) == min(ways)
