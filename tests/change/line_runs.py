"""Whole runs in the lab on a system of lines below lines, undisturbed and under faults."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from fabric.change.adapter import adapters
from fabric.change.model import Risk
from fabric.change.planner import open_driver
from fabric.devices.connections import connections as reached
from fabric.lab.faults import Fault
from fabric.observe import read_running
from fabric.workflow.apply import Options, apply, status
from fabric.workflow.rollback import rollback
from fabric.workflow.verify import drift
from tests.change import labs
from tests.change.labs import ALL, planned
from tests.reliability.faults import by_injection
from tests.waiting import until

OPTIONS = Options(timer_s=60, verify_s=3.0, poll_s=0.1)
LEAF, SPINE = labs.LEAF, labs.SPINE
KMAX = ("kmax_bytes: 1500000", "kmax_bytes: 1400000")
TOKEN = "rocefab-run-9-1-aa"


@dataclass(frozen=True)
class Killed:
    """A command that a run is killed at, a line that runs by then, and whether the net is armed."""

    command: str
    runs: str
    net: Callable[[Any], bool]


@dataclass(frozen=True, kw_only=True)
class LineLab:
    """What is tried, and where its stand-in shows what.

    Parameters
    ----------
    inventory : str
        The smallest fabric on the system.
    lower_kmax : str
        What the leaf says with the lower threshold.
    account : str
        Somebody else's line.
    edits : tuple
        Changes by hand, and what the drift of each names.
    refused : tuple
        A line that is refused with a text, and what the run says then.
    timer_s : tuple of int
        When a change without its confirmation is there, and how much later it is gone.
    running, startup : callable
        From a stand-in to its configurations.
    is_clean, is_disarmed : callable
        Tell whether nothing of a change is left on a stand-in, and whether nothing there waits.
    """

    name: str
    inventory: str
    lower_kmax: str
    account: str
    edits: tuple[tuple[str, str], ...]
    mixed: dict[str, tuple[str, str]]
    faults: dict[str, Fault]
    refused: tuple[Fault, str]
    timer_s: tuple[int, int]
    running: Callable[[Any], str] = lambda switch: switch.running_text
    startup: Callable[[Any], str] = lambda switch: switch.startup_text
    is_clean: Callable[[Any], bool]
    is_disarmed: Callable[[Any], bool]
    killed: Killed
    dark_neighbours: frozenset[str] = field(default_factory=frozenset)


def applied(change_plan, folder, connections, options=OPTIONS):
    return apply(change_plan, folder / "state", connections, options, labs.silent)


def lower_kmax(folder):
    return labs.changed(folder / "inventory", *KMAX)


def drifting(project, connections):
    """Return what is not as planned, by device."""
    states = drift(project, connections, ALL, labs.silent)
    return {state.device: state for state in states if not state.ok}


def end_state(folder, run):
    states = {row["device"]: row["state"] for row in status(folder / "state", run)}
    return states.get(LEAF, "untouched")


class LineRuns:
    """The runs; a system derives its tests from here."""

    system: LineLab

    def pytest_generate_tests(self, metafunc):
        rows = {"edit": self.system.edits, "fault": self.system.faults, "mix": self.system.mixed}
        for name, values in rows.items():
            if name in metafunc.fixturenames:
                rows_of = by_injection if name == "fault" else list
                metafunc.parametrize(name, rows_of(values))

    @pytest.fixture(scope="class")
    @classmethod
    def whole(cls, tmp_path_factory):
        folder = tmp_path_factory.mktemp(cls.system.name)
        with (
            pytest.MonkeyPatch.context() as patched,
            labs.running_lab(folder, patched, cls.system.inventory) as (lab, project, connections),
        ):
            result = applied(planned(project, connections), folder, connections)
            assert result.ok, result.reasons
            assert labs.unhealthy(project, connections) == []
            yield lab, project, connections, folder

    @pytest.fixture
    def ready(self, whole):
        """The lab as its inventory says, saved; faults are gone afterwards."""
        lab, project, connections, folder = whole
        file = folder / "inventory" / "fabric.yaml"
        kept = file.read_text()
        yield lab, project, connections, folder
        file.write_text(kept)
        for name in lab.names():
            lab[name].faults.clear()
        change_plan = planned(project, connections)
        assert change_plan.empty or applied(change_plan, folder, connections).ok

    @pytest.fixture
    def fresh(self, tmp_path, monkeypatch):
        """Return a function that starts a lab fresh from the box; its folder is ``tmp_path``."""
        return lambda text=self.system.inventory: labs.running_lab(tmp_path, monkeypatch, text)

    def texts(self, switch):
        return self.system.running(switch), self.system.startup(switch)

    @pytest.mark.mechanism
    def test_from_the_box_to_a_verified_fabric(self, ready):
        lab, project, connections, folder = ready
        assert labs.unhealthy(project, connections) == []
        assert planned(project, connections).empty
        for name in (LEAF, SPINE):
            running, startup = self.texts(lab[name])
            assert running == startup
            assert "rocefab-" not in running
            assert self.system.account in running
            assert self.system.is_clean(lab[name])
        for path in (folder / "state").rglob("*"):
            assert not path.is_file() or b"lab-password" not in path.read_bytes()

    def test_a_change_by_hand_is_drift_and_goes_away(self, ready, edit):
        lab, project, connections, folder = ready
        before = self.system.running(lab[LEAF])
        line, path = edit
        lab[LEAF].hand_edit(line)
        found = drifting(project, connections)
        assert {LEAF} <= set(found) <= {LEAF, *self.system.dark_neighbours}
        assert any(path in change.path for change in found[LEAF].drift)
        result = applied(planned(project, connections), folder, connections)
        assert result.ok, result.reasons
        assert drifting(project, connections) == {}
        assert self.system.running(lab[LEAF]) == before

    def test_whole_run_is_rolled_back(self, ready):
        lab, _, connections, folder = ready
        before = self.texts(lab[LEAF])
        change_plan = planned(lower_kmax(folder), connections)
        assert change_plan.devices[LEAF].risk is Risk.HARMLESS
        result = applied(change_plan, folder, connections)
        assert result.ok, result.reasons
        assert self.system.lower_kmax in self.system.startup(lab[LEAF])
        back = rollback(result.run, folder / "state", connections, labs.silent)
        assert back.ok, back.reasons
        assert self.texts(lab[LEAF]) == before

    def test_first_run_is_rolled_back_too(self, fresh, tmp_path):
        with fresh() as (lab, project, connections):
            switches = [lab[name] for name in (LEAF, SPINE)]
            before = [self.system.running(switch) for switch in switches]
            restarts = [getattr(switch, "restarts", 0) for switch in switches]
            result = applied(planned(project, connections), tmp_path, connections)
            assert result.ok, result.reasons
            back = rollback(result.run, tmp_path / "state", connections, labs.silent)
            assert back.ok, back.reasons
            assert [self.system.running(switch) for switch in switches] == before
            assert [self.system.startup(switch) for switch in switches] == before
            assert [getattr(switch, "restarts", 0) for switch in switches] == restarts

    def test_beside_another_system(self, fresh, tmp_path, mix):
        """Neighbours know each other, and sessions come up, whatever runs at the far end."""
        text = self.system.inventory.replace(*self.system.mixed[mix])
        assert text != self.system.inventory
        with fresh(text) as (_, project, connections):
            result = applied(planned(project, connections), tmp_path, connections)
            assert result.ok, result.reasons
            assert labs.unhealthy(project, connections) == []

    def test_fault_in_the_commit_window(self, ready, fault):
        """Whatever goes wrong, the switch is as before."""
        lab, _, connections, folder = ready
        leaf, before = lab[LEAF], self.texts(lab[LEAF])
        change_plan = planned(lower_kmax(folder), connections)
        leaf.faults.add(replace(self.system.faults[fault]))
        result = applied(change_plan, folder, connections)
        leaf.faults.clear()
        assert not result.ok
        assert result.reasons
        assert self.texts(leaf) == before
        assert self.system.is_disarmed(leaf)
        assert end_state(folder, result.run) in {"rolled-back", "untouched"}

    def forget(self, lab):
        """Take away what a change without its process leaves on the leaf."""

    def committed(self, lab, connections, project):
        """Return a driver after a change that waits for its confirmation."""
        leaf, startup = lab[LEAF], self.system.startup(lab[LEAF])
        change_plan = planned(project, connections).devices[LEAF]
        names = {LEAF: self.system.name}
        driver = open_driver(reached(connections, names, others_allowed=True)[LEAF])
        adapter = adapters[self.system.name]
        draft = adapter.draft(read_running(driver, []), change_plan.artefacts, driver)
        driver.stage(draft.candidate, TOKEN)
        assert self.system.lower_kmax not in self.system.running(leaf)
        driver.commit(draft.candidate, TOKEN, 60)
        assert self.system.lower_kmax in self.system.running(leaf)
        assert self.system.startup(leaf) == startup
        return driver

    @pytest.mark.fault(4)
    def test_nobody_comes_back_and_the_timer_runs_out(self, ready):
        """The process dies after the commit: the switch goes back by itself."""
        lab, project, connections, folder = ready
        leaf, before = lab[LEAF], self.system.running(lab[LEAF])
        self.committed(lab, connections, lower_kmax(folder)).close()
        still_s, gone_s = self.system.timer_s
        lab.clock.advance(still_s)
        assert self.system.lower_kmax in self.system.running(leaf)
        lab.clock.advance(gone_s)
        assert self.system.running(leaf) == before
        self.forget(lab)
        assert planned(project, connections).empty

    @pytest.mark.fault(18)
    def test_journal_explains(self, ready):
        lab, _, connections, folder = ready
        fault, reason = self.system.refused
        lab[LEAF].faults.add(replace(fault))
        result = applied(planned(lower_kmax(folder), connections), folder, connections)
        lab[LEAF].faults.clear()
        assert reason in " ".join(result.reasons)
        assert fault.text.strip() in " ".join(result.reasons)
        assert end_state(folder, result.run) == "rolled-back"

    @pytest.mark.fault(8, 27)
    def test_killed_in_the_commit_window_and_resumed(self, fresh, tmp_path):
        """A real process, killed while the leaf waits for its confirmation; another one goes on."""
        killed = self.system.killed
        with fresh() as (lab, project, connections):
            leaf = lab[LEAF]
            (tmp_path / "plan.json").write_text(planned(project, connections).to_json())
            command = [sys.executable, "-m", "fabric", "apply"]
            options = ["--connections", str(connections), "--state", str(tmp_path / "state")]
            place = {"cwd": Path(__file__).parents[2], "text": True}
            leaf.faults.add(Fault("slow", pattern=killed.command, nth=2, times=0, seconds=5))
            process = subprocess.Popen(
                [*command, str(tmp_path / "plan.json"), "--commit", *options],
                stderr=subprocess.PIPE,
                **place,
            )
            for line in process.stderr:
                if line.startswith(f"{LEAF}: commit"):
                    break
            until(lambda: killed.runs in self.system.running(leaf), "the change runs")
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            process.stderr.close()
            leaf.faults.clear()
            assert killed.net(leaf)
            assert killed.runs not in self.system.startup(leaf)
            assert status(tmp_path / "state")[-1]["state"] == "interrupted"
            resumed = subprocess.run(
                [*command, "--resume", *options], capture_output=True, check=False, **place
            )
            assert resumed.returncode == 0, resumed.stderr
            assert status(tmp_path / "state")[-1]["state"] == "done"
            assert labs.unhealthy(project, connections) == []
            assert "rocefab-" not in self.system.running(leaf)
            assert self.system.is_clean(leaf)
