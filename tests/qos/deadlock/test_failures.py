"""Two failures, any failures, and repair by classes, against routes that are written out."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given

from fabric.intent.resolve import PolicyResolver
from fabric.qos.deadlock import prove
from fabric.qos.deadlock.bounces import coverage, coverages, most_bounces
from fabric.qos.deadlock.pairs import Pairs, _chosen, pairs
from fabric.qos.deadlock.updown import turning
from fabric.topology.routes import network, route, uses
from tests.cases import examples
from tests.qos.deadlock.test_proof import (
    CUT1,
    CUT2,
    TWO_AS,
    cables_of,
    inventories,
    routes_of,
    small,
)
from tests.qos.deadlock.written import dependencies, find_cycle
from tests.topology.fabrics import EXAMPLES, example

ONE_EACH = {"count": 2, "links_per_leaf": 1}


def together(built, **limits) -> Pairs:
    return pairs(built, PolicyResolver(built.intent), **limits)


def marks(path: list[str], leaves: int) -> list[int]:
    """Return the class of each hop: one more at each leaf between two spines."""
    levels = [0 if name.startswith("h") else 1 + (int(name) >= leaves) for name in path]
    classes, own = [], 0
    for at, _ in enumerate(pairwise(path)):
        own += at > 0 and levels[at - 1] > levels[at] < levels[at + 1]
        classes.append(own)
    return classes


@given(inventories())
@examples(30)
def test_every_pair_as_written_out(case):
    """Where the AS numbers make routing exact, the verdict is that of all routes of all pairs."""
    spines, lines, often = case
    built = small(*lines, spines={"count": spines, "links_per_leaf": 1}, bgp={"allowas_in": often})
    net, cables = network(built), cables_of(built)
    lost = [{cable} for cable in cables]
    lost += [{c for c in cables if row in c} for row in range(len(net.asn))]
    found = together(built)
    assert found.total == math.comb(len(lost), 2)
    if len({*net.asn[:4].tolist()}) == 4:
        bad = any(
            find_cycle(dependencies(routes_of(cables - one - other, net, 4)))
            for one, other in combinations(lost, 2)
        )
        assert (found.cycle is not None) == bad
    if not turning(built, net).any():
        assert found.cycle is None
        assert found.checked == found.total


def test_two_failures_close_a_cycle_that_one_does_not():
    built = small(TWO_AS, spines=ONE_EACH)
    assert prove(built).free
    found = together(built)
    assert found.cycle
    assert len(found.failed) == 2
    assert turning(built, network(built)).sum() == 4


@pytest.mark.parametrize("name", [*EXAMPLES, "three-tier", "dual-plane", "dual-tor"])
def test_examples_never_turn(name):
    built = example(name)
    assert not turning(built, network(built)).any()
    (one,) = coverages(built, (1,))
    assert (one.covered, one.uncovered, one.now) == (one.failures, (), 0)


def test_a_sample_states_its_confidence():
    found = together(example("rail-512"), most=20)
    assert (found.total, found.checked, found.cycle) == (math.comb(24, 2), 20, None)
    assert found.share_below == pytest.approx(1 - 0.05 ** (1 / 20))
    assert (1 - found.share_below) ** 20 == pytest.approx(0.05)
    assert together(small(spines=ONE_EACH)).share_below == 0


def test_a_sample_has_different_pairs_of_all():
    every = set(combinations(range(40), 2))
    assert set(_chosen(40, len(every), len(every))) == every
    sample = list(_chosen(40, len(every), 700))
    assert len(set(sample)) == 700
    assert set(sample) <= every
    last = math.comb(4000, 2)
    assert all(0 <= a < b < 4000 for a, b in _chosen(4000, last, 5000))


@given(inventories())
@examples(30)
def test_classes_as_written_out(case):
    """Tagged routes are free of cycles, and turn at most as often as is said."""
    spines, lines, often = case
    built = small(*lines, spines={"count": spines, "links_per_leaf": 1}, bgp={"allowas_in": often})
    net = network(built)
    routes = routes_of(cables_of(built), net, 4)
    classes = [marks(path, 4) for path in routes]
    assert find_cycle(dependencies(routes, classes)) is None
    most = max((max(own) for own in classes), default=0)
    told = most_bounces(built, net, uses(net, route(net)))
    assert told >= most
    if len({*net.asn[:4].tolist()}) == 4:
        assert told == most


def test_more_classes_cover_more():
    built = small(CUT1, TWO_AS, spines=ONE_EACH)
    one, two = coverages(built, (1, 2))
    assert (one.now, one.classes, two.classes) == (0, 1, 2)
    assert 0 < one.covered < one.failures
    assert (two.covered, two.uncovered) == (two.failures, ())
    assert len(one.uncovered) == one.failures - one.covered
    assert coverage(built, 2) == two


def test_one_class_covers_nothing_where_paths_turn_already():
    one, two = coverages(small(CUT1, CUT2, TWO_AS), (1, 2))
    assert (one.now, one.covered) == (1, 0)
    assert two.covered == two.failures


def test_both_of_two_parallel_cables_are_a_pair():
    built = small(TWO_AS, spines={"count": 2, "links_per_leaf": 2})
    found = together(built)
    assert found.total == math.comb(6, 2) + 8  # switches, and links of two cables
    assert found.cycle is None


@pytest.mark.parametrize("classes", [0, 9])
def test_classes_that_pfc_does_not_have(classes):
    with pytest.raises(ValueError, match="classes must be 1 to 8"):
        coverage(small(), classes)


def test_paths_without_an_end_are_beyond_every_class():
    """A loop of next hops, as none that BGP has settled on: the count stops at eight."""
    built = small(TWO_AS, spines=ONE_EACH)
    net = network(built)
    carried = np.full_like(uses(net, route(net)), np.iinfo(np.uint64).max)
    assert most_bounces(built, net, carried) == 8
