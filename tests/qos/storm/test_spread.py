"""The spread of a pause against sums that can be done by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.storm.spread import Buffers, spread
from fabric.qos.storm.traffic import traffic
from tests.topology.fabrics import example

RATE = 400e9 / 8


def setting(flow, pool=8e6, alpha=1.0, reserve=0.0, delay=0.0, pause=np.inf):
    count = len(flow.source)
    full = (np.full(count, float(value)) for value in (alpha, reserve, delay, pause))
    return Buffers(np.full(len(flow.channels_of), float(pool)), *full)


def rail_of_eight():
    """Eight NICs of 400 Gb/s on one leaf."""
    built = example("rail-only")
    return traffic(built, 0, np.flatnonzero(built.nics.rail == 0))


@given(
    pool=st.floats(1e6, 1e8),
    alpha=st.sampled_from([1 / 8, 1.0, 8.0]),
    reserve=st.floats(0, 20_000),
    delay=st.floats(0, 1e-5),
)
def test_one_leaf(pool, alpha, reserve, delay):
    """Seven senders fill seven ports alike: alpha B / (1 + 7 alpha) each, after the reserve."""
    flow = rail_of_eight()
    result = spread(flow, setting(flow, pool, alpha, reserve, delay))
    each = reserve + alpha * pool / (1 + 7 * alpha)
    paused = np.sort(result.paused_s)
    assert paused[0] == pytest.approx(each / (RATE / 7) + delay, rel=1e-3)
    assert np.isinf(paused[-1])  # the NIC of the storm sends on
    assert result.stuck_bytes.sum() == pytest.approx(7 * (each - reserve), rel=1e-3)


@pytest.mark.parametrize(
    ("pool", "each"),
    {"room for all": (8e6, 128e3), "a pool that is full before": (7 * 50e3, 50e3)}.values(),
    ids=("room for all", "a pool that is full before"),
)
def test_a_fixed_level(pool, each):
    flow = rail_of_eight()
    paused = np.sort(spread(flow, setting(flow, pool, reserve=4_000, pause=128e3)).paused_s)
    assert paused[0] == pytest.approx((4_000 + each) / (RATE / 7), rel=1e-3)


@given(pool=st.floats(1e6, 1e8), more=st.floats(1.1, 4))
def test_larger_pools_hold_out_longer(pool, more):
    built = example("demo")
    flow = traffic(built, 0, np.arange(len(built.nics)))
    small, large = (spread(flow, setting(flow, size)) for size in (pool, pool * more))
    paused = np.isfinite(small.paused_s)
    assert (large.paused_s[paused] > small.paused_s[paused]).all()
    assert (small.stuck_bytes <= pool * (1 + 1e-6)).all()


def test_a_port_that_sends_no_pause_stops_nobody():
    flow = rail_of_eight()
    buffers = setting(flow)
    result = spread(flow, replace(buffers, alpha=np.full(len(flow.source), np.inf)))
    assert np.isinf(result.paused_s).all()


def test_the_next_tier_fills_after_the_leaf():
    """The pause of a leaf reaches a spine, and through it the other leaves."""
    built = example("rail-512")
    flow = traffic(built, 0, np.arange(len(built.nics)))
    paused = spread(flow, setting(flow, 52e6, reserve=19_456)).paused_s
    leaves = built.switches.leaf_count
    links = len(flow.links)
    down = paused[:links][(flow.target[:links] < leaves) & (flow.source[:links] >= leaves)]
    up = paused[:links][flow.target[:links] >= leaves]
    hosts = paused[links:]
    assert down[np.isfinite(down)].max() < up.min()
    assert np.isfinite(hosts).sum() == len(flow.members) - 1
    assert np.isfinite(down).sum() == 8  # the links to the leaf of the storm, and no other
