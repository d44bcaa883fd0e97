"""Our own sets: each criterion is looked at again from outside."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.parameters import band
from fabric.qos.dcqcn.recommend import (
    KMAX_BYTES_PER_GBPS,
    MARGIN,
    ROCE_PACKET_BYTES,
    Need,
    recommend,
)
from fabric.qos.dcqcn.registers import settings as registers
from fabric.qos.dcqcn.stability import stability
from fabric.qos.dcqcn.transient import Run
from fabric.qos.dcqcn.verdict import DcqcnVerdict, Points
from tests.cases import examples
from tests.qos.dcqcn.test_verdict import assess

FLOWS = np.array([2, 4, 8, 16, 32, 64, 128, 256])
#: Gb/s: Kmin and Kmax in KB, Pmax in percent, R_AI in Mb/s; a change here is a change of advice.
ADVICE = {
    100: (100, 1428, 49, 80),
    200: (200, 3175, 29, 160),
    400: (400, 4207, 14, 160),
    800: (800, 8412, 7, 320),
}


@pytest.mark.parametrize("gbps", ADVICE)
def test_advice(gbps: int) -> None:
    result = recommend(Need(speed_gbps=gbps)).parameters
    switch, point = result.congestion_point, result.reaction_point
    assert (
        switch.kmin_bytes // 1000,
        switch.kmax_bytes // 1000,
        switch.pmax_percent,
        point.additive_mbps,
    ) == ADVICE[gbps]
    assert point.hyper_mbps == 10 * point.additive_mbps
    assert result.note


@pytest.mark.parametrize("gbps", ADVICE)
def test_every_criterion(gbps: int) -> None:
    result = recommend(Need(speed_gbps=gbps)).parameters
    switch = result.congestion_point
    assert switch.kmin_bytes == gbps * 1e9 / 8 * 8e-6
    model = loop(result, gbps * 1e9, FLOWS, ROCE_PACKET_BYTES)
    marking = fixed_point(model).marking
    assert switch.pmax_percent == math.ceil(125 * marking[-1])
    margins = stability(model, band(switch).slope_per_byte, 8e-6)
    assert margins.stable.all()
    assert margins.steeper.min() == pytest.approx(MARGIN, rel=0.01)
    assert margins.steeper.min() >= MARGIN
    assert margins.flatter.min() >= MARGIN
    assert switch.kmax_bytes <= KMAX_BYTES_PER_GBPS * gbps


@pytest.mark.parametrize("gbps", [100, 800])
def test_the_queue_is_quiet_in_time_as_well(gbps: int) -> None:
    """Also with the flows between the powers of two."""
    flows = np.unique(np.geomspace(2, 256, 20).round())
    asked = Points(
        capacity_bps=gbps * 1e9, flows=flows, packet_bytes=ROCE_PACKET_BYTES, delay_s=8e-6
    )
    result = assess(recommend(Need(speed_gbps=gbps)).parameters, asked, Run(duration_s=0.05))
    assert set(result.verdicts.tolist()) == {DcqcnVerdict.STABLE}
    assert (result.kmax_margin_bytes > 0).all()


def test_the_nic_can_hold_it_in_both_readings_of_the_byte_counter() -> None:
    for gbps in ADVICE:
        result = recommend(Need(speed_gbps=gbps)).parameters
        assert [item.value for item in registers(result, "mlxconfig", 1)] == [
            item.value for item in registers(result, "mlxconfig", 64)
        ]


def test_the_byte_counter_of_the_paper_would_hardly_change_the_margins() -> None:
    result = recommend(Need(speed_gbps=400)).parameters
    counted = replace(
        result, reaction_point=replace(result.reaction_point, byte_counter_bytes=10_000_000)
    )
    slope = band(result.congestion_point).slope_per_byte
    off, on = (
        stability(loop(each, 4e11, FLOWS, ROCE_PACKET_BYTES), slope, 8e-6).steeper
        for each in (result, counted)
    )
    assert on == pytest.approx(off, rel=0.1)
    assert on.min() >= MARGIN


def test_the_step_is_the_largest_that_fits() -> None:
    trials = recommend(Need(speed_gbps=400)).trials
    steps = [trial.parameters.reaction_point.additive_mbps for trial in trials]
    assert steps == [5, 10, 20, 40, 80, 160, 320, 640, 1280]
    assert [trial.fits for trial in trials] == [step <= 160 for step in steps]
    kmax = [trial.parameters.congestion_point.kmax_bytes for trial in trials]
    assert kmax == sorted(kmax)


def test_a_lower_pfc_level_takes_a_smaller_step() -> None:
    result = recommend(Need(speed_gbps=400, kmax_limit_bytes=1_500_000))
    assert result.parameters.reaction_point.additive_mbps == 10
    assert result.parameters.congestion_point.kmax_bytes <= 1_500_000
    assert "1500000 bytes" in result.reasons[3]


def test_what_cannot_be_is_told() -> None:
    with pytest.raises(
        ValueError, match=r"400 Gb/s and 256 flows .* over 100 us; the least Kmax is \d+ bytes with"
    ):
        recommend(Need(speed_gbps=400, round_trip_s=100e-6, kmax_limit_bytes=5_000_000))


@pytest.mark.parametrize("gbps", [100, 400])
@pytest.mark.parametrize("trip_s", [110e-6, 510e-6, 1.05e-3])
def test_slower_timers_over_long_cables(gbps: int, trip_s: float) -> None:
    """10, 50 and 100 km: both margins hold, a run dies out, the registers take it."""
    need = Need(speed_gbps=gbps, round_trip_s=trip_s)
    advice = recommend(need)
    result = advice.parameters
    switch, point = result.congestion_point, result.reaction_point
    assert switch.kmax_bytes <= need.long_limit_bytes == int(4 * gbps * 1e9 / 8 * trip_s)
    assert point.timer_us // 55 == point.cut_period_us // 50 > 1
    assert result.notification_point.cnp_interval_us == point.cut_period_us
    model = loop(result, gbps * 1e9, FLOWS, ROCE_PACKET_BYTES)
    margins = stability(model, band(switch).slope_per_byte, trip_s)
    assert margins.slope_margin.min() >= 0.999 * MARGIN
    assert "times the paper's" in result.note
    assert registers(result, "sysfs", 64)
    points = Points(
        capacity_bps=gbps * 1e9, flows=FLOWS, packet_bytes=ROCE_PACKET_BYTES, delay_s=trip_s
    )
    run = Run(duration_s=1.0, step_s=20e-6)
    assert set(assess(result, points, run).verdicts.tolist()) == {DcqcnVerdict.STABLE}


def test_short_paths_keep_the_timers_of_the_paper() -> None:
    assert (
        recommend(Need(speed_gbps=400, round_trip_s=20e-6)).parameters.reaction_point.timer_us == 55
    )


@pytest.mark.parametrize(
    "change", [{"speed_gbps": 0}, {"round_trip_s": 0.0}, {"packet_bytes": 0}, {"most_flows": 1}]
)
def test_wild_needs_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        replace(Need(speed_gbps=100), **change)


@examples(15)
@given(st.sampled_from([100, 200, 400, 800]), st.floats(2e-6, 12e-6), st.sampled_from([32, 256]))
def test_any_path_keeps_both_margins(gbps: int, delay: float, most: int) -> None:
    need = Need(speed_gbps=gbps, round_trip_s=delay, most_flows=most)
    result = recommend(need).parameters
    model = loop(result, gbps * 1e9, FLOWS[most >= FLOWS], ROCE_PACKET_BYTES)
    margins = stability(model, band(result.congestion_point).slope_per_byte, delay)
    assert margins.stable.all()
    assert min(margins.steeper.min(), margins.flatter.min()) >= MARGIN
    assert result.congestion_point.kmax_bytes <= need.limit_bytes
