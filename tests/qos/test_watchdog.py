"""Watchdog times against pauses and drains."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.qos.watchdog import drain_s, longest_pause_s, storm


@pytest.mark.parametrize(("speed", "us"), [(100, 335.5), (400, 83.9), (800, 41.9)])
def test_longest_pause_of_one_frame(speed: int, us: float) -> None:
    assert longest_pause_s(speed) * 1e6 == pytest.approx(us, abs=0.06)


@pytest.mark.parametrize(("buffer_mb", "speed", "ms"), [(64, 100, 5.12), (165, 400, 3.3)])
def test_drain(buffer_mb: int, speed: int, ms: float) -> None:
    assert drain_s(buffer_mb * 1e6, speed) * 1e3 == pytest.approx(ms, rel=0.01)


def test_a_storm_at_100g() -> None:
    """12 MB fill in 0.96 ms, so a detector of 200 ms is two hundred times too late for them."""
    result = storm(200, 200, 12_000_000, 100)
    assert result.drain_s == pytest.approx(0.96e-3)
    assert result.latest_s == pytest.approx(0.4)
    assert result.buffers_filled == pytest.approx(0.4 / 0.96e-3)
    assert not result.trips_on_honest_pauses


def test_a_detection_that_is_too_short() -> None:
    assert storm(6, 5, 165_000_000, 400).trips_on_honest_pauses
    assert not storm(7, 5, 165_000_000, 400).trips_on_honest_pauses


@given(st.integers(10, 5000), st.integers(5, 1000), st.integers(10**6, 10**9))
def test_a_longer_detection_never_trips_sooner(detection: int, poll: int, size: int) -> None:
    near, later = (storm(ms, poll, size, 400) for ms in (detection, detection + 100))
    assert near.trips_on_honest_pauses >= later.trips_on_honest_pauses
    assert later.buffers_filled > near.buffers_filled
