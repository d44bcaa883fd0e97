"""Whole runs on devices that say that they saved, and start with their old configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabric.change.journal import Journal, State
from fabric.lab.faults import Fault
from fabric.workflow.apply import Options, apply, status
from tests.change import labs
from tests.change.labs import HOST, LEAF, SPINE, planned

OPTIONS = Options(timer_s=60, verify_s=6.0, poll_s=0.1)
#: System, its inventory, and the device of that system; they save in one way each.
SYSTEMS = {
    "sonic": (labs.INVENTORY, LEAF),
    "eos": (labs.INVENTORY, SPINE),
    "nxos": (labs.NXOS, LEAF),
    "vrp8": (labs.VRP8, LEAF),
    "comware7": (labs.COMWARE7, LEAF),
    "cumulus": (labs.CUMULUS, LEAF),
    "esonic": (labs.ESONIC, LEAF),
}
#: Systems that have no saved configuration beside the one that runs, and what takes a change back.
WITHOUT = {
    "junos": (labs.JUNOS, LEAF, lambda switch: switch.hand_edit("deactivate protocols lldp")),
    "host": (
        labs.INVENTORY,
        HOST,
        lambda host: host.run_detached("rm /etc/sysctl.d/zz-rocefab.conf"),
    ),
}


def configurations(switch) -> list[str]:
    """Return what runs, and what a restart would load."""
    names = (("running_text", "startup_text"), ("text", "startup"), ("running", "startup"))
    for running, startup in (*names, ("applied", "startup")):
        if hasattr(switch, running) and hasattr(switch, startup):
            return [
                text if isinstance(text, str) else json.dumps(sorted(text), sort_keys=True)
                for text in (getattr(switch, running), getattr(switch, startup))
            ]
    raise AssertionError(switch)


def state_of(folder: Path, run: int, name: str) -> str:
    return {row["device"]: row["state"] for row in status(folder / "state", run)}[name]


@pytest.mark.fault(28)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_switch_that_keeps_its_old_file_is_not_called_saved(tmp_path, monkeypatch, system):
    text, name = SYSTEMS[system]
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, connections):
        switch = lab[name]
        before = configurations(switch)
        switch.faults.add(Fault("forget_save", times=0))
        plan, lines = planned(project, connections), []
        result = apply(
            plan, tmp_path / "state", connections, OPTIONS, lambda *words: lines.append(words)
        )
        assert not result.ok
        assert f"{name}: the device reports that it saved" in result.reasons[0]
        assert (name, "confirmed and saved") not in lines
        assert state_of(tmp_path, result.run, name) == "rolled-back", "\n".join(map(str, lines))
        assert configurations(switch) == before


@pytest.mark.fault(28)
@pytest.mark.parametrize("system", WITHOUT)
def test_a_change_that_is_gone_after_its_confirmation_is_not_called_saved(
    tmp_path, monkeypatch, system
):
    text, name, take_back = WITHOUT[system]
    record = Journal.record
    with labs.running_lab(tmp_path, monkeypatch, text) as (lab, project, connections):

        def recorded(self, run, device, state, detail=""):
            record(self, run, device, state, detail)
            if device == name and state is State.CONFIRMED:
                monkeypatch.setattr(Journal, "record", record)
                take_back(lab[name])

        plan = planned(project, connections)
        monkeypatch.setattr(Journal, "record", recorded)
        result = apply(plan, tmp_path / "state", connections, OPTIONS, labs.silent)
        assert not result.ok
        assert "is not as planned any more once it was saved" in result.reasons[0]
        assert state_of(tmp_path, result.run, name) != "done"
