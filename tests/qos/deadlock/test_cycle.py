"""Dependencies of routes that are written out: known instances, and networkx as the judge."""

from __future__ import annotations

from itertools import pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.deadlock import Channel, Cycle
from fabric.qos.deadlock.cycle import Channels, one_cycle, remaining
from tests.cases import examples
from tests.qos.deadlock.written import dependencies, find_cycle
from tests.topology.bits import pack

LEAF_OF = {"h0": "L0", "h1": "L0", "h2": "L1", "h3": "L1"}


ONE_BOUNCE = "h0-L0-S0-L1-S1-L0-h1"
OTHER_BOUNCE = "h2-L1-S1-L0-S0-L1-h3"
NODES = [*"ABCDEF"]
walks = st.lists(st.sampled_from(NODES), min_size=2, max_size=7).map(
    lambda nodes: [n for n, before in zip(nodes, [None, *nodes], strict=False) if n != before]
)


def leaf_spine() -> list[str]:
    """Two leaves, two spines, two hosts at each leaf: all pairs over all spines."""
    routes = []
    for near, far in permutations(LEAF_OF, 2):
        up, down = LEAF_OF[near], LEAF_OF[far]
        middle = [f"{up}"] if up == down else [f"{up}-{spine}-{down}" for spine in ("S0", "S1")]
        routes += [f"{near}-{part}-{far}" for part in middle]
    return routes


#: name -> routes, number of routes, number of dependencies, channels of the cycle
VECTORS = {
    "up and down": (leaf_spine(), 20, 24, None),
    "one bounce": ([*leaf_spine(), ONE_BOUNCE], 21, 25, None),
    "two bounces": (
        [*leaf_spine(), ONE_BOUNCE, OTHER_BOUNCE],
        *(22, 26, "S1-L0 L0-S0 S0-L1 L1-S1"),
    ),
    "triangle": (["a-A-B-C-c", "b-B-C-A-a", "c-C-A-B-b"], 3, 9, "C-A A-B B-C"),
    "two of the triangle": (["a-A-B-C-c", "b-B-C-A-a"], 2, 6, None),
    "routing loop": (["hA-A-B-A-B-hB"], 1, 4, "A-B B-A"),
    "square": (
        ["a-A-B-C-D-d", "c-C-D-A-a", "b-B-C-c", "d-D-A-B-b"],
        *(4, 12, "A-B B-C C-D D-A"),
    ),
    "flooded copies": (
        ["S1-T0-La-T1-Lb-T0", "S4-T1-Lb-T0-La-T1", "S1-T0-La-T1-S5"],
        *(3, 7, "La-T1 T1-Lb Lb-T0 T0-La"),
    ),
    "the same without flooding": (
        ["S1-T0-La-T1-S3", "S4-T1-Lb-T0-S2", "S1-T0-La-T1-S5"],
        *(3, 7, None),
    ),
}


def channels(cycle: Cycle) -> set[str]:
    return {f"{channel.source}-{channel.target}" for channel in cycle.channels}


def assert_real(cycle: Cycle, graph) -> None:
    """Assert that every channel of a cycle waits for the next one, and none comes twice."""
    ring = [*cycle.channels, cycle.channels[0]]
    assert all(far in graph[near] for near, far in pairwise(ring))
    assert len(set(cycle.channels)) == len(cycle.channels)


def digraph(graph) -> nx.DiGraph:
    built = nx.DiGraph()
    built.add_nodes_from(graph)
    built.add_edges_from((near, far) for near, waits in graph.items() for far in waits)
    return built


@pytest.mark.parametrize("name", VECTORS)
def test_known_instance(name):
    texts, route_count, count, expected = VECTORS[name]
    assert len(texts) == route_count
    graph = dependencies([text.split("-") for text in texts])
    assert sum(len(waits) for waits in graph.values()) == count
    cycle = find_cycle(graph)
    if expected is None:
        assert cycle is None
    else:
        assert cycle is not None
        assert channels(cycle) == set(expected.split())
        assert_real(cycle, graph)


def test_a_buffer_waits_for_the_next_hop():
    first, second = Channel("a", "b", 3), Channel("b", "c", 4)
    assert dependencies([["a", "b", "c"]], [[3, 4]]) == {first: {second: None}, second: {}}


def test_cycle_reads_hop_by_hop():
    cycle = find_cycle(dependencies([["a", "A", "B", "A", "B", "b"]], [[3, 3, 3, 3, 3]]))
    assert str(cycle) == "A to B, B to A (priority 3)"


def test_cycle_names_ports_and_every_priority():
    far = Channel("A", "B", 3, "Ethernet0", "Ethernet4")
    back = Channel("B", "A", 4, "Ethernet4", "Ethernet0")
    text = "A Ethernet0 to B Ethernet4, B Ethernet4 to A Ethernet0 (priorities 3, 4)"
    assert str(Cycle((far, back))) == text


@pytest.mark.parametrize(
    ("routes", "priorities"),
    [
        ([["a", "a"]], None),
        ([["a", "b", "c"]], [[3]]),
        ([["a", "b", "c"]], [[3, 3, 3]]),
        ([["a", "b"]], []),
    ],
)
def test_routes_that_make_no_sense_are_refused(routes, priorities):
    with pytest.raises(ValueError):
        dependencies(routes, priorities)


def test_nothing_has_no_cycle():
    assert find_cycle(dependencies([])) is None
    assert find_cycle(dependencies([["a"]])) is None


def level(node: str) -> int:
    return "hLST".index(node[0])


def raised(route: list[str]) -> list[int]:
    """Return the priority of each hop when each turn from down to up raises it by one."""
    marks, priority = [], 0
    for before, near, after in zip([None, *route], route, route[1:], strict=False):
        if before and level(before) > level(near) < level(after):
            priority += 1
        marks.append(priority)
    return marks


@pytest.mark.parametrize("spines", [2, 3])
@pytest.mark.parametrize("bounces", [1, 2, 3])
def test_a_higher_priority_at_each_bounce_breaks_every_cycle(bounces, spines):
    """Hu et al., Tagger, CoNEXT 2017: k bounces are free of cycles with k + 1 priorities."""
    tops = [f"S{number}" for number in range(spines)]
    ends = ["L0", "L1", "L2"]
    routes = [[leaf] for leaf in ends]
    complete = []
    for _ in range(bounces + 1):
        routes = [
            [*route, top, leaf]
            for route in routes
            for top in tops
            for leaf in ends
            if leaf != route[-1] and (len(route) == 1 or top != route[-2])
        ]
        complete += [[f"h{r[0]}", *r, f"h{r[-1]}"] for r in routes]
    assert find_cycle(dependencies(complete)) is not None
    tagged = dependencies(complete, [raised(route) for route in complete])
    assert {channel.priority for channel in tagged} == set(range(bounces + 1))
    assert find_cycle(tagged) is None


def test_two_bounces_with_two_priorities():
    routes = [text.split("-") for text in [*leaf_spine(), ONE_BOUNCE, OTHER_BOUNCE]]
    tagged = dependencies(routes, [raised(route) for route in routes])
    assert {channel.priority for channel in tagged} == {0, 1}
    assert find_cycle(tagged) is None


@st.composite
def marked(draw: st.DrawFn):
    routes = draw(st.lists(walks, max_size=8))
    return routes, [
        draw(st.lists(st.integers(0, 2), min_size=len(r) - 1, max_size=len(r) - 1)) for r in routes
    ]


@given(marked())
def test_networkx_agrees(case):
    graph = dependencies(*case)
    judge = digraph(graph)
    cycle = find_cycle(graph)
    components = list(nx.strongly_connected_components(judge))
    loops = any(len(c) > 1 for c in components) or nx.number_of_selfloops(judge)
    try:
        nx.find_cycle(judge)
        result = True
    except nx.NetworkXNoCycle:
        result = False
    assert (cycle is not None) == result == bool(loops)
    if cycle:
        assert_real(cycle, graph)


@st.composite
def valley_free(draw: st.DrawFn):
    """Return routes that go up, then down, in a random folded Clos of three tiers."""
    tiers = [[f"{kind}{n}" for n in range(draw(st.integers(1, 4)))] for kind in "hLST"]
    routes = []
    for _ in range(draw(st.integers(1, 12))):
        top = draw(st.integers(1, 3))
        up, down = (
            [draw(st.sampled_from(tiers[row])) for row in rows]
            for rows in (range(top), reversed(range(top)))
        )
        routes.append([*up, draw(st.sampled_from(tiers[top])), *down])
    return routes


@given(valley_free())
def test_valley_free_routes_have_no_cycle(routes):
    assert find_cycle(dependencies(routes)) is None
    assert nx.is_directed_acyclic_graph(digraph(dependencies(routes)))


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
@examples(300)
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
@examples(300)
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
