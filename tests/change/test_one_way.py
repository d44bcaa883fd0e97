"""A change that takes a port out of a tenant: no kill, failure or rollback brings the port back."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.apply import Applier, Options
from fabric.change.journal import Journal
from fabric.change.model import Plan, parse_plan, read_plan
from fabric.change.rollback import left_out
from fabric.change.wave import Wave
from fabric.core.errors import DeviceError
from fabric.workflow import apply as workflow
from fabric.workflow import rollback as rolling_back
from fabric.workflow import rollback_states
from tests.cases import each
from tests.change import memory_fabric
from tests.change.labs import silent
from tests.change.test_kill import resume, run_child
from tests.devices.memory import MemoryDriver

REASON = "Ethernet0 leaves red (Vrf17) and is shut down"
OUT = ("leaf1", "leaf2")


@pytest.fixture(autouse=True)
def memory_drivers(monkeypatch: pytest.MonkeyPatch) -> None:
    memory_fabric.use_memory_drivers(monkeypatch)


def prepared(folder: Path) -> Plan:
    """Return a plan whose leaves are never undone."""
    memory_fabric.create(folder)
    plan = memory_fabric.make_plan(folder)
    out = {name: replace(plan.devices[name], one_way=REASON) for name in OUT}
    plan = replace(plan, devices={**plan.devices, **out})
    (folder / "plan.json").write_text(plan.to_json())
    return read_plan(folder / "plan.json")


def applied(folder: Path, plan: Plan):
    journal = Journal(folder / "state")
    with ThreadPoolExecutor(1) as pool:
        reachable = memory_fabric.connections(folder)
        return Applier(journal, reachable, pool, silent, Options(poll_s=0.01, verify_s=0.1)).apply(
            plan
        )


def test_no_timer_runs_and_all_is_saved(tmp_path):
    plan = prepared(tmp_path)
    assert [plan.devices[name].timer_s(300) for name in OUT] == [0, 0]
    assert applied(tmp_path, plan).ok
    for name in OUT:
        assert memory_fabric.state(tmp_path, name)["startup"] == memory_fabric.wanted()


def test_a_wave_that_fails_leaves_them_out(tmp_path, monkeypatch):
    def broken(self, item):
        raise DeviceError(item.name, "not healthy")

    plan = prepared(tmp_path)
    monkeypatch.setattr(Wave, "_verify", broken)
    result = applied(tmp_path, replace(plan, waves=plan.waves[1:]))
    assert not result.ok
    for name in OUT:
        assert memory_fabric.state(tmp_path, name)["running"] == memory_fabric.wanted()


def test_a_failure_before_the_commit_leaves_everything(tmp_path, monkeypatch):
    def broken(self, candidate, token):
        raise DeviceError(self.connection.device, "full")

    plan = prepared(tmp_path)
    monkeypatch.setattr(MemoryDriver, "stage", broken)
    assert not applied(tmp_path, replace(plan, waves=plan.waves[1:])).ok
    assert memory_fabric.state(tmp_path, "leaf1")["running"] == memory_fabric.BEFORE


def test_a_run_is_rolled_back_without_them(tmp_path, monkeypatch):
    plan = prepared(tmp_path)
    assert applied(tmp_path, plan).ok
    monkeypatch.setattr(
        rollback_states, "reachable_by", lambda *_: memory_fabric.connections(tmp_path)
    )
    result = rolling_back.rollback(1, tmp_path / "state", None, silent)
    assert not result.ok
    assert any(f"leaf1: it is not rolled back: {REASON}" in text for text in result.reasons)
    for name in OUT:
        assert memory_fabric.state(tmp_path, name)["running"] == memory_fabric.wanted()
    assert memory_fabric.state(tmp_path, "spine01")["running"] == memory_fabric.BEFORE
    assert not any("--resume" in text for text in result.reasons)


def test_a_dry_run_names_what_stays(tmp_path):
    assert applied(tmp_path, prepared(tmp_path)).ok
    state = tmp_path / "state"
    back = rolling_back.would_go_back(1, state)
    assert not any(name in line for line in back for name in OUT)
    assert rolling_back.would_stay(1, state) == [
        f"ONE WAY, not rolled back: leaf[1-2] (2 devices): {REASON}"
    ]
    assert rolling_back.would_stay(1, state, only="spine01") == []


#: What a host is at, and what the run has changed -> why the host stays as it is.
HOSTS = {
    "both leaves": (OUT, OUT, "ports of it leave a tenant at leaf[1-2]"),
    "one leaf": (OUT[:1], OUT, "ports of it leave a tenant at leaf1"),
    "a leaf that has not changed yet": (OUT[:1], OUT[1:], ""),
    "no such leaf": ((), OUT, ""),
}


@each("name", HOSTS)
def test_a_host_stays_with_its_ports(tmp_path, name):
    at, changed, why = HOSTS[name]
    plan = prepared(tmp_path)
    host = replace(plan.devices["spine01"], revoked_at=at)
    plan = replace(plan, devices={**plan.devices, "spine01": host})
    plan = parse_plan(plan.to_json(), "plan")
    assert left_out([["spine01"], changed], plan).get("spine01", "") == why


def _writes(folder: Path) -> int:
    done = run_child(folder, 0, "never")
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.fault(8)
def test_killed_at_any_write_they_are_never_back(tmp_path, monkeypatch):
    (tmp_path / "whole").mkdir()
    prepared(tmp_path / "whole")
    for number in range(1, _writes(tmp_path / "whole") + 1):
        for when in ("before", "after"):
            folder = tmp_path / f"{number}-{when}"
            folder.mkdir()
            prepared(folder)
            killed: subprocess.CompletedProcess = run_child(folder, number, when)
            assert killed.returncode == -9, killed.stderr
            out = [name for name in OUT if _is_out(folder, name)]
            rows = workflow.status(folder / "state")
            if rows and rows[-1]["state"] == "interrupted":
                with monkeypatch.context() as patch:
                    patch.setattr(MemoryDriver, "commit", _never_back(MemoryDriver.commit))
                    assert resume(folder, patch).ok, (number, when)
            assert all(_is_out(folder, name) for name in out), (number, when)
            if rows:
                assert all(_is_out(folder, name) for name in OUT), (number, when)


def _is_out(folder: Path, name: str) -> bool:
    return memory_fabric.state(folder, name)["running"] == memory_fabric.wanted()


def _never_back(commit):
    """Return a commit that fails the test where a leaf that was out comes back."""

    def checked(self, candidate, token, timer_s):
        before = self._state()["running"]
        commit(self, candidate, token, timer_s)
        if self.connection.device in OUT and before == memory_fabric.wanted():
            assert self._state()["running"] == before

    return checked
