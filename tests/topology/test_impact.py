"""Capacity, distance and failures, against plain networkx and against one failure at a time."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology import outages
from fabric.topology.bandwidth import (
    bisection,
    by_rail,
    by_tier,
    halves,
    pod_gbps,
    unit_gbps,
    useful_uplinks,
)
from fabric.topology.clos import Clos, clos, switched_off
from fabric.topology.distance import diameter, longest_way, metres
from fabric.topology.impact import host_gbps, impact
from fabric.topology.paths import Layers
from fabric.topology.singles import SingleFailures
from tests.cases import examples
from tests.topology.fabrics import example, fabric
from tests.topology.layered import Plain, made, networks, outage, pods, without


def flow_graph(network: Clos, first: np.ndarray, second: np.ndarray) -> nx.DiGraph:
    """Return switches on the way up and down, with all cables between two as one capacity."""
    graph = nx.DiGraph()
    links = network.cables
    for row in range(len(network.tier)):
        if row >= network.leaves:
            graph.add_edge((row, "up"), (row, "down"))
    for low, high, gbps in zip(links.lower, links.upper, links.speed_gbps, strict=True):
        for edge in (((low, "up"), (high, "up")), ((high, "down"), (low, "down"))):
            had = graph.edges[edge]["capacity"] if graph.has_edge(*edge) else 0
            graph.add_edge(*edge, capacity=had + int(gbps))
    graph.add_edges_from(("source", (leaf, "up")) for leaf in first.tolist())
    graph.add_edges_from(((leaf, "down"), "sink") for leaf in second.tolist())
    return graph


@given(networks())
@examples(25)
def test_bisection_is_the_smallest_cut(network):
    graph = flow_graph(network, *halves(network))
    assert bisection(network).gbps == nx.minimum_cut_value(graph, "source", "sink")


@given(pods())
@examples(25)
def test_bisection_of_pods_is_the_smallest_cut_of_halves_and_of_each_pod(network: Clos) -> None:
    leaves = np.arange(network.leaves)
    own = [network.pod[leaves] == pod for pod in range(network.pods)]
    sides = [halves(network), *((leaves[mine], leaves[~mine]) for mine in own)]
    graphs = (flow_graph(network, *side) for side in sides)
    gbps = [nx.minimum_cut_value(graph, "source", "sink") for graph in graphs]
    assert bisection(network).gbps == min(gbps)
    assert bisection(network).pod == gbps.index(min(gbps)) - 1


def test_a_single_pod_is_cut_between_its_halves() -> None:
    network = clos(example("three-tier"))
    network = replace(network, pod=np.minimum(network.pod, 0), pods=1)
    assert (bisection(network).gbps, bisection(network).pod) == (3200, -1)


@given(networks(schemes=("own",)))
@examples(20)
def test_diameter(network):
    plain = Plain.of(network)
    best = [plain.shortest(*pair) for pair in plain.pairs]
    longest = max((len(paths[0]) - 1 for paths in best if paths), default=0)
    assert diameter(Layers.of(network)) == longest


@given(networks(schemes=("own",)), st.sampled_from([metres, lambda gbps, m: 400 / gbps + m]))
@examples(20)
def test_the_longest_way_costs_most_of_all_between_leaves_or_pods(network, cost):
    links, nics = network.cables, network.nics
    step, end = cost(links.speed_gbps, links.cable_m), cost(nics.speed_gbps, nics.cable_m)
    ways = [(nics.leaf[row], nics.host[row], end[row]) for row in np.flatnonzero(nics.up)]
    below, costs = nx.empty_graph(len(network.tier)), []
    while ways:
        costs += [a[2] + b[2] for a, b in combinations(ways, 2) if a[0] == b[0] and a[1] != b[1]]
        pods = {row: n for n, rows in enumerate(nx.connected_components(below)) for row in rows}
        steps = [
            (way, row)
            for way in ways
            for row in np.flatnonzero(links.up & (links.lower == way[0])).tolist()
        ]
        below.add_edges_from((links.lower[row], links.upper[row]) for _, row in steps)
        ways = [(links.upper[row], pods[way[0]], way[2] + step[row]) for way, row in steps]
    way = longest_way(network, cost)
    assert (way is None) == (not costs)
    if way:
        total = sum(float(cost(np.array(gbps), np.array(m))) for gbps, m in way.cables)
        assert total == pytest.approx(max(costs))


def hosts_reached(network: Clos) -> set[tuple[int, int]]:
    leaves = Plain.of(network).reached()
    nics = network.nics
    on = [{*nics.leaf[(nics.host == host) & nics.up]} for host in range(len(network.host_unit))]
    return {
        (one, other)
        for one, other in combinations(range(len(on)), 2)
        if any(a == b or (min(a, b), max(a, b)) in leaves for a in on[one] for b in on[other])
    }


def parts(network: Clos, rail: int) -> int:
    """Return into how many groups the leaves of a rail fall that reach each other."""
    nics = network.nics
    leaves = sorted({*nics.leaf[(nics.rail == rail) & nics.up].tolist()})
    graph = nx.Graph()
    graph.add_nodes_from(leaves)
    graph.add_edges_from(
        pair for pair in Plain.of(network).reached() if pair[0] in leaves and pair[1] in leaves
    )
    return nx.number_connected_components(graph)


@given(networks(), st.data())
@examples(25)
def test_impact_of_any_outage(network, data):
    picked = {
        name: data.draw(st.sets(st.integers(0, size - 1), max_size=3)) if size else ()
        for name, size in (
            ("cables", len(network.cables)),
            ("switches", len(network.tier)),
            ("nics", len(network.nics)),
            ("hosts", len(network.host_unit)),
        )
    }
    now = without(network, **picked)
    result = impact(network, outage(network, **picked))
    before, after = Plain.of(network).reached(), Plain.of(now).reached()
    assert result.leaf_pairs == (len(before), len(before - after))
    hosts, then = hosts_reached(network), hosts_reached(now)
    assert result.host_pairs == (len(hosts), len(hosts - then))
    assert all(parts(now, rail) == count for rail, count in result.rails.items())
    nics = network.nics
    for rail in range(2):
        still = {*nics.leaf[(nics.rail == rail) & now.nics.up].tolist()}
        torn = any(still >= {*pair} for pair in before - after)
        assert (rail in result.rails) == torn


@given(networks(), st.sets(st.integers(0, 15), max_size=8))
@examples(25)
def test_every_single_failure_as_one_by_one(network, dead):
    network = without(network, nics=[nic for nic in dead if nic < len(network.nics)])
    every = SingleFailures(network)
    for name, result, size in (
        ("cables", every.cables(), len(network.cables)),
        ("switches", every.switches(), len(network.tier)),
        ("nics", every.nics(), len(network.nics)),
    ):
        assert len(result) == size
        for row in range(size):
            one = impact(network, outage(network, **{name: [row]}))
            got = (result.leaf_pairs[row], result.host_pairs[row], result.rails[row])
            assert got == (one.leaf_pairs[1], one.host_pairs[1], len(one.rails)), (name, row)
            assert result.rail_lost[row] == len(np.unique(one.rails_lost[:, 0])), (name, row)


def test_worst_first_and_what_is_left():
    """Unit 1 has one cable to each spine; leaf 2 of unit 2 hangs on one cable."""
    network = made(
        [4, 2], [(0, 4), (0, 5), (1, 4), (1, 5), (2, 4), (3, 4), (3, 5)], [1, 2, 3, 4, 9, 9]
    )
    every = SingleFailures(network)
    cables, switches = every.cables(), every.switches()
    assert cables.ranked()[0] == 4
    assert cables.leaf_pairs.tolist() == [1, 0, 1, 0, 3, 1, 0]
    assert cables.rails.tolist() == [1, 0, 0, 0, 1, 0, 0]
    assert cables.left.tolist() == pytest.approx([3 / 4] * 4 + [2 / 3] * 3)
    assert switches.left.tolist() == pytest.approx([1 / 2, 1 / 2, 1 / 2, 1 / 3, 1 / 3, 1 / 2])
    assert every.nics().left.tolist() == pytest.approx([1 / 2] * 8)


def test_bandwidth_of_the_demo():
    """Two hosts of 400G on each leaf; two uplinks of 400G."""
    network = clos(example("demo"))
    layers = Layers.of(network)
    assert [(ratio.down_gbps, ratio.up_gbps) for ratio in by_tier(network)] == [(3200, 3200)]
    assert {rail: ratio.oversubscription for rail, ratio in by_rail(network).items()} == {
        0: 1,
        1: 1,
    }
    assert bisection(network).gbps == 1600
    assert [part.tolist() for part in unit_gbps(network, layers)] == [[1600, 1600], [1600, 1600]]
    way = longest_way(network)
    assert (way.cables, way.cable_m) == (((400, 5), (400, 40), (400, 40), (400, 5)), 90)


@given(pods())
@examples(50)
def test_bandwidth_of_pods_is_that_of_paths_to_other_pods(network: Clos) -> None:
    plain, pod, cables = Plain.of(network), network.pod.tolist(), network.cables
    hops = {
        hop
        for pair in plain.pairs
        if pod[pair[0]] != pod[pair[1]]
        for _, near, top, far, _ in plain.paths(*pair)
        for hop in ((near, top), (far, top))
    }
    gbps = [0] * network.pods
    for low, high, speed in zip(cables.lower, cables.upper, cables.speed_gbps, strict=True):
        if (low, high) in hops:
            gbps[pod[low]] += int(speed)
    assert pod_gbps(network).tolist() == gbps
    lost = outage(network, switches=[len(pod) - 1])
    assert impact(network, lost).pod_gbps.tolist() == [
        gbps,
        pod_gbps(without(network, switches=[len(pod) - 1])).tolist(),
    ]


#: What fails of two pods, each with a spine of 2 x 400G to each of two groups -> what each keeps.
PODS = {
    "a super-spine of two of its group": (["core01"], [2400, 2400]),
    "a group": (["core01", "core03"], [1600, 1600]),
    "the cables of one pod": (["cable-bundle:core01:east-spine01"], [2400, 2400]),
    "a group to each pod": (["east-spine01", "west-spine02"], [0, 0]),
    "the leaves of a pod": (["rack1-leaf", "rack2-leaf"], [0, 0]),
}


@pytest.mark.parametrize("name", PODS)
def test_a_cable_of_a_pod_counts_if_it_leads_to_another(name: str) -> None:
    failed_words, left = PODS[name]
    built = example("three-tier")
    hit = impact(clos(built), outages.outage(built, failed_words))
    assert hit.pod_gbps.tolist() == [[3200, 3200], left]


def test_a_spine_of_no_pod_is_in_that_of_its_leaves() -> None:
    built = example("three-tier")
    pod = np.where(built.switches.tier == 1, -1, built.switches.pod)
    unnamed = replace(built, switches=replace(built.switches, pod=pod))
    assert clos(unnamed).pod.tolist() == built.switches.pod.tolist() == clos(built).pod.tolist()


def test_an_uplink_to_a_spine_without_another_way_down_carries_nothing():
    network = made([2, 2], [(0, 2), (0, 3), (1, 2)], [1, 2, 9, 9])
    assert useful_uplinks(network, Layers.of(network)).tolist() == [True, False, True]


def test_hosts_share_the_uplinks_of_their_leaf():
    """Leaf 0 has 100G up for two NICs of 400G."""
    network = made([2, 1], [(0, 2), (1, 2), (1, 2)], [1, 2, 9], [100, 400, 400])
    assert host_gbps(network).tolist() == [450, 450]


def test_what_is_switched_off_in_the_inventory_is_down_and_what_failed_is_switched_off():
    cut = "devices:\n  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}\n"
    near = fabric(cut)
    network = clos(near)
    assert network.cables.up.tolist() == near.uplinks.enabled.tolist()
    now = switched_off(near, without(network, switches=[4], hosts=[0]))
    gone = (near.uplinks.upper != 4) & near.uplinks.enabled
    assert now.uplinks.enabled.tolist() == gone.tolist()
    assert now.nics.enabled.tolist() == (near.nics.host != 0).tolist()
    assert near.nics.enabled.all()


def test_one_tier_has_no_way_between_leaves():
    network = made([2], [], [1, 2])
    layers = Layers.of(network)
    assert (bisection(network).gbps, diameter(layers)) == (0, 0)
    result = impact(network, outage(network, switches=[0]))
    assert (result.leaf_pairs, result.host_pairs) == ((0, 0), (1, 0))
    every = SingleFailures(network)
    assert every.switches().host_pairs.tolist() == [0, 0]
    assert every.switches().left.tolist() == [0.5, 0.5]
    assert len(every.cables()) == 0
    assert every.nics().left.tolist() == [0.5] * 4


def test_a_rack_takes_its_hosts_along_wherever_they_are_cabled():
    moved = "hosts:\n  - {names: a1, nics: [{rail: 0, leaf: su2-rail0, port: Ethernet24}]}\n"
    near = fabric(hosts=moved)
    lost = impact(clos(near), outages.outage(near, ["rack:su1"])).rails_lost
    assert lost.tolist() == [[host, rail] for host in range(3) for rail in range(2)]


def test_a_leaf_of_no_unit_counts_for_nobody():
    network = replace(clos(fabric()), unit=np.array([-1, 0, 1, 1, -1, -1]))
    layers = Layers.of(network)
    nics, uplinks = unit_gbps(network, layers)
    assert (nics.tolist(), uplinks.tolist()) == ([1200, 800], [800, 1600])
    every = SingleFailures(network)
    assert every.cables().left.tolist()[:4] == pytest.approx([1 / 2] * 4)
    assert every.switches().left.tolist() == pytest.approx([0, 0, 1 / 2, 1 / 2, 1 / 2, 1 / 2])
