"""Steady state of the fluid model against figures that were worked out apart from the code."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.dcqcn.fluid import (
    LEAST_MARKING,
    MOST_MARKING,
    events,
    fixed_point,
    flatten,
    loop,
)
from fabric.qos.dcqcn.parameters import Band, CongestionPoint, ParameterSet, band
from fabric.qos.dcqcn.presets import CONNECTX, PAPER, PUBLISHED
from tests.docs.papers import approximate_marking

PACKET_BYTES = 1000
#: Gb/s, flows: p*, q* in KB with Kmin 5 KB, Kmax 200 KB, Pmax 1 %.
STEADY = {
    (40, 2): (7.77e-4, 20.2),
    (100, 8): (1.420e-3, 32.7),
    (40, 4): (1.888e-3, 41.8),
    (100, 16): (3.432e-3, 71.9),
    (40, 8): (4.552e-3, 93.8),
    (100, 32): (8.225e-3, 165.4),
    (100, 2): (2.387e-4, 9.7),
    (100, 4): (5.831e-4, 16.4),
    (400, 2): (4.073e-5, 5.8),
    (400, 4): (9.80e-5, 6.9),
}
#: The same with tau' = 50 us: p*, alpha*, p* of the closed form.
ALPHA_50 = {
    (40, 2): (7.97e-4, 0.095, 9.55e-4),
    (40, 8): (4.66e-3, 0.136, 6.02e-3),
    (100, 2): (2.452e-4, 0.074, 2.85e-4),
    (100, 32): (8.413e-3, 0.152, 1.126e-2),
}
#: Kmin KB, Kmax KB, Pmax %: q* in KB of 100 Gb/s with 2, 8, 32 and 128 flows.
BANDS = {
    (400, 1600, 20): (401.4, 408.5, 449.4, 671.7),
    (150, 1500, 100): (150.3, 151.9, 161.1, 211.1),
    (150, 3000, 7): (159.7, 207.8, 484.9, 1993.0),
    (1048.576, 2097.152, 5): (1053.6, 1078.3, 1221.0, 1998.0),
}


def steady(parameters: ParameterSet, gbps, flows, packet_bytes=PACKET_BYTES):
    return fixed_point(loop(parameters, np.asarray(gbps) * 1e9, flows, packet_bytes))


def kilobytes(kmin: float, kmax: float, pmax: float) -> Band:
    return band(
        CongestionPoint(
            kmin_bytes=round(kmin * 1000), kmax_bytes=round(kmax * 1000), pmax_percent=pmax
        )
    )


def test_steady_state_of_the_paper() -> None:
    gbps, flows = zip(*STEADY, strict=True)
    wanted_p, wanted_q = np.array(list(STEADY.values())).T
    result = steady(PAPER, gbps, flows)
    assert result.marking == pytest.approx(wanted_p, rel=0.01)
    assert band(PAPER.congestion_point).queue_bytes(result.marking) / 1e3 == pytest.approx(
        wanted_q, rel=0.01
    )


def test_alpha_period_of_50_us_and_the_closed_form() -> None:
    point = replace(PAPER.reaction_point, alpha_period_us=50)
    model = loop(
        replace(PAPER, reaction_point=point),
        np.array([gbps for gbps, _ in ALPHA_50]) * 1e9,
        [flows for _, flows in ALPHA_50],
        PACKET_BYTES,
    )
    wanted_p, wanted_alpha, wanted_closed = np.array(list(ALPHA_50.values())).T
    result = fixed_point(model)
    assert result.marking == pytest.approx(wanted_p, rel=0.01)
    assert result.alpha == pytest.approx(wanted_alpha, rel=0.01)
    assert approximate_marking(model) == pytest.approx(wanted_closed, rel=0.01)
    above = approximate_marking(model) / result.marking
    assert ((above > 1.16) & (above < 1.34)).all()


@pytest.mark.parametrize("thresholds", BANDS)
def test_queue_of_other_thresholds(thresholds: tuple[float, float, float]) -> None:
    marking = steady(PAPER, 100, [2, 8, 32, 128]).marking
    result = kilobytes(*thresholds).queue_bytes(marking) / 1e3
    assert result == pytest.approx(BANDS[thresholds], rel=0.01)


def test_no_queue_gives_more_than_pmax() -> None:
    marking = steady(PAPER, [40, 100], [16, 128]).marking
    assert marking == pytest.approx([1.087e-2, 4.53e-2], rel=0.01)
    assert np.isnan(band(PAPER.congestion_point).queue_bytes(marking)).all()


def test_alpha_solves_its_own_line() -> None:
    """Both lines of the rates and the line of alpha are zero at the fixed point."""
    model = loop(CONNECTX, 4e11, [2.0, 37.0, 256.0], 4170)
    result = fixed_point(model)
    seen = events(model, result.marking, model.fair_pps)
    assert result.alpha == pytest.approx(seen.marked)
    assert result.gap_pps * seen.cuts_per_s == pytest.approx(seen.increase_pps_per_s)
    cut = model.fair_pps * result.alpha / model.alpha_divisor * seen.cuts_per_s
    assert result.gap_pps * seen.recoveries_per_s == pytest.approx(cut)


def test_events_hold_at_the_ends_of_marking() -> None:
    """Nothing overflows; no mark gives 1/B and 1/(T R) increases for each packet."""
    model = loop(PAPER, 4e11, [2.0, 2.0], PACKET_BYTES)
    seen = events(model, np.array([LEAST_MARKING, MOST_MARKING]), model.fair_pps)
    rate = model.fair_pps[0]
    free = (rate / 1e4 + 1 / 55e-6) / 2
    assert seen.recoveries_per_s == pytest.approx([free, 0.0], rel=1e-6, abs=1e-9)
    assert seen.marked == pytest.approx([0.0, 1.0], abs=1e-6)
    assert seen.cuts_per_s == pytest.approx([0.0, 1 / 50e-6], abs=0.1)
    assert seen.increase_pps_per_s[0] == pytest.approx(2 * free * 5000, rel=1e-6)


@pytest.mark.parametrize(
    ("gbps", "flows", "packet", "name"),
    [
        (0, 2, 1000, "capacity_bps"),
        (100, 0, 1000, "flows"),
        (100, 2, -1, "packet_bytes"),
        (float("nan"), 2, 1000, "capacity_bps"),
    ],
)
def test_wild_input_is_refused(gbps: float, flows: float, packet: float, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        loop(PAPER, gbps, flows, packet)


def test_any_shape() -> None:
    model = loop(PAPER, np.array([[1e11], [4e11]]), [2, 8, 32], 1000)
    result = fixed_point(model).marking
    assert result.shape == (2, 3)
    assert fixed_point(flatten(model)).marking.tolist() == result.ravel().tolist()
    assert float(fixed_point(loop(PAPER, 1e11, 8, 1000)).marking) == result[0, 1]


SETS = st.sampled_from(PUBLISHED)
SPEEDS = st.sampled_from([10, 25, 40, 50, 100, 200, 400, 800])
FLOWS = st.floats(1, 2000)


@given(SETS, SPEEDS, FLOWS, st.floats(1.01, 4))
def test_marking_grows_with_the_flows(parameters, gbps: int, flows: float, more: float) -> None:
    few, many = steady(parameters, gbps, [flows, flows * more]).marking
    assert LEAST_MARKING < few < many < MOST_MARKING


@given(SETS, SPEEDS, FLOWS, st.floats(0.1, 10))
def test_marking_depends_on_the_fair_share_only(
    parameters, gbps: int, flows: float, scale: float
) -> None:
    one, other = steady(parameters, [gbps, gbps * scale], [flows, flows * scale]).marking
    assert other == pytest.approx(one, rel=1e-6)


@given(SETS, SPEEDS, FLOWS)
def test_queue_lies_in_the_band(parameters, gbps: int, flows: float) -> None:
    marking = steady(parameters, gbps, flows).marking
    switch = parameters.congestion_point
    queue = float(band(switch).queue_bytes(marking))
    if marking <= switch.pmax_percent / 100:
        assert switch.kmin_bytes <= queue <= switch.kmax_bytes
        assert band(switch).marking(np.array(queue)) == pytest.approx(float(marking), rel=1e-6)
    else:
        assert np.isnan(queue)


@given(SPEEDS, FLOWS, st.integers(1, 10**6), st.integers(1, 10**7), st.integers(0, 10**7))
def test_a_wider_band_never_lowers_the_queue(
    gbps: int, flows: float, kmin: int, width: int, wider: int
) -> None:
    marking = steady(PAPER, gbps, flows).marking
    narrow, wide = (
        band(CongestionPoint(kmin_bytes=kmin, kmax_bytes=kmin + kmax, pmax_percent=100))
        for kmax in (width, width + wider)
    )
    assert wide.queue_bytes(marking) >= narrow.queue_bytes(marking)


@given(SPEEDS, FLOWS, st.integers(1, 100), st.integers(1, 99))
def test_more_pmax_never_raises_the_queue(gbps: int, flows: float, low: int, more: int) -> None:
    marking = steady(PAPER, gbps, flows).marking
    gentle, steep = (
        kilobytes(100, 1000, pmax).queue_bytes(marking) for pmax in (low, min(low + more, 100))
    )
    assert np.isnan(gentle) or steep <= gentle


@given(SPEEDS, FLOWS, st.integers(2, 10))
def test_a_larger_step_needs_more_marking(gbps: int, flows: float, factor: int) -> None:
    point = PAPER.reaction_point
    steep = replace(
        PAPER, reaction_point=replace(point, additive_mbps=factor * point.additive_mbps)
    )
    assert steady(steep, gbps, flows).marking > steady(PAPER, gbps, flows).marking


def test_marking_of_a_queue() -> None:
    """Below Kmin, at it, in the middle, at Kmax, above."""
    result = kilobytes(100, 300, 10).marking(np.array([0, 100_000, 200_000, 300_000, 300_001]))
    assert result == pytest.approx([0, 0, 0.05, 0.1, 1.0])
