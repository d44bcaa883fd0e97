"""Two leaves and a spine against ns-3: HPCC's simulator, with the same flows and starts.

alibaba-edu/High-Precision-Congestion-Control 9f4be2a9, simulation/scratch/third.cc, built with g++
12 -O2: two leaves of eight hosts, 100 Gb/s and 1 us a cable, an uplink of 400 (2:1) or 200 Gb/s
(4:1) of each leaf to one spine, 32 MiB a switch, 4 MB a flow, starts within 50 us. ``dcqcn`` has
the timers of its run.py, and marks from 4 to 16 kB for each Gb/s; ``window`` is its fixed window of
one bandwidth-delay product without DCQCN, ``off`` PFC alone. Rows are means of RngRun 1 to 4.

Two things were set there. Its switches keep notices out of the data class
(``ns3::SwitchNode::AckHighPrio``): third.cc leaves them in, and flows in both directions then queue
up to four times as much. A packet has 1003 bytes: that simulator cuts the time of a packet to
nanoseconds, here 80.24 to 80. In rows ``both ways`` its acknowledgements, one for each packet, are
in the way of the data; in ours they take no bandwidth.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.summary import Summary
from tests.qos.simulate.stars import two_racks

TRAFFIC = {
    "permutation": [(host, 8 + host) for host in range(8)],
    "both ways": [(host, (host + 8) % 16) for host in range(16)],
    "incast": [(host, 8) for host in range(8)],
    "incast and a flow beside": [*((host, 8) for host in range(7)), (7, 9)],
}
#: What that simulator prints: maxBdp, by the speed of the uplinks.
WINDOW_BYTES = {400: 102_375, 200: 102_850}
#: Mean completion time and last end in us, completion time of the last flow in us, pauses of
#: hosts, leaves and the spine, longest and mean queue of 6 ms in MB.
RUNS = {
    ("permutation", 400, "off"): (652.8, 698.5, 651.0, (0, 0, 0), 15.598, 0.8710),
    ("permutation", 400, "dcqcn"): (899.0, 971.4, 905.6, (0, 0, 0), 2.788, 0.1009),
    ("permutation", 200, "window"): (1311.0, 1356.6, 1304.3, (0, 0, 0), 0.659, 0.1407),
    ("permutation", 200, "off"): (1300.6, 1357.2, 1287.9, (281.5, 0.0, 0.0), 16.764, 2.4261),
    ("permutation", 200, "dcqcn"): (1882.3, 2063.7, 1907.0, (0, 0, 0), 2.707, 0.1793),
    ("both ways", 400, "dcqcn"): (972.1, 1141.9, 1022.9, (0, 0, 0), 3.140, 0.1347),
    ("both ways", 200, "off"): (1370.8, 1430.8, 1379.1, (608.0, 0.0, 0.0), 16.762, 2.5647),
    ("both ways", 200, "dcqcn"): (1874.4, 2039.4, 1872.9, (0, 0, 0), 2.809, 0.1800),
    ("incast", 400, "window"): (2638.1, 2693.3, 2630.4, (0, 0, 0), 0.764, 0.3314),
    ("incast", 400, "off"): (2607.4, 2693.3, 2569.2, (0.0, 29.5, 138.2), 15.598, 0.9473),
    ("incast", 400, "dcqcn"): (3246.0, 3689.9, 3531.6, (0, 0, 0), 4.716, 0.4300),
    ("incast", 200, "off"): (2607.3, 2693.4, 2569.3, (281.5, 66.0, 191.5), 16.764, 2.5858),
    ("incast and a flow beside", 400, "off"): (
        2163.4,
        2358.7,
        1352.2,
        (0.0, 1.0, 109.0),
        15.598,
        0.8710,
    ),
    ("incast and a flow beside", 400, "dcqcn"): (2661.9, 3259.8, 366.2, (0, 0, 0), 3.596, 0.3083),
    ("incast and a flow beside", 200, "off"): (
        2207.6,
        2358.8,
        1705.9,
        (281.5, 0.2, 126.2),
        16.764,
        2.4261,
    ),
    ("incast and a flow beside", 200, "dcqcn"): (2718.3, 3134.6, 1397.2, (0, 0, 0), 3.983, 0.1727),
}


def ours(traffic: str, uplink_gbps: int, reaction: str) -> list[Summary]:
    runs = []
    for seed in range(1, 5):
        scenario = two_racks(
            TRAFFIC[traffic],
            uplink_gbps=uplink_gbps,
            reaction="dcqcn" if reaction == "dcqcn" else "off",
            window_bytes=WINDOW_BYTES[uplink_gbps] if reaction == "window" else 0,
            payload_bytes=955,
            duration_us=6000.0,
            seed=seed * 7919,
        )
        starts = np.random.default_rng(seed).uniform(0, 50, len(scenario.streams)).tolist()
        pairs = zip(scenario.streams, starts, strict=True)
        streams = tuple(replace(stream, start_us=start) for stream, start in pairs)
        runs.append(Summary(simulate(replace(scenario, streams=streams))))
    return runs


#: How far means may differ: by how the senders act, and where acknowledgements take bandwidth.
NEAR = {"off": 0.01, "window": 0.01, "dcqcn": 0.1}
BOTH_WAYS = 0.2


@pytest.mark.parametrize("case", RUNS, ids=lambda case: "-".join(map(str, case)))
def test_two_tiers_are_as_in_ns3(case: tuple[str, int, str]) -> None:
    traffic, uplink_gbps, reaction = case
    runs = ours(traffic, uplink_gbps, reaction)
    mean, last, beside, pauses, most, average = RUNS[case]
    assert all(run.unfinished == run.dropped == 0 for run in runs)
    near = BOTH_WAYS if traffic == "both ways" else NEAR[reaction]
    times = np.array([run.completion_us for run in runs])
    assert times.mean() == pytest.approx(mean, rel=near)
    assert times[:, -1].mean() == pytest.approx(beside, rel=near)
    ends = [run.outcome.flows["finish"].max() / 1e6 for run in runs]
    assert np.mean(ends) == pytest.approx(last, rel=near)
    paused = np.mean([run.pauses_by_tier for run in runs], axis=0)
    assert paused == pytest.approx(np.array(pauses), rel=max(0.03, near), abs=1)
    queues = np.array([_queues_mb(run) for run in runs]).mean(axis=0)
    assert queues[0] == pytest.approx(most, rel=near)
    assert queues[1] == pytest.approx(average, rel=max(0.01, 1.25 * near))


def _queues_mb(run: Summary) -> tuple[float, float]:
    """Return the longest queue of all switch ports, and the mean queue of that port."""
    ports = run.outcome.ports
    port = int(np.argmax(ports["most_queue"] * ports["is_switch"]))
    area = float(ports["queue_area"][port]) / (run.outcome.scenario.duration_us * 1e6)
    return ports["most_queue"][port] / 1e6, area / 1e6
