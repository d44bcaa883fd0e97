"""A wave of 2,000 devices of which 1 % hang and 1 % reject the change. Prints only.

Devices are files in this process: what is measured is the engine, its journal and its limits, not
SSH. A device that hangs answers nothing from its commit on until it is cut off.
"""

from __future__ import annotations

import resource
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.budget import MaxFailures
from fabric.change.journal import Journal
from fabric.core.errors import RefusedError
from fabric.devices import limits
from fabric.workflow.devices import WORKERS
from tests.change import memory_fabric
from tests.devices.memory import MemoryDriver

pytestmark = pytest.mark.benchmark

DEVICES = 2000
#: Of the commit, in place of 1,800 s: a bench is not to last an hour.
LIMIT_S = 5.0
OPTIONS = Options(timer_s=120, verify_s=20.0, poll_s=0.2, max_failures=MaxFailures(percent=2))


class Faulty(MemoryDriver):
    """Every 100th device rejects the change; where ``hangs``, the one after it hangs."""

    hangs = False

    def __init__(self, connection: Any) -> None:
        super().__init__(connection)
        self._end = threading.Event()

    def cut(self) -> None:
        """End what hangs."""
        self._end.set()

    def commit(self, candidate: Any, token: str, timer_s: int) -> None:
        """Reject, hang, or do it."""
        number = int(self.connection.device.removeprefix("leaf"))
        if number % 100 == 0:
            raise RefusedError(self.connection.device, "no space left on device")
        if self.hangs and number % 100 == 1:
            self._end.wait()
        super().commit(candidate, token, timer_s)


@pytest.mark.parametrize("hangs", [False, True])
def test_one_percent_of_a_wave_hangs_and_one_percent_rejects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, hangs: bool
) -> None:
    waves = (tuple(f"leaf{number}" for number in range(DEVICES)),)
    memory_fabric.use_memory_drivers(monkeypatch, Faulty)
    monkeypatch.setattr(Faulty, "hangs", hangs)
    monkeypatch.setitem(limits.LIMITS_S, "commit", LIMIT_S)
    memory_fabric.create(tmp_path, waves)
    plan = memory_fabric.make_plan(tmp_path, waves)
    before_mib = _memory_mib()
    begin_s = time.perf_counter()
    with ThreadPoolExecutor(WORKERS) as pool:
        reachable = memory_fabric.connections(tmp_path, waves)
        journal = Journal(tmp_path / "state")
        result = Applier(journal, reachable, pool, lambda *_: None, OPTIONS).apply(plan)
    took_s = time.perf_counter() - begin_s
    states = Counter(event.state.value for event in journal.states(result.run).values())
    said = "1 % reject" + (f", 1 % hang for {LIMIT_S:g} s" if hangs else "")
    print(f"\n{DEVICES:,} devices, {said}: {took_s:.1f} s, {took_s / DEVICES * 1000:.1f} ms each")
    print(f"  +{_memory_mib() - before_mib:.0f} MiB; {dict(states)}; {result.reasons[:2]}")


def _memory_mib() -> float:
    """Return the largest resident set so far; Linux counts it in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
