"""What is computed once for many, against every path and every failure one by one.

Random fabrics with random damage: see `tests.topology.random_fabrics`. Each test takes 200 of them;
with ``pytest --hypothesis-profile thousands`` 2,000.
"""

from __future__ import annotations

import pickle
import random
from itertools import pairwise
from math import prod
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from fabric.intent.resolve import PolicyResolver
from fabric.qos.deadlock import prove
from fabric.qos.deadlock.bounces import coverages
from fabric.qos.deadlock.lossless import LOSSY, PRIORITIES, Lossless, uplink_classes
from fabric.qos.deadlock.proof import failure_name
from fabric.topology import Fabric
from fabric.topology.bandwidth import unit_gbps, useful_uplinks
from fabric.topology.clos import Clos, clos
from fabric.topology.distance import diameter, longest_way
from fabric.topology.partition import reached
from fabric.topology.paths import Layers, Pairs, path_counts
from fabric.topology.routes import Network, network, route, uses
from fabric.topology.routes_bits import unpack
from fabric.topology.routes_failures import Failure, after, alone, growing
from fabric.topology.singles import SingleFailures
from fabric.topology.symmetry import Alike, alike
from fabric.topology.twins import twins
from tests.cases import examples
from tests.topology.fabrics import fabric
from tests.topology.random_fabrics import Written, fabrics
from tests.topology.test_routes import simulated

#: What finds each of a dozen mistakes that were made on purpose.
some = examples(200)


def exact(net: Network) -> bool:
    """Return whether routers have no choice that others notice: no two share an AS number."""
    return len({*net.asn.tolist()}) == len(net.asn)


@some
@given(fabrics())
def test_reach_is_that_of_all_leaves_and_of_routers(built: Fabric) -> None:
    net, leaves = network(built), built.switches.leaf_count
    known = unpack(route(net).known[-1], leaves)[:leaves]
    reach = reached(built)
    assert np.array_equal(reach, known & known.T)
    cables = set(zip(net.links.source.tolist(), net.links.target.tolist(), strict=True))
    hops = [simulated(net, cables, leaf, random.Random(leaf)) for leaf in range(leaves)]
    have = {(near, leaf) for leaf, own in enumerate(hops) for near, _ in own if near < leaves}
    both = {(one, other) for one, other in have if (other, one) in have}
    sure = {(one, other) for one, other in np.argwhere(reach).tolist() if one != other}
    assert sure == both if exact(net) else sure <= both


@some
@given(fabrics())
def test_paths_are_those_that_are_written_out(built: Fabric) -> None:
    layers, written = Layers.of(clos(built)), Written(clos(built))
    alike = Pairs.of(layers)
    counts = {
        pair: sum(prod(map(len, written.hops(path))) for path in written.shortest(pair))
        for pair in written.paths
    }
    assert sorted(counts.values()) == sorted(
        np.repeat(path_counts(alike.layers)[alike.place], alike.count).tolist()
    )
    assert {pair: path_counts(layers)[pair] for pair in counts} == counts
    ends = zip(alike.leaf.tolist(), alike.other.tolist(), strict=True)
    places = zip(*(place.tolist() for place in alike.place), strict=True)
    of_kinds = path_counts(alike.layers)
    assert all(counts[pair] == of_kinds[place] for pair, place in zip(ends, places, strict=True))
    reach = {pair for pair in counts if layers.reach[pair]}
    assert reach == written.reached == {pair for pair, count in counts.items() if count}
    lengths = [len(written.shortest(pair)[0]) - 1 for pair in reach]
    assert diameter(layers) == diameter(alike.layers) == max(lengths, default=0)


@some
@given(fabrics())
def test_uplinks_of_use_are_those_of_some_path(built: Fabric) -> None:
    now = clos(built)
    layers, written = Layers.of(now), Written(now)
    first = [
        hops[end]
        for paths in written.paths.values()
        for path in paths
        for hops in [written.hops(path)]
        for end in (0, -1)
    ]
    used = sorted({row for rows in first for row in rows})
    assert np.flatnonzero(useful_uplinks(now, layers)).tolist() == used
    units = np.zeros(now.units, dtype=np.int64)
    np.add.at(units, now.unit[now.cables.lower[used]], now.cables.speed_gbps[used])
    assert unit_gbps(now, layers)[1].tolist() == units.tolist()


@some
@given(fabrics())
def test_the_longest_way_is_that_of_the_longest_shortest_path(built: Fabric) -> None:
    """Leaves of one AS, and those of a pod that reach each other over another, are left out."""
    now = clos(built)
    layers, nics = Layers.of(now), now.nics
    ends = {
        leaf: int(nics.cable_m[nics.up & (nics.leaf == leaf)].max())
        for leaf in set(nics.leaf[nics.up].tolist())
    }
    climbs = [_climbs_m(now, leaf) for leaf in range(now.leaves)]
    lengths = {}
    for one, other in np.argwhere(layers.turn_tier).tolist():
        tier = layers.turn_tier[one, other]
        tops = [top for top in climbs[one] if now.tier[top] == tier and top in climbs[other]]
        if one in ends and other in ends:
            most_m = max(climbs[one][top] + climbs[other][top] for top in tops)
            lengths[tier, one, other] = ends[one] + most_m + ends[other]
    way = longest_way(now)
    most_m = max(lengths.values(), default=0)
    leaves = built.switches.pod[: now.leaves]
    is_usual = len(np.unique(now.asn[: now.leaves])) == now.leaves or now.allowas_in
    is_usual &= not ((layers.turn_tier > 1) & (leaves[:, None] == leaves)).any()
    if way is None:
        assert not lengths
    elif way.leaf == way.other:
        assert not (is_usual and lengths)
    elif is_usual:
        assert way.cable_m == lengths[len(way.cables) // 2 - 1, way.leaf, way.other] == most_m


def _climbs_m(now: Clos, leaf: int) -> dict[int, int]:
    """Return the metres of the longest way up from a leaf to each switch."""
    written, metres = Written(now), dict[int, int]()
    for climb in written.climbs(leaf):
        steps = [written.above[low][high] for low, high in pairwise(climb)]
        whole = sum(int(now.cables.cable_m[rows].max()) for rows in steps)
        metres[climb[-1]] = max(whole, metres.get(climb[-1], 0))
    return metres


@some
@given(fabrics())
def test_each_failure_splits_the_leaves_whose_paths_all_use_it(built: Fabric) -> None:
    now = clos(built)
    written, every = Written(now), SingleFailures(now)
    cables, switches = np.zeros(len(now.cables), int), np.zeros(len(now.tier), int)
    for pair in written.reached:
        paths = written.paths[pair]
        sole = [{rows[0] for rows in written.hops(path) if len(rows) == 1} for path in paths]
        cables[sorted(set.intersection(*sole))] += 1
        switches[sorted(set.intersection(*map(set, paths)))] += 1
    assert every.cables().leaf_pairs.tolist() == cables.tolist()
    assert every.switches().leaf_pairs.tolist() == switches.tolist()


def each_alone(net: Network, _labels: object = None) -> Alike:
    """Stand in for `alike`: no failure is like another one."""
    return Alike.nothing(net)


@some
@given(fabrics())
def test_failures_of_one_kind_do_the_same(built: Fabric) -> None:
    net = network(built)
    base = route(net)
    carried = uses(net, base)
    kinds, every = (list(growing(net, base, carried, kind)) for kind in (alike(net), None))
    assert [(one.switch, *one.links) for one in kinds] == [
        (one.switch, *one.links) for one in every
    ]
    loads: dict[int, list[int]] = {}
    for failure in kinds:
        added = sorted(np.bitwise_count(after(net, failure) & ~carried).sum(axis=1).tolist())
        assert loads.setdefault(failure.kind, added) == added


@some
@given(fabrics())
def test_proof_is_that_of_every_failure(built: Fabric) -> None:
    resolver = PolicyResolver(built.intent)
    proof = prove(built, resolver)
    with patch("fabric.qos.deadlock.proof.alike", each_alone):
        assert proof == prove(built, resolver)
    failure = first_circle(built, resolver)
    if failure is None:
        assert proof.free
    elif exact(network(built)):
        assert (proof.free, proof.failure) == (False, failure)


@some
@given(fabrics())
def test_bounces_are_those_of_every_failure(built: Fabric) -> None:
    with patch("fabric.qos.deadlock.bounces.alike", each_alone):
        every = coverages(built, (1, 2, 3))
    assert coverages(built, (1, 2, 3)) == every


def first_circle(built: Fabric, resolver: PolicyResolver) -> str | None:
    """Return the first failure after which buffers wait in a circle; empty: without a failure."""
    net = network(built)
    classes = classes_of(built, net, resolver)
    if circle(net, classes, uses(net, route(net))):
        return ""
    links = net.links
    failures = [Failure(np.array([row, links.reverse[row]])) for row in alone(net)]
    failures += [Failure(links.of(row), row) for row in range(links.switches)]
    for failure in failures:
        if circle(net, classes, after(net, failure)):
            return failure_name(built, net, failure)
    return None


def classes_of(built: Fabric, net: Network, resolver: PolicyResolver) -> list[set[int]]:
    """Return the DSCPs that each link carries without loss."""
    up, of_cables = built.uplinks, uplink_classes(built, resolver)
    result: list[set[int]] = [set() for _ in range(len(net.links))]
    for row in np.flatnonzero(up.enabled).tolist():
        for ends in ((up.lower, up.upper), (up.upper, up.lower)):
            link = int(net.links.rows(*(end[row : row + 1] for end in ends))[0])
            if link >= 0:
                result[link] |= {code // PRIORITIES for code in of_cables[row] if code != LOSSY}
    return result


def circle(net: Network, classes: list[set[int]], carried: np.ndarray) -> bool:
    """Return whether lossless links wait for each other in a circle, by a graph of all of them."""
    on, graph = unpack(carried, len(net.origin)), nx.DiGraph()
    for link, target in enumerate(net.links.target.tolist()):
        for onward in np.flatnonzero(net.links.source == target).tolist():
            if (on[link] & on[onward]).any():
                both = classes[link] & classes[onward]
                graph.add_edges_from(((link, code), (onward, code)) for code in both)
    return not nx.is_directed_acyclic_graph(graph)


@pytest.mark.parametrize("own", [False, True])
def test_fabrics_without_damage_have_twins(own: bool) -> None:
    """What these tests compare is less than everything: four leaves of a pod are of one kind."""
    numbers = "".join(f"  - {{names: spine0{n}, asn: {65200 + n}}}\n" for n in (1, 2))
    built = fabric(f"devices:\n{numbers}" if own else "")
    assert len(twins(network(built))[0]) == 2
    assert Pairs.of(Layers.of(clos(built))).count.tolist() == [6]


#: Four pods of two leaves and two spines, each spine with a number of its own.
PODS = {
    "units": [{"name": f"u{n}", "pod": f"p{n}", "hosts": f"h{n}x[1-2]"} for n in range(1, 5)],
    "super_spines": {"count": 4, "groups": 2, "links_per_spine": 2, "spines_per_pod": 2},
    "platforms__super_spine": {"sku": "ACS-MSN4700"},
    "addressing__core_links": "10.253.0.0/16",
}
OWN_SPINES = "".join(
    f"  - {{names: p{pod}-spine0{n}, asn: {65200 + 10 * pod + n}}}\n"
    for pod in range(1, 5)
    for n in (1, 2)
)


def off(leaf: str, port: str = "Ethernet128", how: str = "enabled: false") -> str:
    return f"  - {{names: {leaf}, ports: {{{port}: {{{how}}}}}}}\n"


@pytest.mark.parametrize(
    ("more", "switches", "links"),
    [
        ("", 3, 2),
        # 2 leaves; 4 spines, 2 in the pod; 2 groups; links of the leaves 2 + 1 in the pod, 2
        # elsewhere, and 4 of the spines
        (off("u1-rail0"), 3 + 4 + 2, 3 + 2 + 4),
        # the pods are swapped, as are the leaves of the two others
        (off("u1-rail0") + off("u2-rail0"), 3 + 4 + 2, 3 + 2 + 4),
        # the planes are swapped together with the pods
        (off("u1-rail0") + off("u2-rail0", "Ethernet136"), 3 + 3 + 1, 3 + 1 + 3),
        # a class that differs on one link is as good as a cable that is off
        ("  - {names: p1-spine01, ports: {Ethernet0: {lossless: {pfc_priority: 4}}}}\n", 9, 10),
        # two spines with one number: planes are swapped with the two pods, and alone in the others
        ("  - {names: p1-spine01, asn: 65300}\n  - {names: p2-spine02, asn: 65300}\n", 6, 6),
    ],
)
def test_pods_and_planes_are_swapped_as_a_whole(more: str, switches: int, links: int) -> None:
    """No two spines are twins; kinds of failures are counted by hand."""
    built = fabric(f"devices:\n{OWN_SPINES}{more}", **PODS)
    same = same_of(built)
    assert len(np.unique(same.twins)) >= 4 + 8 + 2
    assert (len(np.unique(same.switches)), len(np.unique(same.links))) == (switches, links)


#: Planes to which a leaf of each of six pods has an odd cable: a ring of two pods, and one of four.
RINGS = ((0, 1), (0, 1), (2, 3), (3, 4), (4, 5), (5, 2))
#: One for each, in another order than theirs.
CROSSED = ((1,), (0,), (3,), (2,), (5,), (4,))


def odd(planes: tuple[tuple[int, ...], ...], how: str) -> tuple[Fabric, Alike]:
    """Return six pods with odd cables, each spine with a number of its own."""
    numbers = "".join(
        f"  - {{names: p{pod}-spine0{n}, asn: {65200 + 10 * pod + n}}}\n"
        for pod in range(1, 7)
        for n in range(1, 7)
    )
    cables = "".join(
        off(f"u{pod}-rail0", f"Ethernet{128 + 8 * plane}", how)
        for pod, some in enumerate(planes, 1)
        for plane in some
    )
    built = fabric(
        f"devices:\n{numbers}{cables}",
        units=[{"name": f"u{n}", "pod": f"p{n}", "hosts": f"h{n}x[1-2]"} for n in range(1, 7)],
        spines={"count": 6, "links_per_leaf": 1},
        super_spines={"count": 6, "groups": 6, "links_per_spine": 1, "spines_per_pod": 6},
        platforms__super_spine={"sku": "ACS-MSN4700"},
        addressing__core_links="10.253.0.0/16",
    )
    return built, same_of(built)


def same_of(built: Fabric) -> Alike:
    net = network(built)
    return alike(net, Lossless.of(built, net, PolicyResolver(built.intent)).kinds(net))


@pytest.mark.parametrize("how", ["enabled: false", "lossless: {pfc_priority: 4}"])
def test_pods_that_only_seem_alike_are_kept_apart(how: str) -> None:
    """Each has two odd cables, in planes with two odd cables: no count tells the rings apart."""
    built, same = odd(RINGS, how)
    of_name = dict(zip(built.switches.names, same.switches.tolist(), strict=True))
    small = {of_name[f"u{pod}-rail0"] for pod in (1, 2)}
    large = {of_name[f"u{pod}-rail0"] for pod in (3, 4, 5, 6)}
    assert len(small) == 1
    assert not small & large


def test_a_guess_that_moves_an_odd_cable_is_dropped() -> None:
    """The order of leaves is not that of the spines to which their cables have another class."""
    spines = "".join(f"  - {{names: spine0{n}, asn: {65200 + n}}}\n" for n in range(1, 7))
    cables = "".join(
        off(f"u{leaf}-rail0", f"Ethernet{128 + 8 * spine}", "lossless: {pfc_priority: 4}")
        for leaf, (spine,) in enumerate(CROSSED, 1)
    )
    built = fabric(
        f"devices:\n{spines}{cables}",
        units=[{"name": f"u{n}", "hosts": f"h{n}x[1-2]"} for n in range(1, 7)],
        spines={"count": 6, "links_per_leaf": 1},
    )
    row, links = built.switch_row, network(built).links
    ends = [(row[f"u{n}-rail0"], row[f"spine0{1 + x}"]) for n, (x,) in enumerate(CROSSED, 1)]
    kinds = same_of(built).links
    of_odd = kinds[links.rows(*np.array(ends).T)]
    assert len(ends) == (np.isin(kinds, of_odd) & (links.source < links.target)).sum()


def test_batches_of_failures_are_routed_anywhere_in_order() -> None:
    """Each batch, its work and its result are pickled."""
    built = fabric(f"devices:\n{OWN_SPINES}{off('u1-rail0')}{off('u2-rail1')}", **PODS)
    net = network(built)
    base = route(net)
    carried = uses(net, base)
    batches = []

    def mapped(work, items):
        for item in items:
            batches.append(item)
            far, there = pickle.loads(pickle.dumps((work, item)))
            yield pickle.loads(pickle.dumps(far(there)))

    with patch("fabric.topology.routes_failures._CHUNK", 1):
        grown = list(growing(net, base, carried, None, mapped))
    assert len(batches) > 10
    here = [(one.switch, *one.links) for one in growing(net, base, carried)]
    assert [(one.switch, *one.links) for one in grown] == here


#: Three leaves of six have lost one of two spines with an AS number each.
LOST = "".join(
    f"  - {{names: su{leaf}, ports: {{Ethernet128: {{enabled: false}}}}}}\n"
    for leaf in ("1-rail0", "1-rail1", "2-rail0")
)
OWN = f"devices:\n{LOST}  - {{names: spine02, asn: 65200}}\n"
UNITS = [{"name": f"su{n}", "hosts": f"h{n}x[1-2]"} for n in (1, 2, 3)]


def test_failures_that_grow_are_named_each_and_routed_once() -> None:
    """The cables of the three others to the spine that all have are of one kind."""
    built = fabric(OWN, units=UNITS)
    net = network(built)
    base = route(net)
    grown = list(growing(net, base, uses(net, base), alike(net)))
    assert len(grown) == 3
    with patch("fabric.qos.deadlock.bounces.after", side_effect=after) as routed:
        (coverage,) = coverages(built, (1,))
    assert routed.call_count == len({one.kind for one in grown}) == 1
    assert coverage.uncovered == tuple(failure_name(built, net, one) for one in grown)


def test_leaves_that_differ_in_class_alone_are_no_twins_to_the_proof() -> None:
    """Without the first cable the last leaf is in the circle, which it ends; without the last not.

    The last leaf has another priority than its spine.
    """
    odd = "  - {names: su3-rail1, ports: {Ethernet128: {lossless: {pfc_priority: 4}}}}\n"
    built = fabric(OWN + odd, units=UNITS)
    proof = prove(built)
    assert (proof.free, proof.failure) == (False, "su3-rail1 Ethernet136 to spine02 Ethernet40")
    assert first_circle(built, PolicyResolver(built.intent)) == proof.failure
