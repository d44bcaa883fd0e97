"""Starts at line rate: what pauses, and the set that pauses less."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.qos.dcqcn.presets import CONNECTX
from fabric.qos.dcqcn.recommend import Need, recommend
from fabric.qos.simulate.classes import Ingress
from fabric.qos.simulate.outcome import simulate
from fabric.qos.simulate.scenario import START_SPREAD_US
from fabric.qos.simulate.spread import spread
from fabric.qos.simulate.start import STARVES_BELOW, Buffer, softened, start_scenario, starts

#: The pool of an SN5600 with its ports at 400G.
BUFFER = Buffer(52_000_000, Ingress(alpha=1.0, headroom_bytes=231_424, reserve_bytes=19_456))
ROUND_TRIP_S = 9.24e-6


@pytest.fixture(scope="module")
def advised():
    return recommend(Need(speed_gbps=400, round_trip_s=ROUND_TRIP_S)).parameters


def figures(parameters, flows):
    marking = parameters.congestion_point
    return starts(400, marking, parameters, BUFFER, ROUND_TRIP_S, flows)


def test_more_flows_have_longer_queues_and_pause_at_the_pool():
    few, more, most = figures(CONNECTX, (2, 4, 64))
    assert few.peak_bytes < more.peak_bytes < most.peak_bytes
    assert few.paused_us == more.paused_us == 0
    assert most.paused_us > 0
    assert most.peak_bytes > 0.9 * BUFFER.shared_bytes


def test_a_limit_on_the_first_notice_pauses_less_and_keeps_the_port_busy(advised):
    chosen, reason = softened(advised, 400, BUFFER, ROUND_TRIP_S)
    point = chosen.reaction_point
    assert point.first_cnp_rate_mbps in {200_000 // 2**n for n in range(4)} | {131_071}
    assert (
        replace(
            point,
            first_cnp_rate_mbps=advised.reaction_point.first_cnp_rate_mbps,
            min_rate_mbps=advised.reaction_point.min_rate_mbps,
        )
        == advised.reaction_point
    )
    assert chosen.congestion_point == advised.congestion_point
    before, after = figures(advised, (2, 16, 64)), figures(chosen, (2, 16, 64))
    paused = [[one.paused_us for one in runs] for runs in (before, after)]
    assert sum(paused[1]) < sum(paused[0])
    assert min(one.settled_gbps for one in after) >= STARVES_BELOW * 400
    # A set that still pauses is not said to pause nobody: each number of flows has its price.
    assert paused[1][0] == 0 < paused[1][1] < paused[1][2]
    assert "busy keeps 16 or 64 flows without a pause" in reason
    trade = "; ".join(
        f"{flows} flows {one.settled_gbps:.0f} Gb/s, paused {one.paused_us:.0f} us, "
        f"queue {one.peak_bytes / 50_000:.0f} us"
        for flows, one in zip((2, 16, 64), after, strict=True)
    )
    assert f"of the line rate: {trade}." in reason
    assert "without a limit: 2 flows" in reason


def test_what_is_promised_holds_with_other_seeds(advised):
    """Without the limit 16 flows pause a sender on this buffer; 64 do so with any limit."""
    large = replace(BUFFER, shared_bytes=200_000_000)
    chosen, reason = softened(advised, 400, large, ROUND_TRIP_S)
    assert chosen != advised
    assert "keeps 64 flows without a pause" in reason
    for flows in (2, 16):
        scenario = start_scenario(400, chosen.congestion_point, chosen, large, ROUND_TRIP_S, flows)
        for one in spread(scenario, START_SPREAD_US, range(11, 14)):
            assert simulate(one).ports["paused_ps"].max() == 0


def test_a_set_that_pauses_nobody_stays(advised):
    large = replace(BUFFER, shared_bytes=10**10)
    assert softened(advised, 400, large, ROUND_TRIP_S) == (
        advised,
        "No start of 2, 16 or 64 flows within 100 us pauses a sender.",
    )


def test_the_rates_fit_the_registers(advised):
    """800 Gb/s over two is more than 17 bits of Mb/s."""
    from fabric.qos.dcqcn.registers import settings

    own = recommend(Need(speed_gbps=800, round_trip_s=ROUND_TRIP_S)).parameters
    chosen, _ = softened(own, 800, replace(BUFFER, shared_bytes=10_000_000), ROUND_TRIP_S)
    assert settings(chosen, "mlxconfig", 64)
