"""The figures of docs/lossless.md on classes that share a port."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fabric.qos.simulate.class_summary import ClassSummary
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import START_SPREAD_US, Scenario
from fabric.qos.simulate.spread import spread
from fabric.qos.simulate.summary import Summary
from fabric.report.simulated_star import star_of
from fabric.report.simulation import star_scenario
from fabric.report.simulation_also import Also
from fabric.report.simulation_settings import Load, Settings, settings_of
from tests.docs.lossless import figures, size, table

#: A storage incast of eight to a NIC of a ring of nine, on the switch of `simulate --star`.
LOAD = Load(senders=8, duration_us=2000.0, lossless_class="storage", also=(Also("rdma", 0),))
SEEDS = range(1, 4)
STORAGE, RING = 0, 1


def _scenario(words: str) -> Scenario:
    star = star_of(LOAD, 2**25, 0.0, speed_gbps=100.0, delay_us=1.0, alpha=0.125)
    return star_scenario(star, LOAD, settings_of(words, Settings()))


def _column(scenario: Scenario, *, is_one: bool) -> list[str]:
    """Return the medians of the runs; the flows of the ring are those of two classes."""
    ring = [stream.class_number == RING for stream in scenario.streams]
    if is_one:
        streams = tuple(replace(stream, class_number=STORAGE) for stream in scenario.streams)
        scenario = replace(scenario, streams=streams)
    runs = [Summary(simulate(own)) for own in spread(scenario, START_SPREAD_US, SEEDS)]
    queues = [
        [ClassSummary(run, number).most_queue_bytes / 1000 for run in runs]
        for number in (STORAGE, STORAGE if is_one else RING)
    ]
    figures_ = (
        [run.rates_gbps[ring].min() for run in runs],
        [run.rates_gbps[np.logical_not(ring)].sum() for run in runs],
        *reversed(queues),
        [run.pauses for run in runs],
    )
    return [size(float(np.median(values))) for values in figures_]


@figures.add("classes")
def classes() -> str:
    """Return what a ring and a storage incast do to each other in one class and in two."""
    two = _scenario("connectx")
    columns = [
        _column(two, is_one=True),
        _column(two, is_one=False),
        _column(_scenario("connectx,share.rdma=80"), is_one=False),
        _column(_scenario("connectx,marking.storage=50:200:100"), is_one=False),
    ]
    words = (
        "slowest flow of the ring, Gb/s",
        "all flows of the incast, Gb/s",
        "longest queue in the way of the ring, kB",
        "longest queue of the incast, kB",
        "pauses",
    )
    headers = "| one class | two, equal shares | `share.rdma=80` | `marking.storage=50:200:100`"
    return table(headers, zip(words, *columns, strict=True))
