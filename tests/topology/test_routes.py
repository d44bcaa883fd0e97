"""Routing of all leaves at once, against a slow simulation of BGP for one destination at a time."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology.links import Links
from fabric.topology.routes import Network, network, route, transit_leaves, uses
from fabric.topology.routes_bits import no_bits, set_bits, unpack
from fabric.topology.routes_failures import Failure, after, alone, growing
from tests.cases import examples
from tests.topology.bits import pack
from tests.topology.fabrics import example, fabric

Cable = tuple[int, int]
Hop = tuple[int, int]
SPINE = 65100


def made(leaves: int, cables: list[Cable], asns: list[int], allowed: int = 0) -> Network:
    """Return a network of leaves (rows below ``leaves``) and spines."""
    usable = [(left, right) for left, right in cables if asns[left] != asns[right]]
    ends = np.array(usable, dtype=np.int64).reshape(-1, 2)
    return Network(
        Links.between(ends[:, 0], ends[:, 1], len(asns)),
        np.array(asns),
        np.arange(leaves),
        np.arange(len(asns)) < leaves,
        np.where(np.arange(len(asns)) < leaves, allowed, 0),
    )


def simulated(
    net: Network, cables: set[Cable], destination: int, prefer: random.Random
) -> set[Hop]:
    """Return the next hops of all switches to one leaf, as BGP routers agree on them.

    Every router tells its neighbours one of its shortest paths; which one is up to ``prefer``.
    """
    asns, allowed = net.asn.tolist(), net.allowed.tolist()
    peers: dict[int, list[int]] = {row: [] for row in range(len(asns))}
    for left, right in cables:
        if asns[left] != asns[right]:
            peers[left].append(right)
            peers[right].append(left)
    for known in peers.values():
        prefer.shuffle(known)
    best: dict[int, tuple[int, ...]] = {destination: ()}
    hops: set[Hop] = set()
    for _ in range(2 * len(asns) + 2):
        reported = {row: (asns[row], *path) for row, path in best.items()}
        now: dict[int, tuple[int, ...]] = {destination: ()}
        chosen: set[Hop] = set()
        for row, others in peers.items():
            taken = [
                x for x in others if x in reported and reported[x].count(asns[row]) <= allowed[row]
            ]
            if row == destination or not taken:
                continue
            shortest = min(len(reported[x]) for x in taken)
            equal = [x for x in taken if len(reported[x]) == shortest]
            now[row] = reported[equal[0]]
            chosen |= {(row, x) for x in equal}
        if now == best and chosen == hops:
            return hops
        best, hops = now, chosen
    pytest.fail("the simulated routers do not agree")


def travelled(hops: set[Hop], leaves: int, destination: int) -> set[Hop]:
    """Return the hops that traffic from some leaf takes."""
    seen: set[Hop] = set()
    at = [row for row in range(leaves) if row != destination]
    while at:
        row = at.pop()
        for hop in hops:
            if hop[0] == row and hop not in seen:
                seen.add(hop)
                at.append(hop[1])
    return seen


def hops_of(net: Network, bits, column: int) -> set[Hop]:
    rows = np.flatnonzero(unpack(bits, len(net.origin))[:, column])
    return set(zip(net.links.source[rows].tolist(), net.links.target[rows].tolist(), strict=True))


@st.composite
def clos(draw: st.DrawFn, schemes: tuple[str, ...]) -> tuple[int, list[Cable], list[int]]:
    """Return leaves, cables and AS numbers of a two-tier fabric with some cables missing."""
    leaves, spines = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    every = [(leaf, leaves + spine) for leaf in range(leaves) for spine in range(spines)]
    missing = draw(st.sets(st.sampled_from(every), max_size=min(6, len(every))))
    cables = [pair for pair in every if pair not in missing]
    scheme = draw(st.sampled_from(schemes))
    asns = [65101 + leaf for leaf in range(leaves)]
    if scheme == "one spine AS":
        asns += [SPINE] * spines
    elif scheme == "all different":
        asns += [64600 + spine for spine in range(spines)]
    elif scheme == "some spines alike":
        asns += [draw(st.integers(64600, 64602)) for _ in range(spines)]
    elif scheme == "two tiers, two ASes":
        asns = [65101] * leaves + [SPINE] * spines
    elif scheme == "one leaf AS":
        asns = [65101] * leaves + [64600 + spine for spine in range(spines)]
    elif scheme == "leaf pairs":
        asns = [65101 + leaf // 2 for leaf in range(leaves)] + [SPINE] * spines
    else:
        asns = [draw(st.integers(64600, 64604)) for _ in range(leaves + spines)]
    return leaves, cables, asns


EXACT = ("one spine AS", "all different", "two tiers, two ASes")
ANY = (*EXACT, "some spines alike", "one leaf AS", "leaf pairs", "random")
ALLOWED = st.integers(0, 2)


@given(clos(EXACT), ALLOWED, st.integers(0, 10**6))
@examples(200)
def test_same_as_simulated_routers(case, allowed, seed):
    leaves, cables, asns = case
    net = made(leaves, cables, asns, allowed)
    routing = route(net)
    carried = uses(net, routing)
    for column in range(leaves):
        hops = simulated(net, set(cables), column, random.Random(seed))
        assert hops_of(net, routing.next_hops, column) == hops
        assert hops_of(net, routing.certain, column) == hops
        assert hops_of(net, carried, column) == travelled(hops, leaves, column)


@given(clos(ANY), ALLOWED, st.integers(0, 10**6))
@examples(200)
def test_whatever_the_routers_tell_each_other_is_expected(case, allowed, seed):
    leaves, cables, asns = case
    net = made(leaves, cables, asns, allowed)
    routing = route(net)
    known = [unpack(level, leaves) for level in routing.known]
    for column in range(leaves):
        certain = hops_of(net, routing.certain, column)
        for turn in range(5):
            hops = simulated(net, set(cables), column, random.Random(seed + turn))
            assert hops <= hops_of(net, routing.next_hops, column)
            reached = {source for source, _ in hops} | {column}
            sure = np.flatnonzero(known[-1][:, column]).tolist()
            assert set(sure) <= reached
            # a certain next hop is used whenever nothing shorter turned up
            assert {source for source, _ in certain} == set(sure) - {column}


def growth(net: Network) -> tuple[set[tuple[int, ...]], set[tuple[int, ...]]]:
    """Return the growing failures by the shortcut, and by routing every failure again."""
    base, links = route(net), net.links
    carried = uses(net, base)
    grown = {(f.switch, *sorted(f.links.tolist())) for f in growing(net, base, carried)}
    singles = [Failure(np.array([row, links.reverse[row]])) for row in alone(net)]
    singles += [Failure(links.of(switch), switch) for switch in range(links.switches)]
    expected = {
        (failure.switch, *sorted(failure.links.tolist()))
        for failure in singles
        if (after(net, failure) & ~carried).any()
    }
    return grown, expected


@given(clos(EXACT), ALLOWED)
@examples(150)
def test_growing_failures_are_all_and_only_those(case, allowed):
    grown, expected = growth(made(*case, allowed))
    assert grown == expected


@given(clos(ANY), ALLOWED, st.integers(0, 10**6))
@examples(150)
def test_no_failure_that_does_not_grow_adds_traffic(case, allowed, seed):
    """Routed again, a failure may seem to grow by a path that nobody takes; the routers decide."""
    leaves, cables, _ = case
    net = made(*case, allowed)
    carried = uses(net, route(net))
    grown, expected = growth(net)
    assert grown <= expected
    for switch, *rows in sorted(expected - grown):
        down = set(zip(net.links.source[rows], net.links.target[rows], strict=True))
        rest = {cable for cable in cables if cable not in down}
        for column in set(range(leaves)) - {switch}:
            hops = simulated(net, rest, column, random.Random(seed))
            assert travelled(hops, leaves, column) <= hops_of(net, carried, column)


@pytest.mark.parametrize(
    ("leaves", "spines", "asns"),
    [
        (3, [(1, 2), (0, 1), (0, 2)], [65101, 65102, 65103, 1, 2, 3]),
        (3, [(0, 2), (0, 1, 2), (0, 1, 2)], [2, 4, 1, 5, 5, 2]),
        (
            5,
            [(1, 3, 4), (1, 2, 4), (1,), (0, 2, 4), (0, 2, 3, 4)],
            [4, 6, 6, 8, 1, 7, 3, 1, 5, 8],
        ),
    ],
    ids=["a switch", "the reverse direction only", "a late neighbour"],
)
def test_growth_that_is_seen_in_one_way_only(leaves, spines, asns):
    """Small networks in which one step of the shortcut alone finds some failure."""
    cables = [(leaf, leaves + spine) for leaf in range(leaves) for spine in spines[leaf]]
    grown, expected = growth(made(leaves, cables, asns))
    assert grown == expected != set()


@given(clos(ANY), ALLOWED)
@examples(60)
def test_routing_after_a_failure_is_that_of_the_smaller_network(case, allowed):
    leaves, cables, asns = case
    net = made(leaves, cables, asns, allowed)
    base = route(net)
    for failure in growing(net, base, uses(net, base)):
        first = failure.links[0]
        ends = {int(net.links.source[first]), int(net.links.target[first])}
        lost = {failure.switch} if failure.switch >= 0 else ends
        rest = [pair for pair in cables if not lost <= {*pair}]
        smaller = made(leaves, rest, asns, allowed)
        now, then = after(net, failure), uses(smaller, route(smaller))
        for column in range(leaves):
            if column != failure.switch:
                assert hops_of(net, now, column) == hops_of(smaller, then, column)


@given(st.integers(0, 3), st.integers(1, 200), st.integers(0, 10**6))
def test_bits_keep_their_columns(rows, columns, seed):
    values = np.random.default_rng(seed).random((rows, columns)) < 0.5
    assert np.array_equal(unpack(pack(values), columns), values)
    other = no_bits(rows, columns)
    set_bits(other, *np.nonzero(values))
    assert np.array_equal(other, pack(values))


def bounced(**changes):
    """Four leaves, two spines; su1-rail0 has no cable to spine01, su1-rail1 none to spine02."""
    cut = (
        "devices:\n"
        "  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}\n"
        "  - {names: su1-rail1, ports: {Ethernet136: {enabled: false}}}\n"
        "  - {names: spine02, asn: %d}\n"
    )
    return fabric(cut % changes.pop("asn"), **changes)


@pytest.mark.parametrize("name", ["demo", "rail-512", "a100-pcie", "eight-slash-27"])
def test_examples_go_up_once_and_down_once(name):
    made_of = example(name)
    net = network(made_of)
    routing = route(net)
    assert transit_leaves(net, uses(net, routing)).size == 0
    leaves = made_of.switches.leaf_count
    hops = unpack(routing.next_hops, leaves)
    spines = len(made_of.switches) - leaves
    from_leaf = net.links.source < leaves
    assert hops[from_leaf].sum() == leaves * (leaves - 1) * spines
    assert hops[~from_leaf].sum() == leaves * spines
    assert net.links.cables.sum() == 2 * len(made_of.uplinks)


def test_spines_of_one_as_give_no_way_over_a_leaf():
    net = network(bounced(asn=SPINE))
    carried = uses(net, route(net))
    assert transit_leaves(net, carried).size == 0
    assert (1, 4) not in hops_of(net, carried, 0)  # su1-rail1 does not reach su1-rail0


def test_spines_of_two_as_make_leaves_transit():
    net = network(bounced(asn=65200))
    carried = uses(net, route(net))
    assert transit_leaves(net, carried).tolist() == [2, 3]
    assert hops_of(net, carried, 0) >= {(1, 4), (4, 2), (4, 3), (2, 5), (3, 5), (5, 0)}


def test_cable_between_switches_of_one_as_carries_no_route():
    net = network(fabric("devices:\n  - {names: su1-rail0, asn: 65100}\n"))
    assert net.links.of(0).size == 0


def test_disabled_cables_and_parallel_cables():
    cut = "devices:\n  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}\n"
    net = network(fabric(cut, spines={"count": 2, "links_per_leaf": 2}))
    to_spine01, to_spine02 = net.links.rows(np.array([0, 0]), np.array([4, 5])).tolist()
    assert net.links.cables[[to_spine01, to_spine02]].tolist() == [1, 2]
    assert alone(net).tolist() == [to_spine01]
    assert net.links.rows(np.array([0]), np.array([1])).tolist() == [-1]


def test_no_cable_at_all():
    net = made(2, [], [65101, 65102, SPINE])
    routing = route(net)
    assert uses(net, routing).shape == (0, 1)
    assert list(growing(net, routing, uses(net, routing))) == []


def test_unions_and_counts_against_plain_loops():
    net = made(3, [(0, 3), (1, 3), (2, 3), (0, 4), (2, 4)], [1, 2, 3, 4, 4])
    values = np.random.default_rng(1).random((len(net.links), 70)) < 0.4
    once, twice = (unpack(bits, 70) for bits in net.links.once_and_twice(pack(values)))
    out = unpack(net.links.union_by_source(pack(values)), 70)
    into = unpack(net.links.union_by_target(pack(values)), 70)
    for switch in range(5):
        count = values[net.links.source == switch].sum(axis=0)
        assert np.array_equal(once[switch], count >= 1)
        assert np.array_equal(out[switch], count >= 1)
        assert np.array_equal(twice[switch], count >= 2)
        assert np.array_equal(into[switch], values[net.links.target == switch].any(axis=0))


def test_links_are_sorted_and_reversed():
    net = made(3, [(2, 3), (0, 3), (1, 3), (0, 3)], [1, 2, 3, 4])
    keys = list(zip(net.links.source.tolist(), net.links.target.tolist(), strict=True))
    assert all(near < far for near, far in pairwise(keys))
    assert [keys[row] for row in net.links.reverse] == [(b, a) for a, b in keys]
