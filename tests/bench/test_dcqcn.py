"""How long the models of DCQCN and ECMP take. Prints only."""

from __future__ import annotations

import time

import numpy as np
import pytest

from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.parameters import band
from fabric.qos.dcqcn.presets import PAPER
from fabric.qos.dcqcn.recommend import Need, recommend
from fabric.qos.dcqcn.stability import stability
from fabric.qos.dcqcn.transient import Run, simulate
from fabric.qos.ecmp.load import max_load

pytestmark = pytest.mark.benchmark

#: 100 speeds by 100 numbers of flows.
SPEEDS_BPS = np.geomspace(10e9, 1.6e12, 100)[:, None]
FLOWS = np.geomspace(1, 1024, 100)[None, :]


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def test_sweep_of_10000_points() -> None:
    """Steady state, linear stability, and the model in time for 10,000 points."""
    model = loop(PAPER, SPEEDS_BPS, FLOWS, 4178)
    switch = band(PAPER.congestion_point)
    print(f"\n{model.flows.size:,} points")
    print(f"  {'steady state':<28}{seconds(lambda: fixed_point(model)):>9.3f} s")
    linear = seconds(lambda: stability(model, switch.slope_per_byte, 8e-6))
    print(f"  {'linear stability':<28}{linear:>9.3f} s")
    run = Run(duration_s=0.001)
    in_time = seconds(lambda: simulate(model, switch, 8e-6, run))
    print(f"  {'1 ms in time, 8 us delay':<28}{in_time:>9.3f} s")


def test_points_of_a_fabric() -> None:
    """32 points over 0.1 s, and one recommendation."""
    model = loop(PAPER, SPEEDS_BPS[::25], 2.0 ** np.arange(1, 9), 4178)
    run = Run(duration_s=0.1)
    switch = band(PAPER.congestion_point)
    print(f"\n{model.flows.size} points")
    in_time = seconds(lambda: simulate(model, switch, 8e-6, run))
    print(f"  {'0.1 s in time, 8 us delay':<28}{in_time:>9.3f} s")
    print(f"  {'recommendation':<28}{seconds(lambda: recommend(Need(speed_gbps=400))):>9.3f} s")


def test_fullest_links() -> None:
    """The law of the fullest link for the largest cases, not from the cache."""
    print()
    for flows, links in ((16_384, 512), (16_384, 16), (16_384, 2), (4096, 4096)):
        max_load.cache_clear()
        took = seconds(lambda case=(flows, links): max_load(*case))
        print(f"  {f'{flows:,} flows on {links:,} links':<28}{took:>9.3f} s")
