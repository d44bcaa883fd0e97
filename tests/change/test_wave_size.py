"""A wave of 200 devices is at work on all of them at once: it waits no longer than a small one."""

from __future__ import annotations

import threading

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal, State
from fabric.workflow.devices import executor
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.devices.memory import MemoryDriver


class Meeting(MemoryDriver):
    """A device whose commit lasts until ``wanted`` commits are under way."""

    wanted = 0
    here = 0
    most = 0
    turn = threading.Condition()

    def commit(self, candidate, token, timer_s) -> None:
        kind = type(self)
        with kind.turn:
            kind.here += 1
            kind.most = max(kind.most, kind.here)
            kind.turn.notify_all()
            assert kind.turn.wait_for(lambda: kind.most >= kind.wanted, 120)
        super().commit(candidate, token, timer_s)
        with kind.turn:
            kind.here -= 1


@pytest.mark.parametrize(("devices", "at_once"), [(1, 1), (17, 17), (220, 200)])
def test_all_devices_of_a_wave_commit_at_once(
    tmp_path, monkeypatch, devices: int, at_once: int
) -> None:
    waves = (tuple(f"leaf{number}" for number in range(devices)),)
    memory_fabric.use_memory_drivers(monkeypatch, Meeting)
    monkeypatch.setattr(Meeting, "wanted", at_once)
    monkeypatch.setattr(Meeting, "here", 0)
    monkeypatch.setattr(Meeting, "most", 0)
    memory_fabric.create(tmp_path, waves)
    plan = memory_fabric.make_plan(tmp_path, waves)
    journal = Journal(tmp_path / "state")
    options = Options(verify_s=120.0)
    with executor(devices) as pool:
        reachable = memory_fabric.connections(tmp_path, waves)
        result = Applier(journal, reachable, pool, silent, options).apply(plan)
    assert result.ok, result.reasons
    assert Meeting.most == at_once
    assert {event.state for event in journal.states(result.run).values()} == {State.DONE}
    assert journal.verify().whole
