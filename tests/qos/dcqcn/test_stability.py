"""The linear model against the model in time, and against known cases."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from fabric.qos.dcqcn.fluid import events, fixed_point, loop
from fabric.qos.dcqcn.parameters import Band
from fabric.qos.dcqcn.presets import CONNECTX, PAPER, PUBLISHED
from fabric.qos.dcqcn.stability import _characteristic, stability
from fabric.qos.dcqcn.transient import Run, simulate

SLOPE = 0.1 / 195_000
POINTS = [(40, 2), (40, 10), (40, 64), (100, 2), (100, 10)]


def model(gbps, flows, parameters=PAPER, packet_bytes=1000):
    return loop(parameters, np.asarray(gbps) * 1e9, flows, packet_bytes)


@pytest.mark.parametrize("point", POINTS)
def test_known_points(point: tuple[int, int]) -> None:
    """Stable at 4 us, a growing swing at 50 us and more."""
    result = stability(model(*point), SLOPE, np.array([4, 50, 85, 100]) * 1e-6)
    assert result.stable.tolist() == [True, False, False, False]
    assert result.growing_roots.tolist() == [0, 2, 2, 2]
    assert (np.diff(result.slope_margin) < 0).all()


def test_margin_is_where_the_stability_changes() -> None:
    """Just below the steeper slope stable, just above not; the same downwards."""
    points = model([40, 100, 100], [64, 2, 10])
    steeper = stability(points, SLOPE, 4e-6).steeper
    for factor, stable in ((0.99, True), (1.01, False)):
        assert (stability(points, SLOPE * steeper * factor, 4e-6).stable == stable).all()
    flatter = stability(points, SLOPE, 50e-6).flatter
    for factor, stable in ((0.99, True), (1.01, False)):
        assert (stability(points, SLOPE / flatter * factor, 50e-6).stable == stable).all()


def test_no_delay_and_shapes() -> None:
    """The delay broadcasts against the points."""
    points = model([40, 100], [2, 2])
    result = stability(points, SLOPE, np.array([[0.0], [4e-6], [50e-6]]))
    assert result.steeper.shape == (3, 2)
    assert result.stable[:2].all()
    assert (result.slope_margin[0] > result.slope_margin[1]).all()
    assert stability(model(40, 2), SLOPE, 4e-6).stable.shape == ()


def test_many_points_are_the_same_as_one() -> None:
    """More points than are worked on at once."""
    flows = np.linspace(1, 300, 300)
    together = stability(model(100, flows), SLOPE, 8e-6)
    for row in (0, 127, 128, 299):
        alone = stability(model(100, flows[row]), SLOPE, 8e-6)
        assert together.steeper[row] == pytest.approx(float(alone.steeper), rel=1e-9)


@pytest.mark.parametrize("parameters", PUBLISHED, ids=lambda one: one.name)
def test_any_speed_and_any_number_of_flows_has_an_answer(parameters) -> None:
    """From 1 Gb/s with 4096 flows, where almost every packet is marked, to one flow of 1.6T."""
    speeds, flows = np.geomspace(1, 1600, 12)[:, None], np.geomspace(1, 4096, 13)
    result = stability(model(speeds, flows, parameters, 4178), SLOPE, 8e-6)
    assert np.isin(result.growing_roots, [0, 2, 4]).all()
    assert not np.isnan(result.slope_margin).any()


def _rates(points, slope: float, now: np.ndarray, then: np.ndarray) -> np.ndarray:
    """The equations of the model as they are written; alpha, target, rate, marking of the queue."""
    alpha, target, rate, _ = now
    seen = events(points, then[3:4], then[2:3])
    gap, cut = target - rate, float(seen.cuts_per_s[0])
    gain, divisor = float(points.gain[0] / points.alpha_period_s[0]), float(points.alpha_divisor[0])
    inflow = points.flows[0] * rate - points.capacity_pps[0]
    return np.array([
        gain * (float(seen.marked[0]) - alpha),
        -gap * cut + float(seen.increase_pps_per_s[0]),
        -rate * alpha / divisor * cut + gap * float(seen.recoveries_per_s[0]),
        slope * float(points.packet_bytes[0]) * inflow,
    ])


@pytest.mark.parametrize("parameters", [PAPER, CONNECTX], ids=lambda one: one.name)
def test_characteristic_function_is_the_determinant(parameters) -> None:
    """det(s - A - A' e^(-s delay)) with matrices that are taken from the equations."""
    points, slope, delay = model([100], [8.0], parameters, 4178), 3e-7, 20e-6
    steady = fixed_point(points)
    fair, gap = float(points.fair_pps[0]), float(steady.gap_pps[0])
    at = np.array([float(steady.alpha[0]), fair + gap, fair, float(steady.marking[0])])
    assert _rates(points, slope, at, at) == pytest.approx(np.zeros(4), abs=1e-3)
    matrices = []
    for delayed in (False, True):
        columns = []
        for row in range(4):
            step = np.zeros(4)
            step[row] = 1e-5 * at[row]
            pair = [
                (at, at + sign * step) if delayed else (at + sign * step, at) for sign in (1, -1)
            ]
            high, low = (_rates(points, slope, *both) for both in pair)
            columns.append((high - low) / (2 * step[row]))
        matrices.append(np.array(columns).T)
    s = np.array([30 + 2e3j, 5e4j, 1e5 + 1e3j])[:, None]
    inner, outer = _characteristic(points, s, np.array([delay]))
    for value, result in zip(s[:, 0], (inner - slope * outer)[:, 0], strict=True):
        matrix = value * np.eye(4) - matrices[0] - matrices[1] * np.exp(-value * delay)
        assert result == pytest.approx(np.linalg.det(matrix), rel=1e-4)


def _draws() -> list[tuple[float, float, float, float, int]]:
    """Speeds, flows, delays, slopes and set, away from the edge of stability."""
    random = np.random.default_rng(7)
    kept = []
    while len(kept) < 40:
        gbps, flows = random.choice([40, 100, 200, 400]), random.integers(2, 100)
        delay, slope = random.integers(8, 60) * 1e-6, 10 ** random.uniform(-8, -5.5)
        index = int(random.integers(2))
        points = model(gbps, float(flows), (PAPER, CONNECTX)[index], 4178)
        result = stability(points, slope, delay)
        if result.steeper > 1.3 and result.flatter > 1.3:
            kept.append((float(gbps), float(flows), float(delay), float(slope), index))
    return kept


@pytest.mark.parametrize(("index", "seconds"), [(0, 0.2), (1, 0.3)])
def test_it_agrees_with_the_model_in_time(index: int, seconds: float) -> None:
    """A queue a tenth off its place comes back, or swings away, as the roots say."""
    rows = [draw for draw in _draws() if draw[4] == index]
    gbps, flows, delay, slope, _ = np.array(rows).T
    points = model(gbps, flows, (PAPER, CONNECTX)[index], 4178)
    thresholds = Band(np.full_like(slope, 1e7), 1e7 + 0.9 / slope, np.full_like(slope, 0.9))
    result = simulate(points, thresholds, delay, Run(duration_s=seconds, step_s=2e-6))
    steady = thresholds.queue_bytes(fixed_point(points).marking)
    kick = 0.1 * (steady - 1e7)
    stable = stability(points, slope, delay).stable
    assert 3 <= stable.sum() <= len(rows) - 3
    away = np.abs(result.mean_bytes - steady)
    back = (result.std_bytes < kick / np.sqrt(2)) & (away < kick)
    assert back.tolist() == stable.tolist()


@example(40, 4, 1.2e-6, 1.5)
@given(
    st.sampled_from([25, 40, 100, 400]),
    st.integers(1, 256),
    st.floats(1e-8, 1e-5),
    st.floats(0.1, 10),
)
def test_margins_move_with_the_slope(gbps: int, flows: int, slope: float, factor: float) -> None:
    """The edge itself is a property of the loop, not of the slope that is asked about.

    Within a permille of an edge the number of growing roots is not told apart.
    """
    points = model(gbps, float(flows), PAPER, 4178)
    near, far = (stability(points, value, 20e-6) for value in (slope, slope * factor))
    edges = (float(near.steeper), 1.0 / float(near.flatter))
    assume(all(abs(edge - factor) > 1e-3 * factor for edge in edges))
    if near.growing_roots == far.growing_roots:
        assert far.steeper * factor == pytest.approx(float(near.steeper), rel=1e-6)
