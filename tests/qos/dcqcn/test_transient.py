"""The model in time against figures of an independent integration, and against itself."""

from __future__ import annotations

import numpy as np
import pytest

from fabric.qos.dcqcn.fluid import fixed_point, loop
from fabric.qos.dcqcn.parameters import CongestionPoint, band
from fabric.qos.dcqcn.presets import PAPER
from fabric.qos.dcqcn.stability import stability
from fabric.qos.dcqcn.transient import Run, simulate

SWITCH = CongestionPoint(kmin_bytes=5_000, kmax_bytes=200_000, pmax_percent=10)
DELAYS_US = (4, 50, 85, 100)
#: Gb/s, flows: standard deviation of the queue in KB at each delay; steady queue in KB.
SWINGS = {
    (40, 2): ((0.0, 4.4, 4.9, 5.2), 6.5),
    (40, 10): ((0.0, 16.1, 20.2, 21.9), 16.8),
    (40, 64): ((0.0, 102.0, 123.0, 134.0), 120.2),
    (100, 2): ((0.5, 3.0, 3.0, 3.1), 5.5),
    (100, 10): ((0.0, 8.4, 10.2, 11.1), 8.7),
}
#: The 0.5 KB of 100 Gb/s with 2 flows are those of 5 us: at 4 us the point is stable, with a gain
#: margin of 1.10, and the independent integration held the delay one step of 1 us longer.
MARGINAL = (100, 2)


def model(gbps, flows, packet_bytes=1000):
    return loop(PAPER, np.asarray(gbps) * 1e9, flows, packet_bytes)


@pytest.mark.parametrize(("start", "seconds"), [("fair", 0.2), ("steady", 0.1)])
def test_swings(start, seconds: float) -> None:
    """Second half of the run, steps of 1 us; every start ends in the same swing."""
    gbps = np.array([point[0] for point in SWINGS])[:, None]
    flows = np.array([point[1] for point in SWINGS])[:, None]
    delays = np.tile(np.array(DELAYS_US) * 1e-6, (len(SWINGS), 1))
    delays[list(SWINGS).index(MARGINAL), 0] = 5e-6
    points = model(gbps + np.zeros_like(delays), flows)
    result = simulate(points, band(SWITCH), delays, Run(start=start, duration_s=seconds))
    expected = np.array([row for row, _ in SWINGS.values()])
    assert result.std_bytes / 1e3 == pytest.approx(expected, rel=0.15, abs=0.05)
    steady = np.array([queue for _, queue in SWINGS.values()])
    assert result.mean_bytes[:, 0] / 1e3 == pytest.approx(steady, rel=0.02)
    over = result.peak_bytes[:, 1:] / 1e3 / steady[:, None]
    assert over.min() == pytest.approx(1.7, abs=0.05)
    assert over.max() == pytest.approx(4.0, abs=0.1)


def test_the_marginal_point_is_quiet_at_4_us() -> None:
    result = simulate(model(100, [2.0]), band(SWITCH), 4e-6, Run(duration_s=0.1))
    assert result.std_bytes < 1.0
    margin = stability(model(100, 2.0), band(SWITCH).slope_per_byte, [4e-6, 5e-6]).slope_margin
    assert margin == pytest.approx([1.10, 0.88], abs=0.01)


def test_means_are_the_steady_state() -> None:
    """Wherever p* is below Pmax, to 3 digits (feedback of 4 us)."""
    gbps = [40, 100, 40, 100, 40, 100, 100, 100]
    flows = [2, 8, 4, 16, 8, 32, 2, 4]
    points = model(gbps, flows)
    switch = band(PAPER.congestion_point)
    result = simulate(points, switch, 4e-6, Run(start="fair"))
    expected = switch.queue_bytes(fixed_point(points).marking)
    assert result.mean_bytes == pytest.approx(expected, rel=1e-3)
    assert (result.std_bytes < 0.01 * expected).all()


def test_a_finer_step_changes_little() -> None:
    points, switch = model(100, [2.0, 10.0]), band(SWITCH)
    coarse, fine = (
        simulate(points, switch, 20e-6, Run(duration_s=0.1, step_s=step)).std_bytes
        for step in (1e-6, 0.5e-6)
    )
    assert fine == pytest.approx(coarse, rel=0.02)


def test_points_do_not_know_of_each_other() -> None:
    """Alone, or beside a point of another delay and speed, in any shape."""
    switch, run = band(SWITCH), Run(duration_s=0.02)
    alone = simulate(model(100, [10.0]), switch, 50e-6, run)
    beside = simulate(model([[100, 40]], 10.0), switch, np.array([[50e-6, 7e-6]]), run)
    assert beside.std_bytes.shape == (1, 2)
    for name in ("mean_bytes", "std_bytes", "peak_bytes", "least_bytes"):
        assert getattr(beside, name)[0, 0] == pytest.approx(getattr(alone, name)[0], rel=1e-9)


def test_senders_at_line_rate_fill_the_queue_before_the_first_mark_acts() -> None:
    """N senders at the rate of the port: (N - 1) C for one delay, then the cuts begin."""
    run = Run(duration_s=50e-6, settled_from=0.0, start="line")
    result = simulate(model(100, [4.0]), band(SWITCH), 50e-6, run)
    assert result.peak_bytes == pytest.approx(3 * 12.5e9 * 50e-6, rel=0.05)


def test_an_idle_port_has_no_queue() -> None:
    """Fair shares fill nothing at first, and the queue never falls below zero."""
    result = simulate(model(40, [2.0]), band(SWITCH), 100e-6)
    assert result.least_bytes == 0.0


def test_a_delay_below_one_step_is_refused() -> None:
    with pytest.raises(ValueError, match="delay_s"):
        simulate(model(40, [2.0]), band(SWITCH), 1e-7)
