"""Two classes on a port against ns-3: HPCC's simulator with two priority groups.

alibaba-edu/High-Precision-Congestion-Control 9f4be2a9, one switch, 100 Gb/s, 1 us a cable,
payload of 1000 bytes, 32 MiB, alpha 1/8, no window; its switch takes the queues in turn: deficit
round robin with equal weights and equal packets. Each flow has 4 MB and starts within 50 us.
Each row is the mean of RngRun 1 to 4.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.qos.simulate.class_summary import ClassSummary
from fabric.qos.simulate.classes import PortClass, SimulatedClass
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.summary import Summary
from tests.qos.simulate.stars import star

#: By the senders of each class and the reaction point: mean completion time of the flows of each
#: class, completion time of the last flow, all in us, and pauses of each class.
RUNS = {
    (2, 6, "off"): (1312.0, 2593.0, 2620.4, 74.5, 292.0),
    (2, 6, "dcqcn"): (1617.4, 2816.8, 3153.7, 0.0, 0.0),
    (1, 8, "off"): (667.9, 2910.1, 2953.2, 6.0, 464.0),
    (1, 8, "dcqcn"): (819.7, 3300.4, 3680.5, 0.0, 0.2),
    (4, 4, "off"): (2569.3, 2598.4, 2628.7, 213.5, 213.2),
    (4, 4, "dcqcn"): (2817.7, 2863.7, 3011.9, 0.0, 0.0),
}
SEEDS = range(1, 5)


def ours(first: int, second: int, reaction: str, seed: int) -> list[float]:
    base = star(
        first + second,
        reaction=reaction,
        duration_us=20_000.0,
        size_bytes=4_000_000,
        payload_bytes=1000,
        seed=seed * 7919,
    )
    starts = np.random.default_rng(seed).uniform(0, 50, first + second).tolist()
    far = base.cables[0].far
    far = replace(far, more=(PortClass(ingress=far.ingress, marking=far.marking),))
    streams = tuple(
        replace(stream, class_number=int(host >= first), start_us=starts[host])
        for host, stream in enumerate(base.streams)
    )
    scenario = replace(
        base,
        cables=tuple(replace(cable, far=far) for cable in base.cables),
        classes=(SimulatedClass(), SimulatedClass(name="other", pfc_priority=4)),
        streams=streams,
    )
    run = Summary(simulate(scenario))
    classes = [ClassSummary(run, number) for number in (0, 1)]
    assert run.dropped == run.unfinished == 0
    times = [float(own.completion_us.mean()) for own in classes]
    return [*times, float(run.completion_us.max()), *(float(own.pauses) for own in classes)]


@pytest.mark.parametrize("case", RUNS, ids=lambda case: "-".join(map(str, case)))
def test_two_classes_are_as_in_ns3(case):
    first, second, reaction = case
    runs = np.mean([ours(first, second, reaction, seed) for seed in SEEDS], axis=0)
    assert runs[:3] == pytest.approx(RUNS[case][:3], rel=0.04)
    assert runs[3:] == pytest.approx(RUNS[case][3:], rel=0.06, abs=2.0)
