"""What traffic loses between the waves of a rollback, of whole runs and of parts."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.change.journal import Journal, State
from fabric.change.model import DevicePlan, Plan
from fabric.change.restoration import kept_text
from fabric.change.rollout import RolloutPlan, Stage
from fabric.core.errors import DeviceError, PlanError
from fabric.observe.snapshot import Running
from fabric.workflow import rollback as rolling_back
from fabric.workflow import rollback_states
from fabric.workflow.configurations import whole
from fabric.workflow.plan import origin_of
from tests.cli.runs import run as command_line
from tests.workflow.test_mixed_sessions import LEAVES, SPINES, project

WAVES = (SPINES[:1], SPINES[1:], LEAVES[:2], LEAVES[2:])
EDITS = {
    "AS": ("spine_asn: 65100", "spine_asn: 65200"),
    "ECN": ("kmin_bytes: 150000", "kmin_bytes: 200000"),
}
#: The edit, how many waves are done, and what is asked for -> what is said of the states.
CASES = {
    "all of a run": ("AS", 4, "", r"after waves 1 to 2: up to \d+ of \d+ pairs of NICs lose"),
    "a harmless run": ("ECN", 4, "", ""),
    "a run that stopped at the leaves": ("AS", 2, "", ""),
    "a run that stopped at the second leaves": ("AS", 3, "", "after wave 1: 48 of 56 pairs of"),
    "one wave, which ends between two states": ("AS", 4, "su1-rail[0-1]", "after wave 2: 40 of 56"),
    "a device of the last wave": ("AS", 4, "su2-rail1", r"after wave 1: \d+ of 56"),
    "spines alone": ("AS", 4, "spine[01-02]", "after wave 4: 48 of 56"),
}


class Run:
    """A run of the demo in a journal, and what its devices ran before it."""

    def __init__(self, folder: Path, edit: str, done: int, *, rollout: bool) -> None:
        self.state = folder / "state"
        self.old = project(folder / "old")
        self.new = project(folder / "new", EDITS[edit])
        self.plan = self._plan(rollout=rollout)
        journal = Journal(self.state)
        self.number = journal.begin("apply", "demo", self.plan.to_json())
        for name in (name for wave in WAVES[:done] for name in wave):
            journal.keep(self.number, name, kept_text(self.before(name)))
            journal.record(self.number, name, State.DONE)

    def _plan(self, *, rollout: bool) -> Plan:
        names = [name for wave in WAVES for name in wave]
        devices = {name: self._device(name) for name in names}
        stages = tuple(Stage("leaf", wave) for wave in WAVES)
        policy = self.new.intent.fabric.rollout
        return Plan(
            fabric="demo",
            waves=WAVES,
            devices=devices,
            unchanged=(),
            origin=origin_of(Path(self.new.intent.folder)),
            rollout=RolloutPlan(policy, stages) if rollout else None,
        )

    def _device(self, name: str) -> DevicePlan:
        design = self.new.devices[name]
        return DevicePlan(
            device=name,
            platform=design.platform,
            role=design.role,
            hostname=name,
            serial="",
            mac="",
            fingerprint="0" * 64,
            method="replace",
            changes=(),
            diff="",
            artefacts=tuple(self.new.switch_artefacts[name]),
        )

    def before(self, name: str) -> Running:
        text = whole(self.old.switch_artefacts[name]).text
        return Running(name, self.old.devices[name].platform, text, text, None, {}, {})

    def losses(self, only: str = "") -> list[str]:
        return rolling_back.would_lose(self.number, self.state, None, only)


@pytest.mark.parametrize("name", CASES)
def test_states_between_the_waves_of_a_rollback(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit, done, only, words = CASES[name]
    run = Run(tmp_path, edit, done, rollout=False)
    monkeypatch.setattr(rollback_states, "_running", lambda device, _: run.before(device.device))
    said = run.losses(only)
    assert bool(said) is bool(words), said
    assert not words or re.search(words, said[1]), said


def test_a_rollback_of_a_roll_out_demands_what_apply_demands(tmp_path: Path) -> None:
    run = Run(tmp_path, "AS", 4, rollout=True)
    demand = "stop the jobs before `rocefab rollback`, and add --traffic-stopped to it"
    assert run.losses()[-1] == demand
    with pytest.raises(PlanError, match=f"between waves: .*lose packets.*; {demand}"):
        rolling_back.rollback(run.number, run.state, None, lambda *_: None)
    assert [one.id for one in Journal(run.state).runs()] == [run.number]
    dry = ("rollback", str(run.number), "--state", str(run.state))
    assert demand in command_line(*dry).out
    stopped = command_line(*dry, "--traffic-stopped").out.splitlines()
    assert [line.partition(":")[0] for line in stopped] == [f"wave {n}" for n in (1, 2, 3, 4)]


def test_jobs_on_hosts_that_leave_are_all_that_must_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, "ECN", 4, rollout=True)
    monkeypatch.setattr(rollback_states, "leaving_hosts", lambda *_: ["gpu003", "gpu004"])
    leave = "the rollback takes NICs of 2 hosts (gpu[003-004]) out of service: stop the jobs there"
    assert run.losses() == [leave]
    monkeypatch.setattr(rolling_back.Applier, "roll_back", lambda applier, *_: applier.options)
    options = rolling_back.rollback(run.number, run.state, None, lambda *_: None)
    assert options.notes == (leave,)


def no_proof(monkeypatch: pytest.MonkeyPatch, *hazards: str) -> None:
    monkeypatch.setattr(rollback_states, "_judged", lambda *_: ([*hazards], []))


def test_a_plan_without_a_roll_out_warns_in_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(tmp_path, "AS", 4, rollout=False)
    no_proof(monkeypatch, "after wave 1: 2 pairs")
    monkeypatch.setattr(rolling_back.Applier, "roll_back", lambda applier, *_: applier.options)
    told: list[str] = []
    notes = ["packets of the lossless class can be lost between waves: after wave 1: 2 pairs"]
    options = rolling_back.rollback(run.number, run.state, None, lambda _, word: told.append(word))
    assert (options.notes, told) == ((*notes,), ["judging the states between waves", *notes])


def test_what_never_goes_back_is_in_no_wave(tmp_path: Path) -> None:
    run = Run(tmp_path, "AS", 4, rollout=False)
    spine = replace(run.plan.devices["spine01"], one_way="ports leave")
    plan = replace(run.plan, devices={**run.plan.devices, "spine01": spine})
    journal = Journal(run.state)
    number = journal.begin("apply", "demo", plan.to_json())
    for name in ("spine01", "spine02"):
        journal.record(number, name, State.DONE)
    assert rolling_back.would_go_back(number, run.state) == [
        "wave 1: spine02 (1 device): by replace, risk: harmless"
    ]


#: What became of the inventory, and of the devices -> what is said before, or in place of, losses.
UNKNOWN = {
    "edited": ("was changed after the plan; the states between the waves are judged by it", True),
    "away": ("are not judged: the inventory of the plan is not known: .*; add --inventory", False),
    "wrong": ("the states between the waves are not judged: .*fabric.yaml", False),
    "fault": ("the states between the waves are not judged: KeyError", False),
    "silent": (r"^not read, judged as planned: su2-rail\[0-1\]: timed out$", True),
    "later": ("^not read, judged as planned: spine01: timed out$", True),
    "lost": ("^not rolled back: spine01: the journal has no state before the run$", True),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_is_unknown_is_said_and_stops_no_rollback(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, is_judged = UNKNOWN[name]
    run = Run(tmp_path, "AS", 3 if name == "silent" else 4, rollout=True)
    file = tmp_path / "new" / "fabric.yaml"
    if name == "away":
        shutil.move(tmp_path / "new", tmp_path / "elsewhere")
    elif name == "later":
        journal = Journal(run.state)
        journal.record(journal.begin("rollback", "demo", ""), "spine01", State.ROLLING_BACK)
    elif name == "lost":
        (saved,) = run.state.rglob("*spine01*")
        saved.unlink()
    elif name == "fault":
        monkeypatch.setattr(rollback_states, "_judged", lambda *_: {}["nics"])
    elif name in ("edited", "wrong"):
        file.write_text("name: [" if name == "wrong" else f"{file.read_text()}# more\n")

    monkeypatch.setattr(rollback_states, "_running", silent)
    said = run.losses()
    assert re.search(words, said[0]), said
    assert bool(said[1:]) is is_judged


def silent(device: DevicePlan, _: object) -> Running:
    raise DeviceError(device.device, "timed out")


def test_a_silent_device_counts_as_the_run_left_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run rolled spine01 back itself: with it as planned, pairs would lose packets."""
    run = Run(tmp_path, "AS", 1, rollout=True)
    Journal(run.state).record(run.number, "spine01", State.ROLLED_BACK)
    seen = []
    monkeypatch.setattr(rollback_states, "_running", silent)
    monkeypatch.setattr(
        rollback_states, "_judged", lambda *sides: (seen.append(sides[-1]) or [], [])
    )
    back, planned = run.losses()
    assert back == "not read, judged as before the run: spine01: timed out"
    assert planned.startswith("not read, judged as planned: spine02,su")
    assert "spine02" not in seen[0]
    assert seen[0]["spine01"].config == run.before("spine01").config


def test_a_later_run_that_changed_nothing_is_no_reason_to_judge_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path, "AS", 4, rollout=True)
    before = run.losses()
    journal = Journal(run.state)
    journal.record(journal.begin("apply", "demo", ""), "spine01", State.PENDING)
    assert run.losses() == before != []
