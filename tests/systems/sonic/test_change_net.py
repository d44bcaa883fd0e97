"""The net of a SONiC switch: armed until the way back is done, past a boot, and told as it is."""

from __future__ import annotations

import json

import pytest

from fabric.change.session import Session
from fabric.core.errors import RefusedError
from fabric.lab.shell.state import Result
from fabric.systems.sonic.platforms import SYSCTL_PATH
from fabric.workflow.apply import Options, apply
from fabric.workflow.devices import project_connections
from fabric.workflow.plan import Selection, plan
from tests.change import labs

OPTIONS = Options(timer_s=60, verify_s=1.0, poll_s=0.1)
LEAF = Selection(only=labs.LEAF)
TOKEN = "rocefab-run-1-1-aa"


@pytest.fixture
def lab(tmp_path, monkeypatch):
    with labs.running_lab(tmp_path, monkeypatch) as (running, project, connections):
        first = plan(project, connections, LEAF, "rail", labs.silent)
        result = apply(first, tmp_path / "state", connections, OPTIONS, labs.silent)
        assert result.ok, result.reasons
        edits = ("kmax_bytes: 1500000", "kmax_bytes: 1400000")
        yield running[labs.LEAF], labs.changed(tmp_path / "inventory", *edits), connections


def kmax(leaf) -> str:
    _, dump = leaf.run_detached("sonic-cfggen -d --print-data")
    return json.loads(dump)["WRED_PROFILE"]["AZURE_LOSSLESS"]["green_max_threshold"]


def refuse_config(leaf, patch) -> None:
    """Let every `config ...` fail, as it does while the database container restarts."""
    patch.setitem(leaf.tools, "config", lambda *_: Result("", "Error: no database\n", 1))


def unconfirmed(project, connections) -> Session:
    made = plan(project, connections, LEAF, "rail", labs.silent)
    session = Session(made.devices[labs.LEAF], project_connections(project, connections))
    draft = session.draft(session.unchanged())
    session.driver.stage(draft.candidate, TOKEN)
    session.driver.commit(draft.candidate, TOKEN, 600)
    return session


@pytest.mark.fault(26)
def test_a_way_back_that_fails_stays_armed(lab, monkeypatch):
    leaf, project, connections = lab
    session = unconfirmed(project, connections)
    with monkeypatch.context() as broken:
        refuse_config(leaf, broken)
        with pytest.raises(RefusedError, match=r"rollback failed: .*its timer is armed"):
            session.driver.rollback(TOKEN)
    assert kmax(leaf) == "1400000"
    assert session.driver.pending(TOKEN)
    leaf.systemd.expire()
    assert kmax(leaf) == "1500000"
    assert session.driver.foreign_sessions() == []
    session.close()


@pytest.mark.fault(26)
def test_what_is_said_of_the_timer_comes_true(lab, monkeypatch, tmp_path):
    """A run whose way back fails: the leaf says itself that its timer is armed, and it is."""
    leaf, project, connections = lab
    made = plan(project, connections, LEAF, "rail", labs.silent)
    lines = []

    def progress(device, text):
        lines.append(f"{device}: {text}")
        if "not healthy" in text:
            refuse_config(leaf, broken)

    with monkeypatch.context() as broken:
        broken.setattr("fabric.change.wave.worse", lambda *_, **__: ["BGP is down"])
        result = apply(made, tmp_path / "state", connections, OPTIONS, progress)
    assert not result.ok
    assert result.rolled_back == ()
    assert lines[-1].endswith("its commit timer will roll back the change")
    assert kmax(leaf) == "1400000"
    leaf.systemd.expire()
    assert kmax(leaf) == "1500000"


@pytest.mark.fault(3)
def test_a_boot_in_the_confirm_window_brings_files_back(lab, tmp_path):
    """The database comes back by itself, as nothing was saved; files do by the net."""
    leaf, _, connections = lab
    before = leaf.fs.read(SYSCTL_PATH)
    project = labs.changed(tmp_path / "inventory", "timeout_s: 240", "timeout_s: 180")
    session = unconfirmed(project, connections)
    session.close()
    assert leaf.fs.read(SYSCTL_PATH) != before
    leaf.on_reboot()
    assert leaf.fs.read(SYSCTL_PATH) == before
    assert kmax(leaf) == "1500000"
    assert not leaf.systemd.jobs
