"""The clock of the lab."""

import pytest

from fabric.lab.clock import LabClock


def test_stopped_clock_moves_by_advance_alone():
    clock, ran = LabClock(), []
    clock.stop()
    start_s = clock.now_s()
    clock.call_later(60, lambda: ran.append("timer"))
    clock.advance(59.5)
    assert clock.now_s() - start_s == pytest.approx(59.5)
    assert ran == []
    clock.advance(0.75)
    assert clock.now_s() - start_s == pytest.approx(60.25)
    assert ran == ["timer"]
