"""Verdicts: the known points, the levels that they are held against, and input that is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fabric.qos.dcqcn.parameters import CongestionPoint, ParameterSet
from fabric.qos.dcqcn.presets import CONNECTX, PAPER
from fabric.qos.dcqcn.transient import Run
from fabric.qos.dcqcn.verdict import Assessment, DcqcnVerdict, Points, assess_together

SWITCH = CongestionPoint(kmin_bytes=5_000, kmax_bytes=200_000, pmax_percent=10)
SET = replace(PAPER, congestion_point=SWITCH)
STABLE, OSCILLATES, RIDES = DcqcnVerdict.STABLE, DcqcnVerdict.OSCILLATES, DcqcnVerdict.RIDES


SHORT = Run(duration_s=0.08)


def assess(parameters: ParameterSet, points: Points, run: Run | None = None) -> Assessment:
    """Return the verdict of every point."""
    return assess_together([(parameters, points)], run)[0]


def points(gbps, flows, delay_us, **more) -> Points:
    return Points(
        capacity_bps=np.asarray(gbps) * 1e9,
        flows=flows,
        packet_bytes=1000,
        delay_s=np.asarray(delay_us) * 1e-6,
        **more,
    )


def test_known_points() -> None:
    """Stable at 4 us; at 50 us all swing, and the largest peaks past Kmax."""
    gbps, flows = [40, 40, 40, 100, 100], [2, 10, 64, 2, 10]
    result = assess(SET, points(gbps, flows, [[4], [50]]), SHORT)
    assert result.verdicts[0].tolist() == [STABLE] * 5
    assert result.verdicts[1].tolist() == [OSCILLATES, OSCILLATES, RIDES, OSCILLATES, OSCILLATES]
    assert (result.slope_margin[0] > 1).all()
    assert (result.slope_margin[1] < 1).all()
    assert result.queue_bytes[0] / 1e3 == pytest.approx([6.5, 16.8, 120.2, 5.5, 8.7], rel=0.01)
    assert result.kmax_share == pytest.approx(result.queue_bytes / 200_000)
    assert result.kmax_margin_bytes == pytest.approx(200_000 - result.queue.peak_bytes)
    assert result.kmax_margin_bytes[1, 2] < 0
    assert result.rate_bps[0].tolist() == [20e9, 4e9, 0.625e9, 50e9, 10e9]


def test_a_known_pfc_level_takes_the_place_of_kmax() -> None:
    """The peak of 273 KB is past Kmax, but only a level below it starts PFC."""
    levels = np.array([np.inf, 300_000, 250_000, 100_000])
    result = assess(SET, points(40, 64, 50, xoff_threshold_bytes=levels), SHORT)
    assert result.verdicts.tolist() == [RIDES, OSCILLATES, RIDES, RIDES]
    peak = result.queue.peak_bytes[0]
    assert peak == pytest.approx(273_300, rel=0.02)
    assert result.pfc_margin_bytes == pytest.approx(levels - peak)


def test_a_stable_queue_above_the_pfc_level_rides() -> None:
    result = assess(SET, points(40, 64, 4, xoff_threshold_bytes=[110_000.0, 130_000.0]), SHORT)
    assert result.verdicts.tolist() == [RIDES, STABLE]


def test_no_queue_of_the_band_marks_enough() -> None:
    """40 Gb/s and 16 flows need 1.09 %, the paper's switch marks 1 %."""
    result = assess(PAPER, points(40, [8, 16], 4), SHORT)
    assert result.verdicts.tolist() == [STABLE, RIDES]
    assert np.isnan(result.queue_bytes).tolist() == [False, True]
    assert np.isnan(result.slope_margin).tolist() == [False, True]
    assert result.queue.peak_bytes[1] > 200_000


def test_without_a_steady_state_the_queue_swings_around_kmax() -> None:
    """Below a PFC level that is known to be far above, it does not reach PFC."""
    result = assess(PAPER, points(40, [16, 64], 4, xoff_threshold_bytes=1e6), SHORT)
    assert np.isnan(result.queue_bytes).all()
    assert result.verdicts.tolist() == [OSCILLATES, OSCILLATES]
    assert (result.queue.least_bytes < 200_000).all()
    assert (result.queue.peak_bytes > 200_000).all()


def test_sets_together_are_sets_alone() -> None:
    """In the order of the cases, each in its own shape."""
    cases = [
        (SET, points([[40], [100]], [2, 10, 64], 8)),
        (PAPER, points(40, 16.0, 20)),
    ]
    together = assess_together(cases, SHORT)
    for (parameters, asked), result in zip(cases, together, strict=True):
        alone = assess(parameters, asked, SHORT)
        assert result.verdicts.tolist() == alone.verdicts.tolist()
        assert result.queue.peak_bytes == pytest.approx(alone.queue.peak_bytes, rel=1e-6)
        assert (
            result.marking.shape
            == alone.marking.shape
            == np.broadcast_shapes(np.shape(asked.capacity_bps), np.shape(asked.flows))
        )


def test_small_disturbances_that_grow_are_an_oscillation_before_it_shows() -> None:
    """400 Gb/s, 128 flows, 150 to 1500 kB: a gain margin of 0.97 takes longer than 80 ms."""
    switch = CongestionPoint(kmin_bytes=150_000, kmax_bytes=1_500_000, pmax_percent=100)
    asked = Points(capacity_bps=4e11, flows=[128.0], packet_bytes=4178, delay_s=9.24e-6)
    result = assess(replace(PAPER, congestion_point=switch), asked, SHORT)
    assert result.queue.std_bytes < 0.05 * (result.queue_bytes - 150_000)
    assert result.slope_margin == pytest.approx(0.97, abs=0.01)
    assert result.verdicts.tolist() == [OSCILLATES]


def test_a_queue_close_to_kmax_swings_although_small_disturbances_die_out() -> None:
    """A tenth more queue is above Kmax, where the marking jumps from 39 % to 1."""
    edge = CongestionPoint(kmin_bytes=100_000, kmax_bytes=1_157_000, pmax_percent=39)
    point = replace(PAPER.reaction_point, byte_counter_bytes=0, additive_mbps=80)
    close = replace(PAPER, reaction_point=point, congestion_point=edge)
    asked = Points(
        capacity_bps=1e11,
        flows=[128, 256],
        packet_bytes=4178,
        delay_s=8e-6,
        xoff_threshold_bytes=5e6,
    )
    result = assess(close, asked, SHORT)
    assert result.verdicts.tolist() == [STABLE, OSCILLATES]
    assert (result.slope_margin > 2).all()
    assert result.kmax_share[1] == pytest.approx(0.986, abs=1e-3)


def test_a_queue_that_stands_elsewhere_is_no_steady_state() -> None:
    """The senders have cut so far that the queue stays empty for the whole run."""
    switch = CongestionPoint(kmin_bytes=10_000_000, kmax_bytes=10_920_000, pmax_percent=90)
    asked = Points(capacity_bps=4e11, flows=[2.0], packet_bytes=4178, delay_s=33e-6)
    result = assess(replace(CONNECTX, congestion_point=switch), asked, Run(duration_s=0.3))
    assert result.queue.std_bytes == 0.0
    assert result.queue.mean_bytes == 0.0
    assert result.verdicts.tolist() == [OSCILLATES]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"xoff_threshold_bytes": 0.0}, "xoff_threshold_bytes"),
        ({"flows": 0.0}, "flows"),
        ({"capacity_bps": -1.0}, "capacity_bps"),
        ({"delay_s": 0.0}, "delay_s"),
    ],
)
def test_wild_input_is_refused(change: dict[str, float], message: str) -> None:
    asked = replace(points(40, 2.0, 4), **change)
    with pytest.raises(ValueError, match=message):
        assess(SET, asked, Run(duration_s=0.001))
