"""Choices that are scored many at a time, against each by itself."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.placement.engine.batch import Batch, Links
from fabric.placement.engine.demand import Demand
from fabric.placement.engine.engine import Engine
from fabric.placement.engine.query import Query
from fabric.placement.engine.request import resolve
from fabric.placement.engine.seats import seats
from fabric.placement.engine.traffic import parse_traffic
from tests.cases import each
from tests.placement.instances import ASKED, SMALL, Shape, any_small, built, crossed, state

CHOICES = 6
SHAPES = (
    *SMALL,
    Shape((4,) * 6, 2, 2, 400, 1, 3, 4),
    Shape((2, 3, 2, 3), 2, 2, pods=2, supers=4),
    Shape((3, 4, 3, 2), 2, 2, pods=2),
)


def choices_of(random: np.random.Generator, room: np.ndarray, nodes: int) -> np.ndarray:
    """Return any hosts, and neighbouring ones, by group."""
    group = np.repeat(np.arange(len(room)), room)
    first = random.integers(0, len(group) - nodes + 1, CHOICES)
    picked = [random.permutation(group)[:nodes] for _ in first]
    picked += [group[at : at + nodes] for at in first.tolist()]
    return np.array([np.bincount(one, minlength=len(room)) for one in picked])


@each("seed", range(30))
def test_scores_are_those_of_each_choice(seed: int) -> None:
    """Damaged fabrics with other jobs; of pods, some without a way between them."""
    shape = SHAPES[seed // 2 % len(SHAPES)] if seed % 2 else any_small(seed)
    fabric, random = built(shape), np.random.default_rng(seed)
    engine, every = Engine(fabric, state(fabric, seed)), np.ones(len(fabric.hosts), dtype=np.bool_)
    index = engine.index
    nodes = int(random.integers(2, len(fabric.hosts)))
    for kind in (*ASKED, "pipeline"):
        query = Query(nodes, traffic=parse_traffic(kind))
        request = resolve(fabric, query)
        supply = index.supply(request.columns)
        demand = Demand.of(query.traffic, nodes, request.gpus, supply.leaves)
        batch = Batch(supply, demand, index.numbers, Links.of(index.numbers, index.background))
        assert batch.fits
        choices = choices_of(random, np.bincount(index.groups.of_host), nodes)
        scores = batch.scores(choices)
        for counts, lost, load in zip(choices, *scores, strict=True):
            rows = seats(index.groups, counts, np.zeros(len(every)), every, block=None)
            own = index.loads(supply, demand, rows)
            assert (lost > 0) == (own.lost > 0)
            shared = (own.load + index.background[own.link]).max(initial=0.0)
            assert load == pytest.approx(np.inf if own.lost else shared, abs=1e-12)


def test_hosts_that_share_a_leaf_are_scored_one_by_one() -> None:
    fabric = crossed(built(Shape((4, 3, 4), spines=2, uplink_gbps=200)), 1)
    index = Engine(fabric).index
    request = resolve(fabric, Query(4))
    supply = index.supply(request.columns)
    demand = Demand.of(Query(4).traffic, 4, request.gpus, supply.leaves)
    assert not Batch(supply, demand, index.numbers, index.links).fits
