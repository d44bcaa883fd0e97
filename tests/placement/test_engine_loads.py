"""Loads of links against a naive count, flow by flow; least cuts, trees and fair rates."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.placement.engine.demand import Demand
from fabric.placement.engine.fair import SharedLinks
from fabric.placement.engine.index import Index
from fabric.placement.engine.layout import Layout
from fabric.placement.engine.load import Loads
from fabric.placement.engine.state import State
from fabric.placement.engine.traffic import Collective, Traffic, exchanges, parse_traffic
from tests.cases import each, examples
from tests.placement.instances import Shape, built, state

FLAT = Shape((3, 4, 2, 4), spines=3)
PODS = Shape((2, 3, 2, 3), spines=2, pods=2, supers=4)
TRAFFICS = ("ring", "tree", "all-to-all", "pipeline", "ring:3,all-to-all:1,tree:2")


def volumes(traffic: Traffic, nodes: int, gpus: int) -> np.ndarray:
    """Return what each host sends to each other one, by loops over ranks."""
    total = np.zeros((nodes, nodes))
    for part in exchanges(traffic, nodes, gpus):
        sent = np.zeros((nodes, nodes))
        for members in part.members.tolist():
            for source, target in flows(part.kind, len(members)):
                if members[source] != members[target]:
                    sent[members[source], members[target]] += 1
        if sent.any():
            total += part.weight * sent / sent.sum(axis=1).max()
    return total


def flows(kind: Collective, ranks: int) -> list[tuple[int, int]]:
    """Return who sends to whom in a communicator."""
    if kind is Collective.RING:
        return [(rank, (rank + 1) % ranks) for rank in range(ranks)]
    if kind is Collective.ALL_TO_ALL:
        return [(one, other) for one in range(ranks) for other in range(ranks)]
    if kind is Collective.PIPELINE:
        pairs = [(rank, rank + 1) for rank in range(ranks - 1)]
    else:
        pairs = [pair for tree in range(2) for pair in parents(ranks, tree)]
    return pairs + [(other, one) for one, other in pairs]


def parents(ranks: int, tree: int) -> list[tuple[int, int]]:
    """Return children with parents as NCCL's ncclGetBtree and ncclGetDtree find them."""
    found = []
    for rank in range(1, ranks):
        bit = 1
        while not bit & rank:
            bit <<= 1
        up = (rank ^ bit) | (bit << 1)
        up = rank ^ bit if up >= ranks else up
        if tree and ranks % 2:
            found.append(((rank + 1) % ranks, (up + 1) % ranks))
        elif tree:
            found.append((ranks - 1 - rank, ranks - 1 - up))
        else:
            found.append((rank, up))
    return found


def naive(index: Index, traffic: Traffic, rows: list[int]) -> dict[int, float]:
    """Return the loads by link number, one flow after the other."""
    groups = index.groups
    sent = volumes(traffic, len(rows), index.fabric.rails)
    gbps: dict[tuple[int, int, int], float] = defaultdict(float)
    for (i, j), volume in np.ndenumerate(sent):
        one, two = (int(groups.of_host[rows[k]]) for k in (i, j))
        for column in range(index.fabric.rails):
            ends = [(int(groups.leaf[k, column]), int(groups.pod[k])) for k in (one, two)]
            if ends[0][0] != ends[1][0] and volume:
                for link, part in ways(index, ends):
                    gbps[link] += part * volume * groups.speed_gbps[one, column]
    return {
        link_number(index, link): rate / capacity(index, link)
        for link, rate in gbps.items()
        if rate
    }


def capacity(index: Index, link: tuple[int, int, int]) -> float:
    """Return the Gb/s of a link; pod -1 holds the super-spines."""
    mesh = index.numbers.mesh
    table = mesh.super_gbps if link[0] < 0 else mesh.pods[link[0]].gbps
    return float(table.reshape(-1)[link[1]])


def link_number(index: Index, link: tuple[int, int, int]) -> int:
    """Return the number of a link."""
    return int(2 * (index.numbers.first[link[0]] + link[1]) + link[2])


def ways(index: Index, ends: list[tuple[int, int]]) -> list[tuple[tuple[int, int, int], float]]:
    """Return the links of a flow between two leaves, and its share on each."""
    mesh = index.numbers.mesh
    (x, p), (y, q) = ((int(mesh.place[leaf]), pod) for leaf, pod in ends)
    first, last = mesh.pods[p], mesh.pods[q]
    shares: list[tuple[tuple[int, int, int], float]] = []
    spines = len(first.spines)
    if p == q:
        common = [s for s in range(spines) if first.gbps[x, s] * first.gbps[y, s]]
        whole = sum(first.gbps[x, s] for s in common)
        for s in common:
            part = first.gbps[x, s] / whole
            shares += [((p, x * spines + s, 0), part), ((p, y * spines + s, 1), part)]
        return shares
    lanes = [k for k in range(mesh.lanes) if mesh.to_lane[p][x, k] * mesh.to_lane[q][y, k]]
    whole = sum(mesh.to_lane[p][x, k] for k in lanes)
    for k in lanes:
        part = mesh.to_lane[p][x, k] / whole
        above = mesh.super_gbps
        reach = [u for u in mesh.in_lane[k].tolist() if u >= 0 and above[p, u] * above[q, u]]
        for u in reach:
            own = part * above[p, u] / above[p, reach].sum()
            supers = len(mesh.supers)
            shares += [((-1, p * supers + u, 0), own), ((-1, q * supers + u, 1), own)]
        for way, number, leaf, pod in ((0, p, x, first), (1, q, y, last)):
            for s in np.flatnonzero(pod.lane == k).tolist():
                own = part * pod.gbps[leaf, s] / mesh.to_lane[number][leaf, k]
                shares.append(((number, leaf * spines + s, way), own))
    return shares


@examples(60)
@given(st.data())
def test_loads_are_those_of_every_single_flow(data: st.DataObject) -> None:
    fabric = built(data.draw(st.sampled_from([FLAT, PODS])))
    damage = state(fabric, data.draw(st.integers(0, 10_000)))
    index = Index(fabric, State(damage.conditions))
    nodes = data.draw(st.integers(2, len(fabric.hosts)))
    rows = data.draw(st.permutations(range(len(fabric.hosts))))[:nodes]
    traffic = parse_traffic(data.draw(st.sampled_from(TRAFFICS)))
    supply = index.supply(np.arange(fabric.rails))
    demand = Demand.of(traffic, nodes, fabric.rails, fabric.rails)
    own = index.loads(supply, demand, np.array(rows))
    if np.isinf(own.load).any():
        return
    expected = naive(index, traffic, rows)
    assert dict(zip(own.link.tolist(), own.load.tolist(), strict=True)) == pytest.approx(expected)


@each("ranks", range(2, 40))
def test_trees_are_those_of_nccl(ranks: int) -> None:
    demand = Demand.of(parse_traffic("tree"), ranks, 1, 1)
    pairs = sorted(zip(demand.edges.source.tolist(), demand.edges.target.tolist(), strict=True))
    assert pairs == sorted(flows(Collective.TREE, ranks))
    sent = np.bincount(demand.edges.source, weights=demand.edges.volume)
    assert sent.max() == pytest.approx(1)


LAYOUTS = (
    {"tp": 2, "dp": 6},
    {"tp": 2, "pp": 2, "dp": 3},
    {"dp": 12, "ep": 4},
    {"tp": 4, "cp": 3},
    {"dp": 4, "pp": 3, "ep": 2},
)


@examples(40)
@given(st.sampled_from([*TRAFFICS, *LAYOUTS]), st.integers(1, 5))
def test_no_hosts_send_less_than_the_least_cut(kind: object, count: int) -> None:
    """Of any x of six hosts: what they send to the others is at least the cut of x."""
    traffic = (
        parse_traffic(kind)
        if isinstance(kind, str)
        else Traffic(parse_traffic("ring").shares, Layout(kind))  # type: ignore[arg-type]
    )
    demand, sent = Demand.of(traffic, 6, 2, 2), volumes(traffic, 6, 2)
    out = [
        sent[np.ix_(chosen, [host for host in range(6) if host not in chosen])].sum()
        for chosen in combinations(range(6), count)
    ]
    assert demand.cut[count] <= min(out) + 1e-9
    if traffic.layout is None and kind in {"ring", "all-to-all"}:
        assert demand.cut[count] == pytest.approx(min(out))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_volumes_of_a_layout(layout: dict[str, int]) -> None:
    """Between hosts as groups of their own: what loops over ranks count."""
    traffic = Traffic(parse_traffic("ring").shares, Layout(layout))
    demand = Demand.of(traffic, 6, 2, 2)
    assert demand.on_rail(np.arange(6), 6) == pytest.approx(volumes(traffic, 6, 2))


@pytest.mark.parametrize(
    ("sizes", "weights", "error"),
    [
        ({"tp": 8, "dp": 2}, {}, "= 16, but 2 nodes with 4 GPUs are 8 ranks"),
        ({"tp": 2, "dp": 4, "ep": 3}, {}, "ep=3 does not divide dp=4"),
    ],
)
def test_layouts_that_do_not_fit(
    sizes: dict[str, int], weights: dict[str, float], error: str
) -> None:
    with pytest.raises(ValueError, match=error):
        exchanges(Traffic(((Collective.RING, 1.0),), Layout(sizes, weights)), 2, 4)


def test_weights_of_a_layout() -> None:
    """Three times the bytes in the data parallel ring; tensor parallel stays in the host."""
    layout = Layout({"tp": 2, "dp": 3, "pp": 2}, {"tp": 100, "dp": 3, "pp": 1})
    parts = exchanges(Traffic(((Collective.RING, 1.0),), layout), 6, 2)
    assert [(part.kind.value, part.weight) for part in parts] == [
        ("ring", 0.75),
        ("pipeline", 0.25),
    ]


def job(**loads: float) -> Loads:
    return Loads(
        np.array([int(link[1:]) for link in loads], dtype=np.int64),
        np.array(list(loads.values())),
    )


def _fair_rates(jobs: list[Loads]) -> list[float]:
    carried: dict[int, float] = defaultdict(float)
    for loads in jobs:
        for link, load in zip(loads.link.tolist(), loads.load.tolist(), strict=True):
            carried[link] += load
    size = max(carried, default=-1) + 1
    return SharedLinks(jobs, np.array([carried[link] for link in range(size)])).rates().tolist()


@pytest.mark.parametrize(
    ("jobs", "rates"),
    [
        ([job(l1=0.5)], [1]),
        ([job(l1=2.0)], [0.5]),
        ([job()], [1]),
        ([job(l1=1.0), job(l1=1.0)], [0.5, 0.5]),
        ([job(l1=1.0, l2=0.1), job(l1=1.0), job(l2=1.0)], [0.5, 0.5, 0.95]),
        ([job(l1=4.0), job(l1=1.0, l2=1.0), job(l2=1.0)], [0.2, 0.2, 0.8]),
        ([job(l1=float("inf")), job(l1=1.0)], [0, 1]),
    ],
)
def test_fair_rates_by_hand(jobs: list[Loads], rates: list[float]) -> None:
    assert _fair_rates(jobs) == pytest.approx(rates)


@pytest.mark.parametrize(
    ("nic_load", "rates"),
    [(0.0, [0.5, 0.5]), (1.0, [0.5, 0.5]), (4.0, [0.25, 0.75]), (float("inf"), [0, 1])],
)
def test_a_job_with_slow_nics_leaves_more_to_others(nic_load: float, rates: list[float]) -> None:
    shared = SharedLinks([job(l0=1.0)], np.array([1.0]))
    assert shared.rates(job(l0=1.0), nic_load) == pytest.approx(rates)


@examples(80)
@given(
    st.lists(
        st.dictionaries(st.integers(0, 4), st.floats(0.01, 3), min_size=1),
        min_size=1,
        max_size=5,
    )
)
def test_rates_are_max_min_fair(uses: list[dict[int, float]]) -> None:
    """No link is over-full, and each slowed job has a full link where no other is faster."""
    jobs = [Loads(np.array(list(use)), np.array(list(use.values()))) for use in uses]
    rates = _fair_rates(jobs)
    carried: dict[int, float] = defaultdict(float)
    for use, rate in zip(uses, rates, strict=True):
        for link, load in use.items():
            carried[link] += load * rate
    assert max(carried.values()) <= 1 + 1e-6
    for use, rate in zip(uses, rates, strict=True):
        if rate < 1 - 1e-6:
            full = [link for link in use if carried[link] > 1 - 1e-6]
            assert any(
                all(rate >= other - 1e-6 for there, other in zip(uses, rates, strict=True)
                    if link in there)
                for link in full
            )  # fmt: skip
