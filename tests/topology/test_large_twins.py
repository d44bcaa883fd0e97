"""More than 64 leaves, with damage: equal rows, twins and kinds are computed once for many."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any
from unittest.mock import patch

import numpy as np

from fabric.topology import Fabric
from fabric.topology.clos import clos
from fabric.topology.distance import diameter
from fabric.topology.partition import reached
from fabric.topology.paths import Layers, Pairs, path_counts
from fabric.topology.routes import network, route, uses
from fabric.topology.routes_bits import unpack
from fabric.topology.routes_failures import after, growing
from fabric.topology.singles import SingleFailures
from fabric.topology.symmetry import alike
from fabric.topology.twins import twins
from tests.cases import each
from tests.topology.fabrics import fabric

SEEDS = range(6)
FEWEST = 65
SPINE = {"sku": "ACS-SN5600", "breakouts": [{"cages": "1-64", "mode": "2x400G"}]}
#: Failures of each fabric that are tried one by one.
TRIED = 25


@cache
def damaged(seed: int) -> Fabric:
    """Return 70 to 80 leaves of two rails, half of the fabrics with pods, with cables cut.

    Some leaves lose the same cables, and stay twins; a few have one AS number.
    """
    random = np.random.default_rng(seed)
    units, spines = int(random.integers(35, 41)), int(random.integers(2, 5))
    changes: dict[str, Any] = {
        "units": [{"name": f"u{n}", "hosts": f"h{n}x[1-2]"} for n in range(units)],
        "spines": {"count": spines, "links_per_leaf": 1},
        "bgp": {"allowas_in": int(random.integers(0, 3))},
        "platforms__spine": json.loads(json.dumps(SPINE)),
    }
    if seed % 2:
        for number, unit in enumerate(changes["units"]):
            unit["pod"] = f"p{number * 2 // units}"
        changes["super_spines"] = {
            "count": 2, "groups": 1, "links_per_spine": 1, "spines_per_pod": spines
        }  # fmt: skip
        changes["platforms__super_spine"] = json.loads(json.dumps(SPINE))
        changes["addressing__core_links"] = "10.253.0.0/16"
    whole = fabric(**changes)
    leaves = whole.switches.leaf_count
    devices: dict[str, dict[str, Any]] = {}
    for leaf in random.choice(leaves, 12, replace=False).tolist():
        cable = int(whole.uplinks_of(leaf)[int(random.integers(min(2, spines)))])
        port = whole.port_name(leaf, int(whole.uplinks.lower_port[cable]))
        devices[whole.switches.names[leaf]] = {"ports": {port: {"enabled": False}}}
    for leaf in random.choice(leaves, 3 if seed % 3 == 0 else 0, replace=False).tolist():
        devices.setdefault(whole.switches.names[leaf], {})["asn"] = 64900
    entries = [{"names": name, **value} for name, value in devices.items()]
    return fabric(json.dumps({"devices": entries}), **changes)


@each("seed", SEEDS)
def test_paths_are_those_without_a_shortcut(seed: int) -> None:
    now = clos(damaged(seed))
    assert now.leaves >= FEWEST
    layers = Layers.of(now)
    every, ends = path_counts(layers), np.triu_indices(now.leaves, k=1)
    pairs = Pairs.of(layers)
    some = path_counts(pairs.layers)[pairs.place]
    assert np.array_equal(np.sort(np.repeat(some, pairs.count)), np.sort(every[ends]))
    with patch("fabric.topology.twins._FEW", 10**9):
        plain = Layers.of(now)
        assert np.array_equal(plain.reach, layers.reach)
        assert np.array_equal(path_counts(plain), every)
        assert diameter(plain) == diameter(layers) == diameter(pairs.layers)


@each("seed", SEEDS)
def test_reach_is_that_of_the_routes_of_all_leaves(seed: int) -> None:
    built = damaged(seed)
    net, leaves = network(built), built.switches.leaf_count
    known = unpack(route(net).known[-1], leaves)[:leaves]
    assert np.array_equal(reached(built), known & known.T)
    first, _ = twins(net)
    assert len(first) < len(net.asn)


@each("seed", SEEDS)
def test_single_failures_are_those_of_a_fabric_without_the_cable(seed: int) -> None:
    now = clos(damaged(seed))
    before, every = Layers.of(now).reach, SingleFailures(now).cables()
    cables = np.flatnonzero(now.cables.up)
    worst = cables[np.argsort(-every.leaf_pairs[cables], kind="stable")][: TRIED // 2]
    random = np.random.default_rng(seed)
    for cable in {*worst.tolist(), *random.choice(cables, TRIED // 2).tolist()}:
        up = now.cables.up.copy()
        up[cable] = False
        left = Layers.of(replace(now, cables=replace(now.cables, up=up))).reach
        assert every.leaf_pairs[cable] == np.triu(before & ~left, k=1).sum()


@each("seed", SEEDS)
def test_failures_of_one_kind_do_the_same(seed: int) -> None:
    net = network(damaged(seed))
    base = route(net)
    carried = uses(net, base)
    kinds = list(growing(net, base, carried, alike(net)))
    every = [(one.switch, *one.links) for one in growing(net, base, carried, None)]
    assert [(one.switch, *one.links) for one in kinds] == every
    loads: dict[int, list[int]] = {}
    random = np.random.default_rng(seed)
    for place in random.permutation(len(kinds))[: 2 * TRIED].tolist():
        added = after(net, kinds[place]) & ~carried
        size = sorted(np.bitwise_count(added).sum(axis=1).tolist())
        assert loads.setdefault(kinds[place].kind, size) == size
