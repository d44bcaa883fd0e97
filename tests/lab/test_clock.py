"""The clock of the lab."""

from fabric.lab.clock import LabClock


def test_stopped_clock_moves_by_advance_alone():
    clock, ran = LabClock(), []
    clock.stop()
    start_s = clock.now_s()
    clock.call_later(60, lambda: ran.append("timer"))
    clock.advance(59.5)
    assert clock.now_s() - start_s == pytest.approx(59.5)
    assert ran == []
    clock.advance(0.5)
    assert clock.now_s() - start_s == pytest.approx(60)
    assert ran == ["timer"]
