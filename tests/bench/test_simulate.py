"""Speed of the simulator; the figures of docs/simulate.md. Prints only.

``pytest -m benchmark -s tests/bench/test_simulate.py``
"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from fabric.qos.simulate.classes import LossyQueue, PortClass
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.star import Star
from tests.qos.simulate.stars import classes_star, leaf_spine, lossless, marking, star

pytestmark = pytest.mark.benchmark


def test_time_of_a_run():
    simulate(star(2, duration_us=10.0))
    wide = Star(senders=64, speed_gbps=400.0, buffer_bytes=64 * 2**20)
    cases = {
        "16:1 at 100G, 15 ms": star(16),
        "64:1 at 400G, 15 ms": replace(
            star(64), shared_bytes=wide.shared_bytes(), cables=wide.cables(marking("hpcc", 4))
        ),
        "permutation of 32, 8 spines, sprayed, 5 ms": leaf_spine(
            [(host, (host + 8) % 32) for host in range(32)],
            sprays=True,
            size_bytes=None,
            duration_us=5000.0,
        ),
        "8:1 and 7:1 in two classes, lossy 40 Gb/s, at 100G, 15 ms": classes_star(
            [
                lossless(0.125, marking=marking("hpcc")),
                lossless(0.125, marking=marking("hpcc")),
                PortClass(lossy=LossyQueue(alpha=1.0)),
            ],
            (8, 7, 1),
            (None, None, 40.0),
            pool_bytes=32 * 2**20,
            reaction="dcqcn",
        ),
    }
    for name, scenario in cases.items():
        for fast in (True, False):
            started = time.perf_counter()
            outcome = simulate(scenario, fast=fast)
            took = time.perf_counter() - started
            kind = "compiled" if fast else "interpreted"
            events = int(outcome.laws["events"][0])
            print(f"\n{name}, {kind}: {took:.2f} s, {events / took / 1e6:.2f} million events/s")
