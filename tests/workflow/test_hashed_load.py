"""The load of the fullest cable under hashing, against connections that are hashed one by one."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY


def loads(nodes: int, *words: str) -> tuple[float, float]:
    """Return the load of the fullest cable of a job, sprayed and hashed."""
    ended = run("place", INVENTORY / "rail-512", "--nodes", str(nodes), *words, "--format", "json")
    answer = json.loads(ended.out)
    return answer["link_load"], answer["link_load_hashed"]


def tried(pairs: list[tuple[int, int]], queue_pairs: int = 4, links: int = 32) -> float:
    """Return the mean of the fullest link over the mean link, where queue pairs are thrown."""
    random, flows = np.random.default_rng(1), len(pairs) * queue_pairs
    fullest = [np.bincount(random.integers(0, links, flows)).max() for _ in range(400)]
    return float(np.mean(fullest)) * links / flows


def pairs_off_rail_0(here: int, others: int, rails: int = 8) -> list[tuple[int, int]]:
    """Return sender and receiver, as hosts, of what leaves the leaf of rail 0 without PXN."""
    return [
        (sender, receiver)
        for sender in range(here)
        for receiver in range(here + others)
        for rail in range(rails)
        if sender != receiver and (rail or receiver >= here)
    ]


ALL_TO_ALL = ("--traffic", "all-to-all")
CASES = {
    "without PXN, one unit": (8, (*ALL_TO_ALL, "--no-pxn"), pairs_off_rail_0(8, 0)),
    "without PXN, two hosts": (2, (*ALL_TO_ALL, "--no-pxn"), pairs_off_rail_0(2, 0)),
    "without PXN, two units": (33, (*ALL_TO_ALL, "--no-pxn"), pairs_off_rail_0(32, 1)),
    "with PXN, two units": (33, ALL_TO_ALL, [(sender, 32) for sender in range(32)]),
    "a ring over two units": (33, (), [(31, 32)]),
    "a layout whose experts stay on a host": (33, ("--layout", "dp=264,ep=1"), [(31, 32)]),
}


@pytest.mark.parametrize(("nodes", "words", "pairs"), CASES.values(), ids=CASES)
def test_queue_pairs_that_cross_spines_are_hashed(
    nodes: int, words: tuple[str, ...], pairs: list[tuple[int, int]]
) -> None:
    sprayed, hashed = loads(nodes, *words)
    assert hashed / sprayed == pytest.approx(tried(pairs), rel=0.03)


def test_traffic_that_crosses_no_spine_loads_no_cable() -> None:
    assert loads(32, *ALL_TO_ALL) == (0.0, 0.0)
