"""What is computed once for many, against the same computed for each."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fabric.topology.links import Links
from fabric.topology.partition import reached_in, ways_in
from fabric.topology.paths import Layers, Pairs, meets, path_counts, product
from fabric.topology.routes import Network, route
from fabric.topology.routes_bits import unpack
from fabric.topology.twins import distinct_rows, once_per_kind, twins
from tests.cases import examples

#: AS numbers of leaves, spines and super-spines: each its own, or one for each pod or tier.
PLANS = ("own", "pods", "tiers", "leaves share")


@st.composite
def networks(draw) -> Network:
    """Return pods of leaves and spines below super-spines, with some cables cut."""
    pods, leaves = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    spines, cores = draw(st.integers(1, 4)), draw(st.integers(0, 4))
    plan, allowed = draw(st.sampled_from(PLANS)), draw(st.integers(0, 2))
    leaf, spine = np.arange(pods * leaves), pods * leaves + np.arange(pods * spines)
    core = pods * (leaves + spines) + np.arange(cores)
    cables = [
        (pod * leaves + low, pods * leaves + pod * spines + high)
        for pod in range(pods)
        for low in range(leaves)
        for high in range(spines)
    ]
    cables += [(low, high) for low in spine.tolist() for high in core.tolist()]
    cables += draw(st.lists(st.sampled_from(cables), max_size=3))
    cut = draw(st.sets(st.integers(0, len(cables) - 1), max_size=4))
    left = [one for place, one in enumerate(cables) if place not in cut]
    ends = np.array(left, dtype=np.int64).reshape(-1, 2)
    asn = np.arange(len(leaf) + len(spine) + cores)
    if plan == "pods":
        asn[spine] = 1000 + np.arange(len(spine)) // spines
        asn[core] = 999
    if plan == "tiers":
        asn[spine], asn[core] = 1000, 999
    if plan == "leaves share":
        asn[leaf[: draw(st.integers(0, len(leaf)))]] = 2000
    is_leaf = np.arange(len(asn)) < len(leaf)
    links = Links.between(ends[:, 0], ends[:, 1], len(asn))
    return Network(links, asn, leaf, is_leaf, np.where(is_leaf, allowed, 0))


@examples(300)
@given(networks())
def test_routes_of_twins_are_those_of_all_leaves(net: Network) -> None:
    count = len(net.origin)
    every = unpack(route(net).known[-1], count)[:count]
    assert np.array_equal(ways_in(net, count), every)
    assert np.array_equal(reached_in(net, count), every & every.T)


@examples(200)
@given(networks())
def test_swapping_two_twins_changes_nothing(net: Network) -> None:
    first, kind = twins(net)
    links = {(a, b): n for a, b, n in zip(*map(list, _columns(net)), strict=True)}
    for switch, twin in enumerate(first[kind].tolist()):
        swap = {switch: twin, twin: switch}
        swapped = {(swap.get(a, a), swap.get(b, b)): n for (a, b), n in links.items()}
        assert swapped == links
        same = net.asn == net.asn[switch]
        assert net.asn[twin] == net.asn[switch] or same.sum() == 1


def _columns(net: Network) -> tuple[list[int], ...]:
    links = net.links
    return links.source.tolist(), links.target.tolist(), links.cables.tolist()


def test_twins_of_a_pod() -> None:
    """Four leaves below two spines; the fourth has lost a cable."""
    low, high = np.repeat(np.arange(4), 2)[:-1], np.tile([4, 5], 4)[:-1]
    asn = np.array([1, 2, 3, 4, 9, 9])
    net = Network(
        Links.between(low, high, 6), asn, np.arange(4), np.arange(6) < 4, np.zeros(6, dtype=int)
    )
    _, kind = twins(net)
    assert kind[0] == kind[1] == kind[2]
    assert len({kind[0], kind[3], kind[4], kind[5]}) == 4


tables = st.tuples(
    st.integers(0, 90), st.integers(0, 90), st.integers(1, 7), st.integers(0, 2**32 - 1)
)


@examples(100)
@given(tables)
def test_products_of_few_kinds_are_exact(sizes: tuple[int, int, int, int]) -> None:
    rows, columns, inner, seed = sizes
    draw = np.random.default_rng(seed)
    kinds = draw.integers(0, 3, (4, inner))
    left = kinds[draw.integers(0, 4, rows)].reshape(rows, inner)
    right = kinds[draw.integers(0, 4, columns)].reshape(columns, inner).T
    assert np.array_equal(product(left, right), left @ right)
    assert np.array_equal(meets(left > 1, right > 0), (left > 1).astype(int) @ (right > 0) > 0)


@examples(100)
@given(tables)
def test_distinct_rows_give_the_table_back(sizes: tuple[int, int, int, int]) -> None:
    rows, _, inner, seed = sizes
    table = np.random.default_rng(seed).integers(0, 2, (rows, inner))
    for kind in (np.bool_, np.int64, np.float32):
        typed = table.astype(kind)
        first, number = distinct_rows(typed)
        assert np.array_equal(typed[first][number], typed)
        assert len(first) == len({tuple(row) for row in typed.tolist()})


def test_equal_sums_of_different_rows_are_told_apart(monkeypatch) -> None:
    table = np.eye(80, dtype=np.int64)
    monkeypatch.setattr("fabric.topology.twins._words", lambda rows: np.zeros((80, 1), np.uint64))
    assert np.array_equal(distinct_rows(table)[0], np.arange(80))
    assert np.array_equal(once_per_kind(np.matmul, table, table), table)


@examples(150)
@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_pairs_that_are_alike_count_as_all(leaves: int, spines: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    kinds = draw.integers(0, 2, (2, spines))
    layers = Layers(
        (kinds[draw.integers(0, 2, leaves)],), (np.eye(leaves, dtype=np.bool_),), np.eye(leaves) > 0
    )
    pairs = Pairs.of(layers)
    every = path_counts(layers)[np.triu_indices(leaves, k=1)]
    some = path_counts(pairs.layers)[pairs.place]
    assert np.array_equal(np.sort(np.repeat(some, pairs.count)), np.sort(every))
    assert np.array_equal(path_counts(layers)[pairs.leaf, pairs.other], some)
