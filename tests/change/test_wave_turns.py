"""A wave that is larger than the workers: the time of a device begins with its turn."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal
from fabric.workflow import apply as applying
from fabric.workflow.rollback import rollback
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.devices.memory import MemoryDriver

WAVES = (tuple(f"leaf{number}" for number in range(4)),)
#: How long a device needs to look healthy, and how long it may.
SETTLES_S, VERIFY_S = 0.5, 1.0


class Settling(MemoryDriver):
    """A device that shows its change some time after it is first looked at."""

    first_s: ClassVar[dict[str, float]] = {}

    def read_running(self, files):
        texts = dict(super().read_running(files))
        if self._state()["pending"]:
            begin_s = self.first_s.setdefault(self.connection.device, time.monotonic())
            if time.monotonic() - begin_s < SETTLES_S:
                texts["config"] = json.dumps(memory_fabric.BEFORE)
        return texts


@pytest.mark.fault(30)
def test_the_last_device_of_a_wave_has_as_long_as_the_first(tmp_path, monkeypatch):
    memory_fabric.use_memory_drivers(monkeypatch, Settling)
    Settling.first_s.clear()
    memory_fabric.create(tmp_path, WAVES)
    plan = memory_fabric.make_plan(tmp_path, WAVES)
    options = Options(verify_s=VERIFY_S, poll_s=0.05)
    with ThreadPoolExecutor(1) as pool:
        reachable = memory_fabric.connections(tmp_path, WAVES)
        journal = Journal(tmp_path / "state")
        result = Applier(journal, reachable, pool, silent, options).apply(plan)
    assert result.ok, result.reasons


class Counting(MemoryDriver):
    """Counts how many devices commit, or roll back, at the same time."""

    now: ClassVar[list[str]] = []
    most = 0

    def stage(self, candidate, token):
        Counting.now.append(self.connection.device)
        Counting.most = max(Counting.most, len(Counting.now))
        time.sleep(0.05)
        super().stage(candidate, token)
        Counting.now.remove(self.connection.device)


@pytest.mark.parametrize("parallel", [1, 2])
def test_so_many_devices_at_a_time_are_changed(tmp_path, monkeypatch, parallel):
    memory_fabric.use_memory_drivers(monkeypatch, Counting)
    memory_fabric.create(tmp_path, WAVES)
    devices = {
        name: {"address": str(tmp_path / f"{name}.json")} for name in memory_fabric.names(WAVES)
    }
    file = tmp_path / "connections.json"
    file.write_text(json.dumps({"devices": devices}))
    plan = memory_fabric.make_plan(tmp_path, WAVES)
    options = Options(verify_s=VERIFY_S, poll_s=0.05, parallel=parallel)
    monkeypatch.setattr(Counting, "most", 0)
    fresh = applying.Freshness(despite_inventory=True)
    assert applying.apply(plan, tmp_path / "state", file, options, silent, freshness=fresh).ok
    assert Counting.most == parallel
    monkeypatch.setattr(Counting, "most", 0)
    assert rollback(1, tmp_path / "state", file, silent, options=Options(parallel=parallel)).ok
    assert Counting.most == parallel
